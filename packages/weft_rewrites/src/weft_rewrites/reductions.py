"""Reductions of reductions, over no axes, and over axes of length 1."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from weft_graph import Constant, Rule, rule
from weft_rewrites.layout import expanded, squeezed, through_new_axes
from weft_tensor import (
    All,
    Any_,
    Elemwise,
    ExpandDims,
    Max,
    Min,
    Prod,
    Reduction,
    Sum,
    Transpose,
    constant,
    gt,
    lengths_of,
    logical_and,
    where,
)

__all__ = ["rules"]

_ASSOCIATIVE = (Sum, Prod, Max, Min, All, Any_)
_DIVIDE = Elemwise("true_div")
_MULTIPLY = Elemwise("mul")
_NEG = Elemwise("neg")
_FURTHEST = 32
"""No more of a product than so many nodes are searched for scalars."""


@rule(Reduction, name="reduction over no axes")
def _over_no_axes(node: Any) -> Any:
    if node.op.axis or type(node.op) not in _ASSOCIATIVE:
        return None
    return node.inputs[0].astype(node.dtype)


@rule(Reduction, over=Reduction, name="reduction of the same reduction")
def _of_the_same(node: Any) -> Any:
    (mid,) = node.inputs
    kind = type(node.op)
    if type(mid.op) is not kind or kind not in _ASSOCIATIVE:
        return None
    (x,) = mid.inputs
    places = [a for a in range(x.ndim) if a not in mid.op.axis]
    return kind(tuple(sorted([*mid.op.axis, *(places[a] for a in node.op.axis)])))(x)


@rule(Reduction, over=ExpandDims, name="reduction of expand_dims")
def _of_expand_dims(node: Any) -> Any:
    (mid,) = node.inputs
    kind = type(node.op)
    if type(mid.op) is not ExpandDims or kind not in _ASSOCIATIVE:
        return None
    reduced, new = through_new_axes(node.op.axis, mid.op.axis, mid.ndim)
    return expanded(kind(tuple(reduced))(mid.inputs[0]), new)


@rule(Reduction, name="reduction over axes of length 1")
def _over_ones(node: Any) -> Any:
    (x,) = node.inputs
    kind = type(node.op)
    if kind not in _ASSOCIATIVE:
        return None
    shape = x.type.shape
    ones = [a for a in node.op.axis if shape[a] == 1]
    if not ones:
        return None
    rest = [a - sum(one < a for one in ones) for a in node.op.axis if a not in ones]
    return kind(tuple(rest))(squeezed(x, ones))


@rule(Reduction, over=Transpose, name="full reduction of a transpose")
def _of_transpose(node: Any) -> Any:
    (mid,) = node.inputs
    if type(mid.op) is not Transpose or node.ndim or type(node.op) not in _ASSOCIATIVE:
        return None
    return node.op(mid.inputs[0])


@rule(Sum, over=_NEG, name="sum(-x) = -sum(x)", may_change="zero sign")
def _of_negatives(node: Any) -> Any:
    (mid,) = node.inputs
    if mid.op is not _NEG or mid.dtype != node.dtype:
        return None
    return -node.op(mid.inputs[0])


@rule(
    Sum,
    name="factors that all terms of a sum share",
    may_change=("rounding", "inf", "zero sign"),
)
def _shared_factor(node: Any) -> Any:
    """The sum is multiplied, or divided, by them once; a sum of nothing stays zero."""
    (x,) = node.inputs
    if node.dtype != x.dtype or not x.dtype.startswith(("float", "complex")):
        return None
    reduced = [x.type.shape[a] for a in node.op.axis]
    found: dict[Any, list[Any]] = {_MULTIPLY: [], _DIVIDE: []}
    while 0 not in reduced and (factor := _scalar_factor(x)) is not None:
        path, x, op, number = factor
        found[op].append(number)
        for outer, place in reversed(path):
            inputs = list(outer.inputs)
            inputs[place] = x
            x = outer.op(*inputs)
    if x is node.inputs[0]:
        return None
    unknown = [a for a, n in zip(node.op.axis, reduced, strict=True) if not isinstance(n, int)]
    result = node.op(x)
    for op, numbers in found.items():
        if numbers:
            number = reduce(_MULTIPLY, numbers)
            if unknown and not _is_regular(number):
                lengths = lengths_of(x)
                some = reduce(logical_and, [gt(lengths[a], 0) for a in unknown])
                number = where(some, number, constant(1, number.dtype))
            result = op(result, number)
    return result


def _is_regular(number: Any) -> bool:
    """Whether `number` is known, finite and not zero: with it, nothing stays nothing."""
    return isinstance(number.op, Constant) and bool(
        np.isfinite(number.op.value) and number.op.value
    )


def _scalar_factor(x: Any) -> Any:
    """The way to a product with a scalar, what else it is of, and how the scalar comes in.

    The way is of products, each with the place of the input that leads on.
    """
    todo: list[tuple[Any, tuple[Any, ...]]] = [(x, ())]
    for _ in range(_FURTHEST):
        if not todo:
            break
        v, path = todo.pop()
        if v.op is _NEG:
            todo.append((v.inputs[0], (*path, (v, 0))))
        if v.op is not _MULTIPLY and v.op is not _DIVIDE:
            continue
        a, b = v.inputs
        for number, other in ((b, a), (a, b)) if v.op is _MULTIPLY else ((b, a),):
            if not number.ndim and other.ndim and other.dtype == v.dtype:
                return path, other, v.op, number
        todo.append((a, (*path, (v, 0))))
        if v.op is _MULTIPLY:
            todo.append((b, (*path, (v, 1))))
    return None


rules: tuple[Rule, ...] = (
    _over_no_axes,
    _of_negatives,
    _shared_factor,
    _of_expand_dims,
    _over_ones,
    _of_the_same,
    _of_transpose,
)
"""All of them."""
