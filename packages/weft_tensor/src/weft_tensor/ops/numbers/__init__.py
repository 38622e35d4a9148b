"""Functions of single numbers that are composed of scalar functions.

In: tensors that broadcast.
Out: tensors of the broadcast shape.
Next: the other families.
"""
