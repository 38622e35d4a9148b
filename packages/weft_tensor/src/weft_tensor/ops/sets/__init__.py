"""Tensors as sets: their distinct elements, and which of them are in others.

In: tensors.
Out: tensors whose lengths depend on values.
Next: the other families.
"""
