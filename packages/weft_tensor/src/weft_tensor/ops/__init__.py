"""The Ops on tensors and the functions that users call, by family.

In: tensor variables.
Out: tensor variables.
Next: `front`.
"""
