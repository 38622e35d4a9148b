"""Reductions of reductions, over no axes, and over axes of length 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft_graph import Rule, rule
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.shape.axes import expanded, squeezed, through_new_axes
from weft_tensor import (
    All,
    Any_,
    Elemwise,
    ExpandDims,
    Max,
    Min,
    Prod,
    Sum,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import AxisReduction

__all__ = ["rules"]

_ASSOCIATIVE = (Sum, Prod, Max, Min, All, Any_)
_NEG = Elemwise("neg")


def _over(op: AxisReduction, axes: Iterable[int]) -> AxisReduction:
    """The reduction `op`, over other axes."""
    axis = tuple(sorted(axes))
    return type(op)(axis, op.or_infinity) if isinstance(op, Max | Min) else type(op)(axis)


@rule(AxisReduction, name="reduction over no axes")
def _over_no_axes(node: Result[AxisReduction]) -> TensorVariable | None:
    if node.op.axis or type(node.op) not in _ASSOCIATIVE:
        return None
    return node.inputs[0].astype(node.dtype)


@rule(AxisReduction, over=AxisReduction, name="reduction of the same reduction")
def _of_the_same(node: Result[AxisReduction]) -> TensorVariable | None:
    mid: Any = node.inputs[0]
    kind = type(node.op)
    if _over(mid.op, node.op.axis) is not node.op or kind not in _ASSOCIATIVE:
        return None
    (x,) = mid.inputs
    places = [a for a in range(x.ndim) if a not in mid.op.axis]
    return _over(node.op, [*mid.op.axis, *(places[a] for a in node.op.axis)])(x)


@rule(AxisReduction, over=ExpandDims, name="reduction of expand_dims")
def _of_expand_dims(node: Result[AxisReduction]) -> TensorVariable | None:
    (mid,) = node.inputs
    kind = type(node.op)
    if type(mid.op) is not ExpandDims or kind not in _ASSOCIATIVE:
        return None
    reduced, new = through_new_axes(node.op.axis, mid.op.axis, mid.ndim)
    return expanded(_over(node.op, reduced)(mid.inputs[0]), new)


@rule(AxisReduction, name="reduction over axes of length 1")
def _over_ones(node: Result[AxisReduction]) -> TensorVariable | None:
    (x,) = node.inputs
    kind = type(node.op)
    if kind not in _ASSOCIATIVE:
        return None
    shape = x.type.shape
    ones = [a for a in node.op.axis if shape[a] == 1]
    if not ones:
        return None
    rest = [a - sum(one < a for one in ones) for a in node.op.axis if a not in ones]
    return _over(node.op, rest)(squeezed(x, ones))


@rule(AxisReduction, over=Transpose, name="full reduction of a transpose")
def _of_transpose(node: TensorVariable) -> TensorVariable | None:
    (mid,) = node.inputs
    if type(mid.op) is not Transpose or node.ndim or type(node.op) not in _ASSOCIATIVE:
        return None
    return node.op(mid.inputs[0])


@rule(Sum, over=_NEG, name="sum(-x) = -sum(x)", may_change="zero sign")
def _of_negatives(node: TensorVariable) -> TensorVariable | None:
    (mid,) = node.inputs
    if mid.op is not _NEG or mid.dtype != node.dtype:
        return None
    return -node.op(mid.inputs[0])


rules: tuple[Rule, ...] = (
    _over_no_axes,
    _of_negatives,
    _of_expand_dims,
    _over_ones,
    _of_the_same,
    _of_transpose,
)
"""All of them."""
