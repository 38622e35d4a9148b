"""Functions of matrices, made of their factors: norms, least squares, equations.

In: matrices, and stacks of them.
Out: tensors.
Next: the other families.
"""
