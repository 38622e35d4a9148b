"""Special functions: gamma's and its kin, normal probabilities, entropies, incomplete functions.

In: tensors.
Out: rows of the scalar table, and functions that are made of them.
Next: linear algebra.
"""
