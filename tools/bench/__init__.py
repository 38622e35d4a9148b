"""Compare Weft with PyTensor, jax.jit, hand-written Numba and NumPy: `python -m tools.bench`.

A workload is a row of data: a name and, per peer, a small function that prepares what is timed.
Each peer runs in a process of its own, with empty caches, and its results are compared with
NumPy's. Add a workload to one of the modules listed in `catalogue`.
"""
