"""A function of small matrices, mapped over many: densities by Cholesky, one after another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.fused import FAST
from tools.bench.threads import best
from tools.bench.workload import WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

COUNT, SIZE = 1000, 8


def data(count: int = COUNT, size: int = SIZE) -> tuple[Any, ...]:
    """Positive definite matrices, and vectors."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(count, size, size))
    return factors @ factors.transpose(0, 2, 1) + np.eye(size), rng.normal(size=(count, size))


def density(m: Any, lib: Any, matrix: Any, vector: Any) -> Any:
    """The log-density but for a constant; `lib` has a library's linear algebra."""
    root = lib.cholesky(matrix)
    z = lib.solve_triangular(root, vector, lower=True)
    return -0.5 * m.sum(z**2) - m.sum(m.log(m.diag(root)))


def with_numpy() -> Call:
    from scipy.linalg import solve_triangular

    lib = SimpleNamespace(cholesky=np.linalg.cholesky, solve_triangular=solve_triangular)

    def call(matrices: Any, vectors: Any) -> Any:
        pairs = zip(matrices, vectors, strict=True)
        return np.array([density(np, lib, matrix, vector) for matrix, vector in pairs])

    return call


def with_numba() -> Call:
    import math

    import numba

    @numba.njit(fastmath=FAST)
    def machine(matrices, vectors):  # type: ignore[no-untyped-def]  # for Numba
        result = np.empty(len(matrices))
        for k in range(len(matrices)):
            root, z = np.linalg.cholesky(matrices[k]), vectors[k].copy()
            squares = half = 0.0
            for i in range(len(z)):
                for j in range(i):
                    z[i] -= root[i, j] * z[j]
                z[i] /= root[i, i]
                squares += z[i] * z[i]
                half += math.log(root[i, i])
            result[k] = -0.5 * squares - half
        return result

    return machine


def with_jax() -> Call:
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    lib = SimpleNamespace(cholesky=jnp.linalg.cholesky, solve_triangular=solve_triangular)
    return jitted(lambda *pairs: jax.lax.map(lambda pair: density(jnp, lib, *pair), pairs))


def with_weft(mode: Any) -> Call:
    import weft.tensor as wt

    matrices, vectors = wt.dtensor3("matrices"), wt.dmatrix("vectors")
    densities = wt.map(lambda *pair: density(wt, wt.linalg, *pair), (matrices, vectors))
    return wt.function([matrices, vectors], densities, mode=mode)


def with_pytensor() -> Call:
    import pytensor
    import pytensor.tensor as pt

    matrices, vectors = pt.dtensor3("matrices"), pt.dmatrix("vectors")
    densities = pytensor.map(
        lambda *pair: density(pt, pt.linalg, *pair), [matrices, vectors], return_updates=False
    )
    return compiled_pytensor([matrices, vectors], densities, "NUMBA")


def two_threads() -> Call:
    """Time the map with and without `parallel=True`: a ratio of wall times."""
    import weft.tensor as wt
    from weft_numba import NumbaLinker

    serial = with_weft("numba")
    parallel = with_weft(wt.Mode(NumbaLinker(parallel=True)))

    def call(*values: Any) -> dict[str, float]:
        one, two = best([lambda: serial(*values), lambda: parallel(*values)])
        return {"one thread, ms": one, "two threads, ms": two, "two / one": two / one}

    return call


WORKLOADS = (
    Workload(
        "map",
        f"a normal density by Cholesky, mapped over {COUNT} matrices of {SIZE} rows",
        {
            "numpy": with_numpy,
            "numba": with_numba,
            "jax": with_jax,
            **by_mode(with_weft, WEFT),
            "pytensor-numba": with_pytensor,
        },
        data,
        bounds=(Bound("weft-numba", "numba", 1.2), Bound("weft-numba", "pytensor-numba", 1.0)),
    ),
    Workload(
        "map-threads",
        "the same for 200 matrices of 40 rows on two threads; the machine must be idle",
        {"weft-numba": two_threads},
        lambda: data(200, 40),  # for the smallest matrices, LAPACK makes threads wait
        unit="wall time",
        environment={"NUMBA_NUM_THREADS": "2"},
        bounds=(Bound("weft-numba", plus=1 / 1.7, figure="two / one"),),
        quick=False,
    ),
)
