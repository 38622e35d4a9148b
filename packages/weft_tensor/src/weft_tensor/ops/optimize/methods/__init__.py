"""Searches by the names of their methods, and problems that are searched in a form of their own.

In: functions of tensors, or matrices of costs, and where to begin.
Out: tensors.
Next: the other families.
"""
