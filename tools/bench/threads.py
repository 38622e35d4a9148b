"""What a second thread gains, of ours or of Python's, on loops that compute much."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tools.bench.bounds import Bound
from tools.bench.fused import data, total
from tools.bench.workload import Call, Workload

TURNS = 30
"""How often each way is tried in one call: the best counts, for others use the machine too."""


def best(ways: list[Call]) -> list[float]:
    """Return the shortest wall time of each way in milliseconds, tried in turns."""
    taken = [float("inf")] * len(ways)
    for _ in range(TURNS):
        for k, way in enumerate(ways):
            start = time.perf_counter()
            way()
            taken[k] = min(taken[k], (time.perf_counter() - start) * 1e3)
    return taken


def compiled(**options: bool) -> Call:
    """Return the fused sum, compiled by Numba with options of the linker."""
    import weft.tensor as wt
    from weft_numba import NumbaLinker

    x, mu, s = wt.dvector("x"), wt.dscalar("mu"), wt.dscalar("s")
    mode = wt.Mode(NumbaLinker(**options))
    return wt.function([x, mu, s], total(wt, x, mu, s), mode=mode)


def two_threads() -> Call:
    """Time a function with and without `parallel=True`: a ratio of wall times."""
    serial, parallel = compiled(), compiled(parallel=True)

    def call(*values: Any) -> dict[str, float]:
        one, two = best([lambda: serial(*values), lambda: parallel(*values)])
        return {"one thread, ms": one, "two threads, ms": two, "two / one": two / one}

    return call


def two_callers() -> Call:
    """Time two calls of a function with `nogil=True`, one after another and at once."""
    function = compiled(nogil=True)
    pool = ThreadPoolExecutor(2)

    def call(*values: Any) -> dict[str, float]:
        def in_turn() -> None:
            function(*values)
            function(*values)

        def at_once() -> None:
            list(pool.map(lambda _: function(*values), range(2)))

        one, two = best([in_turn, at_once])
        return {"in turn, ms": one, "at once, ms": two, "two / one": two / one}

    return call


WORKLOADS = (
    Workload(
        "threads",
        "the fused sum of 10^6 numbers on two threads; the machine must be idle",
        {"weft-numba": two_threads},
        data,
        unit="wall time",
        environment={"NUMBA_NUM_THREADS": "2"},
        bounds=(Bound("weft-numba", plus=1 / 1.7, figure="two / one"),),
        quick=False,
    ),
    Workload(
        "threads-nogil",
        "two Python threads that call one function with nogil=True; the machine must be idle",
        {"weft-numba": two_callers},
        data,
        unit="wall time",
        bounds=(Bound("weft-numba", plus=1 / 1.7, figure="two / one"),),
        quick=False,
    ),
)
