"""Statistics: moments, quantiles, what leaves NaN out, and differences.

In: tensors.
Out: tensors.
Next: the other families.
"""
