"""The step of Gauss and Newton, as Levenberg and Marquardt shorten it."""

from __future__ import annotations

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.creation.diagonals import diag
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate

__all__ = ["damped_step"]


def damped_step(
    jac: TensorVariable, value: TensorVariable, damping: TensorVariable
) -> TensorVariable:
    """The step with `jac @ step = -value` and `sqrt(damping) * scale * step = 0`, by least squares.

    The scale of an element is the length of its column of `jac` (Marquardt, 1963), and 1 for a
    column of zeros, whose element stays.
    """
    lengths = sqrt(sum(jac**2, 0))
    weight = sqrt(damping) * where(lengths > 0, lengths, 1)
    q, r = qr(concatenate([jac, diag(weight)]))
    sides = concatenate([-value, zeros_like(weight)])
    return solve_triangular(r, sides @ q)
