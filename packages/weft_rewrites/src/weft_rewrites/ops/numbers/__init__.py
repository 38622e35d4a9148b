"""Rules on functions of single numbers that are composed of scalar functions.

In: differences that cancel.
Out: functions that keep their digits.
Next: the other families.
"""
