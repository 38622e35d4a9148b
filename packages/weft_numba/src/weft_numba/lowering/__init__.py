"""The table from Ops to Numba, and how its functions are compiled.

In: an Op and its node.
Out: a function that Numba has taken.
Next: `ir`.
"""
