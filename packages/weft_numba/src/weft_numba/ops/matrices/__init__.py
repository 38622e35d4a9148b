"""Implementations of weft_tensor's `ops/matrices`.

In: an Op.
Out: a Numba function.
Next: the other families.
"""
