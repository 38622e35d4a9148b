"""Minima of functions of several numbers by steps downhill, within bounds and under constraints.

In: a function that returns a scalar, and where to begin.
Out: where it is least, with the derivatives of that.
Next: `methods`, and the other families.
"""
