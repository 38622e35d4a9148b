"""Kernels as plain values, and the words of LLVM that they become.

In: statements on scalars.
Out: kernels; lines of LLVM IR.
Next: `llvm`.
"""
