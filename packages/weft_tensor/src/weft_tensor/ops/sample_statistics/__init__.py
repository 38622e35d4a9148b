"""Statistics of samples: moments, ranks, correlations, tests.

In: tensors, whose observations lie along an axis.
Out: tensors, or named tuples of them.
Next: the other families.
"""
