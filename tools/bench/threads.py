"""What a second thread gains, on a loop that computes more than it reads."""

from __future__ import annotations

import time
from typing import Any

from tools.bench.bounds import Bound
from tools.bench.fused import data, total
from tools.bench.workload import Call, Workload


def two_threads() -> Call:
    """Time a function with and without `parallel=True`, in turns: a ratio of wall times."""
    import weft.tensor as wt
    from weft_numba import NumbaLinker

    x, mu, s = wt.dvector("x"), wt.dscalar("mu"), wt.dscalar("s")
    functions = [
        wt.function([x, mu, s], total(wt, x, mu, s), mode=wt.Mode(NumbaLinker(parallel=parallel)))
        for parallel in (False, True)
    ]

    def call(*values: Any) -> dict[str, float]:
        taken = []
        for function in functions:
            start = time.perf_counter()
            function(*values)
            taken.append(time.perf_counter() - start)
        one, two = taken
        return {"one thread, ms": one * 1e3, "two threads, ms": two * 1e3, "two / one": two / one}

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
)
