"""Implementations of weft_tensor's `ops/elementwise`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
