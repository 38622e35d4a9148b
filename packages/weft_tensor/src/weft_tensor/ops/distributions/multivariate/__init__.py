"""Distributions of vectors and matrices, and of classes.

In: values, keys and parameters with axes of their own.
Out: tensors: log-densities, moments, draws.
Next: mixtures and `wt.stats`.
"""
