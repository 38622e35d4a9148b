"""Logarithms of the modified Bessel function I, and the noncentral distributions made of it.

In: tensors.
Out: rows of the scalar table.
Next: the distributions of `weft_tensor.ops.distributions`.
"""
