"""Sums and the like over axes, and along one.

In: tensors.
Out: tensors with fewer axes, or as many.
Next: the other families.
"""
