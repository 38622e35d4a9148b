"""Workloads on graphs themselves: building, differentiating, rewriting."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tools.bench.workload import Prepared, Workload

STEPS = 1000


def chain(x: Any, tanh: Any, steps: int) -> Any:
    """`y = tanh(y * 1.01 + 0.5)`, so many times: three nodes a step."""
    for _ in range(steps):
        x = tanh(x * 1.01 + 0.5)
    return x


def traced(steps: int) -> Any:
    """The chain as JAX traces it; a new function each time, because JAX remembers them."""
    import jax
    import jax.numpy as jnp

    return jax.make_jaxpr(lambda x: chain(x, jnp.tanh, steps))(0.5)


def build_weft() -> Prepared:
    import weft.tensor as wt

    return Prepared(
        lambda: chain(wt.dscalar("x"), wt.tanh, STEPS),
        lambda y: len(wt.FunctionGraph(outputs=[y])),
    )


def build_pytensor() -> Prepared:
    import pytensor.tensor as pt
    from pytensor.graph.traversal import applys_between

    return Prepared(
        lambda: chain(pt.dscalar("x"), pt.tanh, STEPS),
        lambda y: sum(1 for _ in applys_between([], [y])),
    )


def build_jax() -> Prepared:
    return Prepared(lambda: traced(STEPS), lambda made: len(made.eqns))


def gradient_weft() -> Callable[[], Any]:
    import weft.tensor as wt

    x = wt.dscalar("x")
    y = chain(x, wt.tanh, STEPS)
    return lambda: wt.grad(y, x)


def gradient_pytensor() -> Callable[[], Any]:
    import pytensor
    import pytensor.tensor as pt

    sys.setrecursionlimit(100_000)  # PyTensor's gradient recurses over the graph
    x = pt.dscalar("x")
    y = chain(x, pt.tanh, STEPS)
    return lambda: pytensor.grad(y, x)


def gradient_jax() -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    return lambda: jax.make_jaxpr(jax.grad(lambda x: chain(x, jnp.tanh, STEPS)))(0.5)


def rewrite_weft(steps: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import weft.tensor as wt

        x = wt.dscalar("x")
        y = chain(x, wt.tanh, steps)
        mode = wt.Mode("numba")

        def call() -> Any:
            graph = wt.rewrite_graph(wt.FunctionGraph([x], [y, wt.grad(y, x)]), mode.books)
            return wt.rewrite_graph(graph, mode.linker.books)

        return call

    return prepare


def rewrite_pytensor(steps: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import pytensor
        import pytensor.tensor as pt
        from pytensor.compile.mode import get_mode
        from pytensor.graph.fg import FunctionGraph

        x = pt.dscalar("x")
        y = chain(x, pt.tanh, steps)
        sys.setrecursionlimit(100_000)
        rewriter = get_mode("NUMBA").optimizer

        def call() -> Any:
            return rewriter.rewrite(FunctionGraph([x], [y, pytensor.grad(y, x)]))

        return call

    return prepare


def compile_jax(steps: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import jax
        import jax.numpy as jnp

        return lambda: (
            jax.jit(jax.value_and_grad(lambda x: chain(x, jnp.tanh, steps))).lower(0.5).compile()
        )

    return prepare


WORKLOADS = (
    Workload(
        "build",
        "y = tanh(y * 1.01 + 0.5), 1,000 times, rank 0",
        {"weft": build_weft, "pytensor": build_pytensor, "jax": build_jax},
        expected=3 * STEPS,
        units=3 * STEPS,
        group="graphs",
    ),
    Workload(
        "gradient",
        "the gradient of 1,000 such steps (JAX: with tracing them)",
        {"weft": gradient_weft, "pytensor": gradient_pytensor, "jax": gradient_jax},
        units=3 * STEPS,
        group="graphs",
    ),
    *(
        Workload(
            f"rewrite-{steps}",
            f"gradient and rewriting of {steps:,} such steps (JAX: tracing and XLA)",
            {
                "weft": rewrite_weft(steps),
                "pytensor": rewrite_pytensor(steps),
                "jax": compile_jax(steps),
            },
            units=3 * steps,
            quick=steps == 30,
            group="graphs",
        )
        for steps in (30, 300)
    ),
)
