"""Workloads on single numbers: what a call costs beside the computation."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted


def numbers(count: int) -> Callable[[], tuple[Any, ...]]:
    """Return a function that gives `count` arrays of rank 0."""
    return lambda: tuple(np.array(0.1 + 0.2 * k) for k in range(count))


def product_numpy() -> Call:
    return lambda x, y: x * y + np.sin(x)


def product_numba() -> Call:
    import numba

    machine = numba.njit(lambda x, y: x * y + math.sin(x))
    array = np.array
    return lambda x, y: array(machine(x[()], y[()]))


def product_jax() -> Call:
    import jax.numpy as jnp

    return jitted(lambda x, y: x * y + jnp.sin(x))


def product_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, y = wt.dscalars("x y")
    return wt.function([x, y], x * y + wt.sin(x), mode=mode)


def product_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x, y = pt.dscalars("x", "y")
    return compiled_pytensor([x, y], x * y + pt.sin(x), mode)


def five(x: Any, sin: Any) -> tuple[Any, ...]:
    """The five results of ten numbers, in anybody's arithmetic."""
    return tuple(x[k] * x[k + 5] + sin(x[k]) for k in range(5))


def five_numpy() -> Call:
    return lambda *x: five(x, np.sin)


def five_numba() -> Call:
    import numba

    @numba.njit
    def machine(a, b, c, d, e, f, g, h, i, j):  # type: ignore[no-untyped-def]  # for Numba
        s = math.sin
        return a * f + s(a), b * g + s(b), c * h + s(c), d * i + s(d), e * j + s(e)

    def call(*x: Any) -> list[Any]:
        return list(map(np.array, machine(*[v[()] for v in x])))

    return call


def five_jax() -> Call:
    import jax.numpy as jnp

    return jitted(lambda *x: five(x, jnp.sin))


def five_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dscalars("a b c d e f g h i j")
    return wt.function(x, five(x, wt.sin), mode=mode)


def five_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dscalars(*"abcdefghij")
    return compiled_pytensor(x, list(five(x, pt.sin)), mode)


def sum_numpy() -> Call:
    return np.add


def sum_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, y = wt.dscalars("x y")
    return wt.function([x, y], x + y, mode=mode)


def sum_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x, y = pt.dscalars("x", "y")
    return compiled_pytensor([x, y], x + y, mode)


def ten_numpy() -> Call:
    add = np.add

    def call(a, b, c, d, e, f, g, h, i, j):  # type: ignore[no-untyped-def]  # for Numba
        left = add(add(add(add(a, b), c), d), e)
        return add(add(add(add(add(left, f), g), h), i), j)

    return call


def ten_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dscalars("a b c d e f g h i j")
    return wt.function(x, reduce(add, x), mode=mode)


def ten_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dscalars(*"abcdefghij")
    return compiled_pytensor(x, reduce(add, x), mode)


SMALL = (
    Bound("weft-numba", "numba", 1.0, plus=1e-6),
    Bound("weft-numba", "pytensor-numba", 1.0),
    Bound("weft-numba", plus=0.06, figure="again"),
    Bound("weft-jax", "pytensor-jax", 1 / 1.4),
    Bound("weft-jax", "jax", 1.1, figure="compile"),
)
WORKLOADS = (
    Workload(
        "addition",
        "x + y, rank 0 (NumPy: add itself)",
        {
            "numpy": sum_numpy,
            **by_mode(sum_weft, WEFT),
            **by_mode(sum_pytensor, PYTENSOR),
        },
        numbers(2),
    ),
    Workload(
        "ten",
        "the sum of 10 inputs of rank 0 (NumPy: add itself)",
        {
            "numpy": ten_numpy,
            **by_mode(ten_weft, WEFT),
            **by_mode(ten_pytensor, PYTENSOR),
        },
        numbers(10),
    ),
    Workload(
        "scalar",
        "x*y + sin(x), rank 0",
        {
            "numpy": product_numpy,
            "numba": product_numba,
            "jax": product_jax,
            **by_mode(product_weft, WEFT),
            **by_mode(product_pytensor, PYTENSOR),
        },
        numbers(2),
        bounds=(Bound("weft-numba", plus=2.5e-6), Bound("weft-jax", "jax", 1.0), *SMALL),
    ),
    Workload(
        "scalars",
        "10 inputs and 5 outputs of rank 0",
        {
            "numpy": five_numpy,
            "numba": five_numba,
            "jax": five_jax,
            **by_mode(five_weft, WEFT),
            **by_mode(five_pytensor, PYTENSOR),
        },
        numbers(10),
        bounds=(Bound("weft-numba", plus=7e-6), Bound("weft-jax", "jax", 0.7), *SMALL),
    ),
)
