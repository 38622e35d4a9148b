"""PyTensor's graphs come in, Weft's go out: each node by the converter of its Op, from the table.

The converters themselves, family by family, are in `ops`, the next folder.
"""
