"""Comparisons, and the larger or smaller of two: of what need not be computed for them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.equation import FLOATS, REAL, equation, letter
from weft_tensor import Elemwise, TensorVariable

__all__ = ["rules"]

x, y = letter("x"), letter("y")
_BOOL: Final = frozenset({"bool"})
_MUL: Final = Elemwise("mul")
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


def _of_multiple(name: str) -> Rule:
    @rule(Elemwise(name), over=_MUL, name=f"{name} of c * x and 0, where c is 1 or more in size")
    def found(node: Any) -> TensorVariable | None:
        product, zero = node.inputs
        if product.op is not _MUL or type(zero.op) is not Constant or zero.op.literal != 0:
            return None
        for c, other in (product.inputs, product.inputs[::-1]):
            if type(c.op) is Constant and not c.ndim and other.dtype == product.dtype in FLOATS:
                if not 1 <= abs(c.op.value) < np.inf:
                    return None
                return Elemwise(name if c.op.value > 0 else _SWAPPED[name])(other, zero)
        return None

    return found


rules: tuple[Rule, ...] = (*absorbed, *sizes, *differences, *map(_of_multiple, _SWAPPED))
"""All of them."""
