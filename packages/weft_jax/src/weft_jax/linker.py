"""The JAX linker: one `jax.jit` per graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import (
    Function,
    FunctionGraph,
    Linker,
    Print,
    Program,
    PythonLinker,
    Reference,
    RuleBook,
    Variable,
    load_source,
)
from weft_jax.checks import Flags, noting
from weft_jax.compiles import Compiles, Specialised
from weft_jax.dispatch import jax_funcify
from weft_jax.faults import better_error
from weft_jax.forbidding import Dynamic, check_lengths
from weft_jax.indexing import book
from weft_jax.inspecting import Inspection
from weft_jax.masks import lift_masks
from weft_jax.precision import enable_x64
from weft_jax.program import plain, program_of
from weft_jax.segments import chained, segments_of
from weft_jax.static import Plan, plan_for
from weft_tensor import TensorType

__all__ = ["JAXLinker"]


class JAXLinker(Linker):
    """Compiles a graph with `jax.jit`.

    64-bit dtypes stay what they are, whatever JAX's global setting. Results are awaited and
    come as NumPy arrays, which can't be written to where they are JAX's own memory.

    JAX must know all lengths when it compiles. `dynamic` says what they may depend on:
    "auto", on anything; "static", on shapes and on the values of integer scalars and vectors
    among the inputs; "error", on shapes alone. What is not allowed is a DynamicShapeError
    when the function is made.

    >>> import weft_tensor as wt
    >>> from weft_graph import Mode, function
    >>> n = wt.scalar("n", "int64")
    >>> f = function([n], wt.arange(n), mode=Mode(JAXLinker(dynamic="static")))
    >>> f(3), f.compile_stats.keys
    (array([0, 1, 2]), ((3,),))
    """

    name: ClassVar[str] = "jax"
    books: ClassVar[tuple[RuleBook, ...]] = (book,)
    dynamic: Dynamic = "auto"

    def __init__(self, *, dynamic: Dynamic = "auto") -> None:
        if dynamic not in ("auto", "static", "error"):
            raise ValueError(f"dynamic must be 'auto', 'static' or 'error', not {dynamic!r}")
        self.dynamic = dynamic

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `jax_funcify` gives."""
        return jax_funcify(node.op, node=node)

    def offers(self, function: Function) -> Inspection:
        """Texts, costs, export: see `Inspection`."""
        return Inspection(function)

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """What runs the segments of `graph`: a single one, as a rule."""
        graph = lift_masks(graph)
        segments = segments_of(graph) if self.dynamic == "auto" else []
        if len(segments) > 1 or any(s.by_python for s in segments):
            return chained(graph, segments, self.link_segment)
        return self.link_segment(graph)

    def link_segment(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The jitted function behind a host prologue, and the source that is traced."""
        plan = plan_for(graph)
        check_lengths(graph, plan, self.dynamic)
        compiles = Compiles(self.name, len(graph.nodes), plan.sizes)
        program = program_of(plan, self.funcify)
        traced = program.load()
        dtypes = [v.type.dtype if isinstance(v.type, TensorType) else None for v in graph.outputs]

        def checked(*values: Any) -> tuple[Any, ...]:
            with noting(program) as checks, compiles.tracing(values):
                results = traced(*values)
            outputs = tuple(
                r if dtype is None else jnp.asarray(r, dtype)
                for r, dtype in zip(results, dtypes, strict=True)
            )
            return (*outputs, Flags.of(checks)) if checks.conditions else outputs

        run: Any = _door(graph, plan, self.jit(checked, graph, plan), program)
        run.segments = (compiles,)
        return run, program

    def jit(
        self, function: Callable[..., Any], graph: FunctionGraph, plan: Plan
    ) -> Callable[..., Any]:
        """`function`, which takes the sizes of `plan`, then its arrays, compiled by JAX."""
        return Specialised(function, len(plan.sizes)) if plan.sizes else jax.jit(function)


def _door(
    graph: FunctionGraph, plan: Plan, jitted: Callable[..., Any], program: Program
) -> Callable[..., Any]:
    """The function that computes the sizes, calls, awaits the results and raises errors."""
    names = [f"x{k}" for k in range(len(graph.inputs))]
    namespace: dict[str, Any] = {
        "jitted": jitted,
        "asarray": np.asarray,
        "enable_x64": enable_x64,
        "plain": plain,
        "better": better_error(Reference(graph), program),
    }
    lines = [f"def run({', '.join(names)}):"]
    arguments = [names[k] for k in plan.arrays]
    if plan.sizes:
        host, host_program = PythonLinker().link(FunctionGraph(graph.inputs, plan.sizes))
        namespace |= {"host": host, "explain": PythonLinker().explain, "program": host_program}
        lines += [
            "    try:",
            f"        sizes = [plain(n) for n in host({', '.join(names)})]",
            "    except Exception as error:",
            "        explain(error, program)",
            "        raise",
        ]
        arguments.insert(0, "*sizes")
    results = [f"r{k}" for k in range(len(graph.outputs))]
    lines += [
        "    with enable_x64(True):",
        "        try:",
        f"            {''.join(r + ', ' for r in results)}*flags = jitted({', '.join(arguments)})",
        "        except Exception as error:",
        f"            fault = better({', '.join(['error', *names])})",
        "            if fault is error: raise",
        "            raise fault from error",
        f"        results = ({''.join(f'asarray({r}), ' for r in results)})",
    ]
    if any(isinstance(v.op, Print) for v in plan.graph.nodes):
        namespace["effects_barrier"] = jax.effects_barrier
        lines.append("    effects_barrier()")
    lines += [
        "    error = flags[0].first() if flags else None",
        "    if error: raise error",
        "    return results",
    ]
    return load_source("run", "\n".join(lines) + "\n", namespace)
