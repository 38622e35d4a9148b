"""Workloads that draw random numbers; each library has numbers of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import PYTENSOR, WEFT, Call, Prepared, Workload, by_mode, jitted

SIZE = 1_000_000


def moments(drawn: Any) -> Any:
    """The length, the mean and the standard deviation, roughly."""
    numbers = np.asarray(drawn)
    return np.round([numbers.size, numbers.mean(), numbers.std()], 1) + 0.0


def made(call: Call) -> Prepared:
    """Say what is compared: not the numbers, but their moments."""
    return Prepared(call, moments)


def with_numpy() -> Prepared:
    return made(lambda seed: np.random.default_rng(int(seed)).standard_normal(SIZE))


def with_numba() -> Prepared:
    import numba

    @numba.njit
    def machine(rng):  # type: ignore[no-untyped-def]  # for Numba
        return rng.standard_normal(SIZE)

    return made(lambda seed: machine(np.random.default_rng(int(seed))))


def with_jax() -> Prepared:
    import jax

    def normals(seed: Any) -> Any:
        return jax.random.normal(jax.random.key(seed), (SIZE,), "float64")

    return made(jitted(normals))


def with_weft(mode: str) -> Prepared:
    import weft.tensor as wt

    seed = wt.lscalar("seed")
    drawn = wt.random.normal(wt.random.key(seed), size=SIZE)
    return made(wt.function([seed], drawn, mode=mode))


def with_pytensor(mode: str) -> Prepared:
    import pytensor
    import pytensor.tensor as pt

    generator = pytensor.shared(np.random.default_rng(7))
    call = pytensor.function([], pt.random.normal(size=(SIZE,), rng=generator), mode=mode)
    return made(lambda _: np.asarray(call()))


WORKLOADS = (
    Workload(
        "normals",
        "10^6 normal random numbers",
        {
            "numpy": with_numpy,
            "numba": with_numba,
            "jax": with_jax,
            **by_mode(with_weft, WEFT),
            **by_mode(with_pytensor, PYTENSOR),
        },
        lambda: (np.array(7),),
        expected=np.array([float(SIZE), 0.0, 1.0]),
        bounds=(
            Bound("weft-numba", "numpy", 1.0),
            Bound("weft-numba", "pytensor-numba", 1.0),
            Bound("weft-numba", plus=0.06, figure="again"),
            Bound("weft-jax", "jax", 1.1),
            Bound("weft-jax", "jax", 1.1, figure="compile"),
        ),
        quick=False,
    ),
)
