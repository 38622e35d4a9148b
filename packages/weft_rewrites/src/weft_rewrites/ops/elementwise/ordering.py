"""Comparisons, and the larger or smaller of two: of what need not be computed for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Rule
from weft_rewrites.dsl.equation import FLOATS, REAL, equation, letter, literal
from weft_rewrites.dsl.notation import written
from weft_tensor import Elemwise, TensorVariable

__all__ = ["rules"]

x, y = letter("x"), letter("y")
_BOOL: Final = frozenset({"bool"})
number = literal("c")
_SWAPPED: Final = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge", "eq": "eq", "neq": "neq"}
"""Comparisons with 0, and what they are of the negative."""

absorbed = (
    equation(wt.maximum(wt.maximum(x, y), y), wt.maximum(x, y), of=REAL),
    equation(wt.minimum(wt.minimum(x, y), y), wt.minimum(x, y), of=REAL),
    equation(
        wt.logical_and(wt.logical_and(x, y), y),
        wt.logical_and(x, y),
        of=_BOOL,
        name="(x and y) and y = x and y for bools",
    ),
    equation(
        wt.logical_or(wt.logical_or(x, y), y),
        wt.logical_or(x, y),
        of=_BOOL,
        name="(x or y) or y = x or y for bools",
    ),
    equation(wt.not_equal(x, False), x, of=_BOOL, name="x != False = x for bools"),
    equation(wt.minimum(x, np.inf), x, of=FLOATS, name="minimum(x, inf) = x"),
    equation(wt.maximum(x, -np.inf), x, of=FLOATS, name="maximum(x, -inf) = x"),
)


def _is_limit(c: Any, x: TensorVariable) -> bool:
    return _is_float(c, x) and not np.isnan(c.op.value)


cut = tuple(
    equation(
        wt.where(beyond(x, number), number, x),
        kept(x, number),
        of=None,
        when=_is_limit,
        name=f"where({written(beyond(x, number))}, c, x) = {written(kept(x, number))}",
        may_change="zero sign",
    )
    for beyond, kept in ((wt.less, wt.maximum), (wt.greater, wt.minimum))
)

sizes = (
    equation(wt.abs(x) * wt.abs(y), wt.abs(x * y)),
    equation(wt.abs(x) / wt.abs(y), wt.abs(x / y)),
)


def _are_floats(x: TensorVariable, y: TensorVariable) -> bool:
    return x.dtype == y.dtype and x.dtype in FLOATS


differences = tuple(
    Rule(left, right, when=_are_floats, name=name)
    for left, right, name in (
        (wt.gt(x - y, 0), wt.gt(x, y), "x - y > 0 = x > y"),
        (wt.lt(x - y, 0), wt.lt(x, y), "x - y < 0 = x < y"),
        (wt.gt(0, x - y), wt.gt(y, x), "0 > x - y = y > x"),
        (wt.lt(0, x - y), wt.lt(y, x), "0 < x - y = y < x"),
    )
)


def _is_float(c: TensorVariable, x: TensorVariable) -> bool:
    return not c.ndim and c.dtype == x.dtype in FLOATS


def _is_large(c: Any, x: TensorVariable) -> bool:
    return _is_float(c, x) and bool(1 <= c.op.value < np.inf)


def _is_far_below(c: Any, x: TensorVariable) -> bool:
    return _is_float(c, x) and bool(-np.inf < c.op.value <= -1)


def _of_multiple(name: str, other: str) -> list[Rule]:
    """A comparison of a multiple with 0; `other` is what it is of -x."""
    left, same, turned = (Elemwise(n) for n in (name, name, other))
    pattern, shown = left(number * x, 0), written(left(x, 0))
    return [
        equation(
            pattern,
            lambda x: same(x, 0),
            of=None,
            when=_is_large,
            name=f"c * {shown} = {shown} where c is 1 or more",
        ),
        equation(
            pattern,
            lambda x: turned(x, 0),
            of=None,
            when=_is_far_below,
            name=f"c * {shown} = {written(turned(x, 0))} where c is -1 or less",
        ),
    ]


multiples = [r for name, other in _SWAPPED.items() for r in _of_multiple(name, other)]


def _is_radius(c: Any, x: TensorVariable) -> bool:
    """Whether `c` and its square are numbers, far from the largest and the smallest."""
    return x.is_complex and not c.ndim and bool(1e-15 < c.op.value < 1e15)


def _of_modulus(compare: Callable[[Any, Any], TensorVariable]) -> Rule:
    """No root is needed to compare, nor scales that keep squares from overflowing."""
    return Rule(
        compare(wt.abs(x), number),
        lambda c, x: compare(wt.square(x.real) + wt.square(x.imag), c * c),
        when=_is_radius,
        name=f"{written(compare(wt.abs(x), number))} by squares, of complex numbers",
        may_change=("rounding", "nan"),
    )


moduli = [_of_modulus(f) for f in (wt.less, wt.less_equal, wt.greater, wt.greater_equal)]


def _is_whole_number(x: TensorVariable) -> bool:
    return not x.ndim and x.dtype not in FLOATS and not x.is_complex


def _constantly(value: bool) -> Callable[[TensorVariable], TensorVariable]:
    return lambda x: wt.constant(value)


itself = tuple(
    equation(
        compare(x, x),
        _constantly(result),
        of=None,
        when=_is_whole_number,
        name=f"{written(compare(x, x))} is {result} of a whole number",
    )
    for compare, result in (
        *((compare, True) for compare in (wt.less_equal, wt.greater_equal, wt.equal)),
        *((compare, False) for compare in (wt.less, wt.greater, wt.not_equal)),
    )
)

shares = tuple(
    equation(
        compare(wt.sigmoid(x), end),
        wt.logical_not(wt.isnan(x)),
        when=lambda x: x.dtype in FLOATS,
        of=None,
        name=f"{written(compare(wt.sigmoid(x), end))} = x is a number",
    )
    for compare, end in ((wt.greater_equal, 0), (wt.less_equal, 1))
)
"""Whether shares are some, as densities ask."""

rules: tuple[Rule, ...] = (
    *absorbed,
    *itself,
    *cut,
    *sizes,
    *differences,
    *multiples,
    *moduli,
    *shares,
)
"""All of them."""
