"""Workloads on arrays: indexing and products of many small matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.bench.bounds import Bound, usual
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted


def matrices() -> tuple[Any, ...]:
    """Two stacks of 1,000 matrices."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(1000, 8, 8)), rng.normal(size=(1000, 8, 8))


def systems() -> tuple[Any, ...]:
    """1,000 matrices, and a column for each."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(1000, 8, 8)) + 4.0 * np.eye(8), rng.normal(size=(1000, 8, 1))


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
    def machine(x, y):  # type: ignore[no-untyped-def]  # for Numba
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


def solve_numpy() -> Call:
    return np.linalg.solve


def solve_jax() -> Call:
    import jax.numpy as jnp

    return jitted(jnp.linalg.solve)


def solve_numba() -> Call:
    import numba

    @numba.njit(fastmath=True, cache=True)
    def machine(matrices, columns):  # type: ignore[no-untyped-def]  # for Numba
        count, n, m = columns.shape
        result, lu = columns.copy(), np.empty((n, n))
        for s in range(count):
            x = result[s]
            lu[:] = matrices[s]
            for k in range(n):
                best = k
                for i in range(k + 1, n):
                    if abs(lu[i, k]) > abs(lu[best, k]):
                        best = i
                if lu[best, k] == 0.0:
                    raise np.linalg.LinAlgError("a matrix is singular")
                if best != k:
                    for j in range(k, n):
                        lu[k, j], lu[best, j] = lu[best, j], lu[k, j]
                    for j in range(m):
                        x[k, j], x[best, j] = x[best, j], x[k, j]
                inverse = 1.0 / lu[k, k]
                for i in range(k + 1, n):
                    factor = lu[i, k] * inverse
                    for j in range(k + 1, n):
                        lu[i, j] -= factor * lu[k, j]
                    for j in range(m):
                        x[i, j] -= factor * x[k, j]
            for k in range(n - 1, -1, -1):
                inverse = 1.0 / lu[k, k]
                for j in range(m):
                    x[k, j] *= inverse
                for i in range(k):
                    for j in range(m):
                        x[i, j] -= lu[i, k] * x[k, j]
        return result

    return machine


def solve_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, y = wt.dtensor3s("x y")
    return wt.function([x, y], wt.linalg.solve(x, y), mode=mode)


def solve_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x, y = pt.dtensor3("x"), pt.dtensor3("y")
    return compiled_pytensor([x, y], pt.linalg.solve(x, y), mode)


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
    def machine(y, at, v):  # type: ignore[no-untyped-def]  # for Numba
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
        bounds=(Bound("weft-numba", "numpy", 0.94), *usual()),
        quick=False,
    ),
    Workload(
        "solve",
        "solve, (1000, 8, 8) and a column each",
        {
            "numpy": solve_numpy,
            "numba": solve_numba,
            "jax": solve_jax,
            **by_mode(solve_weft, WEFT),
            **by_mode(solve_pytensor, PYTENSOR),
        },
        systems,
        bounds=usual(numba=1.2, cold=0.1),
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
        bounds=usual(numba=1.2),
        quick=False,
    ),
)
