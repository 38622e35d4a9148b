"""Workloads on what backends do before XLA and LLVM start, and on how it grows with graphs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from tools.bench.bounds import Bound
from tools.bench.graphs import chain
from tools.bench.workload import Workload

STEPS = 300
LINEAR = 1.5
"""How much more a step of a graph of ten times the size may take."""


def traced_weft(steps: int) -> Any:
    """The jaxpr of a chain and its gradient, from its expression."""
    import jax

    import weft.tensor as wt
    from weft_jax import as_jax

    x = wt.dscalar("x")
    y = chain(x, wt.tanh, steps)
    graph = wt.FunctionGraph([x], [y, wt.grad(y, x)])
    with jax.enable_x64():
        return jax.make_jaxpr(as_jax(wt.rewrite_graph(graph, wt.Mode("jax").books)))(0.5)


def trace_weft() -> Callable[[], Any]:
    return lambda: traced_weft(STEPS)


def trace_pytensor() -> Callable[[], Any]:
    import jax
    import pytensor
    import pytensor.tensor as pt
    from pytensor.compile.mode import get_mode
    from pytensor.graph.fg import FunctionGraph
    from pytensor.link.jax.dispatch import jax_funcify

    sys.setrecursionlimit(100_000)  # PyTensor's gradient recurses over the graph
    rewriter = get_mode("JAX").optimizer

    def call() -> Any:
        x = pt.dscalar("x")
        y = chain(x, pt.tanh, STEPS)
        graph = FunctionGraph([x], [y, pytensor.grad(y, x)])
        rewriter.rewrite(graph)
        return jax.make_jaxpr(jax_funcify(graph))(0.5)

    return call


def trace_jax() -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    return lambda: jax.make_jaxpr(jax.value_and_grad(lambda x: chain(x, jnp.tanh, STEPS)))(0.5)


def growth(run: Callable[[int], object], small: int, large: int) -> Callable[[], dict[str, float]]:
    """Time `run` once for two numbers of steps: µs per step, and how they compare."""
    run(3)
    taken = []
    for steps in (small, large):
        start = time.process_time()
        run(steps)
        taken.append((time.process_time() - start) * 1e6 / steps)
    of_small, of_large = taken
    found = {f"{small:,} steps": of_small, f"{large:,} steps": of_large}
    found["large / small"] = of_large / of_small
    return lambda: found


def compile_weft(steps: int) -> None:
    """Compile a chain of steps with its gradient, and call it."""
    import weft.tensor as wt

    x = wt.dvector("x")
    y = wt.sum(chain(x, wt.tanh, steps))
    wt.function([x], [y, wt.grad(y, x)], mode="numba")([0.5, 1.5])


WORKLOADS = (
    Workload(
        "trace",
        f"from {STEPS} steps with gradient to a jaxpr (JAX: tracing)",
        {"weft-jax": trace_weft, "pytensor-jax": trace_pytensor, "jax": trace_jax},
        units=3 * STEPS,
        group="graphs",
        bounds=(Bound("weft-jax", "pytensor-jax", 0.5),),
        quick=False,
    ),
    Workload(
        "trace-growth",
        "from a graph to a jaxpr, for a thousand nodes and ten thousand",
        {"weft-jax": lambda: growth(traced_weft, 340, 3_400)},
        unit="µs per step",
        group="graphs",
        bounds=(Bound("weft-jax", plus=LINEAR, figure="large / small"),),
        quick=False,
    ),
    Workload(
        "compile-growth",
        "compiling to machine code, for growing graphs",
        {"weft-numba": lambda: growth(compile_weft, 300, 3_000)},
        unit="µs per step",
        group="graphs",
        bounds=(Bound("weft-numba", plus=LINEAR, figure="large / small"),),
        quick=False,
    ),
)
