"""Numerical stability: the same functions without overflow, cancellation or lost digits.

Where the expression as written overflows or cancels, the result is the exact one instead;
elsewhere it may differ by rounding.
"""

from __future__ import annotations

import weft_tensor as wt
from weft_graph import Rule
from weft_rewrites.dsl.conditions import nonnegative
from weft_rewrites.dsl.equation import equation, letter

__all__ = ["rules"]

x, y = letter("x"), letter("y")

logarithms = (
    equation(wt.log(1 + x), wt.log1p(x), may_change="rounding, digits, zero sign"),
    equation(wt.log(1 - x), wt.log1p(-x), may_change="rounding, digits, zero sign"),
    equation(wt.log(wt.exp(x)), x, may_change="rounding, digits, overflow, zero sign"),
    equation(wt.log1p(wt.expm1(x)), x, may_change="rounding, digits, overflow"),
    equation(wt.log(wt.sqrt(x)), 0.5 * wt.log(x), may_change="rounding"),
    equation(
        wt.log(wt.exp(x) / y),
        x - wt.log(y),
        when=lambda x, y: nonnegative(y),
        name="log(exp(x) / y) = x - log(y) where y is not negative",
        may_change="rounding, digits, overflow, domain, zero sign, inf",
    ),
    equation(
        wt.log(wt.exp(x) + wt.exp(y)),
        wt.logaddexp(x, y),
        may_change="rounding, digits, overflow, inf",
    ),
    equation(wt.log1p(wt.exp(x)), wt.softplus(x), may_change="rounding, overflow"),
    equation(wt.log1p(-wt.exp(x)), wt.log1mexp(x), may_change="rounding, digits, overflow, domain"),
    equation(wt.log(-wt.expm1(x)), wt.log1mexp(x), may_change="rounding, digits, zero sign"),
    equation(
        wt.log(wt.sigmoid(x)), -wt.softplus(-x), may_change="rounding, digits, overflow, zero sign"
    ),
    equation(wt.log1p(-wt.sigmoid(x)), -wt.softplus(x), may_change="rounding, digits, overflow"),
)

exponentials = (
    equation(wt.exp(x) - 1, wt.expm1(x), may_change="rounding, digits, zero sign"),
    equation(1 - wt.exp(x), -wt.expm1(x), may_change="rounding, digits, zero sign"),
    equation(
        wt.exp(wt.log(x)),
        x,
        when=nonnegative,
        name="exp(log(x)) = x where x is not negative",
        may_change="rounding",
    ),
    equation(wt.reciprocal(wt.exp(x)), wt.exp(-x), may_change="rounding"),
)

sigmoids = (
    equation(1 - wt.sigmoid(x), wt.sigmoid(-x), may_change="rounding, digits"),
    equation(wt.reciprocal(1 + wt.exp(x)), wt.sigmoid(-x), may_change="rounding"),
    equation(wt.exp(x) / (1 + wt.exp(x)), wt.sigmoid(x), may_change="rounding, domain, inf"),
    equation(y / (1 + wt.exp(x)), y * wt.sigmoid(-x), may_change="rounding"),
    equation(wt.exp(x) * wt.sigmoid(-x), wt.sigmoid(x), may_change="rounding, domain, inf"),
    equation(wt.exp(-x) * wt.sigmoid(x), wt.sigmoid(-x), may_change="rounding, domain, inf"),
    equation(wt.exp(-wt.softplus(x)), wt.sigmoid(-x), may_change="rounding"),
    equation(wt.exp(x - wt.softplus(x)), wt.sigmoid(x), may_change="rounding, inf"),
)

others = (
    equation(1 - wt.erf(x), wt.erfc(x), may_change="rounding, digits"),
    equation(1 + wt.erf(x), wt.erfc(-x), may_change="rounding, digits"),
    equation(1 - wt.erfc(x), wt.erf(x), may_change="rounding, digits, zero sign"),
    equation(wt.sqrt(wt.square(x)), wt.abs(x), may_change="rounding, digits, overflow"),
)

rules: tuple[Rule, ...] = (*logarithms, *exponentials, *sigmoids, *others)
"""All of them, the more special of two before the more general."""
