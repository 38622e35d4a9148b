"""Integrals of exponentials, sines and logarithms, and Lambert's function.

In: tensors.
Out: rows of the scalar table, and functions that are made of them.
Next: the special functions of complex numbers.
"""
