"""Implementations of weft_tensor's `ops/reduction`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
