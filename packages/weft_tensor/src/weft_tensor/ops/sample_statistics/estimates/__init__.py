"""Further estimates: of lines, moments, shares and bins, and observations without the farthest.

In: observations.
Out: tensors.
Next: rules and backends, which know nothing of samples.
"""
