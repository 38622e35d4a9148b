"""Random programs: elementwise and matrix graphs, loops, models of many terms alike.

In: a mode, and seeds.
Out: the programs, and what the mode computes otherwise than Python.
Next: the checks of `weft_testing`.
"""
