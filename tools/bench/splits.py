"""What a call takes longer if a graph runs in pieces, because JAX cannot compile the whole."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import Call, Workload

CALLS = 100


def pieces() -> Call:
    """Time a function with a square root of JAX's, and one with a root that runs in Python."""
    import weft.tensor as wt

    class ByPython(wt.TensorOp):
        """The square root, without code for JAX."""

        def infer(self, *types: Any) -> Any:
            return types[0]

        def impl(self, x: Any) -> Any:
            return np.sqrt(x)

    x = wt.dvector("x")
    whole, split = (
        wt.function([x], wt.exp(middle(wt.tanh(x))), mode="jax") for middle in (wt.sqrt, ByPython())
    )

    def microseconds(function: Any, value: Any) -> float:
        start = time.perf_counter()
        for _ in range(CALLS):
            function(value)
        return (time.perf_counter() - start) * 1e6 / CALLS

    def call(value: Any) -> dict[str, float]:
        one, many = microseconds(whole, value), microseconds(split, value)
        more = len(split.segments) - 1
        return {"whole": one, f"{more + 1} pieces": many, "per split": (many - one) / more}

    return call


WORKLOADS = (
    Workload(
        "split",
        "exp(sqrt(tanh(x))), 10 numbers, whole and in pieces",
        {"weft-jax": pieces},
        lambda: (np.linspace(0.1, 1.0, 10),),
        unit="µs",
        bounds=(Bound("weft-jax", plus=25.0, figure="per split"),),
        quick=False,
    ),
)
