"""Curves and tables through points.

In: tensors: places, and values there.
Out: objects that make tensors of values elsewhere.
Next: the other families.
"""
