"""Further distributions of counts."""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.distributions.constraints import (
    COUNT,
    POSITIVE,
    POSITIVE_COUNT,
    Constraint,
    Relation,
)
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.discrete_rows import (
    hypergeom,
    log_taken,
    summed,
    summed_entropy,
    total_of,
)
from weft_tensor.ops.distributions.distribution import Formula
from weft_tensor.ops.distributions.ratios import log_of, tilt, tilt_slope
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p, softplus
from weft_tensor.ops.elementwise.trigonometric import sinh, tanh
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.quadrature import along

__all__ = [
    "boltzmann",
    "discrete_weibull",
    "dlaplace",
    "nchypergeom_fisher",
    "nchypergeom_wallenius",
    "nhypergeom",
    "planck",
    "yulesimon",
]

_MOST: Final = 2.0**53
"""Up to here all integers are numbers of float64."""


def _double_logcdf(k: TensorVariable, a: TensorVariable) -> TensorVariable:
    low = k < 0
    below = a * where(low, k + 1, 0.0) - softplus(a)
    return where(low, below, log1mexp(-a * where(low, 0.0, k) - softplus(a)))


planck: Final = Discrete(
    "planck", "(1 - exp(-lambda)) exp(-lambda k)", {"lambda_": POSITIVE}, (0.0, inf),
    logpmf=lambda k, rate: log1mexp(-rate) - rate * k,
    logsf=lambda k, rate: -rate * (k + 1), logcdf=lambda k, rate: log1mexp(-rate * (k + 1)),
    mean=lambda rate: 1 / expm1(rate), var=lambda rate: exp(-rate) / expm1(-rate) ** 2,
    entropy=lambda rate: rate / expm1(rate) - log1mexp(-rate),
    sample=lambda draws, rate: floor(draws.exponential() / rate),
)  # fmt: skip


_LEVEL: Final = 0.5
"""Below this decay over all integers, moments are near those of equal shares."""


def _boltzmann_mean(rate: TensorVariable, n: TensorVariable) -> TensorVariable:
    level = rate * n < _LEVEL
    low, steep = where(level, rate, 0.0), where(level, 1.0, rate)
    near = 0.5 * (n - 1) + tilt(low) - n * tilt(low * n)
    return where(level, near, 1 / expm1(steep) - n / expm1(steep * n))


def _boltzmann_var(rate: TensorVariable, n: TensorVariable) -> TensorVariable:
    level = rate * n < _LEVEL
    low, steep = where(level, rate, 0.0), where(level, 1.0, rate)
    near = n * n * tilt_slope(low * n) - tilt_slope(low)
    rest = n * n * exp(-steep * n) / expm1(-steep * n) ** 2
    return where(level, near, exp(-steep) / expm1(-steep) ** 2 - rest)


boltzmann: Final = Discrete(
    "boltzmann", "(1 - exp(-lambda)) exp(-lambda k) / (1 - exp(-lambda N))",
    {"lambda_": POSITIVE, "N": POSITIVE_COUNT}, lambda rate, n: (0 * n, n - 1),
    logpmf=lambda k, rate, n: log1mexp(-rate) - rate * k - log1mexp(-rate * n),
    logcdf=lambda k, rate, n: log1mexp(-rate * (k + 1)) - log1mexp(-rate * n),
    sf=lambda k, rate, n: (
        exp(-rate * (k + 1)) * expm1(-rate * (n - 1 - k)) / expm1(-rate * n)
    ),
    mean=_boltzmann_mean,
    var=_boltzmann_var,
    entropy=lambda rate, n: (
        rate * _boltzmann_mean(rate, n) + log1mexp(-rate * n) - log1mexp(-rate)
    ),
)  # fmt: skip
dlaplace: Final = Discrete(
    "dlaplace", "tanh(a/2) exp(-a |k|)", {"a": POSITIVE}, (-inf, inf),
    logpmf=lambda k, a: log(tanh(0.5 * a)) - a * abs(k),
    logcdf=lambda k, a: _double_logcdf(k, a), logsf=lambda k, a: _double_logcdf(-k - 1, a),
    mean=lambda a: 0 * a, var=lambda a: 0.5 / sinh(0.5 * a) ** 2,
    entropy=lambda a: a / sinh(a) - log(tanh(0.5 * a)),
    sample=lambda draws, a: floor(draws.exponential() / a) - floor(draws.exponential() / a),
)  # fmt: skip
yulesimon: Final = Discrete(
    "yulesimon", "alpha B(k, alpha + 1)", {"alpha": POSITIVE}, (1.0, inf),
    logpmf=lambda k, a: log(a) + betaln(k, a + 1),
    logsf=lambda k, a: log(k) + betaln(k, a + 1),
    mean=lambda a: where(a > 1, a / (a - 1), inf),
    var=lambda a: where(a > 2, a * a / ((a - 1) ** 2 * (a - 2)), inf),
    cdf=lambda k, a: -expm1(log(k) + betaln(k, a + 1)),
    sample=lambda draws, a: 1 + minimum(
        floor(draws.exponential() / -log1mexp(-draws.exponential() / a)), _MOST
    ),
)  # fmt: skip


def _tried(k: TensorVariable, p: TensorVariable, beta: TensorVariable) -> TensorVariable:
    """log P(at least k)."""
    return where(k <= 0, 0.0, where(k <= 0, 1.0, k) ** beta) * log(p)


discrete_weibull: Final = Discrete(
    "discrete_weibull", "p^(k^beta) - p^((k + 1)^beta)",
    {"p": Constraint("above 0 and below 1", lambda v: (v > 0) & (v < 1)), "beta": POSITIVE},
    (0.0, inf), scipy=None,
    logpmf=lambda k, p, b: _tried(k, p, b) + log1mexp(_tried(k + 1, p, b) - _tried(k, p, b)),
    logsf=lambda k, p, b: _tried(k + 1, p, b), logcdf=lambda k, p, b: log1mexp(_tried(k + 1, p, b)),
    sample=lambda draws, p, b: minimum(
        floor((draws.exponential() / -log(p)) ** (1 / b)), _MOST
    ),
)  # fmt: skip


def _drawn_before(
    k: TensorVariable, M: TensorVariable, n: TensorVariable, r: TensorVariable
) -> TensorVariable:
    return log_taken(k + r - 1, k) + log_taken(M - r - k, n - k) - log_taken(M, n)


def _until(M: TensorVariable, n: TensorVariable, r: TensorVariable) -> Any:
    return 0 * n, n


nhypergeom: Final = Discrete(
    "nhypergeom", "(k + r - 1 over k) (M - r - k over n - k) / (M over n)",
    {"M": COUNT, "n": COUNT, "r": POSITIVE_COUNT}, _until,
    relations=[
        Relation(("M", "n"), "at most M", lambda M, n: n <= M),
        Relation(("M", "n", "r"), "at most M - n", lambda M, n, r: r <= M - n),
    ],
    logpmf=_drawn_before, entropy=summed_entropy(_drawn_before, _until),
    cdf=summed(_drawn_before, _until, False), sf=summed(_drawn_before, _until, True),
    mean=lambda M, n, r: r * n / (M - n + 1),
    var=lambda M, n, r: (
        r * (M + 1) * n / ((M - n + 1) * (M - n + 2)) * (1 - r / (M - n + 1))
    ),
)  # fmt: skip


def _fisher_ends(
    M: TensorVariable, n: TensorVariable, N: TensorVariable, _: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    return maximum(0, N - M + n), minimum(n, N)


def _fisher_weight(
    k: TensorVariable, M: TensorVariable, n: TensorVariable, N: TensorVariable, odds: TensorVariable
) -> TensorVariable:
    """The logarithm of a probability up to a factor, about 0 where it is largest.

    Its place is a root of a polynomial of the second degree: J. Liao, O. Rosen, Fast and stable
    algorithms for computing and sampling from the noncentral hypergeometric distribution, 2001.
    """
    good, drawn, way = (stop_gradient(v) for v in (n, N, odds))
    linear = (good + drawn + 2) * way + (stop_gradient(M) - good - drawn)
    constant = (good + 1) * (drawn + 1) * way
    root = sqrt(maximum(linear * linear - 4 * (way - 1) * constant, 0.0))
    low, high = _fisher_ends(stop_gradient(M), good, drawn, way)
    rises = linear > 0  # else the odds are below 1
    rising = 2 * constant / where(rises, linear + root, 1.0)
    place = where(rises, rising, (root - linear) / where(rises, 1.0, 2 - 2 * way))
    top = minimum(maximum(floor(place), low), high)
    weight = log_taken(n, k) + log_taken(M - n, N - k) + (k - top) * log(odds)
    return weight - stop_gradient(log_taken(n, top) + log_taken(M - n, N - top))


def _fisher_whole(*p: TensorVariable) -> TensorVariable:
    whole: TensorVariable = total_of(_fisher_weight, _fisher_ends, False)(p[1], *p)
    return whole


def _fisher_share(upper: bool) -> Formula:
    part = total_of(_fisher_weight, _fisher_ends, upper)
    return lambda k, *p: minimum(part(k, *p) / _fisher_whole(*p), 1.0)


def _moments(weight: Formula, whole: Formula) -> tuple[Formula, Formula]:
    """The mean and the variance, by the sums of weights times them."""

    def mean(*p: TensorVariable) -> TensorVariable:
        def logs(k: TensorVariable, *q: TensorVariable) -> TensorVariable:
            return log_of(k) + weight(k, *q)

        result: TensorVariable = total_of(logs, _fisher_ends, False)(p[1], *p) / whole(*p)
        return result

    def var(*p: TensorVariable) -> TensorVariable:
        def logs(k: TensorVariable, *q: TensorVariable) -> TensorVariable:
            *own, center = q
            return 2 * log_of(abs(k - center)) + weight(k, *own)

        squares = total_of(logs, lambda *q: _fisher_ends(*q[:-1]), False)(p[1], *p, mean(*p))
        result: TensorVariable = squares / whole(*p)
        return result

    return mean, var


_fisher_mean, _fisher_var = _moments(_fisher_weight, _fisher_whole)
nchypergeom_fisher: Final = Discrete(
    "nchypergeom_fisher", "(n over k) (M - n over N - k) odds^k, over the sum of all",
    {"M": COUNT, "n": COUNT, "N": COUNT, "odds": POSITIVE}, _fisher_ends,
    relations=hypergeom.relations,
    logpmf=lambda k, *p: _fisher_weight(k, *p) - log(_fisher_whole(*p)),
    cdf=_fisher_share(False), sf=_fisher_share(True), mean=_fisher_mean,
    var=_fisher_var,
)  # fmt: skip


_HALVINGS: Final = 24
_DROP: Final = 38.0
"""The logarithm of how small the integrand is where it is cut off."""
_PLACES: Final = np.linspace(0, 1, 201)


def _least_fall(
    k: TensorVariable, rest: TensorVariable, rate: TensorVariable, odds: TensorVariable
) -> TensorVariable:
    """Where exp(-rate v) v (1 - exp(-odds v))^k (1 - exp(-v))^rest is largest, by halving."""

    def halve(
        _: TensorVariable, between: tuple[TensorVariable, TensorVariable]
    ) -> tuple[TensorVariable, TensorVariable]:
        low, high = between
        v = sqrt(low * high)
        quick, slow = (minimum(u, 80.0) for u in (odds * v, v))
        rises = 1 + k * quick / expm1(quick) + rest * slow / expm1(slow) > rate * v
        return where(rises, v, low), where(rises, high, v)

    ends = 1 / rate + 0 * (k + rest + odds), (1 + k + rest) / rate + 0 * odds
    low, high = fori_loop(0, _HALVINGS, halve, ends)
    place: TensorVariable = sqrt(low * high)
    return place


def _wallenius(
    k: TensorVariable, M: TensorVariable, n: TensorVariable, N: TensorVariable, odds: TensorVariable
) -> TensorVariable:
    """By the integral of rate exp(-rate v) (1 - exp(-odds v))^k (1 - exp(-v))^(N - k).

    K. T. Wallenius, Biased sampling: the noncentral hypergeometric probability distribution, 1963.
    In log v the logarithm bends everywhere at least as -rate v does: that says how far to go.
    """
    rest, left = N - k, M - n - N + k
    rate = odds * (n - k) + left
    some = rate > 0  # else all are drawn
    rate = where(some, rate, 1.0)
    center = _least_fall(*[stop_gradient(v) for v in (k, rest, rate, odds)])
    q = _DROP / (stop_gradient(rate) * center)
    up = log1p(sqrt(2 * q) + q)
    down = q + sqrt(2 * q)
    steps = _PLACES.astype(center.dtype)
    u = along(up + down) * steps - along(down)
    v = along(center) * exp(u)
    logs = log(along(rate) * v) - along(rate) * v
    logs = logs + along(k) * log1mexp(-along(odds) * v) + along(rest) * log1mexp(-v)
    top = stop_gradient(logs.max(axis=-1))
    width = (up + down) / (len(_PLACES) - 1)
    share = top + log(width * exp(logs - along(top)).sum(axis=-1))
    return log_taken(n, k) + log_taken(M - n, rest) + where(some, share, 0.0)


_wallenius_mean, _wallenius_var = _moments(_wallenius, lambda *p: 1.0)
nchypergeom_wallenius: Final = Discrete(
    "nchypergeom_wallenius",
    "(n over k) (M - n over N - k) ∫ (1 - t^(odds/D))^k (1 - t^(1/D))^(N - k) dt, t from 0 to 1, "
    "D = odds (n - k) + M - n - N + k",
    nchypergeom_fisher.parameters, _fisher_ends, relations=hypergeom.relations,
    logpmf=_wallenius, cdf=summed(_wallenius, _fisher_ends, False),
    sf=summed(_wallenius, _fisher_ends, True), mean=_wallenius_mean, var=_wallenius_var,
)  # fmt: skip
