"""Implementations of weft_tensor's `ops/products`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
