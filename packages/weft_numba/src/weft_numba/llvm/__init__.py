"""Loop nests as LLVM IR; the table of scalar functions.

In: a kernel.
Out: a function in LLVM IR.
Next: `numba_layer`.
"""
