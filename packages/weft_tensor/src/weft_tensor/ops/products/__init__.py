"""Products that add up over axes: einsum and its like, chains, convolution.

In: tensors.
Out: tensors.
Next: the other families.
"""
