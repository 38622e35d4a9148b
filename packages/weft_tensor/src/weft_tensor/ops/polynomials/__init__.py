"""Polynomials by their coefficients, the highest power first.

In: tensors.
Out: tensors.
Next: the other families.
"""
