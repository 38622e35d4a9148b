"""The Bessel functions J and Y of any real order, and J's slope in the order.

Of moderate orders and arguments they are by recurrences; others, and the slope, are integrals.

With t = s + iη and E = x sinh(t) - vt, πi times Hankel's function J + iY is the integral of exp(E)
from -∞ to ∞ + iπ (NIST Digital Library of Mathematical Functions, 10.9.18). For x > v it goes over
the saddle iβ, cos β = v/x, at 45 degrees. For x <= v it goes along the real line, over the saddle
-u, cosh u = v/x, up to u, and from there where E is real: cosh s = vη / (x sin η).
J has its power series (10.2.2) for small x and Hankel's expansion (10.17.3) for large ones.
"""

from __future__ import annotations

from functools import reduce
from math import factorial, inf, nan, pi
from operator import add, or_
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.trigonometric import (
    arctan2,
    cos,
    sin,
    sinh,
    tanh,
)
from weft_tensor.ops.reduction.cumulative import cumprod
from weft_tensor.ops.special.bessel_modified import (
    LIMIT,
    cosine_of_pi,
    power_series,
    series_sum,
    sine_of_pi,
)
from weft_tensor.ops.special.cylinder.steed import STEED_LIMIT, by_recurrences
from weft_tensor.ops.special.gamma import gammaln, gammasgn
from weft_tensor.ops.special.quadrature import HALF_LINE, UNIT_INTERVAL, along

__all__ = [
    *("Shares", "by_series", "combined", "cylinder", "jv_slope", "jv_sum"),
    *("slope_by_paths", "slope_by_series"),
]

_SMALL: Final = 2.0
_LARGE: Final = 25.0
_PLACES, _WEIGHTS = HALF_LINE
_FAR: Final = 300.0
"""Where nothing is left of any integrand."""
_ROUGH: Final = 1e20
"""An order from which on the last place of an argument turns J around."""
_SIDES: Final = np.repeat([1.0, -1.0], len(_PLACES))
_BOTH_PLACES, _BOTH_WEIGHTS = np.tile(_PLACES, 2), np.tile(_WEIGHTS, 2)
_KS: Final = np.arange(1.0, 49.0)
_ODD: Final = [(-1.0) ** (k + 1) / factorial(2 * k + 1) for k in range(1, 10)]
_SINE: Final = tuple(_ODD)
_TURN: Final = tuple([2 * k * c for k, c in enumerate(_ODD, 1)])
"""Of t - sin(t) and sin(t) - t cos(t): the coefficients of t³, t⁵, ..."""


class Shares(NamedTuple):
    """How much of J and Y, and of their derivatives in the order, is in what is wanted.

    It is one sum along a path, so that what its terms have in common is there once.
    """

    j: Any = 0
    y: Any = 0
    j_slope: Any = 0
    y_slope: Any = 0

    @property
    def has_y(self) -> TensorVariable | bool:
        """Whether Y or its derivative is among them."""
        shares = [neq(share, 0) for share in (self.y, self.y_slope) if not _is_none(share)]
        return reduce(or_, shares, False)


def _is_none(share: Any) -> bool:
    return isinstance(share, int) and share == 0


def _weighed(*pairs: tuple[Any, Any]) -> Any:
    """The sum of parts, each times its share."""
    terms = [
        part if isinstance(share, int) else along(share) * part
        for share, part in pairs
        if not _is_none(share)
    ]
    return reduce(add, terms, 0)


def jv_sum(order: TensorVariable, place: TensorVariable) -> TensorVariable:
    """J of any order."""
    v, x = abs(order), abs(place)
    whole = eq(v, rint(v))
    turned = (order < 0) & ~whole
    small = x < _SMALL
    signed = where(turned, order, v)
    middle = where(small, _SMALL, where(x < inf, x, _SMALL))
    of_j, of_y = where(turned, cosine_of_pi(v), 1), where(turned, -sine_of_pi(v), 0)
    far = cylinder(v, middle, of_j, of_y)
    value = where(small, by_series(signed, where(small, x, 1)), far)
    value = where((v > LIMIT) & (x < v), where((place < 0) | (v > 1e100) & ~small, nan, 0), value)
    odd = eq(v % 2, 1) & ((order < 0) ^ (place < 0))
    value = where(whole & odd, -value, value)
    wrong = ~(x < inf) | isnan(order) | ((place < 0) & ~whole)
    return where(wrong, nan, value)


def by_series(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """J for small x."""
    pole = (v < 0) & eq(v, rint(v))
    v = where(pole, 0.5, v)
    first = gammasgn(v + 1) * exp(v * log(where(eq(x, 0), 1, 0.5 * x)) - gammaln(v + 1))
    at_0 = where(v > 0, 0, where(eq(v, 0), 1, inf * gammasgn(v + 1)))
    return where(eq(x, 0), at_0, first * series_sum(v, x, -1))


def combined(of_j: TensorVariable, of_y: TensorVariable, j: Any, y: Any) -> TensorVariable:
    """The sum of `of_j` times J and `of_y` times Y, without Y where that is not in it."""
    first = where(eq(of_j, 0), 0, of_j * j)
    return where(eq(of_y, 0), first, first + of_y * y)


def cylinder(
    v: TensorVariable, x: TensorVariable, of_j: TensorVariable, of_y: TensorVariable
) -> TensorVariable:
    """This combination of J and Y, of orders from 0 on; x is finite and at least 2."""
    near, large = maximum(v, x) <= STEED_LIMIT, _is_large(v, x)
    steps = by_recurrences(where(near, v, 0), where(near, x, _SMALL))
    hankel = _by_hankel(where(large, v, 0), where(large, x, _LARGE))
    on_path = by_paths(v, x, Shares(of_j, of_y))
    far = where(large, combined(of_j, of_y, *hankel), on_path)
    return where(near, combined(of_j, of_y, *steps), far)


def _is_large(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    return (x > _LARGE) & (x > 0.5 * v * v)


def by_paths(v: TensorVariable, x: TensorVariable, of: Shares) -> TensorVariable:
    """By the one whose place it is; x is finite and at least 2."""
    above = x > v
    saddle = _over_saddle(where(above, v, 0), x, of)
    return where(above, saddle, _over_valley(where(above, x, v), x, of))


def _over_saddle(v: TensorVariable, x: TensorVariable, of: Shares) -> TensorVariable:
    """For x > v."""
    root = sqrt((x - v) * (x + v))
    start = arctan2(root, v)
    width = 1 / maximum(sqrt(root), x ** (1 / 3))
    t = _SIDES * minimum(along(width) * _BOTH_PLACES, _FAR)
    up, b, rest = _SIDES > 0, along(start), along(pi - start)
    curve = where(up, tanh(t / rest), expm1(t / b))
    turn = where(up, rest, b) * curve
    slope = where(up, 1 - curve * curve, 1 + curve)
    # by half angles and halves of t, as differences from what they are at the saddle
    sine, cosine, half = sin(0.5 * turn), cos(0.5 * turn), sinh(0.5 * t)
    sine_b, cosine_b = along(root / x), along(v / x)
    full, sunk = 2 * sine * cosine, 2 * sine * sine
    sine_all = full * cosine_b + (1 - sunk) * sine_b
    cosine_all = (1 - sunk) * cosine_b - full * sine_b
    size = sine_all * 2 * half * half - sine_b * sunk + cosine_b * (full - turn)
    phase = along(root - v * start) + along(x) * size
    away = 2 * half * sqrt(1 + half * half) - t
    power = away * cosine_all - t * (sine_b * full + cosine_b * sunk)
    weight = _BOTH_WEIGHTS * exp(along(x) * power)
    c, s = cos(phase), sin(phase)
    real, imaginary = weight * (c - slope * s), weight * (s + slope * c)
    angle = turn + b
    parts = (imaginary, -real, -(t * imaginary + angle * real), t * real - angle * imaginary)
    total: TensorVariable = width / pi * _weighed(*zip(of, parts, strict=True)).sum(axis=-1)
    return total


def _over_valley(v: TensorVariable, x: TensorVariable, of: Shares) -> TensorVariable:
    """For x <= v, which is at least 2: all but E's real part vanishes."""
    root = sqrt((v - x) * (v + x))
    top = log1p((v - x + root) / x)  # arcosh(v / x)
    width = 1 / (sqrt(root) + v ** (1 / 3))
    low = v * top - root

    right = minimum(along(width) * _PLACES, _FAR)
    end = minimum(2 * top, 2 + 40 / v)  # beyond, nothing is left of the slope
    left = along(end) * UNIT_INTERVAL[0]
    level = along(v) * (right - sinh(right)) - along(root) * 2 * sinh(0.5 * right) ** 2
    bulk = _WEIGHTS * exp(level)
    fallen = along(v) * (sinh(left) - left) - along(root) * 2 * sinh(0.5 * left) ** 2
    slope = UNIT_INTERVAL[1] * exp(fallen)
    bulk = bulk * _weighed((of.y, 1), (of.y_slope, along(top) + right))
    slope = slope * _weighed((of.y, 1), (of.y_slope, along(top) - left))
    hill = exp(low) * (width * bulk.sum(axis=-1) + end * slope.sum(axis=-1))

    fall = along(-width / pi) * _PLACES
    near = exp(fall)
    angle = -pi * expm1(fall)
    sine, ratio = sin(angle), along(v / x)
    missing = _odd_series(_SINE, angle, angle - sine) * (angle + sine) / sine**2
    beyond = along((v - x) * (v + x) / (x * x)) * (angle / sine) ** 2 + missing  # q² - 1
    q, steep = ratio * angle / sine, sqrt(beyond)
    s = log1p(beyond / (q + 1) + steep)
    power = along(x) * sinh(s) * cos(angle) - along(v) * s + along(low)
    bell = _WEIGHTS * near * exp(minimum(power, 0))
    steep = ratio * _odd_series(_TURN, angle, sine - angle * cos(angle)) / (sine**2 * steep)
    scale = width * exp(-low)
    parts = (1, -steep, -(s + angle * steep), s * steep - angle)
    rest = scale * (bell * _weighed(*zip(of, parts, strict=True))).sum(axis=-1)
    return where(of.has_y, rest - hill, rest) / pi


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


def slope_by_paths(
    v: TensorVariable, x: TensorVariable, below: TensorVariable, turned: Shares, plain: Shares
) -> TensorVariable:
    """`by_paths` of these shares, `turned` for orders `below` 0, of which v is the size.

    J and Y are by Hankel's expansion where that is right.
    """
    large = _is_large(v, x)
    beside = below & ~large
    shares = Shares(
        where(beside, turned.j, 0),
        where(beside, turned.y, 0),
        where(below, turned.j_slope, plain.j_slope),
        where(below, turned.y_slope, plain.y_slope),
    )
    far = by_paths(v, x, shares)
    j, y = _by_hankel(where(large, v, 0), where(large, x, _LARGE))
    return where(below & large, far + turned.j * j + turned.y * y, far)


def jv_slope(order: TensorVariable, place: TensorVariable) -> TensorVariable:
    """The derivative of `jv` in the order."""
    v = abs(order)
    x = where(place > 0, place, 1)
    small, below = x < _SMALL, order < 0
    c, s = cosine_of_pi(v), sine_of_pi(v)
    turned, plain = Shares(pi * s, pi * c, -c, s), Shares(j_slope=1)
    far = slope_by_paths(v, where(small, _SMALL, x), below, turned, plain)
    far = where((v > _ROUGH) & (x >= v), nan, far)
    near = slope_by_series(order, where(small, x, 1))
    at_0 = where(eq(place, 0) & (order > 0), 0, nan)
    return where(place > 0, where(small, near, far), at_0)


def slope_by_series(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """That of J for small x; NaN for orders -1, -2, ..."""
    pole = (v < 0) & eq(v, rint(v))
    free = where(pole, 0.5, v)
    first = gammasgn(free + 1) * exp(free * log(0.5 * x) - gammaln(free + 1))
    return where(pole, nan, first * power_series(free, x, -1)[1])
