"""What Numba must know: kernels as intrinsics, memory, threads, BLAS.

In: functions in LLVM IR.
Out: functions that njit code calls.
Next: `fusion`.
"""
