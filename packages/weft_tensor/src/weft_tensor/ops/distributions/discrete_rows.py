"""Distributions of counts."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.distributions.constraints import (
    COUNT,
    INTEGER,
    NONNEGATIVE,
    POSITIVE,
    PROBABILITY,
    SUCCESS,
    Relation,
)
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, lt, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1mexp, log1p
from weft_tensor.ops.numbers.masses import density_of_all, log_density, log_mass, mass_of_all
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.special.entropies import entr, xlog1py, xlogy
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.incomplete import betainc, betaincc, gammainc, gammaincc
from weft_tensor.ops.special.quadrature import along

__all__ = [
    "bernoulli",
    "betabinom",
    "binom",
    "geom",
    "hypergeom",
    "nbinom",
    "poisson",
    "randint",
]

bernoulli: Final = Discrete(
    "bernoulli", "p for 1, 1 - p for 0", {"p": PROBABILITY}, (0.0, 1.0),
    logpmf=lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
    cdf=lambda k, p: 1 - p, sf=lambda k, p: p,
    mean=lambda p: p, var=lambda p: p * (1 - p), entropy=lambda p: entr(p) + entr(1 - p),
    sample=lambda draws, p: lt(draws.uniform(), p),
)  # fmt: skip


Ends = Callable[..., tuple[TensorVariable, TensorVariable]]
_TERMS: Final = 512


def summed_entropy(
    logpmf: Callable[..., TensorVariable], ends: Ends
) -> Callable[..., TensorVariable]:
    """The sum of -p log p between ends, beyond which nothing counts, so many at each step."""

    def formula(*p: TensorVariable) -> TensorVariable:
        first, last = (stop_gradient(end) for end in ends(*p))
        wide = [along(v) for v in p]
        offsets = np.arange(_TERMS).astype(first.dtype)

        def is_within(state: tuple[TensorVariable, TensorVariable]) -> TensorVariable:
            return (state[0] <= last).any()

        def add(
            state: tuple[TensorVariable, TensorVariable],
        ) -> tuple[TensorVariable, TensorVariable]:
            start, total = state
            places = along(start) + offsets
            inside = places <= along(last)
            logs = logpmf(where(inside, places, along(first)), *wide)
            some = inside & (logs > -inf)
            logs = where(some, logs, 0.0)
            return start + _TERMS, total - (exp(logs) * logs).sum(axis=-1)

        zero = 0 * sum(p, 0 * first)
        _, total = while_loop(is_within, add, (first + stop_gradient(zero), zero))
        return total

    return formula


def _bulk(mean: TensorVariable, var: TensorVariable, more: Any) -> Any:
    """Whole numbers around a mean: by so many deviations, and by some `more`."""
    reach = 12 * sqrt(var) + more
    return maximum(floor(mean - reach), 0), floor(mean + reach)


def _binomial_bulk(n: TensorVariable, p: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    first, last = _bulk(n * p, n * p * (1 - p), 40.0)
    return first, minimum(last, n)


def _negative_bulk(n: TensorVariable, p: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    result: tuple[TensorVariable, TensorVariable]
    result = _bulk(n * (1 - p) / p, n * (1 - p) / (p * p), 40 / p)
    return result


def _log_ways(k: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The logarithm of Γ(k + n) / (Γ(n) k!), of positive n: in how many ways k fall into n places.

    By Stirling's formula of all three raised by 4, from where on it is right, in an order in which
    nothing large is taken from what is large.
    """
    total, raised, places = k + n, k + 5, n + 4
    most = 1e8 if n.dtype == "float32" else 1e70  # above it, the ratio tells nothing
    j, m = minimum(k, most), minimum(n, most)

    def two(i: int) -> TensorVariable:
        ways, both = (j + (i + 1)) * (j + (i + 2)), (j + m + i) * (j + m + (i + 1))
        return ways / both * ((m + i) * (m + (i + 1)))

    result = (places - 0.5) * log1p(k / places) + k * log1p((n - 1) / raised)
    result = result + log(two(0) * two(2)) - 4.5 * log(raised) + (5 - HALF_LOG_2PI)
    result = result + stirling_rest(total + 4) - stirling_rest(raised) - stirling_rest(places)
    return where(eq(k, 0), result - stop_gradient(result), result)  # one way, with slopes


def log_taken(n: TensorVariable, k: TensorVariable) -> TensorVariable:
    """The logarithm of in how many ways k of n can be taken."""
    return _log_ways(k, n - k + 1)


def _binomial(k: TensorVariable, n: TensorVariable, p: TensorVariable) -> TensorVariable:
    top, rest = maximum(n, 1), n - k
    return log_mass(k, p, top) + log_mass(rest, 1 - p, top) - mass_of_all(n)


def _poisson(k: TensorVariable, mu: TensorVariable) -> TensorVariable:
    return log_mass(k, mu)


def _negative(k: TensorVariable, n: TensorVariable, p: TensorVariable) -> TensorVariable:
    total = n + k
    top = maximum(total - 1, 1)
    result = log_density(n, p, top) + log_mass(k, 1 - p, top) - density_of_all(total) + log(p)
    return where(eq(k, 0), stop_gradient(n * log(p) - result) + result, result)


binom: Final = Discrete(
    "binom", "(n over k) p^k (1 - p)^(n - k)", {"n": COUNT, "p": PROBABILITY},
    lambda n, p: (0.0, n),
    logpmf=_binomial, entropy=summed_entropy(_binomial, _binomial_bulk),
    cdf=lambda k, n, p: betaincc(k + 1, maximum(n - k, 0.5), p),
    sf=lambda k, n, p: betainc(k + 1, maximum(n - k, 0.5), p),
    mean=lambda n, p: n * p, var=lambda n, p: n * p * (1 - p),
)  # fmt: skip
poisson: Final = Discrete(
    "poisson", "exp(-mu) mu^k / k!", {"mu": NONNEGATIVE}, (0.0, inf),
    logpmf=_poisson, entropy=summed_entropy(_poisson, lambda mu: _bulk(mu, mu, 40.0)),
    cdf=lambda k, mu: gammaincc(k + 1, mu), sf=lambda k, mu: gammainc(k + 1, mu),
    mean=lambda mu: mu, var=lambda mu: mu,
)  # fmt: skip
nbinom: Final = Discrete(
    "nbinom", "(k + n - 1 over k) p^n (1 - p)^k", {"n": POSITIVE, "p": SUCCESS}, (0.0, inf),
    logpmf=_negative, entropy=summed_entropy(_negative, _negative_bulk),
    cdf=lambda k, n, p: betainc(n, k + 1, p), sf=lambda k, n, p: betaincc(n, k + 1, p),
    mean=lambda n, p: n * (1 - p) / p, var=lambda n, p: n * (1 - p) / (p * p),
)  # fmt: skip


def _trials(draws: Draws, p: TensorVariable) -> TensorVariable:
    some = p < 1
    return where(some, 1 + floor(log(draws.uniform()) / log1p(-where(some, p, 0.5))), 1.0)


geom: Final = Discrete(
    "geom", "(1 - p)^(k - 1) p", {"p": SUCCESS}, (1.0, inf),
    logpmf=lambda k, p: log(p) + xlog1py(k - 1, -p),
    logsf=lambda k, p: xlog1py(k, -p), logcdf=lambda k, p: log1mexp(xlog1py(k, -p)),
    mean=lambda p: 1 / p, var=lambda p: (1 - p) / (p * p),
    entropy=lambda p: (entr(p) + entr(1 - p)) / p, sample=_trials,
)  # fmt: skip
randint: Final = Discrete(
    "randint", "1 / (high - low)", {"low": INTEGER, "high": INTEGER},
    lambda low, high: (low, high - 1),
    relations=[Relation(("low", "high"), "above low", lambda low, high: low < high)],
    logpmf=lambda k, low, high: -log(high - low) + 0 * k,
    cdf=lambda k, low, high: (k - low + 1) / (high - low),
    sf=lambda k, low, high: (high - 1 - k) / (high - low),
    mean=lambda low, high: 0.5 * (low + high - 1),
    var=lambda low, high: ((high - low) ** 2 - 1) / 12,
    entropy=lambda low, high: log(high - low),
    sample=lambda draws, low, high: floor(low + (high - low) * draws.uniform()),
)  # fmt: skip


def total_of(
    logs: Callable[..., TensorVariable], ends: Ends, upper: bool
) -> Callable[..., TensorVariable]:
    """The sum of exp(logs) up to k, or above it: in as many steps as the support is long."""

    def formula(k: TensorVariable, *p: TensorVariable) -> TensorVariable:
        first, last = ends(*p)
        reach = last - first + 0 * k
        count = largest(where((reach > 0) & (reach < inf), reach, 0), initial=0)  # NaN has none

        def is_within(state: tuple[TensorVariable, TensorVariable]) -> TensorVariable:
            return state[0] <= stop_gradient(count)

        def add(
            state: tuple[TensorVariable, TensorVariable],
        ) -> tuple[TensorVariable, TensorVariable]:
            step, total = state
            place = first + step
            wanted = (place <= last) & ((place > k) if upper else (place <= k))
            part = exp(logs(where(wanted, place, first), *p))
            return step + 1, total + where(wanted, part, 0.0)

        zero = 0 * (k + sum(p))
        _, total = while_loop(is_within, add, (0 * count, zero))
        return total

    return formula


def summed(
    logpmf: Callable[..., TensorVariable], ends: Ends, upper: bool
) -> Callable[..., TensorVariable]:
    """A tail as the sum of its probabilities."""
    total = total_of(logpmf, ends, upper)
    return lambda k, *p: minimum(total(k, *p), 1.0)


def _beta_binomial(
    k: TensorVariable, n: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    return log_taken(n, k) + betaln(k + a, n - k + b) - betaln(a, b)


def _counts(n: TensorVariable, *_: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    return 0 * n, n


betabinom: Final = Discrete(
    "betabinom", "(n over k) B(k + a, n - k + b) / B(a, b)",
    {"n": COUNT, "a": POSITIVE, "b": POSITIVE}, _counts,
    logpmf=_beta_binomial, entropy=summed_entropy(_beta_binomial, _counts),
    cdf=summed(_beta_binomial, _counts, False), sf=summed(_beta_binomial, _counts, True),
    mean=lambda n, a, b: n * a / (a + b),
    var=lambda n, a, b: n * a * b * (a + b + n) / ((a + b) ** 2 * (a + b + 1)),
)  # fmt: skip


def _good_ends(
    M: TensorVariable, n: TensorVariable, N: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    return maximum(0, N - M + n), minimum(n, N)


def _hypergeometric(
    k: TensorVariable, M: TensorVariable, n: TensorVariable, N: TensorVariable
) -> TensorVariable:
    share = N / maximum(M, 1)
    return _binomial(k, n, share) + _binomial(N - k, M - n, share) - _binomial(N, M, share)


hypergeom: Final = Discrete(
    "hypergeom", "(n over k) (M - n over N - k) / (M over N)",
    {"M": COUNT, "n": COUNT, "N": COUNT}, _good_ends,
    relations=[
        Relation(("M", "n"), "at most M", lambda M, n: n <= M),
        Relation(("M", "N"), "at most M", lambda M, N: N <= M),
    ],
    logpmf=_hypergeometric, entropy=summed_entropy(_hypergeometric, _good_ends),
    cdf=summed(_hypergeometric, _good_ends, False),
    sf=summed(_hypergeometric, _good_ends, True),
    mean=lambda M, n, N: N * n / M,
    var=lambda M, n, N: N * n * (M - n) * (M - N) / (M * M * maximum(M - 1, 1)),
)  # fmt: skip
