"""Implementations of weft_tensor's `ops/fft`.

In: an Op.
Out: a function for Numba.
Next: the other families.
"""
