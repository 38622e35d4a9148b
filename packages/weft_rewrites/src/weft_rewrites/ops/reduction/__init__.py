"""Rules on sums, extremes and softmax.

In: reductions.
Out: equal ones.
Next: the other families.
"""
