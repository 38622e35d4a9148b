"""Voigt's profile: the real part of Faddeeva's function, by sums of which no term is negative.

M. Al Azah, S. N. Chandler-Wilde: Computation of the complex error function using modified
trapezoidal rules, SIAM J. Numer. Anal. 59, 2021. The real parts of the terms are written out, so
that also far from the centre, where the imaginary part is much larger, all digits are right.
"""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor, maximum
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["voigt_profile"]

_T = TensorVariable
_STEP: Final = (pi / 12) ** 0.5
_HALVES: Final = _STEP * (np.arange(12) + 0.5)
_WHOLES: Final = _STEP * np.arange(1, 12)
_LAST: Final = pi / _STEP
_BEYOND: Final = 30.0
"""From these y or x on, the sums are all there is."""
_WIDE: Final = 1e9
"""How many times wider than the normal variable Cauchy's hides it."""


def _lorentz(x: _T, y: _T) -> _T:
    """y / (x² + y²), also of very small and large numbers."""
    size = stop_gradient(maximum(abs(x), y))
    u, v = x / size, y / size
    return v / (u * u + v * v) / size


def _sum(places: np.ndarray, x: _T, y: _T) -> Any:
    left, right = (_lorentz(along(x) + side * places, along(y)) for side in (1, -1))
    return _STEP / pi * (np.exp(-places * places) * (left + right)).sum(axis=-1)


def _faddeeva(x: _T, y: _T) -> _T:
    """The real part at x + iy, for x and y that are not negative."""
    share = x / _STEP - floor(x / _STEP)
    halves = (y >= x) | (share < 0.25) | (share > 0.75)
    by_halves = _sum(_HALVES, where(halves, x, 0), y)
    place = where(halves, 0.5 * _STEP, x)
    by_wholes = _sum(_WHOLES, place, y) + _STEP / pi * _lorentz(place, y)

    # what the sum over all places misses: 2 exp(-z²) / (1 ± exp(-2πiz / h))
    some = (y < _LAST) & (x < _BEYOND)
    a, b = where(some, x, 0), where(some, y, 0)
    side, angle = where(halves, 1, -1), 2 * pi / _STEP * a
    shrunk = exp(-2 * pi / _STEP * b)
    c, s = shrunk + side * cos(angle), side * sin(angle)
    size = 2 * exp((b - a) * (b + a)) * shrunk / (c * c + s * s)
    rest = size * (cos(2 * a * b) * c + sin(2 * a * b) * s)
    return where(halves, by_halves, by_wholes) + where(some, rest, 0)


def _voigt(x: _T, sigma: _T, gamma: _T) -> _T:
    bad = isnan(x) | ~(sigma >= 0) | ~(gamma >= 0)
    width = 2**0.5 * sigma
    is_cauchy = maximum(abs(x), gamma) >= _WIDE * width
    usable = ~(bad | is_cauchy)
    scale = where(usable, width, 1)
    u, v = where(usable, abs(x), 0) / scale, where(usable, gamma, 0) / scale
    at_once = eq(x, 0) & eq(gamma, 0) | eq(abs(x), inf) | eq(gamma, inf)
    by_cauchy = _lorentz(where(at_once, 1, x), where(at_once, 0, gamma)) / pi
    by_cauchy = where(at_once, where(eq(x, 0) & eq(gamma, 0), inf, 0), by_cauchy)
    value = where(is_cauchy, by_cauchy, _faddeeva(u, v) / (pi**0.5 * scale))
    return where(bad, nan, value)


voigt_profile = formula(
    "voigt_profile",
    "The density of the sum of a normal variable, of deviation sigma, and one of Cauchy's, of "
    "half width gamma; NaN where one of these is negative.",
    (0.5, 1.0, 0.3, 0.289003),
    doubled(_voigt),
)
