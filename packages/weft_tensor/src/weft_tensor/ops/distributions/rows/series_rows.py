"""Distributions whose functions are sums: of exponentials, and of powers of integers."""

from __future__ import annotations

from math import inf, pi
from typing import Any, Final

import numpy as np

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE, POSITIVE_COUNT, Constraint
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.discrete_rows import summed_entropy
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2
from weft_tensor.ops.elementwise.arithmetic import floor, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.entropies import exprel
from weft_tensor.ops.special.quadrature import HALF_LINE, along

__all__ = ["kstwobign", "logser", "zipf", "zipfian"]

_EIGHTH: Final = pi * pi / 8
_OUT: Final = range(2, 7)
"""Terms after the first one, of which the last is below 1e-17 times that from 1 on."""
_IN: Final = range(3, 9, 2)


def _split(x: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Where x is small; x there and 1 elsewhere; x elsewhere and 1 there."""
    low = x < 1
    return low, where(low, x, 1.0), where(low, 1.0, x)


def _limit(x: TensorVariable) -> TensorVariable:
    """The derivatives of both sums, term by term."""
    low, y, z = _split(x)
    least = y * y < 4 / float(np.finfo(x.dtype).max)
    y = where(least, 1.0, y)
    inner = 1 / (y * y)
    rest: TensorLike = 0.0
    for k in _IN:
        rest = rest + (2 * k * k * _EIGHTH * inner - 1) * exp(-(k * k - 1) * _EIGHTH * inner)
    near = HALF_LOG_2PI - 2 * log(y) - _EIGHTH * inner + log(2 * _EIGHTH * inner - 1 + rest)
    near = where(least, -inf, near)
    outer: TensorLike = 0.0
    for k in _OUT:
        outer = outer - (-1) ** k * k * k * exp(-2 * (k * k - 1) * z * z)
    return where(low, near, 3 * LOG_2 + log(z) - 2 * z * z + log1p(outer))


def _limit_low(x: TensorVariable) -> TensorVariable:
    inner = 1 / (x * x)
    rest: TensorLike = 0.0
    for k in _IN:
        rest = rest + exp(-(k * k - 1) * _EIGHTH * inner)
    return HALF_LOG_2PI - log(x) - _EIGHTH * inner + log1p(rest)


def _limit_high(x: TensorVariable) -> TensorVariable:
    rest: TensorLike = 0.0
    for k in _OUT:
        rest = rest - (-1) ** k * exp(-2 * (k * k - 1) * x * x)
    return LOG_2 - 2 * x * x + log1p(rest)


def _limit_logcdf(x: TensorVariable) -> TensorVariable:
    low, y, z = _split(x)
    return where(low, _limit_low(y), log1mexp(_limit_high(z)))


def _limit_logsf(x: TensorVariable) -> TensorVariable:
    low, y, z = _split(x)
    return where(low, log1mexp(_limit_low(y)), _limit_high(z))


_LIMIT_MEAN: Final = (pi / 2) ** 0.5 * LOG_2
kstwobign: Final = Continuous(
    "kstwobign", "8 x (exp(-2 x²) - 4 exp(-8 x²) + 9 exp(-18 x²) - ...)", {}, (0.0, inf),
    open_ends=True, logpdf=_limit, logcdf=_limit_logcdf, logsf=_limit_logsf,
    mean=lambda: _LIMIT_MEAN, var=lambda: pi * pi / 12 - _LIMIT_MEAN**2,
)  # fmt: skip

_ALONE: Final = 16
"""So many terms are added one by one, the rest by Euler's and Maclaurin's formula."""
_BERNOULLI: Final = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160,
                     -691 / 1307674368000, 1 / 74724249600)  # fmt: skip
"""Bernoulli's numbers of 2, 4, ... over factorials of the same."""


def _corrections(n: TensorVariable, a: TensorVariable) -> TensorVariable:
    """Of a sum of n^-a from n on, besides its integral."""
    power, inner = n**-a, 1 / (n * n)
    total: TensorLike = 0.5
    term: TensorVariable = a / n
    for k, bernoulli in enumerate(_BERNOULLI):
        total = total + bernoulli * term
        term = term * (a + 2 * k + 1) * (a + 2 * k + 2) * inner
    return power * total


def _powers(first: TensorVariable, last: TensorVariable | None, a: TensorVariable) -> Any:
    """The sum of n^-a from first to last, or to infinity."""
    total: TensorLike = 0.0
    for k in range(_ALONE):
        place = first + k
        total = total + (place**-a if last is None else where(place > last, 0.0, place**-a))
    start = first + _ALONE
    if last is None:
        return total + start ** (1 - a) / (a - 1) + _corrections(start, a)
    some = last >= start
    stop = where(some, last, start)
    span = log(stop / start)
    integral = start ** (1 - a) * span * exprel((1 - a) * span)
    ends = _corrections(start, a) + stop**-a - _corrections(stop, a)
    return total + where(some, integral + ends, 0.0)


def _zeta(a: TensorVariable) -> TensorVariable:
    total: TensorVariable = _powers(1 + 0 * a, None, a)
    return total


def _zipf_moment(n: int, a: TensorVariable) -> TensorVariable:
    exists = a > n + 1
    b = where(exists, a, n + 2.0)
    return where(exists, _zeta(b - n) / _zeta(b), inf)


def _zipf_var(a: TensorVariable) -> TensorVariable:
    second = _zipf_moment(2, a)
    return second - where(second < inf, _zipf_moment(1, a), 0.0) ** 2


_ROUNDS: Final = 30
"""Of the sampler: each refuses at most 0.178 of its proposals, 30 rounds 2**-74."""
_MOST: Final = 2.0**53


def _zipf_draw(draws: Draws, a: TensorVariable) -> TensorVariable:
    """By L. Devroye (Non-Uniform Random Variate Generation, 1986, X.6.1), in at most 30 rounds."""
    b = a - 1
    top = expm1(b * LOG_2)

    def propose(round_of: Draws) -> tuple[TensorVariable, TensorVariable]:
        x = minimum(floor(exp(round_of.exponential() / b)), _MOST)
        steps = b * log1p(1 / x)
        fits = round_of.uniform() * x * expm1(steps) * (top + 1) <= top * exp(steps)
        return x, fits

    return draws.accepted(_ROUNDS, propose)


zipf: Final = Discrete(
    "zipf", "k^-a / ζ(a)", {"a": Constraint("above 1", lambda v: v > 1)}, (1.0, inf),
    logpmf=lambda k, a: -a * log(k) - log(_zeta(a)),
    cdf=lambda k, a: _powers(1 + 0 * k, k, a) / _zeta(a),
    sf=lambda k, a: _powers(k + 1, None, a) / _zeta(a),
    mean=lambda a: _zipf_moment(1, a), var=_zipf_var, sample=_zipf_draw,
)  # fmt: skip


def _zipfian(k: TensorVariable, a: TensorVariable, n: TensorVariable) -> TensorVariable:
    return -a * log(k) - log(_harmonic(a, n))


def _harmonic(a: TensorVariable, n: TensorVariable) -> TensorVariable:
    total: TensorVariable = _powers(1 + 0 * n, n, a)
    return total


def _zipfian_mean(a: TensorVariable, n: TensorVariable) -> TensorVariable:
    return _harmonic(a - 1, n) / _harmonic(a, n)


zipfian: Final = Discrete(
    "zipfian", "k^-a / (1 + 2^-a + ... + n^-a)", {"a": NONNEGATIVE, "n": POSITIVE_COUNT},
    lambda a, n: (1 + 0 * n, n),
    logpmf=_zipfian, entropy=summed_entropy(_zipfian, lambda a, n: (1 + 0 * n, n)),
    cdf=lambda k, a, n: _powers(1 + 0 * k, k, a) / _harmonic(a, n),
    sf=lambda k, a, n: _powers(k + 1, n, a) / _harmonic(a, n),
    mean=_zipfian_mean,
    var=lambda a, n: _harmonic(a - 2, n) / _harmonic(a, n) - _zipfian_mean(a, n) ** 2,
)  # fmt: skip


def _series(k: TensorVariable, p: TensorVariable) -> TensorVariable:
    return k * log(p) - log(k) - log(-log1p(-p))


def _series_logsf(k: TensorVariable, p: TensorVariable) -> TensorVariable:
    """By the integral of t^k / (1 - t) from 0 to p, over t = p exp(-v / (k + 1))."""
    places, weights = (v.astype(p.dtype) for v in HALF_LINE)
    step = expm1(-places / along(k + 1))
    lack = along(1 - p) - along(p) * step
    total = (weights * exp(-places) / lack).sum(axis=-1)
    return (k + 1) * log(p) - log(k + 1) + log(total) - log(-log1p(-p))


def _series_mean(p: TensorVariable) -> TensorVariable:
    return -p / ((1 - p) * log1p(-p))


logser: Final = Discrete(
    "logser", "-p^k / (k log(1 - p))",
    {"p": Constraint("above 0 and below 1", lambda v: (v > 0) & (v < 1))}, (1.0, inf),
    logpmf=_series, logsf=_series_logsf,
    cdf=lambda k, p: -expm1(_series_logsf(k, p)),
    entropy=summed_entropy(_series, lambda p: (1 + 0 * p, floor(2 - 40 / log(p)))),
    mean=_series_mean, var=lambda p: _series_mean(p) * (1 / (1 - p) - _series_mean(p)),
    sample=lambda draws, p: 1 + minimum(
        floor(-draws.exponential() / log1mexp(draws.uniform() * log1p(-p))), _MOST
    ),
)  # fmt: skip
