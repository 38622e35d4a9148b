"""The implementations that are no loop nests, by family, as the Ops in weft_tensor.

In: an Op.
Out: a function for Numba.
Next: `runtime`.
"""
