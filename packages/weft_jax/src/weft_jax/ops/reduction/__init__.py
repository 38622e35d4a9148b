"""Implementations of weft_tensor's `ops/reduction`.

In: an Op.
Out: a function of JAX arrays.
Next: the other families.
"""
