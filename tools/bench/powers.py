"""Workloads on whole powers: products, as one would write them by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.bench.bounds import Bound, usual
from tools.bench.fused import FAST
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted


def signed() -> tuple[Any, ...]:
    """10^6 numbers of either sign."""
    return (np.random.default_rng(0).normal(size=1_000_000),)


def integers() -> tuple[Any, ...]:
    """10^6 integers of either sign."""
    return (np.random.default_rng(0).integers(-1000, 1000, 1_000_000),)


def powers(x: Any) -> list[Any]:
    return [x**3, x**-2]


def powers_numpy() -> Call:
    return lambda x: [x * x * x, 1 / (x * x)]


def powers_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True, error_model="numpy")
    def machine(x):  # type: ignore[no-untyped-def]  # for Numba
        cubes, inverses = np.empty_like(x), np.empty_like(x)
        for k in range(x.size):
            square = x[k] * x[k]
            cubes[k], inverses[k] = square * x[k], 1 / square
        return cubes, inverses

    return lambda x: list(machine(x))


def powers_jax() -> Call:
    return jitted(lambda x: tuple(powers(x)))


def powers_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    return wt.function([x], powers(x), mode=mode)


def powers_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dvector("x")
    return compiled_pytensor([x], powers(x), mode)


def cubes_numpy() -> Call:
    return lambda a: a * a * a


def cubes_numba() -> Call:
    import numba

    @numba.njit(cache=True)
    def machine(a):  # type: ignore[no-untyped-def]  # for Numba
        result = np.empty_like(a)
        for k in range(a.size):
            result[k] = a[k] * a[k] * a[k]
        return result

    return machine


def cubes_jax() -> Call:
    return jitted(lambda a: a**3)


def cubes_weft(mode: str) -> Call:
    import weft.tensor as wt

    a = wt.lvector("a")
    return wt.function([a], a**3, mode=mode)


WORKLOADS = (
    Workload(
        "powers",
        "x**3 and x**-2, 10^6 numbers of either sign (by hand: products)",
        {
            "numpy": powers_numpy,
            "numba": powers_numba,
            "jax": powers_jax,
            **by_mode(powers_weft, WEFT),
            **by_mode(powers_pytensor, PYTENSOR),
        },
        signed,
        bounds=(Bound("weft-py", "numpy", 1.5), *usual(numba=1.2, jax=1.1)),
        quick=False,
    ),
    Workload(
        "integer-powers",
        "a**3, 10^6 integers (by hand: products)",
        {
            "numpy": cubes_numpy,
            "numba": cubes_numba,
            "jax": cubes_jax,
            **by_mode(cubes_weft, WEFT),
        },
        integers,
        bounds=(
            Bound("weft-numba", "numba", 1.2),
            Bound("weft-jax", "jax", 1.1),
            Bound("weft-jax", "jax", 1.1, figure="compile"),
        ),
        quick=False,
    ),
)
