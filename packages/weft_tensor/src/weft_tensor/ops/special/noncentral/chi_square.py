"""The noncentral chi-square distribution: logarithms of its density and of both tails.

With w = 1 + 2s in the inverse of the Laplace transform, the tails are integrals of
exp(x w / 2 + nc / (2 w)) w^(-df / 2) / (w - 1) around the origin, that below with the pole at 1
inside, that above with it outside. They are taken over the path w = p(t) exp(i t) on which
x w / 2 + nc / (2 w) - m log(w) is real (A. Gil, J. Segura, N. M. Temme, Efficient and accurate
algorithms for the computation and inversion of the incomplete gamma function ratios, SIAM Journal
on Scientific Computing 34, 2012, has it for nc = 0). Even steps converge as fast as for a bell, and
nothing cancels: what the pole next to the path adds to their error is known, and taken away
(D. B. Hunter, The numerical evaluation of definite integrals affected by singularities near the
interval of integration, 1992).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, nan, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log1p
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.op import Ternary, ternary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import cos, cosh, sin, sinh
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.gamma_forms import gammaln_of_next
from weft_tensor.ops.special.incomplete import gammainc_slope, gammaincc
from weft_tensor.ops.special.noncentral.bessel_logs import IParts, i_parts
from weft_tensor.ops.special.noncentral.poisson_sums import (
    near_square,
    one_tail,
    or_near,
)
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["log_ncx2cdf", "log_ncx2pdf", "log_ncx2sf"]

_T = TensorVariable
_LOG_2: Final = log(2)
_PLACES: Final = (np.arange(22) + 0.5) / 22
_REACH: Final = 8.8
"""Deviations, beyond which is nothing of a bell that counts."""
_LEAST: Final = 6.0
"""The order m of a path is at least that: others turn too sharply."""
_FEW: Final = 0.1
"""Of fewer degrees of freedom, most of the probability is at 0."""
_COUNTS: Final = np.arange(1.0, 49.0)
_MOST: Final = 1e100
"""Above it, squares of parameters overflow."""
_STEEP: Final = 1e24
"""From here on phases are lost in rounding, and the height alone counts."""
_FIRST: Final = 1e-17
"""Of the degrees of freedom and 2, to which x is nothing."""
_BELOW, _NEAR = -1.0, 2.5
"""So far off in logarithms, the pole adds nothing."""
_FLAT: Final = 1e-5
"""Of smaller numbers, the square does not count beside 1."""


def _bessel(x: _T, df: _T, nc: _T) -> IParts:
    return i_parts(0.5 * df - 1, sqrt(nc) * sqrt(x))


def _far_power(p: IParts, x: _T, nc: _T) -> _T:
    """The logarithm of x / (|v| + r), of which the density has the power v."""
    base = p.order + p.size
    return log1p((where(p.v < 0, nc, x) - base) / base)


def _log_density(x: _T, df: _T, nc: _T) -> _T:
    p = _bessel(x, df, nc)
    near = p.v * (logarithm(x) - _LOG_2) - 0.5 * (x + nc) + p.near
    half = 0.5 * (x - nc)
    exponent = (p.order - half) * (p.order + half) / (p.size + 0.5 * (x + nc))
    return where(p.small, near, exponent + p.order * _far_power(p, x, nc) + p.far) - _LOG_2


def _density_by_df(x: _T, df: _T, nc: _T) -> _T:
    p = _bessel(x, df, nc)
    power = _far_power(p, x, nc)
    far = where(p.v < 0, -power, power) + p.far_by_v
    return 0.5 * where(p.small, logarithm(x) - _LOG_2 + p.near_by_v, far)


class _Tail(NamedTuple):
    """The tail on whose side x is, and its slope in df, over itself."""

    is_lower: _T
    logarithm: _T
    by_df: _T


def _tail(x: _T, df: _T, nc: _T) -> _Tail:
    power = 0.5 * df
    m = maximum(power, _LEAST)
    root_of_both = sqrt(nc) * sqrt(x)
    size = hypot(m, root_of_both)
    beyond = x > m
    whole = where(beyond, nc + 2 * m - x, m + size - x)
    crossing = whole / where(beyond, size + x - m, x)  # less 1
    is_lower = crossing > 0
    tiny = crossing < -0.5
    place = where(tiny, logarithm((m + size) / x), log1p(where(tiny, 0.0, crossing)))
    off, w = expm1(place), exp(place)
    a, b = 0.5 * x * w, 0.5 * nc / w
    step = minimum(pi, _REACH / sqrt(size))
    t = along(step) * _PLACES
    half = sin(0.5 * t)
    s, drop = 2 * half * cos(0.5 * t), 2 * half * half
    c = 1 - drop
    ratio = _angle_less_sine(t, s) / s
    wide = along(m)
    root = sqrt((wide * (1 + ratio)) ** 2 + along(nc * x))
    rise = wide * ratio * (1 + wide * (2 + ratio) / (root + along(size)))
    up = rise / along(m + size)
    down = -up / (1 + up)
    grown = log1p(up)  # the logarithm of |w|, over that at the crossing
    slope = wide * (s - t * c) / (s * s * root)
    level = along(a) * (up * c - drop) + along(b) * (down * c - drop) - along(power) * grown
    turns = s * (along(a) * (1 + up) - along(b) * (1 + down)) - along(power) * t
    phase = where(along(size) > _STEEP, 0.0, turns)
    radius = along(w) * (1 + up)
    apart = along(off) + along(w) * (up * c - drop)
    over = radius * exp(level) / (apart * apart + (radius * s) ** 2)
    lead = along(off) + along(w) * up + drop
    real, imaginary = lead - s * slope, -s - lead * slope
    turn, sway = over * cos(phase), over * sin(phase)
    parts = turn * real - sway * imaginary
    moved = turn * imaginary + sway * real
    sign = where(is_lower, 1.0, -1.0)
    height = 0.5 * off * (x - nc / w) - power * place
    weight = sign * (step / (pi * len(_PLACES)))
    even = parts.sum(axis=-1)
    total = even + _of_pole(place, m, root_of_both, step / len(_PLACES), height) / weight
    by_power = (place * even + (grown * parts - t * moved).sum(axis=-1)) / total
    value = height + logarithm(weight * total)
    spike = (df < _FEW) & (nc < 2) & (nc * x < 1000)
    rest, rest_by_df = _rest_of_spike(*[where(spike, v, 1.0) for v in (x, df, nc)])
    value = where(spike, where(is_lower, log1p(-rest), logarithm(rest)), value)
    first = (1 + nc) * x < _FIRST * (df + 2)
    value = where(first & ~spike, _first_term(x, df, nc), value)
    by_first = 0.5 * (logarithm(x) - _LOG_2 - digamma(power + 1))
    by_rest = rest_by_df / where(is_lower, rest - 1, rest)
    by_df = where(first, by_first, where(spike, by_rest, -0.5 * by_power))
    return _Tail(is_lower, value, by_df)


def _first_term(x: _T, df: _T, nc: _T) -> _T:
    """The logarithm of the lower tail where x is so small that its square does not count."""
    power = 0.5 * df
    return power * (logarithm(x) - _LOG_2) - gammaln_of_next(power) - 0.5 * nc


def _rest_of_spike(x: _T, df: _T, nc: _T) -> tuple[_T, _T]:
    """The upper tail where it is small although x is, a sum over the Poisson number of `nc`.

    And its slope in df.
    """
    a, y = 0.5 * df, 0.5 * x
    chances = cumprod(along(0.5 * nc) / _COUNTS, axis=-1)
    steps = cumprod(where(_COUNTS > 1, along(y) / (along(a) + _COUNTS - 1), 1.0), axis=-1)
    more = (chances * cumsum(steps, axis=-1)).sum(axis=-1)
    factor = exp(a * logarithm(y) - y - 0.5 * nc - gammaln(a + 1))
    inverses = cumsum(where(_COUNTS > 1, 1 / (along(a) + _COUNTS - 1), 0.0), axis=-1)
    slopes = steps * (along(logarithm(y) - digamma(a + 1)) - inverses)
    by_a = factor * (chances * cumsum(slopes, axis=-1)).sum(axis=-1) - gammainc_slope(a, y)
    return gammaincc(a, y) + factor * more, 0.5 * by_a


def _of_pole(place: _T, m: _T, root_of_both: _T, h: _T, height: _T) -> _T:
    """What even steps h lack for the pole, over exp(height): it is at t = i u on the path.

    There w is 1: u is `place` and what the logarithm of |w| has grown by.
    """
    near = maximum(minimum(place, _NEAR), _BELOW)
    size = hypot(m, root_of_both)
    u = 2 * near / (1 + sqrt(1 + 2 * near * (m / size) / 3))
    for _ in range(2):
        s, c = sinh(u), cosh(u)
        flat = abs(u) < _FLAT
        safe = where(flat, 1.0, s)
        wide = m * where(flat, 1.0, u / safe)
        root = hypot(wide, root_of_both)
        slope = m / root * where(flat, 0.0, (s - u * c) / (safe * safe))
        rise = logarithm((wide + root) / (m + size))
        u = u - (near + rise - u) / (slope - 1)
    far = abs(u) * (2 * pi) / h
    counts = (place > _BELOW) & (place < _NEAR) & (abs(u) * h * (size / (2 * pi)) < 1)
    return where(counts, exp(where(counts, -height - far, 0.0)) / (1 + exp(-far)), 0.0)


def _angle_less_sine(t: _T, s: _T) -> _T:
    flat = t < 0.05
    square = where(flat, t * t, 0.0)
    series: Any = 0.0
    for n in (8, 6, 4, 2):
        series = (1 - square * series) / (n * (n + 1))
    return where(flat, t * square * series, t - s)


Form = Callable[..., Any]


def _where_valid(form: Form) -> Form:
    def compute(x: _T, df: _T, nc: _T) -> _T:
        valid = (x > 0) & (df > 0) & (nc >= 0) & (df < _MOST) & (nc < _MOST)
        inside = [where(valid, v, 1.0) for v in (x, df, nc)]
        return where(valid, form(*inside), nan)

    return compute


def _side(below: bool) -> Form:
    def compute(x: _T, df: _T, nc: _T) -> _T:
        tail = _tail(x, df, nc)
        far = tail.is_lower, tail.logarithm
        first = _first_term(x, df, nc) - 0.5 * x
        return one_tail(below, or_near(*near_square(x, df, nc), first, far))

    return compute


def _side_by_df(below: bool) -> Form:
    def compute(x: _T, df: _T, nc: _T) -> _T:
        tail = _tail(x, df, nc)
        here = tail.is_lower if below else ~tail.is_lower
        lack = expm1(where(here, 1.0, -minimum(tail.logarithm, 0)))
        return where(here, tail.by_df, -tail.by_df / lack)

    return compute


def _density_slopes(x: _T, df: _T, nc: _T, r: _T) -> tuple[_T, _T, _T]:
    """Those in x and nc are densities of 2 more degrees of freedom, over it."""
    rise = exp(log_ncx2pdf(x, df + 2, nc) - r)
    by_x = (0.5 * df - 1) / x - 0.5 + 0.5 * nc / x * rise
    return by_x, _density_slope(x, df, nc), 0.5 * (rise - 1)


def _tail_slopes(sign: int, by_df: Form) -> Form:
    def slopes(x: _T, df: _T, nc: _T, r: _T) -> tuple[_T, _T, _T]:
        by_x = sign * exp(log_ncx2pdf(x, df, nc) - r)
        return by_x, by_df(x, df, nc), -sign * exp(log_ncx2pdf(x, df + 2, nc) - r)

    return slopes


_DOMAIN: Final = (POSITIVE, POSITIVE, POSITIVE)
_AT: Final = (1.5, 2.0, 0.5)


def _slope(name: str, form: Form, result: float) -> Form:
    at = (*_AT, result)
    return slope_row(f"{name}_slope", name, _DOMAIN, at, _where_valid(form), "second")


def _row(name: str, summary: str, form: Form, result: float, slopes: Form) -> Ternary:
    return ternary(
        name, None, f"{summary}, as functions of x, df and nc.", _DOMAIN, (*_AT, result), slopes,
        summation=doubled(_where_valid(form)), dtypes=floating, cost=LOOP,
    )  # fmt: skip


_density_slope = _slope("log_ncx2pdf", _density_by_df, 0.0607600652)
log_ncx2pdf: Ternary = _row(
    "log_ncx2pdf", "The log-density of noncentral chi-square numbers", _log_density, -1.51376801,
    _density_slopes,
)  # fmt: skip
log_ncx2cdf: Ternary = _row(
    "log_ncx2cdf", "The logarithm of their distribution function", _side(True), -0.808165271,
    _tail_slopes(1, _slope("log_ncx2cdf", _side_by_df(True), -0.467893757)),
)  # fmt: skip
log_ncx2sf: Ternary = _row(
    "log_ncx2sf", "The logarithm of what that lacks of 1", _side(False), -0.590004139,
    _tail_slopes(-1, _slope("log_ncx2sf", _side_by_df(False), 0.376184654)),
)  # fmt: skip
