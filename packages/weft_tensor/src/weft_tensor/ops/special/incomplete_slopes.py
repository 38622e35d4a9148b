"""Derivatives of the incomplete gamma and beta functions in their parameters.

Under the integral, the derivative is the density times what its logarithm's is: log(t) - digamma(a)
for gammainc. With t = x exp(-v), or t = x exp(v) for the other tail (both are one but for sign),
the integral over all v > 0 is one for which the rule of Takahasi and Mori converges (Double
exponential formulas for numerical integration, Publ. RIMS 9, 1974): v = exp(u - exp(-u)), with even
steps of u. Small x has the power series instead, differentiated by terms (NIST Digital Library of
Mathematical Functions, 8.7.1).
"""

from __future__ import annotations

from math import nan, pi
from typing import Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.numbers.remainders import expm1mx, log1pmx
from weft_tensor.ops.special.entropies import exprel, xlogy
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln
from weft_tensor.ops.special.gamma_forms import gammaln_of_next, stirling_rest
from weft_tensor.ops.special.quadrature import along, half_line

__all__ = [
    "POWERS",
    "SERIES",
    "betainc_slope_sum",
    "gammainc_slope_sum",
    "log_density",
    "log_less_digamma",
    "log_shape",
]

_PLACES, _WEIGHTS = half_line(0.07, 126)
_STEP: Final = 0.065
_COUNT: Final = 119
"""Places up to 54, for what falls as exp(-v)."""
_LARGEST: Final = 1e4
_NEAREST: Final = 0.999
"""Up to here the fraction takes at most 300 steps."""
_STEPS: Final = 400
_CLOSE: Final = 1e-15
"""How near to 1 the last factor is: rounding may keep others from coming nearer."""
_SMALL: Final = 2.0
_FARTHEST: Final = 340.0
"""Beyond it, exp(-x exp(v)) is 0; squares of exp(v), of which second derivatives are, overflow."""
_BEFORE: Final = np.arange(16.0)
_NEAR_STEP: Final = 0.3
"""Up to here the slope at the end is taken from a logarithm's change before that is computed."""
_ASYMPTOTIC: Final = (0.0, 1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)
"""By powers of 1 / z², what log(z) - 1 / (2 z) has more than digamma(z)."""
POWERS: Final = np.arange(1.0, 30.0)
SERIES: Final = (-1.0) ** POWERS / np.cumprod(POWERS)


class _Side(NamedTuple):
    """One tail of a beta distribution, and what is wanted of it."""

    p: TensorVariable
    q: TensorVariable
    y: TensorVariable
    rest: TensorVariable
    """1 - y."""
    beyond: TensorVariable
    """How far y is from the mean, times p + q."""
    moment: TensorVariable
    """The slope of the density's logarithm."""
    upper: TensorVariable
    """Whether the slope is that in q."""


def log_density(a: TensorVariable, x: TensorVariable) -> TensorVariable:
    """Of x times the density, by Stirling's formula where large parts would cancel."""
    far = where(a > 4, a, 5)
    share = (x - far) / far
    low = share < -0.5
    size = where(low, log(x / far), log1p(where(low, 0, share)))
    stirling = far * (size - share) + 0.5 * log(far / (2 * pi)) - stirling_rest(far)
    return where(a > 4, stirling, xlogy(a, x) - x - gammaln_of_next(a) + log(a))


def log_shape(a: TensorVariable, x: TensorVariable, v: TensorVariable) -> TensorVariable:
    """a v - x (exp(v) - 1), whose large parts are not taken where they would cancel.

    Far out, where its exponential is zero, it is finite, and so are its slopes.
    """
    v = minimum(v, _FARTHEST)
    small = where(abs(v) < 1e-3, v, 0)
    near = small * small * (0.5 + small * (1 / 6 + small * (1 / 24 + small / 120)))
    rest = where(abs(v) < 1e-3, near, expm1(v) - v)
    return along(a - x) * v - along(x) * rest


def log_less_digamma(a: TensorVariable, x: TensorVariable) -> TensorVariable:
    """log(x) - digamma(a), by how far x is from a where that is large."""
    large = where(a > len(_BEFORE), a, len(_BEFORE))
    share = (x - large) / large
    low = share < -0.5
    size = where(low, log(x / large), log1p(where(low, 0, share)))
    square = 1 / large**2
    rest: TensorVariable | float = _ASYMPTOTIC[-1]
    for term in _ASYMPTOTIC[-2::-1]:
        rest = rest * square + term
    return where(a > len(_BEFORE), size + 0.5 / large + rest, log(x) - digamma(a))


def gammainc_slope_sum(a: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of gammainc(a, x) in a."""
    size, slope = log(x), digamma(a)
    density = exp(log_density(a, x))
    far = maximum(x, _SMALL)
    side = where(far > a, 1.0, -1.0)
    scale = side / (abs(a - far) + sqrt(far))
    v = along(scale) * _PLACES.astype(x.dtype)
    moment = along(size - slope) + v
    terms = _WEIGHTS.astype(x.dtype) * moment * exp(log_shape(a, far, v))
    by_integral = -scale * density * terms.sum(axis=-1)
    places = along(a) + POWERS.astype(x.dtype)
    powers = along(where(x > _SMALL, 0, x)) ** POWERS.astype(x.dtype)
    parts = powers * SERIES.astype(x.dtype) / places
    above = size - digamma(a + 1)  # of the first term, whose 1 / a² cancel
    rest = (a * above + 1) * parts.sum(axis=-1) - a * (parts / places).sum(axis=-1)
    by_series = exp(a * size - gammaln(a + 1)) * (above + rest)
    result = where(x > _SMALL, by_integral, by_series)
    return where((a > 0) & (x >= 0), where(eq(density, 0), 0, result), nan)


def betainc_slope_sum(
    a: TensorVariable, b: TensorVariable, x: TensorVariable, rest: TensorVariable
) -> TensorVariable:
    """The derivative of betainc(a, b, x) in a, where `rest` is 1 - x.

    With y = x and p, q = a, b below the mean, or y = 1 - x and p, q = b, a above it, the tail is
    its density times a continued fraction, or the integral of (1 - exp(-w))^(p - 1) exp(-q w) up to
    w = -log(1 - y): then, too, tiny parameters leave nothing steep. Below the mean,
    betainc(a, b, x) of a small a is taken as betainc(a + 1, b, x) and a power (NIST Digital Library
    of Mathematical Functions, 8.17.20).
    """
    at_end = (a > 0) & (b > 0) & (eq(x, 0) | eq(rest, 0))
    inside = (a > 0) & (b > 0) & (x > 0) & (rest > 0)
    a, b = where(inside, a, 1), where(inside, b, 1)
    x, rest = where(inside, x, 0.5), where(inside, rest, 0.5)
    above = where(a < 1, a + 1, a)
    upper = x * (above + b) > above
    next_one = ~upper & (a < 1)
    above = where(next_one, above, a)
    p, q, y = where(upper, b, above), where(upper, above, b), where(upper, rest, x)
    more = x * b - rest * above  # how far x is from the mean, times a + b
    beyond = where(upper, -more, more)
    low = x < 0.5
    size = where(low, log(x), log1p(-where(low, 0.5, rest)))
    other = where(low, log1p(-where(low, x, 0.5)), log(rest))
    size, end = where(upper, other, size), -where(upper, size, other)
    difference = _digamma_step(above, b)
    moment = _log_less_digammas(above, b, more, where(upper, -end, size) + difference)
    level = -q * end - betaln(p, q)
    density = exp(_log_beta_density(p, q, beyond, p * size + level))
    far = (maximum(p, q) > _LARGEST) | (y > _NEAREST)
    side = _Side(p, q, y, where(upper, x, rest), beyond, moment, upper)
    factor = where(far, _by_integral(side, end, far), _by_fraction(side, far))
    result = where(upper, -1.0, 1.0) * density * factor
    result = where(eq(density, 0), 0, result)
    power = exp(a * size + level) / (a + b) * (size + difference - 1 / (a + b))
    result = where(next_one, result + power, result)
    return where(inside, result, where(at_end, 0, nan))


def _by_fraction(side: _Side, far: TensorVariable) -> TensorVariable:
    """What the density is multiplied by where not `far`: the fraction in 8.17.22 and its slope.

    Its even part is taken, by the method of Lentz, until the last digits of both stay.
    """
    p, q, y, rest, beyond, moment, upper = side
    of_p = where(upper, 0.0, 1.0)
    of_q, of_beyond = 1 - of_p, where(upper, y, -rest)

    def step(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        k, up, up_slope, down, down_slope, value, slope, _ = state
        before, after, lead = p + 2 * k - 1, p + 2 * k + 1, 1 - beyond + k * (1 + rest)
        share, ahead = k * y / before, (p + k) / after
        place = k + share * (q - k) + ahead * lead
        place_slope = share * (of_q - (q - k) * of_p / before) - ahead * of_beyond
        place_slope = place_slope + of_p * lead * (1 - ahead) / after
        both = (p + k - 1) * (p + q + k - 1)
        both_slope = of_p * (p + q + k - 1) + (p + k - 1)
        top = share * y / before * both * (q - k)
        top_slope = both_slope * (q - k) + both * (of_q - 2 * (q - k) * of_p / before)
        top_slope = share * y / before * top_slope
        above = place + top / up
        above_slope = place_slope + (top_slope - top / up * up_slope) / up
        below = 1 / (place + top * down)
        below_slope = -below * below * (place_slope + top_slope * down + top * down_slope)
        change = above_slope / above + below_slope / below
        slope = slope + change
        apart = maximum(abs(above * below - 1), abs(change) / (abs(slope) + abs(moment - slope)))
        last = (value * (above * below), slope, where(far, 0, apart))
        return k + 1, above, above_slope, below, below_slope, *last

    first = p * (1 - beyond) / (p + 1)
    slope = of_p * (1 / p - 1 / (p + 1)) - of_beyond / (1 - beyond)
    zero = 0 * p
    start = (zero + 1, first, first * slope, zero, zero, first, slope, where(far, 0.0, 1.0))
    *_, value, slope, _ = while_loop(lambda s: (s[-1] > _CLOSE).any(), step, start, _STEPS)
    return (moment - slope) / value


def _by_integral(side: _Side, end: TensorVariable, far: TensorVariable) -> TensorVariable:
    """The same where `far`: for large parameters, and next to 1, that takes many steps."""
    p, q, y, _, beyond, moment, upper = side
    first = exprel(-end)
    share = end / expm1(end)  # by how much log(y) grows with log(end)
    rate = minimum(p, p * share + 1 - share) - q * end
    rate = maximum(rate, 0) + minimum(end, log1p(maximum(p - 1, 0)))
    bend = q * end + maximum(p - 1, 0) * share * (end / y - 1)
    scale = 1 / (rate + minimum(bend, sqrt(bend)))
    odds, slope = share / end, end / y * beyond

    def step(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        k, total = state
        u = _STEP * k - 3.7
        place = exp(u - exp(-u))
        v = scale * place
        back, bent = -end * expm1(-v), end * expm1mx(-v)
        rise = odds * expm1(back)
        is_near = rise < _NEAR_STEP
        ratio = exprel(back - end) / first
        curve = log1pmx(where(is_near, -rise, 0)) - odds * (expm1mx(back) - bent)
        curve = where(is_near, curve, log(ratio) - v + share * v)
        term = moment + where(upper, back, curve - share * v)
        term = term * exp(slope * v + p * curve - q * bent) / ratio
        return k + 1, total + place * (1 + exp(-u)) * term

    _, total = while_loop(lambda s: (s[0] < _COUNT).any(), step, (where(far, 0, _COUNT), 0 * p))
    return _STEP * scale * total / first


def _log_beta_density(
    p: TensorVariable, q: TensorVariable, beyond: TensorVariable, usual: TensorVariable
) -> TensorVariable:
    """The logarithm of y^p (1 - y)^q / B(p, q), by Stirling's formula for large p and q."""
    large = (minimum(p, q) > 4) & (abs(beyond) < 0.5 * minimum(p, q))
    a, b, more = where(large, p, 5), where(large, q, 5), where(large, beyond, 0)
    size = a * log1pmx(more / a) + b * log1pmx(-more / b)
    rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b)
    return where(large, size - rest + 0.5 * log(a / (a + b) * b / (2 * pi)), usual)


def _log_less_digammas(
    a: TensorVariable, b: TensorVariable, more: TensorVariable, usual: TensorVariable
) -> TensorVariable:
    """log(x) - digamma(a) + digamma(a + b), by the distance from the mean for large a."""
    large = (a > len(_BEFORE)) & (abs(more) < 0.5 * a)
    a = where(large, a, len(_BEFORE))
    return where(large, log1p(where(large, more, 0) / a) + _digamma_rest(a, b), usual)


def _digamma_step(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """digamma(a + b) - digamma(a), of which a small b leaves all digits."""
    places = along(a) + _BEFORE
    far = a + len(_BEFORE)
    near = (along(b) / (places + along(b)) / places).sum(axis=-1)
    return near + log1p(b / far) + _digamma_rest(far, b)


def _digamma_rest(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """What log((a + b) / a) lacks of digamma(a + b) - digamma(a), for large a."""
    s, t = 1 / a**2, 1 / (a + b) ** 2
    total: TensorVariable | float = _ASYMPTOTIC[-1]
    slope: TensorVariable | float = 0.0
    for term in _ASYMPTOTIC[-2::-1]:
        total, slope = total * s + term, slope * t + total
    return b / (a + b) / a * (0.5 + (1 / a + 1 / (a + b)) * slope)
