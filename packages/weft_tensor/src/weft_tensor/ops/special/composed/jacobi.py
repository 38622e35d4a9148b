"""Jacobi's elliptic functions and the mean that they are computed by.

Bulirsch's form of the descending steps, whose quotients keep small values of cn and dn right:
Numerical calculation of elliptic integrals and elliptic functions, Numer. Math. 7, 1965.
"""

from __future__ import annotations

from math import inf, nan, pi
from math import log as log_of
from typing import Any, Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.trigonometric import arctan, arctan2, cos, sin, tanh
from weft_tensor.ops.numbers.stable import sech
from weft_tensor.ops.special.composed.formula import floats, formula
from weft_tensor.ops.special.integrals.elliptic import ellipkm1
from weft_tensor.ops.special.slope_rows import doubled
from weft_tensor.types.dtypes import promote

__all__ = ["agm", "ellipj"]

_T = TensorVariable
_STEPS: Final = 9
"""Until both means are the same, for every m below 1 in 64 bits."""
_NEAR: Final = 1e-3
"""Up to which u, the first terms of power series are all there is."""
_APART: Final = 1e-9
"""Below this share, the square of the smaller of two numbers is nothing beside the larger's."""


def _of_cosines(u: _T, rest: _T) -> tuple[_T, ...]:
    """sn, cn, dn and the amplitude, of 1 - m; u is not near 0."""
    means: list[tuple[Any, Any]] = []
    a: Any = 1.0
    b = sqrt(rest)
    for _ in range(_STEPS):
        means.append((a, b))
        a, b = 0.5 * (a + b), sqrt(a * b)
    sine, cosine = sin(a * u), cos(a * u)
    share = cosine / sine
    c, dn = a * share, 1.0 + 0 * share
    for high, low in reversed(means):
        share = c * share
        c = c * dn
        dn = (low + share) / (high + share)
        share = c / high
    size = 1 / sqrt(c * c + 1)
    sn = where(sine < 0, -size, size)
    turns = rint((a * u - arctan2(sn, c * sn)) / (2 * pi))
    return sn, c * sn, dn, arctan2(sn, c * sn) + 2 * pi * turns


def _at_small(u: _T, m: _T) -> tuple[_T, ...]:
    """By power series (NIST Digital Library of Mathematical Functions, 22.10.1 to 22.10.3)."""
    q = u * u
    sn = u * (1 - q / 6 * (1 + m - (1 + m * (14 + m)) * q / 20))
    cn = 1 - q / 2 * (1 - (1 + 4 * m) * q / 12)
    dn = 1 - m * q / 2 * (1 - (4 + m) * q / 12)
    return sn, cn, dn, u * (1 - m * q / 6 * (1 - (4 + m) * q / 20))


def ellipj(u: TensorLike, m: TensorLike) -> tuple[_T, _T, _T, _T]:
    """Jacobi's elliptic functions sn, cn and dn of u and the parameter m, and the amplitude.

    Elementwise, with broadcasting; integers become float64. NaN where m is not from 0 to 1. See
    `scipy.special.ellipj`.

    >>> [y.eval().round(6).item() for y in ellipj(1.0, 0.5)]
    [0.803002, 0.595977, 0.823161, 0.932315]
    """
    tensors = floats((u, m))
    dtype = promote([v.dtype for v in tensors])
    place, share = (doubled(lambda v: v)(v).astype("float64") for v in tensors)
    bad = ~((share >= 0) & (share <= 1))
    near, last = abs(place) < _NEAR, eq(share, 1)
    x = where(near, 1, place)
    values = _of_cosines(x, where(bad | last, 0.5, 1 - share))
    ends = tanh(x), sech(x), sech(x), 2 * arctan(tanh(0.5 * x))
    flat = _at_small(place, share)
    rows = zip(flat, ends, values, strict=True)
    chosen = [where(near, start, where(last, end, value)) for start, end, value in rows]
    sn, cn, dn, angle = (where(bad, nan, v).astype(dtype) for v in chosen)
    return sn, cn, dn, angle


def _agm(a: _T, b: _T) -> _T:
    """By Gauss' integral; where one is far larger, by the first term of its series in the other.

    NIST Digital Library of Mathematical Functions, 19.8.5 and 19.12.1.
    """
    smallest, largest = minimum(abs(a), abs(b)), maximum(abs(a), abs(b))
    usual = (largest > 0) & (largest < inf)
    size = where(usual, largest, 1)
    x, y = where(usual, abs(a), 1) / size, where(usual, abs(b), 1) / size
    both = x + y
    apart = usual & (smallest > 0) & (smallest < _APART * size)
    series = log_of(4) + log(where(apart, size, 1)) - log(where(apart, smallest, 1))
    near = ellipkm1(where(apart, 1, 4 * (x / both) * (y / both)))
    mean = where(apart, pi / 2 / series, pi / 4 * both / near) * where(usual, size, largest)
    mean = where(eq(a, b), 0.5 * (abs(a) + abs(b)), mean)
    wrong = (minimum(a, b) < 0) & (maximum(a, b) > 0) | eq(smallest, 0) & eq(largest, inf)
    return where(wrong, nan, where((a < 0) | (b < 0), -mean, mean))


agm = formula(
    "agm", "The arithmetic-geometric mean of a and b.", (1.0, 2.0, 1.456791), doubled(_agm)
)
