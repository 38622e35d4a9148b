"""Derivatives, forward and backward, over any Type.

In: outputs, inputs and cotangents or tangents.
Out: variables that compute the derivatives.
Next: `ops`.
"""
