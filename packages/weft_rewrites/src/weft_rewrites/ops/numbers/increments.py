"""What functions differ by at two near places, without the difference."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from math import log as number_log
from typing import Final

from weft_graph import Form, Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.notation import written
from weft_tensor import (
    Elemwise,
    TensorVariable,
    abs,
    arcsinh,
    beta,
    betaln,
    binom,
    cos,
    cosh,
    eq,
    exp,
    expm1,
    exprel,
    gamma,
    gammaln,
    hypot,
    isinf,
    log,
    log1p,
    reciprocal,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    where,
)
from weft_tensor.special import boxcox

__all__ = ["rules", "slopes"]

x, y = letter("x"), letter("y")
h = hypot(x, y)
_WHERE = Elemwise("where")
_LOG_ROOT_PI: Final = 0.5 * number_log(pi)
_NEAR: Final = "rounding, digits, zero sign"
_FAR: Final = "rounding, digits, domain, inf"
_LOST: Final = "rounding, digits, zero sign, inf"


def _nonzero(x: TensorVariable) -> TensorVariable:
    return where(eq(x, 0), 1, x)


def _exponential(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """exp(x + y) - exp(x), as a product where that does not overflow before the difference."""
    is_near = y < 1
    far = exp(where(is_near, 0, x + y)) - exp(where(is_near, 0, x))
    return where(is_near, exp(x) * expm1(where(is_near, y, 0)), far)


def _logarithm(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """log(x + y) - log(x), where y is less than x by their quotient."""
    is_near = abs(y) < abs(x)
    quotient = where(is_near, y, 0) / where(is_near, x, 1)
    far = log(where(is_near, 1, x + y)) - log(where(is_near, 1, x))
    return where(is_near, log1p(quotient), far)


def _root(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    total = sqrt(x + y) + sqrt(x)
    return where(total < inf, y / _nonzero(total), total)


def _of_root(side: int, sign: int) -> Callable[..., TensorVariable]:
    """sqrt(y² ± x) - y or its opposite, a root of a quadratic polynomial."""

    def quotient(x: TensorVariable, y: TensorVariable) -> TensorVariable:
        total = sqrt(square(y) + x if side > 0 else square(y) - x) + abs(y)
        return where(y > 0, (sign * side) * x / _nonzero(total), sign * total)

    return quotient


def _power(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """(1 + x)^y - 1."""
    is_near = x > -1
    near = expm1(y * log1p(where(is_near, x, 0)))
    return where(is_near, near, where(is_near, 1, 1 + x) ** y - 1)


def _of_power(v: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """Of what `_power` makes, x and y."""
    if v.op is not _WHERE or v.inputs[1].op is not Elemwise("expm1"):
        return None
    exponent, sign = v.inputs[1].inputs[0], 1
    if exponent.op is Elemwise("neg"):
        exponent, sign = exponent.inputs[0], -1
    if exponent.op is not Elemwise("mul") or exponent.inputs[1].op is not Elemwise("log1p"):
        return None
    y, logarithm = exponent.inputs
    (x,) = logarithm.inputs
    return (x.inputs[1] if x.op is _WHERE else x), sign * y


def _of_interest(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """((1 + x)^y - 1) / x, of which no derivative cancels."""
    rate = log1p(where(x > -1, x, 0))
    is_near = (abs(y * rate) < 1) & (x > -1)
    near = y * (exprel(where(is_near, y * rate, 0)) / exprel(rate))
    return where(is_near, near, _power(x, y) / where(is_near, 1, x))


def _log_cos(x: TensorVariable) -> TensorVariable:
    cosine = cos(x)
    is_near = cosine > 0.5
    near = log1p(-2 * square(sin(where(is_near, 0.5 * x, 0))))
    return where(is_near, near, log(where(is_near, 1, cosine)))


def _boxcox(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    is_below = x < 0
    return where(is_below, (where(is_below, x, 1) ** y - 1) / y, boxcox(where(is_below, 1, x), y))


def _is_plain(x: TensorVariable) -> bool:
    """Whether `x` is not what these rules make of something."""
    return x.op is not _WHERE


waves = (
    equation(sin(x + y) - sin(x), 2 * (cos(x + 0.5 * y) * sin(0.5 * y)), may_change=_NEAR),
    equation(cos(x + y) - cos(x), -2 * (sin(x + 0.5 * y) * sin(0.5 * y)), may_change=_NEAR),
    equation(tan(x) - sin(x), tan(x) * (2 * square(sin(0.5 * x))), may_change=_NEAR),
    equation(y - y * cos(x), y * (2 * square(sin(0.5 * x))), may_change=_LOST),
)

roots = (
    equation(
        sqrt(x + y) - sqrt(x),
        _root,
        name="sqrt(x + y) - sqrt(x) = y / (sqrt(x + y) + sqrt(x))",
        may_change=_LOST,
    ),
    *(
        equation(
            left,
            _of_root(side, sign),
            name=f"{written(left)} as a quotient where y > 0",
            may_change=_LOST + ", overflow",
        )
        for left, side, sign in (
            (sqrt(square(y) + x) - y, 1, 1),
            (sqrt(square(y) - x) - y, -1, 1),
            (y - sqrt(square(y) + x), 1, -1),
            (y - sqrt(square(y) - x), -1, -1),
        )
    ),
    equation(
        reciprocal(h) - ((x / h) / h) * where(isinf(x), sign(x), x / h),
        square(y / h) / h,
        name="derivative of x / hypot(x, y)",
        may_change=_FAR,
    ),
    equation(
        1 - x / hypot(1, x), exp(-arcsinh(x)) / hypot(1, x), may_change="rounding, digits, inf"
    ),
)

quotients = (
    equation(
        reciprocal(1 + x) - reciprocal(1 - x),
        -2 * ((x / (1 - x)) / (1 + x)),
        may_change=_LOST,
    ),
    equation(
        reciprocal(1 - x) - reciprocal(1 + x),
        2 * ((x / (1 - x)) / (1 + x)),
        may_change=_LOST,
    ),
    equation(exp(x) / y - reciprocal(y), expm1(x) / y, may_change=_LOST + ", domain"),
)

exponentials = (
    equation(
        exp(x + y) - exp(x),
        _exponential,
        name="exp(x + y) - exp(x) = exp(x) * expm1(y) where y < 1",
        may_change=_LOST + ", domain",
    ),
    equation(exp(-x) * cosh(x), 0.5 + 0.5 * exp(-2 * x), may_change="rounding, domain, inf"),
    equation(exp(x) * cosh(x), 0.5 + 0.5 * exp(2 * x), may_change="rounding, domain, inf"),
    equation(exp(-x) * sinh(x), -0.5 * expm1(-2 * x), may_change="rounding, domain, inf"),
    equation(exp(x) * sinh(x), 0.5 * expm1(2 * x), may_change="rounding, domain, inf"),
    equation(cosh(x) / exp(x), 0.5 + 0.5 * exp(-2 * x), may_change=_FAR),
    equation(sinh(x) / exp(x), -0.5 * expm1(-2 * x), may_change=_FAR),
)

logarithms = (
    equation(
        log(cos(x)),
        _log_cos,
        name="log(cos(x)) = log1p(-2 * square(sin(0.5 * x))) where cos(x) > 0.5",
        may_change=_NEAR,
    ),
    *(
        equation(
            gammaln(above) - gammaln(half),
            _LOG_ROOT_PI - betaln(0.5 * x, 0.5),
            name=f"{written(gammaln(above) - gammaln(half))} = log(pi) / 2 - betaln(0.5 * x, 0.5)",
            may_change="rounding, digits, domain",
        )
        for above, half in (
            ((1 + x) / 2, x / 2),
            (0.5 * (1 + x), 0.5 * x),
            (0.5 + 0.5 * x, 0.5 * x),
        )
    ),
    equation(log1p(x) - log(x), log1p(reciprocal(x)), may_change=_FAR),
    equation(log(x) - log1p(x), -log1p(reciprocal(x)), may_change=_FAR),
    equation(
        log(x + y) - log(x),
        _logarithm,
        when=_is_plain,
        name="log(x + y) - log(x) = log1p(y / x) where abs(y) < abs(x)",
        may_change=_LOST + ", domain",
    ),
)

powers = (
    equation(
        (1 + reciprocal(x)) ** x,
        lambda x: exp(reciprocal(exprel(log1p(reciprocal(x))))),
        name="(1 + 1 / x) ** x = exp(x * log1p(1 / x))",
        may_change=_FAR,
    ),
    equation(
        (1 + x) ** reciprocal(x),
        lambda x: exp(reciprocal(exprel(log1p(x)))),
        name="(1 + x) ** (1 / x) = exp(log1p(x) / x)",
        may_change=_FAR,
    ),
    *(
        equation(
            left,
            power,
            when=_is_plain,
            name=f"{written(left)} by {by}",
            may_change=_LOST,
        )
        for left, power, by in (
            ((1 + x) ** y - 1, _power, "expm1(y * log1p(x)) where x > -1"),
            (1 - (1 + x) ** y, lambda x, y: -_power(x, y), "expm1(y * log1p(x)) where x > -1"),
            (1 - (1 - x) ** y, lambda x, y: -_power(-x, y), "expm1(y * log1p(-x)) where x < 1"),
        )
    ),
    equation(
        (x**y - 1) / y,
        _boxcox,
        when=_is_plain,
        name="(x ** y - 1) / y = boxcox(x, y) where x >= 0",
        may_change=_LOST + ", domain, overflow",
    ),
)

factorials = (
    equation(gamma(1 + x) / gamma(x), x, may_change="rounding, domain, inf"),
    equation(
        (gamma(x) * gamma(y)) / gamma(x + y), beta(x, y), may_change="rounding, digits, domain"
    ),
    equation(
        gamma(1 + x) / (gamma(1 + y) * gamma(1 + (x - y))),
        binom(x, y),
        may_change=_FAR + ", smaller domain",
    ),
)

_COMPOUND = Form("(1 + x) ** y - 1", _of_power)

slopes: tuple[Rule, ...] = (
    equation(
        _COMPOUND(x, y) / x,
        _of_interest,
        when=_is_plain,
        name="((1 + x) ** y - 1) / x by exprel where y * log1p(x) is small",
        may_change="rounding, domain",
    ),
    equation(
        (-_COMPOUND(x, y)) / x,
        lambda x, y: -_of_interest(x, y),
        when=_is_plain,
        name="(1 - (1 + x) ** y) / x by that of ((1 + x) ** y - 1) / x",
        may_change="rounding, domain",
    ),
)
"""In place of what is differentiated: no derivative of these cancels."""

rules: tuple[Rule, ...] = (
    *waves,
    *roots,
    *quotients,
    *exponentials,
    *logarithms,
    *powers,
    *factorials,
)
"""All of them."""
