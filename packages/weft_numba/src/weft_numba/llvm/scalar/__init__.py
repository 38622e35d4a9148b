"""Scalar functions as LLVM IR, a row each.

In: values in registers.
Out: values in registers.
Next: `llvm`.
"""
