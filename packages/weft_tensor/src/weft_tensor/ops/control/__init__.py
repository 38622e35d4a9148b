"""Choices, maps and effects on tensors.

In: tensors, and functions of them.
Out: tensors.
Next: the other families.
"""
