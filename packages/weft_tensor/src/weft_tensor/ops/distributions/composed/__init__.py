"""Distributions made of others: mixtures, truncated, censored and transformed ones.

In: distributions with their parameters, weights, bounds and transforms.
Out: distributions again.
Next: `wt.stats`.
"""
