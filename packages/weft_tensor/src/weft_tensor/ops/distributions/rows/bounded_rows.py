"""Continuous distributions between two ends."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.distributions.constraints import (
    NONZERO,
    POSITIVE,
    POSITIVE_COUNT,
    PROBABILITY,
    Constraint,
    Relation,
)
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.integrals import log_integral
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, log_of, tails, tilt
from weft_tensor.ops.distributions.tails import inverse
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import (
    exp,
    expm1,
    log,
    log1mexp,
    log1p,
    logaddexp,
    sigmoid,
)
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.trigonometric import arctan2, cos, sin
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.special.bessel import ive
from weft_tensor.ops.special.entropies import exprel, xlogy
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.incomplete import gammainc, gammaincinv
from weft_tensor.ops.special.quadrature import along

__all__ = ["argus", "irwinhall", "trapezoid", "truncpareto"]

_DROP: Final = 80.0
"""Twice the logarithm of how small a density is where its integral is cut off."""


def _argus(x: TensorVariable, chi: TensorVariable) -> TensorVariable:
    return log(x) + 0.5 * log1p(-x * x) - 0.5 * (chi * chi) * (1 - x) * (1 + x)


def _argus_norming(chi: TensorVariable) -> TensorVariable:
    return HALF_LOG_2PI + log(0.5 * gammainc(1.5, 0.5 * chi * chi)) - 3 * log(chi)


def _argus_sf(x: TensorVariable, chi: TensorVariable) -> TensorVariable:
    half = 0.5 * chi * chi
    return gammainc(1.5, half * (1 - x) * (1 + x)) / gammainc(1.5, half)


def _argus_logcdf(x: TensorVariable, chi: TensorVariable) -> TensorVariable:
    """By an integral, right where it is small; well above the median, 0."""
    low = _argus_sf(x, chi) > 0.4
    y = where(low, x, 0.5)
    start = sqrt(maximum(stop_gradient(y * y - _DROP / (chi * chi)), 0.0))  # nothing is below it
    share = log_integral(_argus, start, y, _argus(y, chi), chi) - _argus_norming(chi)
    return where(low, share, 0.0)


def _argus_isf(q: TensorVariable, chi: TensorVariable) -> TensorVariable:
    half = 0.5 * chi * chi
    return sqrt(1 - gammaincinv(1.5, q * gammainc(1.5, half)) / half)


def _argus_mean(chi: TensorVariable) -> TensorVariable:
    half = 0.5 * chi * chi
    return (pi / 8) ** 0.5 * chi * ive(1, 0.5 * half) / (0.5 * gammainc(1.5, half))


def _argus_var(chi: TensorVariable) -> TensorVariable:
    half = 0.5 * chi * chi
    rest = 1.5 * gammainc(2.5, half) / (half * gammainc(1.5, half))
    return 1 - rest - _argus_mean(chi) ** 2


argus: Final = Continuous(
    "argus", "chi³ x sqrt(1 - x²) exp(-chi² (1 - x²)/2) / (sqrt(2π) (Φ(chi) - chi φ(chi) - 1/2))",
    {"chi": POSITIVE}, (0.0, 1.0), open_ends=True,
    logpdf=_argus, norming=_argus_norming,
    sf=_argus_sf, **tails(_argus_logcdf, lambda x, chi: log_of(_argus_sf(x, chi))),
    isf=_argus_isf, mean=_argus_mean, var=_argus_var,
    sample=lambda draws, chi: _argus_isf(draws.uniform(), chi),
)  # fmt: skip


def _height(c: TensorVariable, d: TensorVariable) -> TensorVariable:
    return 2 / (1 + d - c)


def _some(width: TensorVariable) -> TensorVariable:
    """A width to divide by, where there is one."""
    return where(width > 0, width, 1.0)


def _trapezoid(x: TensorVariable, c: TensorVariable, d: TensorVariable) -> TensorVariable:
    sides = where(x < c, x / _some(c), where(x > d, (1 - x) / _some(1 - d), 1.0))
    return log_of(sides) + 0 * x  # NaN stays NaN


def _trapezoid_cdf(x: TensorVariable, c: TensorVariable, d: TensorVariable) -> TensorVariable:
    rises = where(x < c, 0.5 * x * x / _some(c), x - 0.5 * c)
    y = where(x > d, 1 - x, 0.0)
    return where(x > d, 1 - 0.5 * _height(c, d) * y * y / _some(1 - d), _height(c, d) * rises)


def _trapezoid_ppf(q: TensorVariable, c: TensorVariable, d: TensorVariable) -> TensorVariable:
    share = q / _height(c, d)
    rises, falls = share < 0.5 * c, 1 - q < 0.5 * (1 - d) * _height(c, d)
    left = sqrt(2 * c * where(rises, share, 1.0))
    right = 1 - sqrt(2 * (1 - d) * where(falls, 1 - q, 1.0) / _height(c, d))
    return where(rises, left, where(falls, right, share + 0.5 * c))


def _trapezoid_moment(n: int, c: TensorVariable, d: TensorVariable) -> TensorVariable:
    w = 1 - d
    last = 0.5 * w - w * w / 3 if n == 1 else 0.5 * w - 2 / 3 * w * w + 0.25 * w * w * w
    rest = (d ** (n + 1) - c ** (n + 1)) / (n + 1)
    return _height(c, d) * (c ** (n + 1) / (n + 2) + rest + last)


trapezoid: Final = Continuous(
    "trapezoid", "rises up to c, is level up to d, falls from there",
    {"c": PROBABILITY, "d": PROBABILITY}, (0.0, 1.0),
    relations=[Relation(("c", "d"), "c or above c", lambda c, d: c <= d)],
    logpdf=_trapezoid, norming=lambda c, d: -log(_height(c, d)),
    cdf=_trapezoid_cdf, sf=lambda x, c, d: _trapezoid_cdf(1 - x, 1 - d, 1 - c),
    ppf=_trapezoid_ppf, isf=lambda q, c, d: 1 - _trapezoid_ppf(q, 1 - d, 1 - c),
    mean=lambda c, d: _trapezoid_moment(1, c, d),
    var=lambda c, d: _trapezoid_moment(2, c, d) - _trapezoid_moment(1, c, d) ** 2,
    entropy=lambda c, d: 0.5 * (1 - d + c) / (1 + d - c) - log(_height(c, d)),
)  # fmt: skip


_STEEP: Final = 300.0
"""The logarithm of how many times a density is larger at one end than at the other."""


def _pareto_moment(n: int, b: TensorVariable, c: TensorVariable) -> TensorVariable:
    span, falls = log(c), b > 0
    turned = where(falls, 1.0, exp(n * span))  # by the larger end, where the density is there
    sign = where(falls, 1.0, -1.0)
    return turned * exprel(sign * (n - b) * span) / exprel(-abs(b) * span)


def _pareto_log_mean(b: TensorVariable, c: TensorVariable) -> TensorVariable:
    span = log(c)
    return span * (0.5 - tilt(b * span))


def _mass(b: TensorVariable, c: TensorVariable) -> TensorVariable:
    """The integral of x^(-b-1) from 1 to c, as a logarithm."""
    size, span = abs(b), log(c)
    return where(b < 0, size * span, 0.0) + log(-expm1(-size * span) / size)


def _pareto_cdf(x: TensorVariable, b: TensorVariable, c: TensorVariable) -> TensorVariable:
    size = abs(b)
    rest = where(b < 0, exp(-size * log(c / x)), 1.0)
    return rest * expm1(-size * log(x)) / expm1(-size * log(c))


def _pareto_sf(x: TensorVariable, b: TensorVariable, c: TensorVariable) -> TensorVariable:
    size = abs(b)
    rest = where(b > 0, exp(-size * log(x)), 1.0)
    return rest * expm1(-size * log(c / x)) / expm1(-size * log(c))


def _pareto_steep(
    log_q: TensorVariable, log_rest: TensorVariable, b: TensorVariable, c: TensorVariable
) -> TensorVariable:
    """Where the survival function is q, also where c^b is no number."""
    return exp(-logaddexp(log_q, log_rest - b * log(c)) / b)


def _pareto_ppf(q: TensorVariable, b: TensorVariable, c: TensorVariable) -> TensorVariable:
    span = b * log(c)
    steep = abs(span) > _STEEP
    flat = exp(-log1p(q * expm1(-where(steep, 1.0, span))) / b)
    return where(steep, _pareto_steep(log1p(-q), log(q), b, c), flat)


def _pareto_isf(q: TensorVariable, b: TensorVariable, c: TensorVariable) -> TensorVariable:
    span = b * log(c)
    steep = abs(span) > _STEEP
    flat = c * exp(-log1p(q * expm1(where(steep, 1.0, span))) / b)
    return where(steep, _pareto_steep(log(q), log1p(-q), b, c), flat)


truncpareto: Final = Continuous(
    "truncpareto", "b x^(-b-1) / (1 - c^-b)",
    {"b": NONZERO, "c": Constraint("above 1", lambda v: v > 1)}, lambda b, c: (1.0, c),
    middle=lambda b, c: 0.5 * (1 + c),
    logpdf=lambda x, b, c: -(b + 1) * log(x), norming=_mass,
    cdf=_pareto_cdf, sf=_pareto_sf, ppf=_pareto_ppf, isf=_pareto_isf,
    mean=lambda b, c: _pareto_moment(1, b, c),
    var=lambda b, c: _pareto_moment(2, b, c) - _pareto_moment(1, b, c) ** 2,
    entropy=lambda b, c: _mass(b, c) + (b + 1) * _pareto_log_mean(b, c),
)  # fmt: skip


_T = TensorVariable
_FEW: Final = 24
"""So many numbers are many."""
_PIECES: Final = np.arange(_FEW // 2)
_STEPS: Final = np.arange(64) + 0.5
_PERIOD: Final = 16.0
"""In deviations: sums over even steps add, or take, what is so far away."""
_CLOSE: Final = 0.25
"""Squares below it have a short series."""
_BY_SQUARE: Final = (1 / 24, -1 / 2880, 1 / 181440, -1 / 9676800, 1 / 479001600,
                     -691 / 15692092416000, 1 / 1046139494400)  # fmt: skip
"""Of log(sinh(w / 2) / (w / 2)), of w², w⁴, ..."""
_SPREADS: Final = (1 / 12, -1 / 240, 1 / 6048)
"""Of 1, p², ...: the variance of a number with the density exp(-p x)."""
_TILTS: Final = (6.0, 18 / 5, 594 / 175, 3078 / 875)
"""Of r, r³, ...: twice the inverse of coth(y) - 1 / y."""
Part = Callable[[_T, _T], _T]


def _pieces(x: _T, n: _T) -> _T:
    """The densities of the sum of n numbers at x, x - 1, ..., with one more axis.

    Each is a mean of two of a number less, with weights that are positive.
    """
    place, size = along(x) - _PIECES.astype(x.dtype), along(n)

    def step(k: _T, values: _T) -> _T:
        count = cast(k, x.dtype)
        before = concatenate([values[..., 1:], zeros_like(values[..., :1])], -1)
        more = (place * values + (count + 1 - place) * before) / count
        return where(count < size, more, values)

    first = where((place >= 0) & (place < 1), 1.0, 0.0 * (place + size))
    result: _T = fori_loop(1, _FEW, step, first)
    return result


def _tilt(x: _T, n: _T) -> tuple[_T, _T]:
    """That p for which the density times exp(-p x) has its mean at x, and the deviation then."""
    share = x / n
    r = 1 - 2 * share
    low = r < 0.25
    p = where(low, 1.0, r * (3 - r * r) / (2 * share * (1 - share)))
    for _ in range(2):
        more = 1 / expm1(minimum(p, 80.0))
        p = p - (1 + 2 * more - 2 / p - r) / (2 / (p * p) - 2 * more * (1 + more))
    p = where(low, r * polynomial(_TILTS, r * r), p)
    square, far = minimum(p, 1.0) ** 2, maximum(p, 1.0)
    more = 1 / expm1(minimum(far, 80.0))
    var = where(p < 1, polynomial(_SPREADS, square), 1 / (far * far) - more * (1 + more))
    return p, sqrt(n * var)


def _exponent(x: _T, n: _T, p: _T, t: _T) -> tuple[_T, _T]:
    """Both parts of the logarithm of the integrand, ((1 - exp(-w)) / w)^n exp(w x), w = p + i t."""
    square, twice = p * p - t * t, 2 * p * t
    real, imaginary = _BY_SQUARE[-1] + 0.0 * (square + twice), 0.0 * (square + twice)
    for v in (*_BY_SQUARE[-2::-1], 0.0):
        real, imaginary = real * square - imaginary * twice + v, real * twice + imaginary * square
    size = p * p + t * t
    close = size < _CLOSE
    scale, fall = where(close, 1.0, size), exp(-p)
    lack = 2 * fall * sin(0.5 * t) ** 2 - expm1(-p)
    wave = fall * sin(t)
    direct = 0.5 * log(where(close, 1.0, (lack * lack + wave * wave) / scale))
    turn = arctan2(wave, lack) - arctan2(t, where(close, 1.0, p))
    half = x - 0.5 * n
    return (
        where(close, n * real + p * half, n * direct + p * x),
        where(close, n * imaginary + t * half, n * turn + t * x),
    )


def _on_line(x: _T, n: _T, p: _T, deviation: _T, part: Callable[[_T, _T, _T], _T]) -> tuple[_T, _T]:
    """The largest logarithm, and the integral over it, of what `part` makes of p, t and a phase.

    Sums over even steps are as right as the tilted density is small a period away.
    """
    step = 2 * pi / _PERIOD / deviation
    t, wide = along(step) * _STEPS.astype(x.dtype), along(p)
    top, _ = _exponent(x, n, p, 0.0 * p)
    height, phase = _exponent(along(x), along(n), wide, t)
    parts = exp(height - along(top)) * part(wide, t, phase)
    return top, step / pi * parts.sum(axis=-1)


def _log_density_of_many(x: _T, n: _T) -> _T:
    p, deviation = (stop_gradient(v) for v in _tilt(x, n))
    top, total = _on_line(x, n, p, deviation, lambda p, t, phase: cos(phase))
    return top + log(total)


def _log_share_of_many(x: _T, n: _T) -> _T:
    """Of x up to the middle, so that p is positive; the integrand is that over w."""
    tilt, deviation = (stop_gradient(v) for v in _tilt(x, n))
    p = maximum(tilt, 1 / deviation)
    top, total = _on_line(
        x, n, p, deviation, lambda p, t, phase: (p * cos(phase) + t * sin(phase)) / (p * p + t * t)
    )
    reach = p * deviation
    beyond = exp(-where(reach < 3, top, 0.0)) * sigmoid(-_PERIOD * reach)  # where all is below
    return top + log(total + where(reach < 3, beyond, 0.0))


def _by_count(first: Part, few: Part, many: Part) -> Part:
    """Each where it is right, of x up to the middle; the others get a place of their own there."""

    def formula(x: _T, n: _T) -> _T:
        low, is_few = x < 1, n < _FEW
        pieces, line = ~low & is_few, ~low & ~is_few
        inner = few(where(pieces, x, 1.5), where(pieces, n, 3.0))
        outer = many(where(line, x, 9.0), where(line, n, _FEW))
        return where(low, first(where(low, x, 0.5), n), where(is_few, inner, outer))

    return formula


_log_density: Final = _by_count(
    lambda x, n: xlogy(n - 1, x) - gammaln(n), lambda x, n: log(_pieces(x, n)[..., 0]),
    _log_density_of_many,
)  # fmt: skip
_log_share: Final = _by_count(
    lambda x, n: xlogy(n, x) - gammaln(n + 1), lambda x, n: log(_pieces(x, n + 1).sum(axis=-1)),
    _log_share_of_many,
)  # fmt: skip


def _sum_logpdf(x: _T, n: _T) -> _T:
    return _log_density(where(2 * x > n, n - x, x), n)


def _sum_logcdf(x: _T, n: _T) -> _T:
    low = 2 * x <= n
    part = _log_share(where(low, x, n - x), n)
    return where(low, part, log1mexp(where(low, -1.0, part)))


def _sum_logsf(x: _T, n: _T) -> _T:
    low = 2 * x <= n
    part = _log_share(where(low, x, n - x), n)
    return where(low, log1mexp(where(low, part, -1.0)), part)


_mean_place: Final = inverse(
    lambda v, n: _sum_logpdf(n * v, n) + log(n),
    lambda v, n: _sum_logcdf(n * v, n), lambda v, n: _sum_logsf(n * v, n),
    "logcdf", (0.0, 1.0),
)  # fmt: skip
irwinhall: Final = Continuous(
    "irwinhall", "Σ (-1)^k (n over k) (x - k)^(n-1) / (n-1)!, k <= x", {"n": POSITIVE_COUNT},
    lambda n: (0 * n, n), middle=lambda n: 0.5 * n,
    logpdf=_sum_logpdf, logcdf=_sum_logcdf, logsf=_sum_logsf,
    ppf=lambda q, n: n * _mean_place(q, n), isf=lambda q, n: n - n * _mean_place(q, n),
    mean=lambda n: 0.5 * n, var=lambda n: n / 12, sample=lambda draws, n: draws.total(n),
)  # fmt: skip
