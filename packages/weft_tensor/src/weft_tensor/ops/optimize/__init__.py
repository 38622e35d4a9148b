"""Minima and roots, whose derivatives follow from the equations that hold there.

In: functions of tensors, and where to begin.
Out: tensors.
Next: the other families.
"""
