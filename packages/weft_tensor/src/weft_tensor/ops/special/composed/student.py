"""Student's t distribution: its shares and quantiles, also where it is nearly normal.

For many degrees of freedom the incomplete beta function would need n / (n + t²) to more digits than
numbers have: there t has a normal score, and a score its t, by G. W. Hill, Algorithms 395 and 396,
Communications of the ACM 13 (1970).
"""

from __future__ import annotations

from math import factorial, inf, nan, pi
from math import log as log_of
from math import sqrt as root_of
from typing import Any, Final

from weft_graph import pushforward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isinf, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.special import erf, erfc
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.incomplete import beta_slope, betainc, betainccinv, betaincinv
from weft_tensor.ops.special.normal import ndtr, ndtri
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["MANY", "of_score", "sides", "stdtr", "stdtrit"]

MANY: Final = 1e5
"""With more degrees of freedom, t up to sqrt(n) / 7 has a score to all digits, any score its t."""
_FEWEST: Final = 1e-300
_APART: Final = 0.02
_FARTHEST: Final = 1e150
"""From so many times sqrt(n) on, what is beyond is a power: squares overflow."""
_LEAST: Final = 1e-9
_LOGARITHM: Final = tuple([(-1) ** k / (k + 1) for k in range(9)])
_EXPONENTIAL: Final = tuple([1 / factorial(k + 1) for k in range(8)])


def _score(t: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The number beyond which a normal variable is as likely as one of Student's beyond t."""
    c = (1 / (n - 0.5)) ** 2 / 48
    w = t * sqrt((1 - 0.5 / n) * polynomial(_LOGARITHM, t / n * t))
    s = w * w
    third = (((4 * s + 33) * s + 240) * s + 855) / (10 + (8 * s * s + 1000) * c)
    return w * (1 + c * (s + 3 - c * third))


def of_score(z: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The inverse of `_score`."""
    a = n - 0.5
    c = (1 / a) ** 2 / 48
    s = z * z
    third = (((4 * s + 63) * s + 360) * s + 945) / 10
    w = z * (1 - c * (s + 3 - c * third))
    return w * sqrt(n / a * polynomial(_EXPONENTIAL, w * w / a))


def _without_excess(ratio: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """A ratio whose square is a number, and the logarithm of how much larger it was."""
    return minimum(ratio, _FARTHEST), log(maximum(ratio / _FARTHEST, 1))


def sides(size: TensorVariable, n: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Whether `size`, above 0, is small, and the share within it then, or else that beyond."""
    root = sqrt(n)
    ratio, excess = _without_excess(size / root)
    near = ratio < minimum(1, 1 / root)
    square = ratio * ratio
    many = (n > MANY) & (square < _APART)
    half = 0.5 * where(many, 1, n)
    part = where(many, 0.5, where(near, square, 1) / (1 + square))
    beta = betainc(where(near, 0.5, half), where(near, half, 0.5), part)
    beta = beta * exp(-n * excess)
    score = _score(where(many, size, 1), where(many, n, MANY)) / root_of(2)
    return near, where(many, where(near, erf(score), erfc(score)), beta)


def _log_density(n: TensorVariable, t: TensorVariable) -> TensorVariable:
    """Times sqrt(n), for n that is a number."""
    ratio, excess = _without_excess(abs(t) / sqrt(n))
    square = log1p(where(excess > 0, ratio * ratio, t / n * t)) + 2 * excess
    return -0.5 * (n + 1) * square - betaln(0.5 * n, 0.5)


def _density(df: TensorVariable, t: TensorVariable) -> TensorVariable:
    normal = eq(df, inf)
    n = where(normal, 1, where(df > 0, maximum(df, _FEWEST), nan))
    return where(normal, exp(-0.5 * t * t) / root_of(2 * pi), exp(_log_density(n, t)) / sqrt(n))


def _slope_in_df(df: TensorVariable, t: TensorVariable, density: TensorVariable) -> TensorVariable:
    """Of x = n / (n + t²) at a fixed half of n, and as x goes with n; next to 0 straight.

    Beyond t is half of the incomplete beta function of n / 2 and 1/2 at x.
    """
    normal = eq(df, inf)
    n = where(normal, 1, where(df > 0, maximum(df, _FEWEST), nan))
    size, least = abs(t), _LEAST * minimum(sqrt(n), 1)
    far = maximum(size, least)
    ratio, excess = _without_excess(far / sqrt(n))
    square = ratio * ratio
    many = (n > MANY) & (square < _APART)
    part = beta_slope(0.5 * n, 0.5 + 0 * n, 1 / (1 + square), square / (1 + square))
    usual = -0.25 * part - 0.5 * far * density / n
    tail = exp(_log_density(n, far) + log(far / sqrt(n)) - log(n))  # far times the density, over n
    power = -0.25 * part * exp(-n * excess) + (excess - 0.5) * tail
    exact = where(excess > 0, power, usual)
    scored, trials = where(many, far, 1), where(many, n, MANY)
    score = _score(scored, trials)
    slope = pushforward(score, trials, ones_like(trials))
    by_score = slope * exp(-0.5 * score * score) / root_of(2 * pi)
    beyond = where(many, by_score, exact) * (t / far)
    return where(normal, 0, beyond)


def _slopes(share: TensorVariable, df: TensorVariable, t: TensorVariable) -> list[TensorVariable]:
    density = _density(df, t)
    return [_slope_in_df(df, t, density), density]


def _quantile_slopes(
    t: TensorVariable, df: TensorVariable, p: TensorVariable
) -> list[TensorVariable]:
    by_df, density = _slopes(p, df, t)
    return [-by_df / density, 1 / density]


def _share(df: TensorVariable, t: TensorVariable) -> TensorVariable:
    """`stdtr` of its arguments: near 0 by the middle, far out by the tail."""
    normal = eq(df, inf)
    n = where(normal, 1, where(df > 0, maximum(df, _FEWEST), nan))
    near, part = sides(abs(t), n)
    low = t < 0
    apart = where(low, 0.5 * part, 1 - 0.5 * part)
    total = where(near, 0.5 + where(low, -0.5, 0.5) * part, apart)
    return following(where(normal, ndtr(t), total), _slopes, df, t)


def _quantile(df: Any, p: Any) -> TensorVariable:
    """By the share in both tails; next to one half, where that has no slope, straight.

    Of n / (n + t²) and what that lacks of 1, the smaller one is found, or nearly so: beyond sqrt(n)
    there is about 2^(-n / 2).
    """
    many = df > MANY
    n = where(many, 1, where(df > 0, maximum(df, _FEWEST), nan))
    low = p < 0.5
    apart = p - 0.5
    least = abs(apart) < _LEAST
    tails = where(least, 0.25, 2 * where(low, p, 1 - p))
    m = 0.5 * n
    beyond = tails < exp(-log_of(2) * m)
    far = ~beyond & (tails < 0.5)
    within = where(far | least, 0.25, 2 * abs(apart))
    part = betaincinv(where(beyond, m, 0.5), where(beyond, 0.5, m), where(beyond, tails, within))
    part = where(far, betainccinv(0.5, m, where(far, tails, 0.25)), part)
    size = sqrt(n * where(beyond, 1 - part, part) / where(beyond, part, 1 - part))
    quantile = where(least, where(least, apart, 0) / _density(df, 0 * p), where(low, -size, size))
    z = ndtri(p)
    normal = eq(df, inf) | isinf(z)
    scored = where(normal, z, of_score(where(normal, 0, z), where(many & ~normal, df, MANY)))
    return following(where(many, scored, quantile), _quantile_slopes, df, p)


stdtr = formula(
    "stdtr", "The probability of less than t, by Student's distribution.", (1.0, 1.0, 0.75),
    doubled(_share),
)  # fmt: skip
stdtrit = formula("stdtrit", "The t for which `stdtr` is p.", (1.0, 0.75, 1.0), doubled(_quantile))
