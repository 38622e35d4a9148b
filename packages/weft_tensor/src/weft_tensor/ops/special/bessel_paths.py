"""The Bessel functions J and Y of any real order as integrals, and J's slope in the order.

With t = s + iη and E = x sinh(t) - vt, πi times Hankel's function J + iY is the integral of exp(E)
from -∞ to ∞ + iπ (NIST Digital Library of Mathematical Functions, 10.9.18). For x > v it goes over
the saddle iβ, cos β = v/x, at 45 degrees. For x <= v it goes along the real line, over the saddle
-a, cosh a = v/x, up to a, and from there where E is real: cosh s = vη / (x sin η).
J has its power series (10.2.2) for small x and Hankel's expansion (10.17.3) for large ones.
"""

from __future__ import annotations

from math import factorial, inf, nan, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.trigonometric import (
    arctan2,
    cos,
    sin,
    sinh,
    tanh,
)
from weft_tensor.ops.reduction.cumulative import cumprod
from weft_tensor.ops.special.bessel_modified import cosine_of_pi, power_series, sine_of_pi
from weft_tensor.ops.special.gamma import gammaln, gammasgn
from weft_tensor.ops.special.quadrature import HALF_LINE, UNIT_INTERVAL, along

__all__ = ["jv_slope", "jv_sum", "y0_sum", "y1_sum"]

_SMALL: Final = 2.0
_LARGE: Final = 25.0
_GAMMA: Final = 0.5772156649015329
_PLACES, _WEIGHTS = HALF_LINE
_FAR: Final = 300.0
"""Where nothing is left of any integrand."""
_KS: Final = np.arange(1.0, 49.0)
_ODD: Final = [(-1.0) ** (k + 1) / factorial(2 * k + 1) for k in range(1, 10)]
_SINE: Final = tuple(_ODD)
_TURN: Final = tuple([2 * k * c for k, c in enumerate(_ODD, 1)])
"""Of t - sin(t) and sin(t) - t cos(t): the coefficients of t³, t⁵, ..."""


class _Path(NamedTuple):
    """J and Y, and their derivatives in the order, by one of the paths."""

    j: TensorVariable
    y: TensorVariable
    j_slope: TensorVariable
    y_slope: TensorVariable


def jv_sum(order: TensorVariable, place: TensorVariable) -> TensorVariable:
    """J of any order."""
    v, x = abs(order), abs(place)
    whole = eq(v, rint(v))
    turned = (order < 0) & ~whole
    small = x < _SMALL
    signed = where(turned, order, v)
    middle = where(small, _SMALL, where(x < inf, x, _SMALL))
    j, y = _by_paths(v, middle)[:2]
    far = where(turned, cosine_of_pi(v) * j - sine_of_pi(v) * y, j)
    found = where(small, _by_series(signed, where(small, x, 1)), far)
    found = where(eq(x, inf), 0, found)
    odd = eq(v % 2, 1) & ((order < 0) ^ (place < 0))
    found = where(whole & odd, -found, found)
    wrong = isnan(place) | isnan(order) | ((place < 0) & ~whole)
    return where(wrong, nan, found)


def _by_series(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    pole = (v < 0) & eq(v, rint(v))
    v = where(pole, 0.5, v)
    first = gammasgn(v + 1) * exp(v * log(where(eq(x, 0), 1, 0.5 * x)) - gammaln(v + 1))
    at_0 = where(v > 0, 0, where(eq(v, 0), 1, inf * gammasgn(v + 1)))
    return where(eq(x, 0), at_0, first * power_series(v, x, -1)[0])


def _by_paths(v: TensorVariable, x: TensorVariable) -> _Path:
    """By the one whose place it is; x is finite and at least 2."""
    above = x > v
    saddle = _over_saddle(where(above, v, 0), x)
    valley = _over_valley(where(above, x, v), x)
    found = _Path(*[where(above, s, w) for s, w in zip(saddle, valley, strict=True)])
    large = (x > _LARGE) & (x > 0.5 * v * v)
    j, y = _by_hankel(where(large, v, 0), where(large, x, _LARGE))
    return found._replace(j=where(large, j, found.j), y=where(large, y, found.y))


def _over_saddle(v: TensorVariable, x: TensorVariable) -> _Path:
    """For x > v."""
    root = sqrt((x - v) * (x + v))
    start = arctan2(root, v)
    width = 1 / maximum(sqrt(root), x ** (1 / 3))
    s = minimum(along(width) * _PLACES, _FAR)
    b, rest = along(start), along(pi - start)
    up, down = tanh(s / rest), exp(-s / b)
    legs = (
        (s, rest * up, 1 - up * up),
        (-s, b * expm1(-s / b), down),
    )
    parts: list[Any] = [0, 0, 0, 0]
    base = root - v * start
    for t, turn, slope in legs:
        size = sin(turn + b) * 2 * sinh(0.5 * t) ** 2 - 2 * sin(b) * sin(0.5 * turn) ** 2
        phase = along(base) + along(x) * (size + cos(b) * (sin(turn) - turn))
        power = (sinh(t) - t) * cos(turn + b) - 2 * t * sin(b + 0.5 * turn) * sin(0.5 * turn)
        weight = _WEIGHTS * exp(along(x) * power)
        real = weight * (cos(phase) - slope * sin(phase))
        imaginary = weight * (sin(phase) + slope * cos(phase))
        angle = turn + b
        sums = (
            imaginary,
            -real,
            -(t * imaginary + angle * real),
            t * real - angle * imaginary,
        )
        parts = [p + q.sum(axis=-1) for p, q in zip(parts, sums, strict=True)]
    return _Path(*[width / pi * part for part in parts])


def _over_valley(v: TensorVariable, x: TensorVariable) -> _Path:
    """For x <= v, which is at least 2: all but E's real part vanishes."""
    root = sqrt((v - x) * (v + x))
    top = log1p((v - x + root) / x)  # arcosh(v / x)
    width = 1 / (sqrt(root) + v ** (1 / 3))
    low = v * top - root

    right = minimum(along(width) * _PLACES, _FAR)
    left = along(2 * top) * UNIT_INTERVAL[0]
    level = along(v) * (right - sinh(right)) - along(root) * 2 * sinh(0.5 * right) ** 2
    bulk = _WEIGHTS * exp(level)
    fallen = along(v) * (sinh(left) - left) - along(root) * 2 * sinh(0.5 * left) ** 2
    slope = UNIT_INTERVAL[1] * exp(fallen)
    size = exp(low)
    hill = size * (width * bulk.sum(axis=-1) + 2 * top * slope.sum(axis=-1))
    moved = width * (bulk * (along(top) + right)).sum(axis=-1)
    moved = size * (moved + 2 * top * (slope * (along(top) - left)).sum(axis=-1))

    fall = along(-width / pi) * _PLACES
    near = exp(fall)
    angle = -pi * expm1(fall)
    sine, ratio = sin(angle), along(v / x)
    missing = _odd_series(_SINE, angle, angle - sine) * (angle + sine) / sine**2
    beyond = along((v - x) * (v + x) / (x * x)) * (angle / sine) ** 2 + missing  # q² - 1
    q, steep = ratio * angle / sine, sqrt(beyond)
    s = log1p(beyond / (q + 1) + steep)
    power = along(x) * sinh(s) * cos(angle) - along(v) * s + along(low)
    bell = _WEIGHTS * near * exp(power)
    steep = ratio * _odd_series(_TURN, angle, sine - angle * cos(angle)) / (sine**2 * steep)
    scale = width * exp(-low)
    j = scale * bell.sum(axis=-1)
    rest = scale * (bell * steep).sum(axis=-1)
    j_slope = -scale * (bell * (s + angle * steep)).sum(axis=-1)
    y_slope = -moved + scale * (bell * (s * steep - angle)).sum(axis=-1)
    return _Path(*[part / pi for part in (j, -hill - rest, j_slope, y_slope)])


def _odd_series(terms: tuple[float, ...], t: TensorVariable, far: TensorVariable) -> Any:
    """The series for small t, where `far` has lost digits."""
    small = t < 1
    square = where(small, t * t, 0)
    total: Any = terms[-1]
    for term in terms[-2::-1]:
        total = total * square + term
    return where(small, total * square * t, far)


def _by_hankel(v: TensorVariable, x: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """By Hankel's expansion, without loss where the angle is large."""
    odd = 2 * _KS - 1
    terms = cumprod((4 * along(v * v) - odd * odd) / (8 * _KS * along(x)), axis=-1)
    p = 1 + (terms * np.array([0.0, -1.0, 0.0, 1.0] * 12)).sum(axis=-1)
    q = (terms * np.array([1.0, 0.0, -1.0, 0.0] * 12)).sum(axis=-1)
    size = sqrt(2 / (pi * x))
    turn = 0.5 * v + 0.25
    c, s = cosine_of_pi(turn), sine_of_pi(turn)
    across, along_it = cos(x) * c + sin(x) * s, sin(x) * c - cos(x) * s
    return size * (p * across - q * along_it), size * (p * along_it + q * across)


def jv_slope(order: TensorVariable, place: TensorVariable) -> TensorVariable:
    """The derivative of `jv` in the order."""
    v = abs(order)
    x = where(place > 0, place, 1)
    small = x < _SMALL
    middle = where(small, _SMALL, x)
    j, y, j_slope, y_slope = _by_paths(v, middle)
    c, s = cosine_of_pi(v), sine_of_pi(v)
    below = pi * (s * j + c * y) - c * j_slope + s * y_slope
    far = where(order < 0, below, j_slope)
    near = where(small, x, 1)
    pole = (order < 0) & eq(order, rint(order))
    free = where(pole, 0.5, order)
    first = gammasgn(free + 1) * exp(free * log(0.5 * near) - gammaln(free + 1))
    by_series = where(pole, nan, first * power_series(free, near, -1)[1])
    at_0 = where(eq(place, 0) & (order > 0), 0, nan)
    return where(place > 0, where(small, by_series, far), at_0)


def y0_sum(x: TensorVariable) -> TensorVariable:
    """Y of order 0."""
    small = x < _SMALL
    near = where(small & (x > 0), x, 1)
    terms = cumprod(along(-0.25 * near * near) / (_KS * _KS), axis=-1)
    rest = (terms * np.cumsum(1 / _KS)).sum(axis=-1)
    by_series = 2 / pi * ((log(0.5 * near) + _GAMMA) * (1 + terms.sum(axis=-1)) - rest)
    return _y_of(x, where(small, by_series, _far_y(0.0, x)))


def y1_sum(x: TensorVariable) -> TensorVariable:
    """Y of order 1."""
    small = x < _SMALL
    near = where(small & (x > 0), x, 1)
    terms = cumprod(along(-0.25 * near * near) / (_KS * (_KS + 1)), axis=-1)
    sums = np.cumsum(1 / _KS) + np.cumsum(1 / (_KS + 1)) + 1
    rest = 0.5 * (1 + (terms * sums).sum(axis=-1))
    size = (log(0.5 * near) + _GAMMA) * (1 + terms.sum(axis=-1))
    by_series = near / pi * (size - rest) - 2 / (pi * near)
    return _y_of(x, where(small, by_series, _far_y(1.0, x)))


def _far_y(order: float, x: TensorVariable) -> TensorVariable:
    middle = where((x >= _SMALL) & (x < inf), x, _SMALL)
    return _by_paths(0 * middle + order, middle).y


def _y_of(x: TensorVariable, found: TensorVariable) -> TensorVariable:
    """With the limits at 0 and infinity."""
    at_end = where(eq(x, 0), -inf, where(eq(x, inf), 0, nan))
    return where((x > 0) & (x < inf), found, at_end)
