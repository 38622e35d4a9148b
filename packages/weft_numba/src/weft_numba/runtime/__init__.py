"""A call: segments, results, errors, clocks.

In: machine code.
Out: a function of values.
Next: `cache`.
"""
