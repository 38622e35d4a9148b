"""Hyperbolic and trigonometric functions where they are written with others.

As exponentials they overflow, next to 1 they cancel; by their names they do neither.
"""

from __future__ import annotations

from math import log as number_log

from weft_graph import Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.signs import opposites
from weft_rewrites.ops.elementwise.by_facts import filled
from weft_tensor import (
    arccosh,
    arcsinh,
    arctanh,
    cos,
    cosh,
    erfcx,
    exp,
    expm1,
    hypot,
    log,
    log1mexp,
    log1p,
    log_cosh,
    reciprocal,
    reciprocal_erfcx,
    sech,
    sigmoid,
    sin,
    sinh,
    slow_tanh,
    softplus,
    sqrt,
    square,
    tan,
    tanh,
)

__all__ = ["rules", "tangents"]

x, y = letter("x"), letter("y")
LN2 = number_log(2)

hyperbolic = (
    opposites(exp(x) - exp(y), 2 * sinh(x), may_change="rounding, zero sign"),
    opposites(exp(x) + exp(y), 2 * cosh(x), may_change="rounding"),
    equation((2 * x) / (2 * y), x / y, may_change="rounding, digits, overflow, domain, inf"),
    equation(1 - tanh(x), 2 * sigmoid(-2 * x), may_change="rounding, digits"),
    equation(1 + tanh(x), 2 * sigmoid(2 * x), may_change="rounding, digits"),
    equation(reciprocal(cosh(x)), sech(x), may_change="rounding"),
    equation(y / cosh(x), y * sech(x), may_change="rounding"),
    equation(reciprocal(2 * cosh(x)), 0.5 * sech(x), may_change="rounding"),
    equation(y / (2 * cosh(x)), y * (0.5 * sech(x)), may_change="rounding, digits, inf"),
    equation(reciprocal(square(cosh(x))), square(sech(x)), may_change="rounding"),
    equation(y / square(cosh(x)), y * square(sech(x)), may_change="rounding"),
    equation(cosh(x) - 1, 2 * square(sinh(0.5 * x)), may_change="rounding, digits"),
    equation(1 - cosh(x), -2 * square(sinh(0.5 * x)), may_change="rounding, digits, zero sign"),
    equation(arcsinh(sinh(x)), x, may_change="rounding, overflow"),
    equation(sech(arcsinh(x)), reciprocal(hypot(1, x)), may_change="rounding"),
)


tangents = (
    equation(
        square(cosh(x)) - square(sinh(x)),
        lambda node: filled(1, node),
        name="cosh(x)² - sinh(x)² = 1",
        may_change="rounding, digits, overflow, domain, inf, nan",
    ),
    equation(slow_tanh(arcsinh(x)), x / hypot(1, x), may_change="rounding, inf"),
    *(
        equation(
            f(softplus(x)),
            (sigmoid(x) * (1 + sigmoid(-x))) / (1 + square(sigmoid(-x))),
            may_change="rounding",
        )
        for f in (tanh, slow_tanh)
    ),
    equation(
        sech(softplus(x)),
        (2 * sigmoid(-x)) / (1 + square(sigmoid(-x))),
        may_change="rounding",
    ),
    equation(slow_tanh(x), tanh(x)),
    equation(reciprocal_erfcx(x), reciprocal(erfcx(x))),
    equation(sinh(x) / cosh(x), tanh(x), may_change="rounding, domain, inf"),
    equation(sinh(x) * sech(x), tanh(x), may_change="rounding, domain, inf"),
    equation(expm1(x) / (1 + exp(x)), tanh(0.5 * x), may_change="rounding, domain, inf"),
    opposites(expm1(x) * sigmoid(y), tanh(0.5 * x), may_change="rounding, domain, inf"),
    equation(2 * sigmoid(x) - 1, tanh(0.5 * x), may_change="rounding, digits, zero sign"),
    equation(1 - 2 * sigmoid(x), -tanh(0.5 * x), may_change="rounding, digits, zero sign"),
    equation(
        reciprocal(cos(x)) - 1,
        (2 * square(sin(0.5 * x))) / cos(x),
        may_change="rounding, digits",
    ),
    opposites(sigmoid(x) - sigmoid(y), tanh(0.5 * x), may_change="rounding, zero sign"),
)
"""Of a tangent, the derivative 1 - tanh(x)² cancels: these come after derivatives."""

logarithms = (
    equation(log(cosh(x)), log_cosh(x), may_change="rounding, digits, overflow"),
    equation(log(sech(x)), -log_cosh(x), may_change="rounding, digits, overflow, zero sign"),
    equation(
        log(sinh(x)),
        (x - LN2) + log1mexp(-2 * x),
        name="log(sinh(x)) = x - log(2) + log1mexp(-2 * x)",
        may_change="rounding, overflow",
    ),
    equation(
        log(tanh(x)), log1mexp(-2 * x) - softplus(-2 * x), may_change="rounding, digits, zero sign"
    ),
    equation(
        log(x + hypot(1, x)),
        arcsinh(x),
        may_change="rounding, digits, overflow, zero sign, inf",
    ),
    equation(
        log(x + sqrt(square(x) - 1)), arccosh(x), may_change="rounding, overflow, smaller domain"
    ),
    equation(log((1 + x) / (1 - x)), 2 * arctanh(x), may_change="rounding, digits, zero sign"),
    equation(log((1 - x) / (1 + x)), -2 * arctanh(x), may_change="rounding, digits, zero sign"),
    opposites(log1p(x) - log1p(y), 2 * arctanh(x), may_change="rounding"),
)

trigonometric = (
    equation(1 - cos(x), 2 * square(sin(0.5 * x)), may_change="rounding, digits"),
    equation(cos(x) - 1, -2 * square(sin(0.5 * x)), may_change="rounding, digits, zero sign"),
    equation(1 - square(cos(x)), square(sin(x)), may_change="rounding, digits"),
    equation(1 - square(sin(x)), square(cos(x)), may_change="rounding"),
    equation(sin(x) / cos(x), tan(x), may_change="rounding"),
    equation(cos(x) / sin(x), reciprocal(tan(x)), may_change="rounding"),
    equation((2 * square(sin(0.5 * x))) / sin(x), tan(0.5 * x), may_change="rounding, domain"),
    equation(sin(x) / (1 + cos(x)), tan(0.5 * x), may_change="rounding"),
)

rules: tuple[Rule, ...] = (*logarithms, *hyperbolic, *trigonometric)
"""All of them, the more special of two before the more general."""
