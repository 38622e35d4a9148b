"""Implementations of weft_tensor's `ops/shape`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
