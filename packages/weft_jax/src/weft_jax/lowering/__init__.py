"""The table from Ops to JAX, and what is checked of what it gives.

In: an Op and its node.
Out: a function of JAX arrays.
Next: `analysis`.
"""
