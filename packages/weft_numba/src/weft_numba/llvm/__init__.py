"""Loop nests as LLVM IR.

In: a kernel.
Out: a function in LLVM IR.
Next: `numba_layer`.
"""
