"""A call: sizes, arrays in, results out, checks and errors.

In: what JAX compiled.
Out: a function of values.
Next: `ops`.
"""
