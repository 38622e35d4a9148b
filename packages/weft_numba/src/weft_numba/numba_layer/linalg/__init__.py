"""Matrices in machine code: calls of BLAS and LAPACK, eliminations, loops over stacks of matrices.

In: pointers to matrices, and their lengths.
Out: functions that njit code calls.
Next: `numba_layer`.
"""
