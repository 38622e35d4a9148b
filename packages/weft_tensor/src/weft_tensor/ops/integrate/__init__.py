"""Integrals of functions, and of what is sampled.

In: functions of tensors, or tensors.
Out: tensors.
Next: the other families.
"""
