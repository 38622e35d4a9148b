"""Sparse matrices: tensors of entries and of their places.

In: tensors, and SciPy's sparse matrices.
Out: sparse matrices, whose products with tensors are tensors.
Next: the other families.
"""
