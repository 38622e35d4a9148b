"""Workloads on graphs of many arrays: what compiling them takes, and how it grows."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import WEFT, Workload

FEW, MANY = 100, 300
LINEAR = 2.0
"""How much more each of three times as many vectors may take; time by the square is three times."""


def parts(xs: list[Any]) -> Any:
    import weft.tensor as wt

    return wt.concatenate([xs[0] * float(k) for k, _ in enumerate(xs)])


def joined(name: str, xs: list[Any]) -> Any:
    import weft.tensor as wt

    return getattr(wt, name)(xs)


def updated(xs: list[Any]) -> Any:
    y = xs[0]
    for k, x in enumerate(xs):
        y = y[k % 3].set(x[0])
    return y


KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "concatenate": partial(joined, "concatenate"),
    "stack": partial(joined, "stack"),
    "concatenate parts": parts,
    "results": lambda xs: [x * 2.0 for x in xs],
    "sum": sum,
    "updates": updated,
}


def grown(mode: str) -> dict[str, float]:
    """Compile each kind of graph for few and many vectors: ms, and ms per vector compared."""
    found: dict[str, float] = {}
    for kind, make in KINDS.items():
        small, large = (compiled(make, mode, count) for count in (FEW, MANY))
        found[f"{kind}, {MANY}"] = large * 1e3
        found[f"{kind}: large / small"] = (large / MANY) / (small / FEW)
    return found


def compiled(make: Callable[[list[Any]], Any], mode: str, count: int) -> float:
    """Seconds until a function of so many vectors has its first result."""
    import weft.tensor as wt

    xs: list[Any] = [wt.dvector(f"x{k}") for k in range(count)]
    values = [np.arange(3.0) + k for k in range(count)]
    start = time.process_time()
    wt.function(xs, make(xs), mode=mode)(*values)
    return time.process_time() - start


def measured(mode: str) -> Callable[[], dict[str, float]]:
    compiled(sum, mode, 3)
    found = grown(mode)
    return lambda: found


WORKLOADS = (
    Workload(
        "many-vectors",
        f"compiling graphs of {FEW} and {MANY} vectors",
        {peer: partial(measured, mode) for peer, mode in WEFT.items()},
        unit="ms",
        group="graphs",
        bounds=(
            Bound("weft-numba", plus=2000, figure=f"concatenate, {MANY}"),
            Bound("weft-numba", plus=2000, figure=f"stack, {MANY}"),
            *(Bound("weft-numba", plus=LINEAR, figure=f"{kind}: large / small") for kind in KINDS),
            Bound("weft-jax", plus=LINEAR, figure="concatenate: large / small"),
        ),
        quick=False,
    ),
)
