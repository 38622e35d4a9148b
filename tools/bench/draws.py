"""Workloads that draw random numbers; each library has numbers of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Drawn:
    """Numbers of one distribution, by each library's own function of a generator or a key."""

    title: str
    mean: float
    deviation: float
    numpy: Callable[[Any, int], Any]
    jax: Callable[[Any, Any, int], Any]
    weft: Callable[[Any, Any, int], Any]
    most_of_jax: float
    """Of the time of `jax.random`."""
    size: int = SIZE
    share: float = 1.0
    """What draws are multiplied by before they are compared."""


CLASSES = np.full(1000, 1e-3)
ROWS = {
    "gammas": Drawn(
        "gamma numbers of shape 2.5", 2.5, 1.6,
        lambda g, n: g.gamma(2.5, size=n),
        lambda r, k, n: r.gamma(k, 2.5, (n,), "float64"),
        lambda r, k, n: r.gamma(k, 2.5, size=n), 0.1,
    ),
    "betas": Drawn(
        "beta numbers of 2 and 3", 0.4, 0.2,
        lambda g, n: g.beta(2.0, 3.0, size=n),
        lambda r, k, n: r.beta(k, 2.0, 3.0, (n,), "float64"),
        lambda r, k, n: r.beta(k, 2.0, 3.0, size=n), 0.1,
    ),
    "poissons-4": Drawn(
        "Poisson numbers of mean 4", 4.0, 2.0,
        lambda g, n: g.poisson(4.0, size=n),
        lambda r, k, n: r.poisson(k, 4.0, (n,)),
        lambda r, k, n: r.poisson(k, 4.0, size=n), 1.1,
    ),
    "poissons-400": Drawn(
        "Poisson numbers of mean 400", 40.0, 2.0,
        lambda g, n: g.poisson(400.0, size=n),
        lambda r, k, n: r.poisson(k, 400.0, (n,)),
        lambda r, k, n: r.poisson(k, 400.0, size=n), 1.1, share=0.1,
    ),
    "binomials": Drawn(
        "binomial numbers of 100 and 0.3", 30.0, 4.6,
        lambda g, n: g.binomial(100, 0.3, size=n),
        lambda r, k, n: r.binomial(k, 100.0, 0.3, (n,), "float64"),
        lambda r, k, n: r.binomial(k, 100, 0.3, size=n), 1.1,
    ),
    "classes": Drawn(
        "of 1,000 classes", 0.5, 0.3,
        lambda g, n: g.choice(1000, n, p=CLASSES),
        lambda r, k, n: r.choice(k, 1000, (n,), p=CLASSES),
        lambda r, k, n: r.categorical(k, CLASSES, size=n), 1.2, size=100_000, share=1e-3,
    ),
}  # fmt: skip


def row_workload(name: str, row: Drawn) -> Workload:
    """Draws of one row by all libraries."""

    def scaled(call: Call) -> Prepared:
        return Prepared(call, lambda drawn: moments(row.share * np.asarray(drawn)))

    def numpy() -> Prepared:
        return scaled(lambda seed: row.numpy(np.random.default_rng(int(seed)), row.size))

    def jax() -> Prepared:
        import jax as lib

        return scaled(jitted(lambda seed: row.jax(lib.random, lib.random.key(seed), row.size)))

    def weft(mode: str) -> Prepared:
        import weft.tensor as wt

        seed = wt.lscalar("seed")
        drawn = row.weft(wt.random, wt.random.key(seed), row.size)
        return scaled(wt.function([seed], drawn, mode=mode))

    return Workload(
        name,
        f"{'10^6' if row.size == SIZE else '10^5'} {row.title}",
        {"numpy": numpy, "jax": jax, **by_mode(weft, WEFT)},
        lambda: (np.array(7),),
        expected=np.array([float(row.size), row.mean, row.deviation]),
        bounds=(
            Bound("weft-numba", "numpy", 1.2),
            Bound("weft-jax", "jax", row.most_of_jax),
        ),
        quick=False,
    )


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
    *[row_workload(name, row) for name, row in ROWS.items()],
)
