"""Random numbers as functions of a key.

In: keys, parameters and sizes.
Out: tensors.
Next: the other families.
"""
