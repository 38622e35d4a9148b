"""Tensors over many devices.

In: tensors and meshes.
Out: tensors.
Next: the other families.
"""
