"""Workloads on arrays: indexing and products of many small matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted


def matrices() -> tuple[Any, ...]:
    """Two stacks of 1,000 matrices."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(1000, 8, 8)), rng.normal(size=(1000, 8, 8))


def places() -> tuple[Any, ...]:
    """10^4 numbers, and 10^5 places in them with what is added there."""
    rng = np.random.default_rng(0)
    return rng.normal(size=10_000), rng.integers(10_000, size=100_000), rng.normal(size=100_000)


def matmul_numpy() -> Call:
    return np.matmul


def matmul_jax() -> Call:
    return jitted(lambda x, y: x @ y)


def matmul_numba() -> Call:
    import numba

    @numba.njit(fastmath=True, cache=True)
    def machine(x, y):  # type: ignore[no-untyped-def]
        result = np.zeros((x.shape[0], x.shape[1], y.shape[2]))
        for n in range(x.shape[0]):
            for i in range(x.shape[1]):
                for k in range(x.shape[2]):
                    for j in range(y.shape[2]):
                        result[n, i, j] += x[n, i, k] * y[n, k, j]
        return result

    return machine


def matmul_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, y = wt.dtensor3s("x y")
    return wt.function([x, y], x @ y, mode=mode)


def matmul_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x, y = pt.dtensor3("x"), pt.dtensor3("y")
    return compiled_pytensor([x, y], x @ y, mode)


def scatter_numpy() -> Call:
    def call(y: Any, at: Any, v: Any) -> Any:
        result = y.copy()
        np.add.at(result, at, v)
        return result

    return call


def scatter_jax() -> Call:
    return jitted(lambda y, at, v: y.at[at].add(v))


def scatter_numba() -> Call:
    import numba

    @numba.njit(cache=True)
    def machine(y, at, v):  # type: ignore[no-untyped-def]
        result = y.copy()
        for k in range(at.size):
            result[at[k]] += v[k]
        return result

    return machine


def scatter_weft(mode: str) -> Call:
    import weft.tensor as wt

    y, at, v = wt.dvector("y"), wt.lvector("at"), wt.dvector("v")
    return wt.function([y, at, v], y[at].inc(v), mode=mode)


def scatter_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    y, at, v = pt.dvector("y"), pt.lvector("at"), pt.dvector("v")
    return compiled_pytensor([y, at, v], y[at].inc(v), mode)


WORKLOADS = (
    Workload(
        "matmul",
        "matmul, (1000, 8, 8)",
        {
            "numpy": matmul_numpy,
            "numba": matmul_numba,
            "jax": matmul_jax,
            **by_mode(matmul_weft, WEFT),
            **by_mode(matmul_pytensor, PYTENSOR),
        },
        matrices,
        quick=False,
    ),
    Workload(
        "scatter",
        "y[at] += v, 10^5 into 10^4",
        {
            "numpy": scatter_numpy,
            "numba": scatter_numba,
            "jax": scatter_jax,
            **by_mode(scatter_weft, WEFT),
            **by_mode(scatter_pytensor, PYTENSOR),
        },
        places,
        quick=False,
    ),
)
