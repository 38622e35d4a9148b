"""Workloads on reductions of arrays that are one column, or lie in memory by columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import Call, Workload

REDUCTIONS = ("sum", "max", "mean", "prod", "any")
AXES = (None, 0, 1)


def column() -> tuple[Any, ...]:
    """10^6 numbers near 1, one below another."""
    return (1.0 + 1e-6 * np.random.default_rng(0).normal(size=(1_000_000, 1)),)


def by_columns() -> tuple[Any, ...]:
    """10^6 numbers near 1, in Fortran's order."""
    return (column()[0].reshape(1000, 1000).T,)


def reduced(m: Any, name: str, axis: int | None, x: Any) -> Any:
    """A reduction, by the functions of the module `m`."""
    return getattr(m, name)(x > 2 if name == "any" else x, axis=axis)


def one_after_another(functions: Sequence[Callable[[Any], Any]]) -> Call:
    """Each function by itself: one pass would do for several."""
    return lambda x: [f(x) for f in functions]


def by_numpy() -> Call:
    pairs = product(REDUCTIONS, AXES)
    return one_after_another([partial(reduced, np, name, axis) for name, axis in pairs])


def by_weft() -> Call:
    import weft.tensor as wt

    x = wt.dmatrix("x")
    outputs = [reduced(wt, name, axis, x) for name, axis in product(REDUCTIONS, AXES)]
    return one_after_another([wt.function([x], y, mode="numba") for y in outputs])


WORKLOADS = tuple(
    Workload(
        name,
        f"{', '.join(REDUCTIONS)}, along each axis and both, of {what}",
        {"numpy": by_numpy, "weft-numba": by_weft},
        data,
        bounds=(Bound("weft-numba", "numpy", 1.3),),
        quick=False,
    )
    for name, what, data in (
        ("column", "(10^6, 1) numbers", column),
        ("by-columns", "(1000, 1000) numbers in Fortran's order", by_columns),
    )
)
