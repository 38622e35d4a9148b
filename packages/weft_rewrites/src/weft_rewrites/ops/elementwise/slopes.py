"""Forms whose derivatives keep their digits: in place of what is differentiated alone.

As values they are no better than what they stand for, and may take longer.
"""

from __future__ import annotations

from weft_graph import Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.signs import opposites
from weft_rewrites.ops.elementwise.stability import log_exprel
from weft_tensor import (
    Elemwise,
    TensorVariable,
    arcsinh,
    cosh,
    erfcx,
    exp,
    expm1,
    exprel,
    hypot,
    log,
    log1p,
    reciprocal,
    reciprocal_erfcx,
    sech,
    sigmoid,
    sin,
    sinh,
    slow_tanh,
    softplus,
    spherical_j0,
    square,
    tanh,
    where,
)

__all__ = ["rules"]

x, y = letter("x"), letter("y")
_WHERE = Elemwise("where")


def _bernoulli(x: TensorVariable) -> TensorVariable:
    """By its value at |x|, from which that at -|x| differs by |x|: no derivative cancels."""
    size = where(x < 0, -x, x)
    return where(x < 0, -x, 0) + exp(-size) / exprel(-size)


rules: tuple[Rule, ...] = (
    equation(sinh(x) / cosh(x), slow_tanh(x), may_change="rounding, domain, inf"),
    equation(sinh(x) * sech(x), slow_tanh(x), may_change="rounding, domain, inf"),
    equation(expm1(x) / (1 + exp(x)), slow_tanh(0.5 * x), may_change="rounding, domain, inf"),
    opposites(expm1(x) * sigmoid(y), slow_tanh(0.5 * x), may_change="rounding, domain, inf"),
    equation(2 * sigmoid(x) - 1, slow_tanh(0.5 * x), may_change="rounding, digits, zero sign"),
    equation(1 - 2 * sigmoid(x), -slow_tanh(0.5 * x), may_change="rounding, digits, zero sign"),
    equation(slow_tanh(-x), -slow_tanh(x)),
    equation(tanh(softplus(x)), slow_tanh(softplus(x))),
    equation(1 - square(tanh(x)), square(sech(x)), may_change="rounding, digits"),
    opposites(sigmoid(x) * sigmoid(y), 0.25 * square(sech(0.5 * x)), may_change="rounding"),
    equation(x / hypot(1, x), slow_tanh(arcsinh(x)), may_change="rounding, domain, inf"),
    equation(sin(x) / x, spherical_j0(x), may_change="domain"),
    equation(
        (2 * square(sin(0.5 * x))) / square(x),
        0.5 * square(spherical_j0(0.5 * x)),
        may_change="rounding, domain",
    ),
    equation(
        (2 * square(sin(0.5 * x))) / x,
        x * (0.5 * square(spherical_j0(0.5 * x))),
        may_change="rounding, digits, domain",
    ),
    equation(expm1(x) / x, exprel(x), may_change="overflow, domain, inf"),
    equation(expm1(-x) / x, -exprel(-x), may_change="domain, inf"),
    equation(
        x / expm1(x),
        _bernoulli,
        name="x / expm1(x) = exp(-abs(x)) / exprel(-abs(x)), less x below 0",
        may_change="rounding, digits, domain, inf",
    ),
    equation(
        x / expm1(-x),
        lambda x: -_bernoulli(-x),
        name="x / expm1(-x) by what it is at -abs(x)",
        may_change="rounding, domain, inf",
    ),
    equation(
        (exp(x) * x) / expm1(x),
        lambda x: _bernoulli(-x),
        name="exp(x) * x / expm1(x) by what it is at -abs(x)",
        may_change="rounding, domain",
    ),
    equation(
        square(x) / expm1(x),
        lambda x: x * _bernoulli(x),
        name="square(x) / expm1(x) = x * (x / expm1(x))",
        may_change="rounding, digits, domain, inf",
    ),
    equation(
        x**3 / expm1(x),
        lambda x: square(x) * _bernoulli(x),
        name="x ** 3 / expm1(x) = square(x) * (x / expm1(x))",
        may_change="rounding, digits, domain, inf",
    ),
    equation(
        log(exprel(x)),
        log_exprel,
        when=lambda x: x.op is not _WHERE,
        name="log(exprel(x)) = log(exprel(-x)) + x where x > 1",
        may_change="rounding, overflow, inf",
    ),
    equation(log1p(x) / x, 1 / exprel(log1p(x)), may_change="rounding, digits, domain, inf"),
    equation(reciprocal(erfcx(x)), reciprocal_erfcx(x)),
    equation(y / erfcx(x), y * reciprocal_erfcx(x), may_change="rounding"),
)
"""All of them."""
