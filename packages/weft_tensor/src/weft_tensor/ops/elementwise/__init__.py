"""Scalar functions, applied to each element.

In: tensors that broadcast.
Out: tensors of the broadcast shape.
Next: the other families.
"""
