"""Further rows of distributions of numbers, by what they are made of.

In: values, probabilities, keys and parameters.
Out: tensors: log-densities, distribution functions, their inverses, moments, draws.
Next: rules and backends, which know nothing of distributions.
"""
