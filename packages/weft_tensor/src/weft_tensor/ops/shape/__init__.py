"""The same elements in another shape, order or number.

In: tensors and lengths.
Out: tensors.
Next: the other families.
"""
