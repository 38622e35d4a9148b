"""Products of matrices that need not be computed whole."""

from __future__ import annotations

from typing import Final

import weft_tensor as wt
from weft_graph import Rule, rule
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.shape.broadcasting import keeps_lengths
from weft_tensor import Elemwise, ExpandDims, Matmul, Sum, TensorVariable

__all__ = ["rules"]

_MUL, _NEG, _DIV = map(Elemwise, ("mul", "neg", "true_div"))
_COLUMN: Final = ExpandDims((1,))


@rule(
    Sum,
    over=Matmul,
    name="sum(A @ B) = sum(A, 0) @ sum(B, 1)",
    may_change=("rounding", "domain", "inf"),
)
def _sum(node: Result[Sum]) -> TensorVariable | None:
    left, right = node.inputs[0].inputs
    axes = node.op.axis
    if (left.ndim, right.ndim) != (2, 2) or not axes or node.type.numpy_dtype.kind != "f":
        return None
    if not left.dtype == right.dtype == node.dtype:
        return None
    new = (wt.sum(left, 0) if 0 in axes else left) @ (wt.sum(right, 1) if 1 in axes else right)
    return new if keeps_lengths(node.type, new.type) else None


@rule(
    Matmul,
    over=_MUL,
    name="outer(x, y) @ b = x * (y @ b)",
    may_change=("rounding", "domain", "smaller domain", "zero sign", "inf"),
)
def _outer(node: TensorVariable) -> TensorVariable | None:
    left, right = node.inputs
    if left.op is not _MUL or node.type.numpy_dtype.kind != "f" or left.dtype != right.dtype:
        return None
    for x, y in (left.inputs, left.inputs[::-1]):
        if x.op == _COLUMN and y.ndim == 1 and x.dtype == y.dtype == node.dtype:
            new = (x if right.ndim == 2 else x.inputs[0]) * (y @ right)
            return new if keeps_lengths(node.type, new.type) else None
    return None


@rule(
    Matmul,
    over=(_MUL, _NEG, _DIV),
    name="(s * A) @ x = s * (A @ x) for numbers s and vectors x",
    may_change=("rounding", "smaller domain", "zero sign", "nan"),
)
def _scaled(node: TensorVariable) -> TensorVariable | None:
    """Numbers come in last, where there are fewest elements."""
    left, right = node.inputs
    if node.type.numpy_dtype.kind != "f" or (left.ndim, right.ndim) not in ((2, 1), (1, 2)):
        return None
    matrix = left if left.ndim == 2 else right
    if matrix.op not in (_MUL, _NEG, _DIV) or not left.dtype == right.dtype == node.dtype:
        return None

    def product(a: TensorVariable) -> TensorVariable:
        return a @ right if matrix is left else left @ a

    if matrix.op is _NEG:
        return -product(matrix.inputs[0])
    a, s = matrix.inputs
    if s.ndim == 0 and a.ndim == 2 and a.dtype == s.dtype == node.dtype:
        return matrix.op(product(a), s)
    if a.ndim == 0 and s.ndim == 2 and matrix.op is _MUL and a.dtype == s.dtype == node.dtype:
        return a * product(s)
    return None


def _number_times(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """The number and the matrix, of whose product x is."""
    if x.op is not _MUL or x.ndim != 2:
        return None
    for s, a in (x.inputs, x.inputs[::-1]):
        if not s.ndim and s.dtype == a.dtype == x.dtype:
            return s, a
    return None


@rule(
    Matmul,
    over=_MUL,
    name="(s * A) @ (t * B) = A @ (s * t * B) for numbers s and t",
    may_change=("rounding", "overflow", "domain"),
)
def _both_scaled(node: TensorVariable) -> TensorVariable | None:
    """One of them is multiplied, the smaller where lengths are known."""
    left, right = map(_number_times, node.inputs)
    if left is None or right is None or node.type.numpy_dtype.kind != "f":
        return None
    if node.inputs[0].dtype != node.inputs[1].dtype:
        return None
    (s, a), (t, b) = left, right
    rows, columns = a.type.shape[0], b.type.shape[1]
    if isinstance(rows, int) and isinstance(columns, int) and rows < columns:
        return (s * t * a) @ b
    return a @ (s * t * b)


rules: tuple[Rule, ...] = (_sum, _outer, _scaled, _both_scaled)
"""All of them."""
