"""Special functions in JAX: those of which XLA has no primitive and Weft no short expression.

In: arrays of one floating dtype.
Out: arrays, by names of the scalar table.
Next: the table of scalar functions.
"""
