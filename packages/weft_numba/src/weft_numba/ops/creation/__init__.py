"""Implementations of weft_tensor's `ops/creation`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
