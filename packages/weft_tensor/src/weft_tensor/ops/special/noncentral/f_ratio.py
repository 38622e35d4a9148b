"""The noncentral F distribution: logarithms of its density and of both tails.

With w = 1 + 2s in the inverse of the Laplace transform of dfd X / dfn x - Y, Y the numerator's
chi-square number and X the denominator's, the tails are integrals of w^-a ((1 - p w) / q)^-b
exp(h / w - h) / (w - 1), for a = dfn/2, b = dfd/2, h = nc/2, and p and q the shares of dfn x and
dfd in their sum. The path goes through the place between 0 and 1/p where the logarithm is flat,
kept off the pole at 1, as a branch of a hyperbola that is bent as the path of steepest descent is
there. Even steps along it converge as fast as for a bell (H. E. Daniels, Saddlepoint approximations
in statistics, Annals of Mathematical Statistics 25, 1954, has the integral), and nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.elementwise.op import Quaternary, quaternary
from weft_tensor.ops.elementwise.table import POSITIVE
from weft_tensor.ops.elementwise.trigonometric import arcsinh, arctan2, cos, cosh, sin, sinh
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.noncentral.poisson_sums import Ratio, one_tail, or_near
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import pathed_row

__all__ = ["log_ncfcdf", "log_ncfpdf", "log_ncfsf"]

_T = TensorVariable
_PLACES: Final = (np.arange(96) + 0.5) / 96
_DROP: Final = 40.0
"""The logarithm of how small the integrand is where it is cut off."""
_EVEN: Final = 14.0
"""So far the steps are even in the logarithm; from there they grow."""
_FURTHEST: Final = 650.0
_OFF: Final = 1.5
"""How many deviations the path keeps off the pole."""
_STRAIGHT: Final = 1e-3
_TINY: Final = 1e-290
_FIRST: Final = 1e-280
"""Of smaller shares p, the square does not count."""
_FEWEST: Final = 1e-6
"""Of fewer degrees of freedom of the denominator, or of the numerator where all of it is at 0 but
for that, a tail has no digits: NaN."""
_MOST: Final = 1e100
"""More of them are as good as infinitely many."""
_LEAST: Final = 0.1
"""Less degrees of freedom, of both, have tails beyond `_FURTHEST`: NaN."""


class _Path(NamedTuple):
    """w = start (1 + size (bend (cosh(v) - 1) + i sinh(v))), v up to `reach`."""

    is_lower: _T
    off: _T
    """start - 1."""
    start: _T
    size: _T
    bend: _T
    reach: _T


def _halves(x: _T, m: _T, n: _T, nc: _T) -> tuple[_T, _T, _T, _T, _T]:
    n = minimum(n, _MOST)
    both = m * x + n
    return 0.5 * m, 0.5 * n, 0.5 * nc, m * x / both, n / both


def _path(x: _T, m: _T, n: _T, nc: _T, has_pole: bool) -> _Path:
    a, b, h, p, q = _halves(x, m, n, nc)
    b, p = b if has_pole else b + 1, maximum(p, _TINY)
    is_lower = p * b < q * (a + h)
    a_flat, b_flat = maximum(a, 1.0), maximum(b, 1.0)
    square, linear = p * (a_flat + b_flat), p * (2 * (a_flat + b_flat) + h) - a_flat
    rest = p * b_flat - q * (a_flat + h)
    root = sqrt(maximum(linear * linear - 4 * square * rest, 0.0))
    rising = linear > 0
    off = where(rising, -2 * rest, root - linear) / where(rising, linear + root, 2 * square)
    steep = p * (1 + off) / (q - p * off)
    place = log(steep * q / p)
    if has_pole:
        spread = (1 + steep) ** 2 / (a_flat + b_flat * steep**2 + 2 * h / (1 + off))
        place = where(eq(place > 0, is_lower), place, 0.0)
        push = sqrt(place * place + 4 * _OFF * _OFF * spread)
        place = 0.5 * (place + where(is_lower, push, -push))
    grown = exp(place)
    whole = q + p * grown
    start, off = grown / whole, expm1(place) * q / whole
    steep = p * grown / q
    size = 1 / sqrt(a_flat + b_flat * steep**2 + 2 * h / start)
    bend = (-2 * a_flat + 2 * b_flat * steep**3 - 6 * h / start) * size**3 / 3
    ends = [_end(a), _end(b) - log(steep), _end(a + b) + maximum(0.0, -log(steep))]
    share = _DROP * start / h
    within = share < 1
    inner = where(within, share, 0.5)
    ends.append(where(within, 0.5 * log(inner / (1 - inner)), inf))
    reach: Any = _FURTHEST
    for end in ends:
        reach = minimum(reach, end + log(2 / size))
    bend = maximum(minimum(bend, 1.0), -1.0)
    left = maximum(-bend, _STRAIGHT)
    drop = expm1(minimum(_DROP / b, _FURTHEST)) / steep
    reach = minimum(
        reach, where(bend < -_STRAIGHT, 2 * arcsinh(sqrt(0.5 * drop / (size * left))), inf)
    )
    return _Path(is_lower, off, start, size, bend, reach)


def _end(power: _T) -> _T:
    """log(t) where (1 + t²)^(-power / 2) is as small as it has to be."""
    fall = 2 * _DROP / power
    return 0.5 * (fall + log1mexp(-fall))


def _log_and_angle(real: _T, imaginary: _T) -> tuple[_T, _T]:
    """Those of 1 + z."""
    size = hypot(1 + real, imaginary)
    less = real * ((2 + real) / (size + 1)) + imaginary * (imaginary / (size + 1))
    return log1p(less), arctan2(imaginary, 1 + real)


def _total(a: _T, b: _T, h: _T, p: _T, q: _T, path: _Path, even: _T, has_pole: bool) -> _T:
    """The integral over 2 pi i, without its height, by so many steps."""
    growth = (path.reach - even) / even**3
    t = along(even) * _PLACES
    v = t * (1 + along(growth) * t * t)
    size, bend = along(path.size), along(path.bend)
    real, imaginary = size * bend * 2 * sinh(0.5 * v) ** 2, size * sinh(v)
    steep = along(p * path.start / (q - p * path.off))
    log_w, angle_w = _log_and_angle(real, imaginary)
    log_e, angle_e = _log_and_angle(-steep * real, -steep * imaginary)
    shrunk = along(h / path.start) * exp(-log_w)
    level = -along(a) * log_w - along(b) * log_e + shrunk * cos(angle_w) - along(h / path.start)
    phase = -along(a) * angle_w - along(b) * angle_e - shrunk * sin(angle_w)
    if has_pole:
        apart = along(path.off / path.start) + real
        level = level - log(hypot(apart, imaginary))
        phase = phase - arctan2(imaginary, apart)
    along_real, along_imaginary = size * bend * sinh(v), size * cosh(v)
    parts = exp(level) * (cos(phase) * along_imaginary + sin(phase) * along_real)
    total = (parts * (1 + 3 * along(growth) * t * t)).sum(axis=-1)
    return total * (even / (pi * len(_PLACES)))


def _integral(x: _T, m: _T, n: _T, nc: _T, path: _Path, has_pole: bool) -> _T:
    """The logarithm of the integral over 2 pi i."""
    a, b, h, p, q = _halves(x, m, n, nc)
    b = b if has_pole else b + 1
    even = minimum(path.reach, _EVEN)
    total = _total(a, b, h, p, q, path, even, has_pole)
    if has_pole:
        total = where(path.is_lower, total, -total)
    height = -a * log1p(path.off) - b * log1p(-p * path.off / q) - h * path.off / path.start
    value = height + log(total) + (0.0 if has_pole else log(path.start))
    return where(_lacks(m, n, nc), nan, value)


def _lacks(m: _T, n: _T, nc: _T) -> _T:
    return (m + n < _LEAST) | (n < _FEWEST) | (m + nc < _FEWEST)


def _log_density(has_slopes: bool, x: _T, m: _T, n: _T, nc: _T, *at: _T) -> _T:
    along_it = _path(at[0], at[1], at[2], at[3], False)
    value = _integral(x, m, n, nc, along_it, False) + log(0.5 * m)
    value = where(_share(*at) < _FIRST, _first_term(x, m, n, nc) + log(0.5 * m) - log(x), value)
    if has_slopes:
        return value
    ratio, first = _ratio(x, m, n, nc)
    near, inside = ratio.where_near()
    return where(near & ~_lacks(m, n, nc), first - log(x) + inside.density(), value)


def _ratio(x: _T, m: _T, n: _T, nc: _T) -> tuple[Ratio, _T]:
    """What sums are of, and the logarithm of their first term."""
    r = Ratio(*_halves(x, m, n, nc))
    return r, r.a * log(r.p) + r.b * log(r.q) - betaln(r.a, r.b) - log(r.a) - r.h


def _share(x: _T, m: _T, n: _T, nc: _T) -> _T:
    return _halves(x, m, n, nc)[3]


def _first_term(x: _T, m: _T, n: _T, nc: _T) -> _T:
    """The logarithm of the lower tail where the share p is so small."""
    a, b = 0.5 * m, 0.5 * minimum(n, _MOST)
    power = a * (log(x) + log(m) - log(minimum(n, _MOST)))
    value = where(_lacks(m, n, nc), nan, power - betaln(a, b) - log(a) - 0.5 * nc)
    return minimum(value, 0.0)


def _side(below: bool) -> Callable[..., Any]:
    def compute(has_slopes: bool, x: _T, m: _T, n: _T, nc: _T, *at: _T) -> _T:
        along_it = _path(at[0], at[1], at[2], at[3], True)
        tail = _integral(x, m, n, nc, along_it, True)
        first = along_it.is_lower & (_share(*at) < _FIRST)
        tail = where(first, _first_term(x, m, n, nc), tail)
        far = along_it.is_lower, tail
        if has_slopes:
            return one_tail(below, far)
        ratio, first = _ratio(x, m, n, nc)
        near, inside = ratio.where_near()
        near = near & ~_lacks(m, n, nc)
        return one_tail(below, or_near(near, inside.tail(), first, far))

    return compute


def _row(name: str, summary: str, form: Callable[..., Any], results: tuple[float, ...]) -> Any:
    return pathed_row(
        quaternary, name, f"{summary}, as functions of x, dfn, dfd and nc.", partial(form, False),
        (POSITIVE,) * 4, (0, 1, 2), (1.5, 2.0, 3.0, 0.5), results, partial(form, True),
    )  # fmt: skip


log_ncfpdf: Quaternary = _row(
    "log_ncfpdf",
    "The log-density of noncentral F numbers",
    _log_density,
    (-1.68357052, -0.73753984, 0.15987293, 0.0779750046, 0.0747609603),
)
log_ncfcdf: Quaternary = _row(
    "log_ncfcdf",
    "The logarithm of their distribution function",
    _side(True),
    (-0.53925209, 0.318440883, -0.0131157424, 0.0506900659, -0.206834334),
)
log_ncfsf: Quaternary = _row(
    "log_ncfsf",
    "The logarithm of what that lacks of 1",
    _side(False),
    (-0.87511102, -0.445543899, 0.0183507813, -0.0709225818, 0.289390529),
)
