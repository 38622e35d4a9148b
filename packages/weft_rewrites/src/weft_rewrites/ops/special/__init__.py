"""Rules on special functions.

In: special functions.
Out: those that don't underflow.
Next: the other families.
"""
