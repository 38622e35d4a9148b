"""Differences that cancel where both sides are near each other, as products and quotients."""

from __future__ import annotations

from math import inf
from typing import Any

from weft_graph import Constant, Rule
from weft_rewrites.dsl.conditions import has, nonnegative
from weft_rewrites.dsl.equation import FLOATS, equation, letter, literal
from weft_rewrites.dsl.result import shape_of
from weft_rewrites.dsl.signs import opposites
from weft_tensor import (
    TensorVariable,
    abs,
    arcsinh,
    broadcast_to,
    exp,
    exp2,
    expm1,
    facts,
    hypot,
    log,
    log1mexp,
    log1p,
    log2,
    reciprocal,
    softplus,
    sqrt,
    square,
    where,
)

__all__ = ["rules", "squares"]

x, y, z = letter("x"), letter("y"), letter("z")
number = literal("c")


def _of_near(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    apart = (y - x) / (1 - y)
    is_near = abs(apart) < 0.5
    return where(
        is_near, log1p(where(is_near, apart, 0)), log(where(is_near, 1, (1 - x) / (1 - y)))
    )


def _beyond(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    whole = hypot(x, y)
    half = 0.5 * whole + 0.5 * where(y < 0, -y, y)
    quotient = x * (0.5 * x / where(half > 0, half, 1))
    return where(whole < inf, quotient, whole) + where(y < 0, -2 * y, 0)


def _is_small(c: Any) -> bool:
    """Whether it is not there to round what it is subtracted from."""
    return not c.ndim and bool(-1000 <= c.op.value <= 1000)


squares = (
    equation(
        square(x) - square(y), (x - y) * (x + y), may_change="rounding, domain, zero sign, inf"
    ),
    equation(hypot(1, x) - 1, x * (x / (1 + hypot(1, x))), may_change="rounding, digits, inf"),
    equation(
        1 - hypot(1, x),
        -(x * (x / (1 + hypot(1, x)))),
        may_change="rounding, digits, zero sign, inf",
    ),
    equation(
        hypot(x, y) - y,
        _beyond,
        when=lambda x, y: Constant not in (type(x.op), type(y.op)),
        name="hypot(x, y) - y as a quotient, and what abs(y) is more than y",
        may_change="rounding, digits, inf, nan",
    ),
    equation(
        1 - reciprocal(hypot(1, x)),
        (x / (1 + hypot(1, x))) * (x / hypot(1, x)),
        may_change="rounding, digits, inf",
    ),
    equation(1 - (1 - x), x, may_change="rounding, digits, zero sign"),
    equation(reciprocal(1 + x) - 1, -(x / (1 + x)), may_change="rounding, digits, inf, zero sign"),
    equation(1 - reciprocal(1 + x), x / (1 + x), may_change="rounding, digits, inf, zero sign"),
    equation(
        reciprocal(square(1 + x)) - 1,
        -((x / (1 + x)) * ((2 + x) / (1 + x))),
        may_change="rounding, digits, inf, zero sign",
    ),
    equation(y / (1 - square(x)), y / ((1 - x) * (1 + x)), may_change="rounding, digits"),
    equation(
        reciprocal(1 - square(x)), reciprocal((1 - x) * (1 + x)), may_change="rounding, digits"
    ),
    equation(1 - square(expm1(x)), exp(x) * (2 - exp(x)), may_change="rounding, digits"),
    equation(
        log((1 - x) / (1 - y)),
        _of_near,
        name="log((1 - x) / (1 - y)) = log1p((y - x) / (1 - y)) where that is small",
        may_change="rounding, digits, zero sign",
    ),
    *(
        equation(left, right, may_change="rounding, digits, zero sign")
        for left, right in (
            (square(1 + x) - 1, x * (2 + x)),
            (1 - square(1 - x), x * (2 - x)),
            ((1 + x) * square(1 + x) - 1, x * (3 + x * (3 + x))),
            (1 - (1 - x) * square(1 - x), x * (3 - x * (3 - x))),
        )
    ),
)
"""Of these, derivatives would cancel: 2 x is (x + y) + (x - y) to few digits where y is large."""

quotients = (
    equation(hypot(1, x) - x, exp(-arcsinh(x)), may_change="rounding, digits, inf"),
    equation(x - hypot(1, x), -exp(-arcsinh(x)), may_change="rounding, digits, inf"),
    equation(
        (x / (1 + sqrt(1 + x))) / x, reciprocal(1 + sqrt(1 + x)), may_change="rounding, domain, inf"
    ),
    equation(
        reciprocal(sqrt(1 - x)) - 1,
        (x / sqrt(1 - x)) / (1 + sqrt(1 - x)),
        may_change="rounding, digits, inf, zero sign",
    ),
    equation(
        reciprocal(sqrt(1 + x)) - 1,
        -((x / sqrt(1 + x)) / (1 + sqrt(1 + x))),
        may_change="rounding, digits, inf, zero sign",
    ),
    equation(
        1 - reciprocal(sqrt(1 + x)),
        (x / sqrt(1 + x)) / (1 + sqrt(1 + x)),
        may_change="rounding, digits, inf, zero sign",
    ),
    equation(sqrt(1 + x) - 1, x / (1 + sqrt(1 + x)), may_change="rounding, digits, zero sign, inf"),
    equation(
        1 - sqrt(1 + x), -(x / (1 + sqrt(1 + x))), may_change="rounding, digits, zero sign, inf"
    ),
    equation(1 - sqrt(1 - x), x / (1 + sqrt(1 - x)), may_change="rounding, digits, zero sign, inf"),
    equation(
        sqrt(1 - x) - 1, -(x / (1 + sqrt(1 - x))), may_change="rounding, digits, zero sign, inf"
    ),
    equation(
        sqrt(1 + x) - sqrt(x), reciprocal(sqrt(1 + x) + sqrt(x)), may_change="rounding, digits, inf"
    ),
    equation(
        sqrt(x) - sqrt(1 + x),
        -reciprocal(sqrt(1 + x) + sqrt(x)),
        may_change="rounding, digits, inf",
    ),
    equation(
        reciprocal(x) - reciprocal(1 + x),
        reciprocal(x * (1 + x)),
        may_change="rounding",
    ),
    equation(
        reciprocal(1 + x) - reciprocal(x),
        -reciprocal(x * (1 + x)),
        may_change="rounding, zero sign",
    ),
    equation(1 - x / (y + x), y / (y + x), may_change="rounding, digits, inf"),
    equation(1 - x / (x + y), y / (x + y), may_change="rounding, digits, inf, zero sign"),
    equation(
        (x * (y / z)) / (x / z),
        lambda node, y: broadcast_to(y, shape_of(node)),
        name="(x * (y / z)) / (x / z) = y",
        may_change="rounding, digits, domain, overflow, inf, nan",
    ),
    equation(
        x / (x / y),
        lambda node, y: broadcast_to(y, shape_of(node)),
        name="x / (x / y) = y",
        may_change="rounding, digits, domain, overflow, inf, nan",
    ),
    equation(sqrt(exp(x)), exp(0.5 * x), may_change="rounding, digits, overflow"),
    equation(sqrt(1 + square(x)), hypot(1, x), may_change="rounding, overflow"),
    equation(
        sqrt(square(x) + square(y)), hypot(x, y), may_change="rounding, digits, overflow, nan"
    ),
)

exponentials = (
    equation(
        log(exp(x) - exp(y)),
        x + log1mexp(y - x),
        may_change="rounding, digits, overflow, domain, zero sign, inf",
    ),
    equation(log(expm1(x)), x + log1mexp(-x), may_change="rounding, overflow"),
    equation(log2(exp2(x)), x, may_change="rounding, digits, overflow, zero sign"),
    equation(
        exp(-log(x)),
        reciprocal(x),
        when=nonnegative,
        name="exp(-log(x)) = 1 / x where x is not negative",
        may_change="rounding",
    ),
    equation(softplus(x) - x, softplus(-x), may_change="rounding, digits, inf"),
    equation(x - softplus(x), -softplus(-x), may_change="rounding, digits, zero sign, inf"),
    opposites(softplus(x) + y, softplus(y), may_change="rounding"),
    opposites(softplus(x) - softplus(y), x, may_change="rounding, zero sign"),
    equation(log(reciprocal(x)), -log(x), may_change="rounding, domain, zero sign, inf"),
)

terms = (
    equation(
        (x - number) + number,
        lambda x: x,
        when=_is_small,
        name="(x - c) + c = x for a number c up to 1000",
        may_change="rounding, digits, zero sign",
    ),
    equation(
        ((x + y) - number) - x,
        lambda node, x, y, c: broadcast_to(y - c, shape_of(node)),
        of=None,
        when=lambda x, y: y.dtype in FLOATS and has(x, facts.finite),
        name="((x + y) - c) - x = y - c for a constant c where x is finite",
        may_change="rounding, digits, overflow, zero sign, inf",
    ),
)
"""What arguments of gamma functions in binomial coefficients are made of."""

rules: tuple[Rule, ...] = (*quotients, *exponentials, *terms)
"""Those that keep digits of derivatives, too; the more special of two before the more general."""
