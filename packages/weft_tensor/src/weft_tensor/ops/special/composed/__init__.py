"""SciPy's functions that are short expressions of others: transforms, tails, angles, orders.

In: tensors.
Out: tensors.
Next: `wt.special`.
"""
