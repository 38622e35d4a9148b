"""Implementations of weft_tensor's `ops/indexing`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
