"""From a plan to the source of one njit function.

In: a plan of kernels.
Out: a program.
Next: `ops`.
"""
