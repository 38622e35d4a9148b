"""Tensors made of numbers and lengths.

In: numbers and lengths.
Out: tensors.
Next: the other families.
"""
