"""Discrete Fourier transforms, and what is made of them.

In: tensors.
Out: tensors; complex ones, where NumPy's are.
Next: the other families.
"""
