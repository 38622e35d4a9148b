"""Functions less the first terms of their series, by what is left of them."""

from __future__ import annotations

from math import factorial
from typing import Any, Final

from weft_graph import Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.notation import written
from weft_tensor import (
    Elemwise,
    TensorVariable,
    abs,
    cosh,
    exp,
    expm1,
    expm1mx,
    exprel,
    exprel2,
    langevin,
    log,
    log1p,
    log1pmx,
    log_sinhc,
    reciprocal,
    sin,
    sinh,
    spherical_j0,
    square,
    tanh,
    where,
)

__all__ = ["rules", "slopes"]

x, y = letter("x"), letter("y")
_WHERE = Elemwise("where")
_NEAR: Final = "rounding, digits, zero sign"
_LOST: Final = "rounding, digits, zero sign, inf"
_FAR: Final = "rounding, digits, inf"
_SINE: Final = tuple([(-1) ** k / factorial(2 * k + 3) for k in range(9)])
_RATIO: Final = "rounding, digits, domain, zero sign, inf"


def _is_plain(x: TensorVariable) -> bool:
    """Whether `x` is not what these rules make of something."""
    return x.op is not _WHERE


def _mean_of_exponential(x: TensorVariable) -> TensorVariable:
    """1 / x - 1 / (exp(x) - 1), which is about 1 / x where x is large."""
    is_large = x > 2
    far = where(is_large, x, 1)
    near = where(is_large, 1, x)
    return where(is_large, 1 / far - exp(-far) / -expm1(-far), 0.5 - 0.5 * langevin(0.5 * near))


def _divergence(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """x log(x / y) - x + y, where x and y are near each other by how far they are apart."""
    apart = (y - x) / x
    is_near = abs(apart) < 0.5
    near = -(x * log1pmx(where(is_near, apart, 0)))
    return where(is_near, near, (x * log(where(is_near, 1, x / y)) + y) - x)


def _above_1(x: TensorVariable) -> TensorVariable:
    """x - 1 - log(x)."""
    is_near = abs(x - 1) < 0.5
    far = where(is_near, 1, x)
    return where(is_near, -log1pmx(where(is_near, x - 1, 0)), far - (1 + log(far)))


def _above_sine(x: TensorVariable) -> TensorVariable:
    """x - sin(x)."""
    is_near = abs(x) < 1
    near, far = where(is_near, x, 0), where(is_near, 1, x)
    series: Any = _SINE[-1]
    for c in _SINE[-2::-1]:
        series = series * square(near) + c
    return where(is_near, near * (square(near) * series), far * (1 - spherical_j0(far)))


def _of_product(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """(exp(x * y) - 1) / y."""
    product = x * y
    is_near = abs(product) < 1
    near = x * exprel(where(is_near, product, 0))
    below = where(is_near, 1, y)
    return where(is_near, near, (exp(product) - 0.5) / below - 0.5 / below)


slopes: tuple[Rule, ...] = (
    equation(sinh(x) / x, exp(log_sinhc(x)), may_change="rounding, domain, inf"),
    equation(x / sinh(x), exp(-log_sinhc(x)), may_change="rounding, domain, inf"),
    equation(x / tanh(x), 1 + x * langevin(x), may_change="rounding, domain"),
    equation(tanh(x) / x, reciprocal(1 + x * langevin(x)), may_change="rounding, domain"),
    equation(
        (exp(x) * square(x)) / square(expm1(x)),
        exp(-2 * log_sinhc(0.5 * x)),
        may_change="rounding, domain, inf",
    ),
    equation(
        expm1(x * y) / y,
        _of_product,
        when=lambda y: y.op is not _WHERE,
        name="expm1(x * y) / y = x * exprel(x * y) where that is small",
        may_change="rounding, digits, domain",
    ),
    equation(
        expm1(-(x * y)) / y,
        lambda x, y: _of_product(-x, y),
        when=lambda y: y.op is not _WHERE,
        name="expm1(-(x * y)) / y = -x * exprel(-x * y) where that is small",
        may_change="rounding, digits, domain",
    ),
)
"""In place of what is differentiated: no derivative of these cancels."""

rules: tuple[Rule, ...] = (
    equation(log1p(x) - x, log1pmx(x), may_change=_LOST),
    equation(x - log1p(x), -log1pmx(x), may_change=_LOST),
    equation(expm1(x) - x, expm1mx(x), may_change=_FAR),
    equation(x - expm1(x), -expm1mx(x), may_change=_LOST),
    equation((exp(x) - x) - 1, expm1mx(x), may_change=_FAR),
    equation(exp(x) - (1 + x), expm1mx(x), may_change=_FAR),
    equation(expm1mx(x) / square(x), exprel2(x), may_change=_FAR + ", domain, overflow"),
    equation((exprel(x) - 1) / x, exprel2(x), may_change=_RATIO),
    equation(cosh(x) / sinh(x) - reciprocal(x), langevin(x), may_change=_RATIO),
    equation(reciprocal(tanh(x)) - reciprocal(x), langevin(x), may_change=_RATIO),
    equation(log(sinh(x) / x), log_sinhc(x), may_change=_FAR + ", domain, overflow"),
    equation(log(x / sinh(x)), -log_sinhc(x), may_change=_RATIO + ", overflow"),
    *(
        equation(
            left,
            right,
            when=_is_plain,
            name=f"{written(left)} by langevin(0.5 * x) where x <= 2",
            may_change=_RATIO,
        )
        for left, right in (
            (reciprocal(x) - reciprocal(expm1(x)), _mean_of_exponential),
            (reciprocal(expm1(x)) - reciprocal(x), lambda x: -_mean_of_exponential(x)),
        )
    ),
    *(
        equation(
            left,
            right,
            when=_is_plain,
            name=f"{written(left)} by its series where abs(x) < 1",
            may_change=_NEAR,
        )
        for left, right in (
            (x - sin(x), _above_sine),
            (sin(x) - x, lambda x: -_above_sine(x)),
        )
    ),
    equation(
        (x - 1) - log(x),
        _above_1,
        when=_is_plain,
        name="x - 1 - log(x) = -log1pmx(x - 1) where x is near 1",
        may_change="rounding, zero sign",
    ),
    *(
        equation(
            left,
            _divergence,
            name=f"{written(left)} by log1pmx where y is near x",
            may_change="rounding, zero sign",
        )
        for left in (
            x * log(x / y) - (x - y),
            (y - x) + x * log(x / y),
            (x * log(x / y) - x) + y,
        )
    ),
)
"""All of them."""
