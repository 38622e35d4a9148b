"""Reductions of reductions, over no axes, and over axes of length 1."""

from __future__ import annotations

from collections.abc import Iterable

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.ops.shape.axes import expanded, squeezed, through_new_axes
from weft_tensor import (
    All,
    Any_,
    ExpandDims,
    Max,
    Min,
    Prod,
    Sum,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import AxisReduction

__all__ = ["over", "rules"]

_ASSOCIATIVE = (Sum, Prod, Max, Min, All, Any_)
x = letter("x")


def over(op: AxisReduction, axes: Iterable[int]) -> AxisReduction:
    """The reduction `op`, over other axes.

    >>> str(over(Sum((0, 1)), [1]))
    'sum[1]'
    """
    axis = tuple(sorted(axes))
    return type(op)(axis, op.or_infinity) if isinstance(op, Max | Min) else type(op)(axis)


def _joined(f: AxisReduction, g: AxisReduction, x: TensorVariable) -> TensorVariable:
    """f(g(x)) in one step."""
    places = [a for a in range(x.ndim) if a not in g.axis]
    return over(f, [*g.axis, *(places[a] for a in f.axis)])(x)


def _before(f: AxisReduction, new: ExpandDims, x: TensorVariable) -> TensorVariable:
    """f(new(x)) with the new axes last."""
    reduced, added = through_new_axes(f.axis, new.axis, x.ndim + len(new.axis))
    return expanded(over(f, reduced)(x), added)


def _has_ones(f: AxisReduction, x: TensorVariable) -> bool:
    """Whether `f` reduces over axes of length 1."""
    if type(f) in _ASSOCIATIVE:
        shape = x.type.shape
        for a in f.axis:
            if shape[a] == 1:
                return True
    return False


def _without_ones(f: AxisReduction, x: TensorVariable) -> TensorVariable:
    ones = [a for a in f.axis if x.type.shape[a] == 1]
    rest = [a - sum(one < a for one in ones) for a in f.axis if a not in ones]
    return over(f, rest)(squeezed(x, ones))


def _is_associative(f: AxisReduction) -> bool:
    return type(f) in _ASSOCIATIVE


F, G = Each(AxisReduction, "f"), Each(AxisReduction, "g")
rules: tuple[Rule, ...] = (
    equation(
        F(x),
        lambda node, x: x.astype(node.dtype),
        of=None,
        when=lambda f: not f.axis and type(f) in _ASSOCIATIVE,
        name="reduction over no axes",
    ),
    equation(
        Each(Sum, "f")(-x), -Each(Sum, "f")(x), name="sum(-x) = -sum(x)", may_change="zero sign"
    ),
    equation(
        F(Each(ExpandDims, "new")(x)),
        _before,
        of=None,
        when=_is_associative,
        name="reduction of expand_dims",
    ),
    equation(
        F(x),
        _without_ones,
        of=None,
        when=_has_ones,
        name="reduction over axes of length 1",
    ),
    equation(
        F(G(x)),
        _joined,
        of=None,
        when=lambda f, g: type(f) in _ASSOCIATIVE and over(g, f.axis) is f,
        name="reduction of the same reduction",
    ),
    equation(
        F(Each(Transpose)(x)),
        lambda f, x: f(x),
        of=None,
        when=lambda node, f: not node.ndim and type(f) in _ASSOCIATIVE,
        name="full reduction of a transpose",
    ),
)
"""All of them."""
