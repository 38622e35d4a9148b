"""Integrals and sums of functions of numbers, for many limits at once.

In: functions of tensors, and limits.
Out: tensors, one number for each element.
Next: `wt.integrate`.
"""
