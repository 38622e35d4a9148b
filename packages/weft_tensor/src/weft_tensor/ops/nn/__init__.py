"""Layers of networks: convolution and pooling.

In: tensors whose first axes are examples and channels.
Out: such tensors.
Next: the other families.
"""
