"""Reductions of what need not be computed for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, FunctionGraph, Op, Rule, Variable, rule
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.shape.broadcasting import keeps_lengths
from weft_tensor import (
    All,
    Any_,
    ArgMax,
    ArgMin,
    Elemwise,
    ExpandDims,
    Index,
    Max,
    Min,
    Prod,
    Sort,
    Sum,
    TensorVariable,
)
from weft_tensor.extend import Slice

__all__ = ["reduce_first", "rules"]

_MUL, _NEG, _EXP, _DIV = map(Elemwise, ("mul", "neg", "exp", "true_div"))
_ADD, _SUB, _NOT = map(Elemwise, ("add", "sub", "logical_not"))
_GROWING: Final = frozenset(
    map(Elemwise, ("exp", "expm1", "sinh", "arctan", "tanh", "arcsinh", "cbrt"))
)
"""Functions of all numbers that never fall."""
_COLUMN: Final = ExpandDims((1,))


def reduce_first(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which extremes of functions that grow are the functions of extremes.

    A pass, because it has to know all users: where slopes ask which elements are the largest, all
    are computed, and of many at once a function may be another than of a single number.

    >>> x = wt.vector("x")
    >>> reduce_first(FunctionGraph([x], [wt.max(wt.exp(x))])).outputs[0] is wt.exp(wt.max(x))
    True
    """
    new_of: dict[Variable, Variable] = {}
    nodes: Any = graph.nodes
    for v in nodes:
        if type(v.op) in (Max, Min):
            new = _moved_in(v, graph)
            if new is not v and keeps_lengths(v.type, new.type):
                new_of[v] = new
    return graph.replace(new_of) if new_of else graph


def _moved_in(extreme: Any, graph: FunctionGraph) -> Any:
    (inner,), functions = extreme.inputs, []
    while (
        inner.op in _GROWING
        and inner.dtype == extreme.dtype == inner.inputs[0].dtype
        and len(graph.users[inner]) == 1
        and inner not in graph.outputs
    ):
        functions.append(inner.op)
        (inner,) = inner.inputs
    result = extreme.op(inner)
    for function in reversed(functions):
        result = function(result)
    return result


def _of_negative(op: type[Op], other: Callable[..., Any], name: str) -> Rule:
    @rule(op, over=_NEG, name=name)
    def found(node: Any) -> TensorVariable | None:
        (inner,) = node.inputs
        if inner.op is not _NEG or node.type.numpy_dtype.kind != "f" or node.op.or_infinity:
            return None
        return -other(node.op.axis)(inner.inputs[0])

    return found


def _of_scaled(op: type[Op], other: type[Op], name: str) -> Rule:
    @rule(op, over=(_MUL, _DIV), name=f"{name} of c * x or x / c for a number c that is known")
    def found(node: Any) -> TensorVariable | None:
        (inner,) = node.inputs
        if inner.op not in (_MUL, _DIV) or node.op.or_infinity:
            return None
        for place in (1, 0) if inner.op is _MUL else (1,):
            c, x = inner.inputs[place], inner.inputs[1 - place]
            if _is_finite(c) and c.op.value and x.dtype == inner.dtype and x.ndim == inner.ndim:
                kind = op if c.op.value > 0 else other
                parts: list[Any] = [c, c]
                parts[1 - place] = kind(node.op.axis)(x)
                return inner.op(*parts)
        return None

    return found


def _of_shifted(op: type[Op], other: type[Op], name: str) -> Rule:
    @rule(op, over=(_ADD, _SUB), name=f"{name} of x + c or c - x for a number c that is known")
    def found(node: Any) -> TensorVariable | None:
        (inner,) = node.inputs
        if inner.op not in (_ADD, _SUB) or node.op.or_infinity:
            return None
        for place in (1, 0):
            c, x = inner.inputs[place], inner.inputs[1 - place]
            if _is_finite(c) and x.dtype == inner.dtype and x.ndim == inner.ndim:
                kind = other if inner.op is _SUB and not place else op
                parts: list[Any] = [c, c]
                parts[1 - place] = kind(node.op.axis)(x)
                return inner.op(*parts)
        return None

    return found


def _is_finite(c: TensorVariable) -> bool:
    """Whether `c` is a floating number that is known."""
    return (
        type(c.op) is Constant
        and not c.ndim
        and c.type.numpy_dtype.kind == "f"
        and bool(np.isfinite(c.op.value))
    )


def _of_not(op: type[Op], other: type[Op], name: str) -> Rule:
    @rule(op, over=_NOT, name=name)
    def found(node: Any) -> TensorVariable | None:
        (inner,) = node.inputs
        if inner.op is not _NOT or inner.inputs[0].dtype != "bool":
            return None
        return wt.logical_not(other(node.op.axis)(inner.inputs[0]))

    return found


def _place_of_negative(op: type[Op], other: type[Op], name: str) -> Rule:
    @rule(op, over=_NEG, name=name)
    def found(node: Any) -> TensorVariable | None:
        (inner,) = node.inputs
        if inner.op is not _NEG or inner.type.numpy_dtype.kind != "f":
            return None
        return other(node.op.axis)(inner.inputs[0])

    return found


@rule(
    Sum,
    over=_MUL,
    name="sum(outer(x, y)) = sum(x) * sum(y)",
    may_change=("rounding", "domain", "inf"),
)
def _of_outer(node: Result[Sum]) -> TensorVariable | None:
    (inner,) = node.inputs
    if node.op.axis != (0, 1) or inner.op is not _MUL or node.type.numpy_dtype.kind != "f":
        return None
    for x, y in (inner.inputs, inner.inputs[::-1]):
        if x.op == _COLUMN and y.ndim == 1 and x.dtype == y.dtype == node.dtype:
            return wt.sum(x.inputs[0]) * wt.sum(y)
    return None


@rule(
    Prod,
    over=_EXP,
    name="prod(exp(x)) = exp(sum(x))",
    may_change=("rounding", "domain"),
)
def _of_powers(node: Result[Prod]) -> TensorVariable | None:
    (inner,) = node.inputs
    if inner.op is not _EXP or inner.dtype != node.dtype or node.type.numpy_dtype.kind != "f":
        return None
    return wt.exp(Sum(node.op.axis)(inner.inputs[0]))


@rule(Index, over=Sort, name="sort(x)[-1] = max(x)")
def _end_of_sorted(node: Result[Index]) -> TensorVariable | None:
    """The first is the smallest: NaNs come last, but the smallest of some NaNs is NaN."""
    (mid, *_) = node.inputs
    is_vector = type(mid.op) is Sort and mid.ndim == 1 and node.op.entries == (-1,)
    return wt.max(mid.inputs[0]) if is_vector else None


@rule(Sort, over=(Sort, Index), name="sort of what is sorted or reversed", may_change="zero sign")
def _again(node: Result[Sort]) -> TensorVariable | None:
    (inner,) = node.inputs
    if inner.op is node.op:
        return inner
    return node.op(inner.inputs[0]) if _is_reversed(inner) else None


def _is_reversed(v: TensorVariable) -> bool:
    """Whether it is a vector, in its opposite order."""
    return type(v.op) is Index and v.op.entries == (Slice(None, None, -1),)


def _order_is_idle(op: type[Op], name: str, may_change: str) -> Rule:
    @rule(op, over=(Sort, Index), name=name, may_change=may_change)
    def unordered(node: Any) -> TensorVariable | None:
        (inner,) = node.inputs
        is_sorted = type(inner.op) is Sort and inner.op.axis in node.op.axis
        return node.op(inner.inputs[0]) if is_sorted or _is_reversed(inner) else None

    return unordered


rules: tuple[Rule, ...] = (
    _of_negative(Max, Min, "max(-x) = -min(x)"),
    _of_negative(Min, Max, "min(-x) = -max(x)"),
    _of_scaled(Max, Min, "max"),
    _of_scaled(Min, Max, "min"),
    _of_shifted(Max, Min, "max"),
    _of_shifted(Min, Max, "min"),
    _of_not(All, Any_, "all(not x) = not any(x)"),
    _of_not(Any_, All, "any(not x) = not all(x)"),
    _place_of_negative(ArgMax, ArgMin, "argmax(-x) = argmin(x)"),
    _place_of_negative(ArgMin, ArgMax, "argmin(-x) = argmax(x)"),
    _of_outer,
    _of_powers,
    _end_of_sorted,
    _again,
    _order_is_idle(Sum, "sum in another order", "rounding"),
    _order_is_idle(Max, "max in another order", "zero sign"),
    _order_is_idle(Min, "min in another order", "zero sign"),
)
"""All of them."""
