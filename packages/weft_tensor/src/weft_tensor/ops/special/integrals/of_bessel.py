"""Integrals of the Bessel functions J, Y, I and K of order 0, and of these over t.

Near 0 those of J, Y and K are power series (NIST Digital Library of Mathematical Functions, 10.2.2,
10.8.2 and 10.31.2), integrated. Far out those of J and Y are products of these functions with
Lommel's, which do not oscillate (10.22.2 and 11.9: integrals of exp(-u) times a function of u / x).
Those of I are sums over the angle of its integral (10.32.1), those of K over that of 10.32.9.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, inf, nan, pi
from math import log as log_of
from typing import Any, Final

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import ANY, LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import arcsinh, cosh, sinh, tanh
from weft_tensor.ops.special.bessel import i0, j0, j1, k0, y0, y1
from weft_tensor.ops.special.quadrature import HALF_LINE, UNIT_INTERVAL, along
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["it2i0k0", "it2j0y0", "iti0k0", "itj0y0"]

_T = TensorVariable
_Form = Callable[[_T], _T]
_EULER: Final = float(np.euler_gamma)
_NEAR: Final = 4.0
_SMALL: Final = 2.0
"""Up to which the series of J and Y, and of K, are right."""
_TERMS: Final = 24
_INFINITE: Final = 1e4
"""The integrals of I are, before this."""
_SIGN: Final = {"j": -1.0, "i": 1.0}

_COUNTED: Final = (HALF_LINE[0] > 1e-20) & (HALF_LINE[0] < 45)
_PLACES: Final = HALF_LINE[0][_COUNTED]
_WEIGHTS: Final = HALF_LINE[1][_COUNTED] * np.exp(-_PLACES)
_ANGLES: Final = pi / 2 * UNIT_INTERVAL[0]
_SHARES: Final = UNIT_INTERVAL[1] * np.cos(_ANGLES) ** -1.0
_TURNS: Final = UNIT_INTERVAL[1] * _ANGLES * np.tan(_ANGLES)
_COSINES: Final = np.cos(_ANGLES)
_FALLS: Final = -2 * np.sin(0.5 * _ANGLES) ** 2
_HEIGHTS: Final = 0.2 * np.arange(33)
_STEPS: Final = np.where(_HEIGHTS > 0, 0.2, 0.1)


def _coefficients(sign: float, term: Callable[[int], float]) -> tuple[float, ...]:
    """`term` of k over k! and k!, for a polynomial of (x / 2)², or of minus that."""
    return tuple([sign**k * term(k) / float(factorial(k)) ** 2 for k in range(_TERMS)])


def _harmonic(k: int) -> float:
    return sum(1 / n for n in range(1, k + 1))


def _whole(sign: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Of the integral of J or I, over x, and of what stands beside its product with a logarithm."""
    return (
        _coefficients(sign, lambda k: 1 / (2 * k + 1)),
        _coefficients(sign, lambda k: (1 / (2 * k + 1) + _harmonic(k)) / (2 * k + 1)),
    )


def _over(sign: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Likewise of the integral of J - 1, or of I - 1, over t."""
    return (
        _coefficients(sign, lambda k: 0.5 / k if k else 0.0),
        _coefficients(sign, lambda k: (0.5 / k + _harmonic(k)) * 0.5 / k if k else 0.0),
    )


_WHOLE: Final = {kind: _whole(sign) for kind, sign in _SIGN.items()}
_OVER: Final = {kind: _over(sign) for kind, sign in _SIGN.items()}
_REST: Final = {kind: _coefficients(sign, lambda k: float(k > 0)) for kind, sign in _SIGN.items()}


def _lommel(x: _T) -> tuple[_T, _T]:
    """x times Struve's K of order 0, and that of order 1 less 2 / pi; from `_NEAR` on."""
    s = _PLACES / along(x)
    root = sqrt(1 + s * s)
    first = (_WEIGHTS / root).sum(axis=-1)
    return first, (_WEIGHTS * (s * s / (1 + root))).sum(axis=-1)


def _lommel_over(x: _T) -> tuple[_T, _T]:
    """x² and x³ times Lommel's function of orders -1 and 0, and of orders -2 and -1."""
    s = _PLACES / along(x)
    g = 1 / (1 + s * s)
    h = arcsinh(s) * sqrt(g)
    a = g * (1 - s * h)
    return (_WEIGHTS * a).sum(axis=-1), (_WEIGHTS * (a - 0.5 * s * g * (3 * s * a + h))).sum(
        axis=-1
    )


def _split(x: _T, limit: float) -> tuple[_T, _T, _T]:
    """Whether it is near, and numbers that are near and far."""
    near = x <= limit
    return near, where(near & (x > 0), x, 1.0), where(near | ~(x < inf), limit, x)


def _log(x: _T) -> _T:
    return log(x) - log_of(2) + _EULER


def _of_j(x: _T) -> _T:
    size = abs(x)
    is_near, far = size <= _NEAR, where((size > _NEAR) & (size < inf), size, _NEAR)
    near = where(is_near, x, 0)
    first, second = _lommel(far)
    beyond = 1 + first * j1(far) - far * second * j0(far)
    beyond = where(eq(size, inf), 1, beyond)
    value = where(is_near, near * polynomial(_WHOLE["j"][0], 0.25 * near * near), 0)
    return where(is_near, value, where(x < 0, -beyond, where(isnan(x), nan, beyond)))


def _of_y(x: _T) -> _T:
    is_near, near, far = _split(x, _NEAR)
    first, second = _lommel(far)
    beyond = where(eq(x, inf), 0, first * y1(far) - far * second * y0(far))
    value, beside = (polynomial(terms, 0.25 * near * near) for terms in _WHOLE["j"])
    value = 2 / pi * near * (_log(near) * value - beside)
    value = where(eq(x, 0), 0, where(is_near, value, beyond))
    return where(x >= 0, value, nan)


def _of_j_over(x: _T) -> _T:
    size = abs(x)
    is_near, far = size <= _NEAR, where((size > _NEAR) & (size < inf), size, _NEAR)
    near = where(is_near, size, 0)
    first, second = _lommel_over(far)
    beyond = _log(far) + (2 * j0(far) * second / far - j1(far) * first) / far
    beyond = where(eq(size, inf), inf, where(isnan(x), nan, beyond))
    return where(is_near, -polynomial(_OVER["j"][0], 0.25 * near * near), beyond)


def _of_y_over(x: _T) -> _T:
    is_near, near, far = _split(x, _NEAR)
    first, second = _lommel_over(far)
    beyond = where(eq(x, inf), 0, (2 * y0(far) * second / far - y1(far) * first) / far)
    value, beside = (polynomial(terms, 0.25 * near * near) for terms in _OVER["j"])
    size = _log(near)
    value = pi / 6 - 2 / pi * (0.5 * size * size + size * value - beside)
    value = where(eq(x, 0), -inf, where(is_near, value, beyond))
    return where(x >= 0, value, nan)


def _of_i(x: _T) -> _T:
    size = where(abs(x) < _INFINITE, abs(x), 1)
    c, half = _COSINES, exp(0.5 * size)
    parts = exp(along(size) * _FALLS) * -expm1(along(-2 * size) * c)
    value = half * (half * (0.5 * _SHARES * parts).sum(axis=-1))
    value = where(abs(x) >= _INFINITE, inf, where(isnan(x), nan, value))
    return where(x < 0, -value, value)


def _of_i_over(x: _T) -> _T:
    size = where(abs(x) < _INFINITE, abs(x), 1)
    half = exp(0.5 * size)
    parts = exp(along(size) * _FALLS) * expm1(along(-size) * _COSINES) ** 2
    value = half * (half * (0.5 * _TURNS * parts).sum(axis=-1))
    return where(abs(x) >= _INFINITE, inf, where(isnan(x), nan, value))


def _over_heights(x: _T, share: Callable[[_T], _T]) -> _T:
    """The integral of exp(-x cosh(u)) times an even function of u, from `_SMALL` on."""
    width = sqrt(_SMALL / x)
    u = along(width) * _HEIGHTS
    half = sinh(0.5 * u)
    parts = exp(along(-2 * x) * half * half) * share(u)
    return exp(-x) * width * (_STEPS * parts).sum(axis=-1)


def _of_k(x: _T) -> _T:
    is_near, near, far = _split(x, _SMALL)
    beyond = where(eq(x, inf), pi / 2, pi / 2 - _over_heights(far, lambda u: 1 / cosh(u)))
    value, beside = (polynomial(terms, 0.25 * near * near) for terms in _WHOLE["i"])
    value = where(eq(x, 0), 0, where(is_near, near * (beside - _log(near) * value), beyond))
    return where(x >= 0, value, nan)


def _of_k_over(x: _T) -> _T:
    is_near, near, far = _split(x, _SMALL)
    beyond = where(eq(x, inf), 0, _over_heights(far, lambda u: u * tanh(u)))
    value, beside = (polynomial(terms, 0.25 * near * near) for terms in _OVER["i"])
    size = _log(near)
    value = pi * pi / 24 + 0.5 * size * size - beside + size * value
    value = where(eq(x, 0), inf, where(is_near, value, beyond))
    return where(x >= 0, value, nan)


def _share(kind: str, x: _T) -> _T:
    """What is left of J or I without its first term, over x."""
    near = abs(x) < 1
    low, high = where(near, x, 0), where(near, 1, x)
    series = polynomial(_REST[kind][1:], 0.25 * low * low) * 0.25 * low
    return where(near, series, ((j0(high) if kind == "j" else i0(high)) - 1) / high)


def _row(
    name: str, summary: str, domain: Any, result: float, slope: Callable[[_T], Any], form: _Form
) -> Unary:
    return unary(
        name, None, f"The integral of {summary}.", domain, (1.0, result),
        lambda x, r: (slope(x),), summation=doubled(form), dtypes=floating, cost=LOOP,
    )  # fmt: skip


# fmt: off
j0_integral = _row("j0_integral", "`j0` from 0 to x", ANY, 0.919730410, j0, _of_j)
y0_integral = _row("y0_integral", "`y0` from 0 to x", POSITIVE, -0.637069377, y0, _of_y)
i0_integral = _row("i0_integral", "`i0` from 0 to x", ANY, 1.086521097, i0, _of_i)
k0_integral = _row("k0_integral", "`k0` from 0 to x", POSITIVE, 1.242509895, k0, _of_k)
j0_over_integral = _row(
    "j0_over_integral", "(1 - j0(t)) / t from 0 to x", ANY, 0.121165247,
    lambda x: -_share("j", x), _of_j_over,
)
y0_over_integral = _row(
    "y0_over_integral", "y0(t) / t from x to infinity", POSITIVE, 0.395272902,
    lambda x: -y0(x) / x, _of_y_over,
)
i0_over_integral = _row(
    "i0_over_integral", "(i0(t) - 1) / t from 0 to x", ANY, 0.128979442,
    lambda x: _share("i", x), _of_i_over,
)
k0_over_integral = _row(
    "k0_over_integral", "k0(t) / t from x to infinity", POSITIVE, 0.208518182,
    lambda x: -k0(x) / x, _of_k_over,
)
# fmt: on


def itj0y0(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The integrals of the Bessel functions `j0` and `y0` from 0 to x.

    Elementwise, of real numbers, integers as float64; the second is NaN of negative numbers. See
    `scipy.special.itj0y0`.

    >>> [y.eval().round(6).item() for y in itj0y0(1.0)]
    [0.91973, -0.637069]
    """
    z = as_tensor(x)
    return j0_integral(z), y0_integral(z)


def it2j0y0(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The integral of (1 - j0(t)) / t from 0 to x, and of y0(t) / t from x to infinity.

    Elementwise, of real numbers, integers as float64; the second is NaN of negative numbers. See
    `scipy.special.it2j0y0`.

    >>> [y.eval().round(6).item() for y in it2j0y0(1.0)]
    [0.121165, 0.395273]
    """
    z = as_tensor(x)
    return j0_over_integral(z), y0_over_integral(z)


def iti0k0(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The integrals of the modified Bessel functions `i0` and `k0` from 0 to x.

    Elementwise, of real numbers, integers as float64; the second is NaN of negative numbers. See
    `scipy.special.iti0k0`.

    >>> [y.eval().round(6).item() for y in iti0k0(1.0)]
    [1.086521, 1.24251]
    """
    z = as_tensor(x)
    return i0_integral(z), k0_integral(z)


def it2i0k0(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The integral of (i0(t) - 1) / t from 0 to x, and of k0(t) / t from x to infinity.

    Elementwise, of real numbers, integers as float64; the second is NaN of negative numbers. See
    `scipy.special.it2i0k0`.

    >>> [y.eval().round(6).item() for y in it2i0k0(1.0)]
    [0.128979, 0.208518]
    """
    z = as_tensor(x)
    return i0_over_integral(z), k0_over_integral(z)
