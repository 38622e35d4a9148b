"""Workloads whose results are as long as the values of their inputs say: masks and ranges."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

LENGTHS = (100, 130, 170, 220, 290, 370, 480, 630)


def numbers() -> tuple[Any, ...]:
    """10^6 numbers, half of them negative."""
    return (np.random.default_rng(0).normal(size=1_000_000),)


def negative_numpy() -> Call:
    return lambda x: x[x < 0]


def negative_numba() -> Call:
    import numba

    @numba.njit(cache=True)
    def machine(x):  # type: ignore[no-untyped-def]  # for Numba
        # Writing always and stepping on by 0 or 1 is faster than a branch that is hard to foresee.
        result, count = np.empty(x.size), 0
        for k in range(x.size):
            result[count] = x[k]
            count += x[k] < 0
        return result[:count].copy()

    return machine


def negative_jax() -> Call:
    return lambda x: np.asarray(x)[np.asarray(jitted_mask()(x))]


def jitted_mask() -> Call:
    return jitted(lambda x: x < 0)


def negative_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    return wt.function([x], x[x < 0], mode=mode)


def negative_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dvector("x")
    return compiled_pytensor([x], x[x < 0], mode)


def sum_numpy() -> Call:
    return lambda x: x[x < 0].sum()


def sum_numba() -> Call:
    import numba

    @numba.njit(fastmath={"reassoc", "nsz"}, cache=True)
    def machine(x):  # type: ignore[no-untyped-def]  # for Numba
        result = 0.0
        for k in range(x.size):
            result += x[k] if x[k] < 0 else 0.0
        return result

    return lambda x: np.array(machine(x))


def sum_jax() -> Call:
    import jax.numpy as jnp

    # jax.jit refuses x[x < 0]; this is what its users write instead.
    return jitted(lambda x: jnp.sum(jnp.where(x < 0, x, 0.0)))


def sum_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    return wt.function([x], wt.sum(x[x < 0]), mode=mode)


def sum_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dvector("x")
    return compiled_pytensor([x], pt.sum(x[x < 0]), mode)


def range_numpy() -> Call:
    return lambda n: (np.arange(n) * 0.5).sum()


def range_numba() -> Call:
    import numba

    @numba.njit(fastmath={"reassoc", "nsz"}, cache=True)
    def machine(n):  # type: ignore[no-untyped-def]  # for Numba
        result = 0.0
        for k in range(n):
            result += k * 0.5
        return result

    return lambda n: np.array(machine(n[()]))


def range_jax() -> Call:
    import jax
    import jax.numpy as jnp

    # jax.jit refuses a length that is not static.
    compiled = jax.jit(lambda n: jnp.sum(jnp.arange(n) * 0.5), static_argnums=0)
    return lambda n: np.asarray(compiled(int(n)))


def range_weft(mode: str) -> Call:
    import weft.tensor as wt

    n = wt.lscalar("n")
    return wt.function([n], wt.sum(wt.arange(n) * 0.5), mode=mode)


def range_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    n = pt.lscalar("n")
    return compiled_pytensor([n], pt.sum(pt.arange(n) * 0.5), mode)


RANGE = {
    "numpy": range_numpy,
    "numba": range_numba,
    "jax": range_jax,
    **by_mode(range_weft, WEFT),
    **by_mode(range_pytensor, {"pytensor-numba": "NUMBA"}),
}


def in_turn(make: Any, *, counts: bool) -> Call:
    """Call a function with all lengths, twice: what a second round takes, and XLA's compiles."""
    function = make()
    compiles = [0]
    if counts:
        import jax

        def heard(event: str, duration_secs: float, **_: str | int) -> None:
            compiles[0] += event == "/jax/core/compile/backend_compile_duration"

        jax.monitoring.register_event_duration_secs_listener(heard)
    sizes = [np.array(n) for n in LENGTHS]
    right = [0.25 * n * (n - 1) for n in LENGTHS]
    for n, value in zip(sizes, right, strict=True):
        if function(n) != value:
            raise ValueError(f"the sum to {n} is {function(n)}, not {value}")
    compiles[0] = 0
    for n in sizes:
        function(n)
    second = compiles[0]

    def call() -> dict[str, float]:
        start = time.perf_counter()
        for n in sizes:
            function(n)
        taken = time.perf_counter() - start
        return {"µs per call": taken * 1e6 / len(sizes), "compiles on the second round": second}

    return call


WORKLOADS = (
    Workload(
        "masked-sum",
        "sum(x[x<0]), 10^6 (JAX: with where)",
        {
            "numpy": sum_numpy,
            "numba": sum_numba,
            "jax": sum_jax,
            **by_mode(sum_weft, WEFT),
            **by_mode(sum_pytensor, PYTENSOR),
        },
        numbers,
        bounds=(
            Bound("weft-numba", "numba", 1.3),
            Bound("weft-numba", "pytensor-numba", 1.0),
            Bound("weft-numba", plus=0.06, figure="again"),
            Bound("weft-jax", "numpy", 1 / 3),
            Bound("weft-jax", plus=600e-6),
        ),
        quick=False,
    ),
    Workload(
        "mask",
        "x[x<0], 10^6 (JAX: the mask, then NumPy)",
        {
            "numpy": negative_numpy,
            "numba": negative_numba,
            "jax": negative_jax,
            **by_mode(negative_weft, WEFT),
            **by_mode(negative_pytensor, {"pytensor-numba": "NUMBA"}),
        },
        numbers,
        bounds=(
            Bound("weft-numba", "numba", 1.3),
            Bound("weft-numba", "pytensor-numba", 1.0),
            Bound("weft-numba", plus=0.06, figure="again"),
        ),
        quick=False,
    ),
    Workload(
        "arange",
        "sum(arange(n) * 0.5), n = 1,000 an input (JAX: static)",
        RANGE,
        lambda: (np.array(1000),),
        bounds=(
            Bound("weft-numba", plus=3e-6),
            Bound("weft-numba", "numba", 1.0, plus=1e-6),
            Bound("weft-numba", "pytensor-numba", 1.0),
            Bound("weft-numba", plus=0.06, figure="again"),
        ),
    ),
    Workload(
        "sizes",
        "sum(arange(n) * 0.5), 8 lengths in turn, on the second round (JAX: static)",
        {peer: partial(in_turn, make, counts="jax" in peer) for peer, make in RANGE.items()},
        unit="of 8 calls",
        bounds=(Bound("weft-jax", figure="compiles on the second round"),),
        quick=False,
    ),
)
