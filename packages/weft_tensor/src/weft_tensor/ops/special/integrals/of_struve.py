"""Integrals of Struve's functions H and L of order 0, and of H over t.

Near 0 those of H are power series (NIST Digital Library of Mathematical Functions, 11.2.1),
integrated; far out those of Y, and of the integral that H is beside Y (11.5.2). That of L is such a
series, too; far out a sum over the angle of its integral (11.5.4, over both halves).
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, inf, nan, pi
from math import log as log_of
from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import ANY, LOOP, floating
from weft_tensor.ops.elementwise.trigonometric import arcsinh
from weft_tensor.ops.special.cylinder.struve import modstruve, struve
from weft_tensor.ops.special.integrals.of_bessel import y0_integral, y0_over_integral
from weft_tensor.ops.special.quadrature import HALF_LINE, UNIT_INTERVAL, along
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["it2struve0", "itmodstruve0", "itstruve0"]

_T = TensorVariable
_NEAR: Final = 4.0
_NEAR_L: Final = 8.0
_INFINITE: Final = 1e4
_TERMS: Final = 24
_COUNTED: Final = (HALF_LINE[0] > 1e-20) & (HALF_LINE[0] < 45)
_PLACES: Final = HALF_LINE[0][_COUNTED]
_WEIGHTS: Final = HALF_LINE[1][_COUNTED] * np.exp(-_PLACES)
_COSINES: Final = np.cos(pi / 2 * UNIT_INTERVAL[0])
_SHARES: Final = 0.5 * UNIT_INTERVAL[1] / _COSINES
_FALLS: Final = -2 * np.sin(0.25 * pi * UNIT_INTERVAL[0]) ** 2


def _factor(k: int) -> float:
    """The factor of (x / 2)^(2k + 1) in H: 1 / gamma(k + 3/2)², with a sign."""
    return (-1) ** k / (factorial(2 * k + 2) / 4.0 ** (k + 1) / factorial(k + 1)) ** 2 / pi


_WHOLE: Final = tuple([2 * _factor(k) / (2 * k + 2) for k in range(_TERMS)])
_WHOLE_L: Final = tuple(map(abs, _WHOLE))
_OVER: Final = tuple([_factor(k) / (2 * k + 1) for k in range(_TERMS)])


def _parts(x: _T) -> tuple[_T, _T, _T]:
    """Whether |x| is near, half of one that is, and one that is far."""
    size = abs(x)
    near = size <= _NEAR
    return near, 0.5 * where(near, size, 1), where((size > _NEAR) & (size < inf), size, _NEAR)


def _whole(x: _T) -> _T:
    near, half, far = _parts(x)
    square = half * half
    s = _PLACES / along(far)
    steps = log1p(0.5 * s * s / (1 + sqrt(1 + s * s)))
    grown = log(far) + (log_of(2) + float(np.euler_gamma)) + (_WEIGHTS * steps).sum(axis=-1)
    value = where(near, square * polynomial(_WHOLE, square), y0_integral(far) + 2 / pi * grown)
    return where(eq(abs(x), inf), inf, where(isnan(x), nan, value))


def _over(x: _T) -> _T:
    near, half, far = _parts(x)
    terms = _WEIGHTS / _PLACES * arcsinh(_PLACES / along(far))
    beyond = y0_over_integral(far) + 2 / pi * terms.sum(axis=-1)
    value = where(near, pi / 2 - half * polynomial(_OVER, half * half), beyond)
    value = where(eq(abs(x), inf), 0, where(isnan(x), nan, value))
    return where(x < 0, pi - value, value)


def _of_l(x: _T) -> _T:
    size = where(abs(x) < _INFINITE, abs(x), 1)
    near = size <= _NEAR_L
    square = where(near, 0.25 * size * size, 0)
    half = exp(0.5 * size)
    parts = exp(along(size) * _FALLS) * expm1(along(-size) * _COSINES) ** 2
    far = half * (half * (_SHARES * parts).sum(axis=-1))
    value = where(near, square * polynomial(_WHOLE_L, square), far)
    return where(abs(x) >= _INFINITE, inf, where(isnan(x), nan, value))


def _over_slope(x: _T) -> _T:
    """Minus `struve` of order 0 over x, which is 2 / pi at 0."""
    zero = eq(x, 0)
    return where(zero, -2 / pi, -struve(0, x) / where(zero, 1, x))


def _row(
    name: str, summary: str, result: float, slope: Callable[[_T], _T], form: Callable[[_T], _T]
) -> Unary:
    return unary(
        name, None, f"The integral of {summary}.", ANY, (1.0, result), lambda x, r: (slope(x),),
        summation=doubled(form), dtypes=floating, cost=LOOP,
    )  # fmt: skip


# fmt: off
itstruve0 = _row(
    "itstruve0", "Struve's function of order 0 from 0 to x", 0.301090427,
    lambda x: struve(0, x), _whole,
)
it2struve0 = _row(
    "it2struve0", "Struve's function of order 0, over t, from x to infinity", 0.957197351,
    _over_slope, _over,
)
itmodstruve0 = _row(
    "itmodstruve0", "the modified Struve function of order 0 from 0 to x", 0.336472629,
    lambda x: modstruve(0, x), _of_l,
)
# fmt: on
