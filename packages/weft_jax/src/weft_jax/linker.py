"""The JAX linker: one `jax.jit` per graph."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import (
    FunctionGraph,
    Linker,
    Print,
    Program,
    PythonLinker,
    Reference,
    RuleBook,
    Variable,
    load_source,
    py_funcify,
    transpile,
)
from weft_jax.checks import Flags, noting
from weft_jax.dispatch import jax_funcify
from weft_jax.faults import better_error
from weft_jax.indexing import book
from weft_jax.masks import lift_masks
from weft_jax.segments import chained, segments_of
from weft_jax.static import Plan, plan_for
from weft_tensor import Length, TensorType

__all__ = ["JAXLinker"]

enable_x64: Any = getattr(jax, "enable_x64", None)
if enable_x64 is None:  # older versions of JAX
    enable_x64 = import_module("jax.experimental").enable_x64


class JAXLinker(Linker):
    """Compiles a graph with `jax.jit`.

    64-bit dtypes stay what they are, whatever JAX's global setting. Results are awaited and
    come as NumPy arrays, which can't be written to where they are JAX's own memory.
    """

    name: ClassVar[str] = "jax"
    books: ClassVar[tuple[RuleBook, ...]] = (book,)

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `jax_funcify` gives."""
        return jax_funcify(node.op, node=node)

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """What runs the segments of `graph`: a single one, as a rule."""
        graph = lift_masks(graph)
        segments = segments_of(graph)
        if len(segments) == 1 and not segments[0].by_python:
            return self.link_segment(graph)
        return chained(graph, segments, self.link_segment)

    def link_segment(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The jitted function behind a host prologue, and the source that is traced."""
        plan = plan_for(graph)
        program = program_of(plan, self.funcify)
        traced = program.load()
        dtypes = [v.type.dtype if isinstance(v.type, TensorType) else None for v in graph.outputs]

        def checked(*values: Any) -> tuple[Any, ...]:
            with noting(program) as checks:
                results = traced(*values)
            outputs = tuple(
                r if dtype is None else jnp.asarray(r, dtype)
                for r, dtype in zip(results, dtypes, strict=True)
            )
            return (*outputs, Flags.of(checks)) if checks.conditions else outputs

        return _door(graph, plan, self.jit(checked, graph, plan), program), program

    def jit(
        self, function: Callable[..., Any], graph: FunctionGraph, plan: Plan
    ) -> Callable[..., Any]:
        """`function`, which takes the sizes of `plan`, then its arrays, compiled by JAX."""
        return jax.jit(function, static_argnums=tuple(range(len(plan.sizes))))


def program_of(plan: Plan, funcify: Callable[[Variable], Callable[..., Any]]) -> Program:
    """What JAX traces: the graph of `plan`, with its numbers computed by Python meanwhile."""

    def lowering(v: Variable) -> Callable[..., Any]:
        if isinstance(v.op, Length):
            axis = v.op.axis
            return lambda x: int(np.shape(x)[axis])
        is_number = v in plan.numbers and not isinstance(v.op, Print)
        return _by_python(v) if is_number else funcify(v)

    return transpile(plan.graph, lowering, reuse=False)


def _by_python(v: Variable) -> Callable[..., Any]:
    """The Python implementation of a node whose inputs are numbers, giving a number."""
    compute = py_funcify(v.op, node=v)

    def number(*values: Any) -> Any:
        return plain(compute(*map(np.asarray, values)))

    return number


def plain(value: Any) -> Any:
    """A Python number for a scalar; a hashable stand-in for an array."""
    array = np.asarray(value)
    return array.item() if not array.ndim else StaticArray(array)


class StaticArray:
    """An array as a static argument: equal for equal content."""

    __slots__ = ("array", "key")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.key = (array.dtype.str, array.shape, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArray) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype=dtype)


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
