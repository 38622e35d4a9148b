"""Workloads that fuse: sum(exp(-(x-mu)^2 / 2s^2) log1p(x^2)) of 10^6 numbers, and its gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tools.bench.bounds import Bound, usual
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

SIZE = 1_000_000
# What reorders a sum and keeps NaN and infinity right.
FAST = {"reassoc", "nsz", "arcp", "contract", "afn"}


def data() -> tuple[Any, ...]:
    """The numbers, mu and s."""
    return np.random.default_rng(0).normal(size=SIZE), np.array(0.3), np.array(1.2)


def total(m: Any, x: Any, mu: Any, s: Any) -> Any:
    """The sum, by the functions of the module `m`."""
    return m.sum(m.exp(-((x - mu) ** 2) / (2.0 * s**2)) * m.log1p(x**2))


def sum_numpy() -> Call:
    return lambda x, mu, s: total(np, x, mu, s)


def gradient_numpy() -> Call:
    def call(x: Any, mu: Any, s: Any) -> list[Any]:
        d = x - mu
        terms = np.exp(-(d**2) / (2.0 * s**2)) * np.log1p(x**2)
        by_mu = terms * d
        return [terms.sum(), by_mu.sum() / s**2, np.dot(by_mu, d) / s**3]

    return call


def sum_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(x, mu, s):  # type: ignore[no-untyped-def]  # for Numba
        result, scale = 0.0, -0.5 / (s * s)
        for k in range(x.size):
            d = x[k] - mu
            result += math.exp(d * d * scale) * math.log(1.0 + x[k] * x[k])
        return result

    return lambda x, mu, s: np.array(machine(x, mu[()], s[()]))


def gradient_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(x, mu, s):  # type: ignore[no-untyped-def]  # for Numba
        result, by_mu, by_s, scale = 0.0, 0.0, 0.0, -0.5 / (s * s)
        for k in range(x.size):
            d = x[k] - mu
            term = math.exp(d * d * scale) * math.log(1.0 + x[k] * x[k])
            result += term
            by_mu += term * d
            by_s += term * d * d
        return result, by_mu / s**2, by_s / s**3

    return lambda x, mu, s: list(map(np.array, machine(x, mu[()], s[()])))


def sum_jax() -> Call:
    import jax.numpy as jnp

    return jitted(lambda x, mu, s: total(jnp, x, mu, s))


def gradient_jax() -> Call:
    import jax
    import jax.numpy as jnp

    both = jax.value_and_grad(lambda x, mu, s: total(jnp, x, mu, s), argnums=(1, 2))

    def flat(x: Any, mu: Any, s: Any) -> tuple[Any, ...]:
        value, slopes = both(x, mu, s)
        return (value, *slopes)

    return jitted(flat)


def sum_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, mu, s = wt.dvector("x"), wt.dscalar("mu"), wt.dscalar("s")
    return wt.function([x, mu, s], total(wt, x, mu, s), mode=mode)


def gradient_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, mu, s = wt.dvector("x"), wt.dscalar("mu"), wt.dscalar("s")
    value = total(wt, x, mu, s)
    return wt.function([x, mu, s], [value, *wt.grad(value, [mu, s])], mode=mode)


def sum_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x, mu, s = pt.dvector("x"), pt.dscalar("mu"), pt.dscalar("s")
    return compiled_pytensor([x, mu, s], total(pt, x, mu, s), mode)


def gradient_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    x, mu, s = pt.dvector("x"), pt.dscalar("mu"), pt.dscalar("s")
    value = total(pt, x, mu, s)
    outputs = [value, *pytensor.grad(value, [mu, s])]
    return compiled_pytensor([x, mu, s], outputs, mode)


WORKLOADS = (
    Workload(
        "fused",
        "sum(exp(-(x-mu)^2 / 2s^2) log1p(x^2)), 10^6",
        {
            "numpy": sum_numpy,
            "numba": sum_numba,
            "jax": sum_jax,
            **by_mode(sum_weft, WEFT),
            **by_mode(sum_pytensor, PYTENSOR),
        },
        data,
        bounds=(*usual(numba=1.2), Bound("weft-numba", "jax", 0.8)),
        quick=False,
    ),
    Workload(
        "fused-gradient",
        "the fused sum and its gradient by mu and s, 10^6",
        {
            "numpy": gradient_numpy,
            "numba": gradient_numba,
            "jax": gradient_jax,
            **by_mode(gradient_weft, WEFT),
            **by_mode(gradient_pytensor, PYTENSOR),
        },
        data,
        bounds=(*usual(numba=1.3, cold=0.1), Bound("weft-numba", "jax", 0.8)),
    ),
)
