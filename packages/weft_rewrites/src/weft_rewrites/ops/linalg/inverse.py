"""Inverses that need not be computed, and determinants that need not overflow."""

from __future__ import annotations

from typing import Final

import numpy as np

import weft_tensor as wt
from weft_graph import Rule, rule
from weft_tensor import Det, Elemwise, Inverse, Matmul, TensorVariable, Transpose

__all__ = ["like", "logarithms", "rules"]

_ABS, _LOG = Elemwise("abs"), Elemwise("log")
_SWAPPED: Final = Transpose((1, 0))


@rule(
    Matmul,
    over=Inverse,
    name="inv(A) @ b = solve(A, b)",
    may_change="rounding",
)
def _solved(node: TensorVariable) -> TensorVariable | None:
    left, right = node.inputs
    if type(left.op) is Inverse and left.ndim == 2 and right.ndim in (1, 2):
        return like(node, wt.solve(left.inputs[0], right, b_ndim=right.ndim))
    if type(right.op) is Inverse and right.ndim == 2 and left.ndim in (1, 2):
        transposed = wt.matrix_transpose(right.inputs[0])
        if left.ndim == 1:
            return like(node, wt.solve(transposed, left, b_ndim=1))
        found = wt.solve(transposed, wt.matrix_transpose(left), b_ndim=2)
        return like(node, wt.matrix_transpose(found))
    return None


def like(node: TensorVariable, new: TensorVariable) -> TensorVariable | None:
    """What may stand for `node`; None if its type does not fit.

    >>> from weft_tensor import exp, matrix, vector
    >>> x = vector("x", shape=(3,))
    >>> like(x, exp(x)) is exp(x), like(x, matrix("y"))
    (True, None)
    """
    return new if node.type.accepts(new.type) else None


@rule(Inverse, over=Inverse, name="inv(inv(A)) = A", may_change="rounding")
def _twice(node: TensorVariable) -> TensorVariable | None:
    (inner,) = node.inputs
    return like(node, inner.inputs[0]) if type(inner.op) is Inverse else None


@rule(Det, over=Inverse, name="det(inv(A)) = 1 / det(A)", may_change="rounding")
def _of_inverse(node: TensorVariable) -> TensorVariable | None:
    (inner,) = node.inputs
    return like(node, 1 / wt.det(inner.inputs[0])) if type(inner.op) is Inverse else None


@rule(Det, over=Transpose, name="det(A.T) = det(A)")
def _of_transpose(node: TensorVariable) -> TensorVariable | None:
    (inner,) = node.inputs
    return like(node, wt.det(inner.inputs[0])) if inner.op == _SWAPPED else None


@rule(_LOG, over=Det, name="log(det(A)) = slogdet(A)")
def _log(node: TensorVariable) -> TensorVariable | None:
    """NaN where the determinant is negative."""
    (det,) = node.inputs
    if node.type.numpy_dtype.kind != "f" or det.dtype != node.dtype:
        return None
    sign, size = wt.slogdet(det.inputs[0])
    return like(node, wt.where(sign < 0, wt.constant(np.nan, node.dtype), size))


@rule(_LOG, over=_ABS, name="log(abs(det(A))) = slogdet(A)")
def _log_of_size(node: TensorVariable) -> TensorVariable | None:
    (det,) = node.inputs[0].inputs
    if type(det.op) is not Det or node.type.numpy_dtype.kind != "f" or det.dtype != node.dtype:
        return None
    return like(node, wt.slogdet(det.inputs[0])[1])


logarithms: tuple[Rule, ...] = (_log, _log_of_size)
"""Those of determinants: their derivatives are inverses."""
rules: tuple[Rule, ...] = (_solved, _twice, _of_inverse, _of_transpose, *logarithms)
"""All of them."""
