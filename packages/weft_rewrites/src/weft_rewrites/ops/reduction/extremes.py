"""Reductions of what need not be computed for each element."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Each, FunctionGraph, Rule, Variable
from weft_rewrites.dsl.conditions import has, keeps_lengths
from weft_rewrites.dsl.equation import FLOATS, equation, letter, literal
from weft_tensor import (
    All,
    Any_,
    ArgMax,
    ArgMin,
    ArgSort,
    Elemwise,
    ExpandDims,
    Index,
    Max,
    Min,
    OrderStatistics,
    Prod,
    Sort,
    Sum,
    TensorVariable,
    facts,
)
from weft_tensor.extend import AxisReduction, Slice

__all__ = ["reduce_first", "rules", "sort_once"]

x, y, c = letter("x"), letter("y"), literal("c")
BOOL: Final = frozenset({"bool"})
_COLUMN: Final = ExpandDims((1,))
_REVERSED: Final = Index((Slice(None, None, -1),))
_GROWING: Final = frozenset(
    map(Elemwise, ("exp", "expm1", "sinh", "arctan", "tanh", "arcsinh", "cbrt"))
)
"""Functions of all real numbers that never fall."""
_MAX, _MIN = Each(Max, "f"), Each(Min, "f")


def _is_of_some(f: Max | Min) -> bool:
    """Whether it is of at least one number: of none, it may be an infinity."""
    return not f.or_infinity


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
        if type(v.op) in (Max, Min) and _is_of_some(v.op) and v.type.dtype in FLOATS:
            new = _moved_in(v, graph)
            if new is not v and keeps_lengths(v.type, new.type):
                new_of[v] = new
    return graph.replace(new_of) if new_of else graph


def sort_once(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which what is sorted is taken from the places that sort it, if they are there.

    So it is where what is sorted, or some of it, has a derivative.

    >>> x = wt.vector("x")
    >>> graph = FunctionGraph([x], [wt.sort(x), wt.argsort(x)])
    >>> sort_once(graph).outputs[0] is wt.take_along_axis(x, wt.argsort(x), 0)
    True
    """
    nodes: Any = set(graph.nodes)
    new_of: dict[Variable, Variable] = {}
    for v in nodes:
        if type(v.op) not in (Sort, OrderStatistics):
            continue
        x, *places = v.inputs
        axis = x.ndim - 1 if places else v.op.axis
        order = ArgSort(axis)(x)
        if order in nodes:
            chosen = wt.index(order, (..., *places)) if places else order
            new_of[v] = wt.take_along_axis(x, chosen, axis)
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


def _is_finite(c: Any) -> bool:
    """Whether `c` is a floating number that is known."""
    return not c.ndim and bool(np.isfinite(c.op.value))


def _is_positive(f: Max | Min, c: Any) -> bool:
    return _is_finite(c) and bool(c.op.value > 0) and not f.or_infinity


def _is_negative(f: Max | Min, c: Any) -> bool:
    return _is_finite(c) and bool(c.op.value < 0) and not f.or_infinity


def _is_shift(f: Max | Min, c: Any) -> bool:
    return _is_finite(c) and not f.or_infinity


def _of(name: str, same: Any, other: type[Max | Min], turned: str) -> list[Rule]:
    """What the largest, or the smallest, is of functions that grow or fall; `other` is its like."""

    def moved(left: Any, right: Any, text: str, when: Any) -> Rule:
        shown = text.format(f=name, g=turned)
        return equation(same(left), right, when=when, name=shown)

    return [
        moved(-x, lambda f, x: -other(f.axis)(x), "{f}(-x) = -{g}(x)", _is_of_some),
        moved(c * x, c * same(x), "{f}(c * x) = c * {f}(x) where c > 0", _is_positive),
        moved(
            c * x,
            lambda f, c, x: c * other(f.axis)(x),
            "{f}(c * x) = c * {g}(x) where c < 0",
            _is_negative,
        ),
        moved(x / c, same(x) / c, "{f}(x / c) = {f}(x) / c where c > 0", _is_positive),
        moved(
            x / c,
            lambda f, c, x: other(f.axis)(x) / c,
            "{f}(x / c) = {g}(x) / c where c < 0",
            _is_negative,
        ),
        moved(x + c, same(x) + c, "{f}(x + c) = {f}(x) + c", _is_shift),
        moved(x - c, same(x) - c, "{f}(x - c) = {f}(x) - c", _is_shift),
        moved(c - x, lambda f, c, x: c - other(f.axis)(x), "{f}(c - x) = c - {g}(x)", _is_shift),
    ]


def _sorts_what_is_reduced(order: Sort, f: AxisReduction) -> bool:
    return order.axis in f.axis


def _in_any_order(op: type[AxisReduction], name: str, may_change: str) -> list[Rule]:
    reduced = Each(op, "f")
    return [
        equation(
            reduced(Each(Sort, "order")(x)),
            reduced(x),
            of=None,
            when=_sorts_what_is_reduced,
            name=f"{name}(sort(x)) = {name}(x)",
            may_change=may_change,
        ),
        equation(
            reduced(_REVERSED(x)),
            reduced(x),
            of=None,
            name=f"{name}(x[::-1]) = {name}(x)",
            may_change=may_change,
        ),
    ]


def _is_vector(x: TensorVariable) -> bool:
    return x.ndim == 1


truths = (
    equation(
        Each(All, "f")(wt.logical_not(x)),
        lambda f, x: wt.logical_not(Any_(f.axis)(x)),
        of=BOOL,
        name="all(not x) = not any(x)",
    ),
    equation(
        Each(Any_, "f")(wt.logical_not(x)),
        lambda f, x: wt.logical_not(All(f.axis)(x)),
        of=BOOL,
        name="any(not x) = not all(x)",
    ),
)
places = (
    equation(
        Each(ArgMax, "f")(-x),
        lambda f, x: ArgMin(f.axis)(x),
        of=None,
        when=lambda x: x.dtype in FLOATS,
        name="argmax(-x) = argmin(x)",
    ),
    equation(
        Each(ArgMin, "f")(-x),
        lambda f, x: ArgMax(f.axis)(x),
        of=None,
        when=lambda x: x.dtype in FLOATS,
        name="argmin(-x) = argmax(x)",
    ),
)
sums = (
    equation(
        Sum((0, 1))(_COLUMN(x) * y),
        Sum((0,))(x) * Sum((0,))(y),
        when=lambda x, y: x.ndim == y.ndim == 1,
        name="sum(outer(x, y)) = sum(x) * sum(y)",
        may_change="rounding, domain, inf",
    ),
    equation(
        Each(Prod, "f")(wt.exp(x)),
        lambda f, x: wt.exp(Sum(f.axis)(x)),
        name="prod(exp(x)) = exp(sum(x))",
        may_change="rounding, domain",
    ),
)
orders = (
    equation(
        Index((0,))(Each(Sort)(x)),
        lambda x: wt.min(x),
        of=None,
        when=lambda x: x.ndim == 1 and has(x, facts.not_nan),
        name="sort(x)[0] = min(x) where nothing is NaN",
        may_change="zero sign",
    ),
    equation(
        Index((0,))(Each(Sort)(x)),
        lambda x: wt.where(wt.all(wt.isnan(x)), np.nan, wt.min(wt.where(wt.isnan(x), np.inf, x))),
        when=_is_vector,
        name="sort(x)[0] = min(x), of those that are not NaN",
        may_change="zero sign",
    ),
    equation(
        Index((-1,))(Each(Sort)(x)),
        lambda x: wt.max(x),
        of=None,
        when=_is_vector,
        name="sort(x)[-1] = max(x)",
    ),
    equation(
        Each(Sort, "order")(Each(Sort, "order")(x)),
        Each(Sort, "order")(x),
        of=None,
        name="sort(sort(x)) = sort(x)",
    ),
    equation(
        Each(Sort, "order")(_REVERSED(x)),
        Each(Sort, "order")(x),
        of=None,
        name="sort(x[::-1]) = sort(x)",
        may_change="zero sign",
    ),
)

rules: tuple[Rule, ...] = (
    *_of("max", _MAX, Min, "min"),
    *_of("min", _MIN, Max, "max"),
    *truths,
    *places,
    *sums,
    *orders,
    *_in_any_order(Sum, "sum", "rounding"),
    *_in_any_order(Max, "max", "zero sign"),
    *_in_any_order(Min, "min", "zero sign"),
)
"""All of them."""
