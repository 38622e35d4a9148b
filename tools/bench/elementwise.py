"""Workloads that pass over vectors and write vectors: memory, vector math, small calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tools.bench.bounds import Bound, usual
from tools.bench.fused import FAST
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted


def vectors(size: int) -> Callable[[], tuple[Any, ...]]:
    """Return a function that gives two vectors and a number."""

    def drawn() -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        return rng.normal(size=size), rng.normal(size=size), np.array(1.5)

    return drawn


def positive() -> tuple[Any, ...]:
    """10^5 positive numbers."""
    return (np.random.default_rng(0).uniform(0.1, 2.0, size=100_000),)


def triad_numpy() -> Call:
    return lambda a, b, s: a + s * b


def triad_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(a, b, s):  # type: ignore[no-untyped-def]  # for Numba
        result = np.empty_like(a)
        for k in range(a.size):
            result[k] = a[k] + s * b[k]
        return result

    return lambda a, b, s: machine(a, b, s[()])


def triad_jax() -> Call:
    return jitted(lambda a, b, s: a + s * b)


def triad_weft(mode: str) -> Call:
    import weft.tensor as wt

    a, b, s = wt.dvector("a"), wt.dvector("b"), wt.dscalar("s")
    return wt.function([a, b, s], a + s * b, mode=mode)


def triad_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    a, b, s = pt.dvector("a"), pt.dvector("b"), pt.dscalar("s")
    return compiled_pytensor([a, b, s], a + s * b, mode)


def growth(m: Any, x: Any) -> Any:
    """A product of an exponential and a logarithm, by the functions of the module `m`."""
    return m.exp(x) * m.log1p(x)


def growth_numpy() -> Call:
    return lambda x: growth(np, x)


def growth_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(x):  # type: ignore[no-untyped-def]  # for Numba
        result = np.empty_like(x)
        for k in range(x.size):
            # LLVM knows a vector version of log, but none of log1p.
            result[k] = math.exp(x[k]) * math.log(1.0 + x[k])
        return result

    return machine


def growth_jax() -> Call:
    import jax.numpy as jnp

    return jitted(lambda x: growth(jnp, x))


def growth_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    return wt.function([x], growth(wt, x), mode=mode)


def growth_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dvector("x")
    return compiled_pytensor([x], growth(pt, x), mode)


TRIAD = {
    "numpy": triad_numpy,
    "numba": triad_numba,
    "jax": triad_jax,
    **by_mode(triad_weft, WEFT),
    **by_mode(triad_pytensor, PYTENSOR),
}
WORKLOADS = (
    Workload(
        "triad-1000000",
        "a + s*b, 10^6",
        TRIAD,
        vectors(1_000_000),
        bounds=usual(numba=1.15),
        quick=False,
    ),
    Workload(
        "triad-10000",
        "a + s*b, 10^4",
        TRIAD,
        vectors(10_000),
        bounds=usual(numba=1.15),
        quick=False,
    ),
    Workload(
        "vectors-10",
        "a + s*b, 10 numbers: what a call costs",
        TRIAD,
        vectors(10),
        bounds=(
            Bound("weft-numba", "numba", 1.0, plus=1e-6),
            Bound("weft-numba", "pytensor-numba", 1.0),
            Bound("weft-numba", plus=0.06, figure="again"),
            Bound("weft-jax", "jax", 1.0, plus=1e-6),
            Bound("weft-jax", "pytensor-jax", 1 / 1.4),
        ),
    ),
    Workload(
        "exp-log",
        "exp(x) log1p(x), 10^5",
        {
            "numpy": growth_numpy,
            "numba": growth_numba,
            "jax": growth_jax,
            **by_mode(growth_weft, WEFT),
            **by_mode(growth_pytensor, PYTENSOR),
        },
        positive,
        bounds=(*usual(), Bound("weft-numba", "jax", 0.8)),
    ),
)
