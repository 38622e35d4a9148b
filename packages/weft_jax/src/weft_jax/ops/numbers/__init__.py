"""Functions of numbers in JAX that need their digits kept where XLA may contract.

In: arrays of one floating dtype.
Out: arrays, by names of the scalar table.
Next: the table of scalar functions.
"""
