"""Distributions as rows of expressions.

In: values, probabilities, keys and parameters.
Out: tensors: log-densities, distribution functions, their inverses, moments, draws.
Next: rules and backends, which know nothing of distributions.
"""
