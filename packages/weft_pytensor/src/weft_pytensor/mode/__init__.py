"""PyTensor's function graphs come in, compiled functions go out, as PyTensor calls them.

Importing `weft_pytensor` makes the modes known to PyTensor; nothing comes after this folder.
"""
