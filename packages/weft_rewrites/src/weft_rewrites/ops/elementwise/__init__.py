"""Rules on scalar functions.

In: elementwise nodes.
Out: equal ones, cheaper or more exact.
Next: the other families.
"""
