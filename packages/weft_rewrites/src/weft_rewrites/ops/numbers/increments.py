"""What functions differ by at two near places, without the difference."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from math import log as number_log
from typing import Final

from weft_graph import Rule
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.notation import written
from weft_tensor import (
    Elemwise,
    TensorVariable,
    abs,
    arcsinh,
    beta,
    betaln,
    cos,
    cosh,
    digamma,
    eq,
    exp,
    expm1,
    exprel,
    facts,
    gamma,
    gammaln,
    hypot,
    isinf,
    log,
    log1p,
    log2,
    pow1pm1,
    reciprocal,
    sign,
    sin,
    sinh,
    special,
    sqrt,
    square,
    tan,
    where,
)

__all__ = ["rules", "slopes"]

x, y = letter("x"), letter("y")
h = hypot(x, y)
_WHERE = Elemwise("where")
_LOG2: Final = number_log(2)
_LOG_ROOT_PI: Final = 0.5 * number_log(pi)
_NEAR: Final = "rounding, digits, zero sign"
_FAR: Final = "rounding, digits, domain, inf"
_LOST: Final = "rounding, digits, zero sign, inf"


_FAR_OUT: Final = 1e18
"""Squares of such numbers are numbers of 32 bits still."""
_SHIFT: Final = 8
_BERNOULLI: Final = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""By powers of 1 / x², what log(x) - 1 / (2 x) has more than digamma(x)."""


def _nonzero(x: TensorVariable) -> TensorVariable:
    return where(eq(x, 0), 1, x)


def _exponential(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """exp(x + y) - exp(x), as a product that does not overflow before the difference."""
    is_near = y < 1
    far = where(is_near, 1, y)
    return where(is_near, exp(x) * expm1(where(is_near, y, 0)), -(exp(x + far) * expm1(-far)))


def _root(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    total = sqrt(x + y) + sqrt(x)
    return where(total < inf, y / _nonzero(total), total)


def _of_root(side: int, sign: int) -> Callable[..., TensorVariable]:
    """sqrt(y² ± x) - y or its opposite, a root of a quadratic polynomial."""

    def quotient(x: TensorVariable, y: TensorVariable) -> TensorVariable:
        total = sqrt(square(y) + x if side > 0 else square(y) - x) + abs(y)
        return where(y > 0, (sign * side) * x / _nonzero(total), sign * total)

    return quotient


def _of_interest(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """((1 + x)^y - 1) / x, of which no derivative cancels."""
    rate = log1p(where(x > -1, x, 0))
    is_near = (abs(y * rate) < 1) & (x > -1)
    near = y * (exprel(where(is_near, y * rate, 0)) / exprel(rate))
    far = where(is_near, 1, x)
    return where(is_near, near, (1 + far) ** y / far - 1 / far)


def _log_cos(x: TensorVariable) -> TensorVariable:
    cosine = cos(x)
    is_near = cosine > 0.5
    near = log1p(-2 * square(sin(where(is_near, 0.5 * x, 0))))
    return where(is_near, near, _LOG2 * log2(where(is_near, 1, cosine)))


def _digamma_step(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """digamma(x + y) - digamma(x): by the recurrence, differences of both asymptotic series."""
    is_usual = (x > 1 / _FAR_OUT) & (x + y > 1 / _FAR_OUT) & (x + y < _FAR_OUT) & (x < _FAR_OUT)
    near, far = where(is_usual, x, 1), where(is_usual, -0.5, x)
    step = where(is_usual, y, 1)
    total = step / (near * (near + step))
    for k in range(1, _SHIFT):
        total = total + step / ((near + k) * (near + k + step))
    low = reciprocal(near + _SHIFT)
    high = reciprocal(near + _SHIFT + step)
    apart = step * low * high
    a, b = square(low), square(high)
    power, quotient = b, a + b
    series = _BERNOULLI[0] + _BERNOULLI[1] * quotient
    for c in _BERNOULLI[2:]:
        power = power * b
        quotient = quotient * a + power  # (a**k - b**k) / (a - b)
        series = series + c * quotient
    total = total + log1p(step * low) + apart * (0.5 + (low + high) * series)
    return where(is_usual, total, digamma(far + y) - digamma(far))


def _boxcox(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    is_below = x < 0
    return where(
        is_below, (where(is_below, x, 1) ** y - 1) / y, special.boxcox(where(is_below, 1, x), y)
    )


def _may_be_positive(x: TensorVariable) -> bool:
    """Whether `x` is neither what `_boxcox` makes of something, nor known to be below 0."""
    return x.op is not _WHERE and not has(x, facts.negative)


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
    equation((1 + x) ** y - 1, pow1pm1(x, y), may_change=_LOST),
    equation(1 - (1 + x) ** y, -pow1pm1(x, y), may_change=_LOST),
    equation(1 - (1 - x) ** y, -pow1pm1(-x, y), may_change=_LOST),
    equation(
        (x**y - 1) / y,
        _boxcox,
        when=_may_be_positive,
        name="(x ** y - 1) / y = boxcox(x, y) where x >= 0",
        may_change=_LOST + ", domain, overflow",
    ),
)

factorials = (
    *(
        equation(
            left,
            right,
            when=lambda x: x.op is not _WHERE,
            name=f"{written(left)} by differences of both series where x > 0",
            may_change=_NEAR,
        )
        for left, right in (
            (digamma(x + y) - digamma(x), _digamma_step),
            (digamma(x) - digamma(x + y), lambda x, y: -_digamma_step(x, y)),
        )
    ),
    equation(gamma(1 + x) / gamma(x), x, may_change="rounding, domain, inf"),
    equation(
        (gamma(x) * gamma(y)) / gamma(x + y), beta(x, y), may_change="rounding, digits, domain"
    ),
)

slopes: tuple[Rule, ...] = (
    equation(
        pow1pm1(x, y) / x,
        _of_interest,
        name="pow1pm1(x, y) / x = y * exprel(y * log1p(x)) / exprel(log1p(x)) where that is small",
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
