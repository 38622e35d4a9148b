"""Linear algebra on the last two axes.

In: matrices, and stacks of them.
Out: tensors.
Next: the other families.
"""
