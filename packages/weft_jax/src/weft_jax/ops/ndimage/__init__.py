"""Implementations of weft_tensor's `ops/ndimage`.

In: an Op.
Out: a function of JAX arrays.
Next: the other families.
"""
