"""Implementations of weft_tensor's `ops/ndimage`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
