"""Sums of log-densities of 10^5 values, with their derivatives by all parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.densities import flat
from tools.bench.fused import FAST
from tools.bench.workload import WEFT, Call, Workload, by_mode

SIZE = 100_000
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True)
class Row:
    """One distribution: its parameters, and who computes its log-densities."""

    at: tuple[Any, ...]
    """Values of the parameters, scalars or vectors."""
    numbers: Callable[[np.random.Generator, int], np.ndarray]
    weft: Callable[..., Any]
    """Of `wt.stats`, the values and the parameters."""
    jax: Callable[..., Any]
    """Of `jax.scipy.stats`, the values and the parameters."""
    numba: Callable[[Any], Call]
    """A loop over the values, of the compiled `digamma`: the sum and all derivatives."""


def machine(loop: Callable[[Any], Call]) -> Call:
    """Compile the loop of a row."""
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def digamma(x):  # type: ignore[no-untyped-def]  # for Numba
        result = 0.0
        while x < 6.0:
            result -= 1.0 / x
            x += 1.0
        u = 1.0 / (x * x)
        rest = 1 / 252 - u * (1 / 240 - u * (1 / 132 - u * (691 / 32760 - u / 12)))
        return result + math.log(x) - 0.5 / x - u * (1 / 12 - u * (1 / 120 - u * rest))

    call = numba.njit(fastmath=FAST)(loop(digamma))
    return lambda *values: [np.asarray(v) for v in call(*[v if v.ndim else v[()] for v in values])]


def norm(digamma: Any) -> Call:
    def loop(x, loc, scale):  # type: ignore[no-untyped-def]  # for Numba
        total, by_loc, by_scale, share = 0.0, 0.0, 0.0, 1 / scale
        for i in range(x.shape[0]):
            z = (x[i] - loc) * share
            total -= 0.5 * z * z
            by_loc += z
            by_scale += z * z
        n = x.shape[0]
        total -= n * (math.log(scale) + HALF_LOG_2PI)
        return total, by_loc * share, (by_scale - n) * share

    return loop


def student(digamma: Any) -> Call:
    def loop(x, df, loc, scale):  # type: ignore[no-untyped-def]  # for Numba
        n, share, half = x.shape[0], 1 / scale, 0.5 * (df + 1)
        logs, by_loc, by_scale, squares = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            z = (x[i] - loc) * share
            u = z * z / df
            weight = 1 / (1 + u)
            logs += math.log1p(u)
            by_loc += z * weight
            squares += u * weight
        by_scale = 2 * half * squares - n
        norming = math.lgamma(half) - math.lgamma(0.5 * df) - 0.5 * math.log(math.pi * df)
        slope = 0.5 * (digamma(half) - digamma(0.5 * df) - 1 / df)
        total = n * (norming - math.log(scale)) - half * logs
        by_df = n * slope - 0.5 * logs + half * squares / df
        return total, by_df, 2 * half / df * by_loc * share, by_scale * share

    return loop


def gamma(digamma: Any) -> Call:
    def loop(x, a, scale):  # type: ignore[no-untyped-def]  # for Numba
        n, logs, total = x.shape[0], 0.0, 0.0
        for i in range(n):
            logs += math.log(x[i])
            total += x[i]
        total, size = total / scale, math.log(scale)
        value = (a - 1) * logs - total - n * (math.lgamma(a) + a * size)
        return value, logs - n * (digamma(a) + size), (total - n * a) / scale

    return loop


def beta(digamma: Any) -> Call:
    def loop(x, a, b):  # type: ignore[no-untyped-def]  # for Numba
        n, logs, others = x.shape[0], 0.0, 0.0
        for i in range(n):
            logs += math.log(x[i])
            others += math.log1p(-x[i])
        norming = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        whole = digamma(a + b)
        value = (a - 1) * logs + (b - 1) * others - n * norming
        return value, logs - n * (digamma(a) - whole), others - n * (digamma(b) - whole)

    return loop


def poisson(digamma: Any) -> Call:
    def loop(k, mu):  # type: ignore[no-untyped-def]  # for Numba
        n, count, rest = k.shape[0], 0.0, 0.0
        for i in range(n):
            count += k[i]
            rest += math.lgamma(k[i] + 1)
        return count * math.log(mu) - n * mu - rest, count / mu - n

    return loop


def nbinom(digamma: Any) -> Call:
    def loop(k, size, p):  # type: ignore[no-untyped-def]  # for Numba
        n, count, ways, slope = k.shape[0], 0.0, 0.0, 0.0
        for i in range(n):
            count += k[i]
            ways += math.lgamma(k[i] + size) - math.lgamma(k[i] + 1)
            slope += digamma(k[i] + size)
        value = ways + n * (size * math.log(p) - math.lgamma(size)) + count * math.log1p(-p)
        by_size = slope + n * (math.log(p) - digamma(size))
        return value, by_size, n * size / p - count / (1 - p)

    return loop


def mixture(digamma: Any) -> Call:
    def loop(x, weights, locs, scales):  # type: ignore[no-untyped-def]  # for Numba
        m = weights.shape[0]
        norming = np.log(weights) - np.log(scales) - HALF_LOG_2PI
        shares, total = 1 / scales, 0.0
        by_weight, by_loc, by_scale = np.zeros(m), np.zeros(m), np.zeros(m)
        parts, places = np.empty(m), np.empty(m)
        for i in range(x.shape[0]):
            top = -np.inf
            for j in range(m):
                places[j] = (x[i] - locs[j]) * shares[j]
                parts[j] = norming[j] - 0.5 * places[j] * places[j]
                top = max(top, parts[j])
            whole = 0.0
            for j in range(m):
                parts[j] = math.exp(parts[j] - top)
                whole += parts[j]
            total += top + math.log(whole)
            for j in range(m):
                share = parts[j] / whole
                by_weight[j] += share
                by_loc[j] += share * places[j]
                by_scale[j] += share * (places[j] * places[j] - 1)
        return total, by_weight / weights, by_loc * shares, by_scale * shares

    return loop


def mixture_jax(s: Any, x: Any, weights: Any, locs: Any, scales: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    return logsumexp(jnp.log(weights) + s.norm.logpdf(x[:, None], locs, scales), axis=1)


def drawn_mixture(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(rng.choice([-4.0, -1.0, 0.0, 2.0, 5.0], n), 1.0)


ROWS = {
    "norm": Row(
        (0.3, 1.5), lambda rng, n: rng.normal(size=n),
        lambda s, *v: s.norm.logpdf(*v), lambda s, *v: s.norm.logpdf(*v), norm,
    ),
    "t": Row(
        (4.5, 0.3, 1.5), lambda rng, n: rng.standard_t(4.0, size=n),
        lambda s, *v: s.t.logpdf(*v), lambda s, *v: s.t.logpdf(*v), student,
    ),
    "gamma": Row(
        (2.5, 1.5), lambda rng, n: rng.gamma(2.0, size=n),
        lambda s, x, a, scale: s.gamma.logpdf(x, a, scale=scale),
        lambda s, x, a, scale: s.gamma.logpdf(x, a, scale=scale), gamma,
    ),
    "beta": Row(
        (2.5, 3.5), lambda rng, n: rng.beta(2.0, 3.0, size=n),
        lambda s, *v: s.beta.logpdf(*v), lambda s, *v: s.beta.logpdf(*v), beta,
    ),
    "poisson": Row(
        (4.5,), lambda rng, n: rng.poisson(4.0, n).astype("float64"),
        lambda s, *v: s.poisson.logpmf(*v), lambda s, *v: s.poisson.logpmf(*v), poisson,
    ),
    "nbinom": Row(
        (3.5, 0.4), lambda rng, n: rng.negative_binomial(3, 0.4, n).astype("float64"),
        lambda s, *v: s.nbinom.logpmf(*v), lambda s, *v: s.nbinom.logpmf(*v), nbinom,
    ),
    "mixture": Row(
        (np.full(5, 0.2), np.array([-4.1, -1.0, 0.2, 2.0, 5.0]), np.linspace(0.8, 1.2, 5)),
        drawn_mixture,
        lambda s, x, weights, locs, scales: s.mixture(weights, s.norm(locs, scales)).logpdf(x),
        mixture_jax, mixture,
    ),
}  # fmt: skip


def data(row: Row) -> tuple[Any, ...]:
    """The values and the parameters."""
    values = row.numbers(np.random.default_rng(0), SIZE)
    return (values, *[np.asarray(v, "float64") for v in row.at])


def by_hand(row: Row) -> Call:
    return machine(row.numba)


def by_jax(row: Row) -> Call:
    import jax
    from jax.scipy import stats

    numbers = tuple(range(1, 1 + len(row.at)))
    return flat(jax.value_and_grad(lambda *v: row.jax(stats, *v).sum(), argnums=numbers))


def by_weft(row: Row, mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    parameters = [wt.dvector() if np.ndim(v) else wt.dscalar() for v in row.at]
    value = row.weft(wt.stats, x, *parameters).sum()
    return wt.function([x, *parameters], [value, *wt.grad(value, parameters)], mode=mode)


WORKLOADS = tuple([
    Workload(
        f"log-{name}",
        f"log-densities of 10^5 values and their derivatives: {name}",
        {
            "numba": partial(by_hand, row),
            "jax": partial(by_jax, row),
            **by_mode(partial(by_weft, row), WEFT),
        },
        partial(data, row),
        bounds=(Bound("weft-numba", "numba", 1.2), Bound("weft-jax", "jax", 1.05)),
        quick=False,
    )
    for name, row in ROWS.items()
])  # fmt: skip
