"""Filters by their frequencies, and other forms of filters and of linear systems.

In: frequencies, zeros and poles, polynomials, matrices.
Out: tensors of the like.
Next: rules and backends, which know nothing of filters.
"""
