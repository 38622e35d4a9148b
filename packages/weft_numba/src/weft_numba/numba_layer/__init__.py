"""What Numba must know: kernels as intrinsics, memory, bundles, BLAS and LAPACK.

In: functions in LLVM IR.
Out: functions that njit code calls.
Next: `analysis`.
"""
