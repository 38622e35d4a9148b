"""The implementations, by family, as the Ops in weft_tensor.

In: an Op.
Out: a function of JAX arrays.
Next: `interop`.
"""
