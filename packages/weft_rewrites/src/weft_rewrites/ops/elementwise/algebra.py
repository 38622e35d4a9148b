"""Algebra: signs, neutral elements, powers, quotients.

Signs move outwards, where they meet and cancel, or into constants, where they cost nothing.
So an expression has one form, and rules that look for `exp(x)` need not look for
`exp(-x)` as well. Results may differ in the sign of a zero, and by rounding where two
quotients become one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import weft_tensor as wt
from weft_graph import Rule
from weft_rewrites.dsl.conditions import is_one_for_many, nonnegative
from weft_rewrites.dsl.equation import COMPLEX, INTEGERS, REAL, equation, letter, literal

__all__ = ["rules"]

x, y = letter("x"), letter("y")
number = literal("y")
ALL = REAL | COMPLEX
FLOATING = ALL - INTEGERS
BITS = INTEGERS | {"bool"}
ANY = ALL | {"bool"}

ODD = (
    *(wt.sin, wt.tan, wt.arcsin, wt.arctan, wt.sinh, wt.tanh, wt.arcsinh, wt.arctanh),
    *(wt.erf, wt.erfinv, wt.cbrt),
)

signs = (
    equation(wt.neg(wt.neg(x)), x, of=ALL),
    equation(
        -(x * number),
        x * -number,
        of=ALL,
        name="-(x * constant) = x * -constant",
        may_change="complex",
    ),
    equation(-(x - y), y - x, of=ALL, may_change="zero sign, complex"),
    equation((-x) * (-y), x * y, of=ALL),
    equation((-x) * number, x * -number, of=ALL, name="-x * constant = x * -constant"),
    equation((-x) * y, -(x * y), of=ALL, may_change="complex"),
    equation((-x) / (-y), x / y),
    equation((-x) / y, -(x / y)),
    equation(x / (-y), -(x / y)),
    equation(x - (-y), x + y, of=ALL),
    equation((-x) - y, -(x + y), of=ALL, may_change="zero sign, complex"),
    equation((-x) + y, y - x, of=ALL),
    equation(wt.abs(-x), wt.abs(x)),
    equation(wt.square(-x), wt.square(x), of=ALL),
    equation(wt.cos(-x), wt.cos(x)),
    equation(wt.cosh(-x), wt.cosh(x)),
    equation(wt.sech(-x), wt.sech(x)),
    equation(wt.log_cosh(-x), wt.log_cosh(x)),
    *(equation(odd(-x), -odd(x)) for odd in ODD),
)

neutral = (
    equation(x + 0, x, of=ANY, may_change="zero sign, complex"),
    equation(x - 0, x, of=ALL),
    equation(0 - x, -x, of=ALL, may_change="zero sign, complex"),
    equation(x * 1, x, of=ANY, may_change="complex"),
    equation(x * -1, -x, of=ALL, may_change="complex"),
    equation(x / 1, x, of=FLOATING, may_change="complex"),
    equation(x // 1, x, of=INTEGERS),
    equation(x**1, x, of=ALL),
)


def _is_below_zero(x: Any, y: Any) -> bool:
    return y.type.dtype in ALL - COMPLEX and bool(np.all(y.op.value < 0))


negative = (
    equation(
        x + number,
        x - -number,
        of=REAL,
        when=_is_below_zero,
        name="x + c = x - -c where c is negative",
    ),
)

powers = (
    equation(x * x, wt.square(x), of=REAL),
    equation(x**2, wt.square(x), of=REAL),
    equation(x**-1, wt.reciprocal(x)),
    equation(x**0.5, wt.sqrt(x), of=REAL, may_change="inf, zero sign"),
    equation(
        wt.square(wt.sqrt(x)),
        x,
        when=nonnegative,
        name="square(sqrt(x)) = x where x >= 0",
        may_change="rounding",
    ),
    equation(wt.square(wt.abs(x)), wt.square(x), of=REAL),
)

quotients = (
    equation(1 / x, wt.reciprocal(x)),
    equation(
        x * wt.reciprocal(y),
        x / y,
        when=lambda x, y: not is_one_for_many(x, y),
        name="x * reciprocal(y) = x / y unless y is one number for many",
        may_change="rounding, overflow, domain",
    ),
    equation(x / wt.reciprocal(y), x * y, may_change="rounding, digits, inf"),
    equation(wt.reciprocal(-x), -wt.reciprocal(x)),
    equation(wt.reciprocal(wt.reciprocal(x)), x, may_change="rounding"),
)

repeated = (
    equation(wt.abs(wt.abs(x)), wt.abs(x), of=REAL),
    equation(wt.abs(x), x, when=nonnegative, name="abs(x) = x where x is not negative"),
    equation(wt.maximum(x, x), x, of=ANY),
    equation(wt.minimum(x, x), x, of=ANY),
    equation(x & x, x, of=BITS, name="x & x = x"),
    equation(x | x, x, of=BITS, name="x | x = x"),
    equation(~(~x), x, of=BITS, name="~(~x) = x"),
    equation(
        wt.logical_not(wt.logical_not(x)), x, of=frozenset({"bool"}), name="not not x = x for bools"
    ),
    equation(wt.logical_and(x, x), x, of=frozenset({"bool"}), name="x and x = x for bools"),
    equation(wt.logical_or(x, x), x, of=frozenset({"bool"}), name="x or x = x for bools"),
    equation(wt.conj(wt.conj(x)), x, of=COMPLEX),
)

rules: tuple[Rule, ...] = (*neutral, *signs, *negative, *powers, *quotients, *repeated)
"""All of them, neutral elements first."""
