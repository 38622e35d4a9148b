"""Draws by the names of NumPy's `Generator`, each a function of a key.

In: keys, parameters and sizes.
Out: tensors.
Next: `wt.random`.
"""
