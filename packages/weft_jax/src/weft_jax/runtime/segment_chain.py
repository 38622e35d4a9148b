"""What runs of a graph: one segment, or several after another, by JAX and by Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import CheckAndRaise, FunctionGraph
from weft_graph.extend import CompiledGraph, Program, PythonLinker, Segment, chain
from weft_jax.compile.compile_stats import Compiles
from weft_jax.compile.tracing import Run
from weft_jax.lowering.on_host import on_host
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.error_location import error_translator
from weft_jax.runtime.runtime_checks import Bounds
from weft_tensor import Length, Pointwise
from weft_tensor.extend import kind_of

__all__ = ["Compiled", "chained"]


class Compiled(NamedTuple):
    """A graph that can be run."""

    run: Callable[..., tuple[Any, ...]]
    program: Program
    segments: tuple[Compiles, ...]
    is_chain: bool = False
    """Whether errors are translated, and results awaited, by each segment for itself."""
    keeps_state: bool = False
    """Whether all results are arrays of JAX."""


def chained(
    graph: FunctionGraph,
    segments: Sequence[Segment],
    compiled: Callable[[FunctionGraph], Compiled],
    bounds: Bounds,
) -> Compiled:
    """What runs `segments` one after another; `compiled` is for those that JAX runs."""
    python = PythonLinker()
    parts: list[Compiles] = []
    linked: list[CompiledGraph] = []
    for segment in segments:
        if segment.by_python:
            by_numpy, program = python.link(segment.graph)
            function = _with_arrays_of_jax(by_numpy)
            parts.append(Compiles(python.name, len(segment.graph.nodes)))
            translate = _explaining(program)
        else:
            function, program, compiles, *_ = compiled(segment.graph)
            if _are_comparisons(segment.graph):
                by_numpy, _ = python.link(segment.graph)
                function = _preferring(by_numpy, function)
            parts += compiles
            translate = error_translator(segment.graph, bounds)
        linked.append(_linked(segment, function, program, translate))
    run, whole = chain(graph, segments, linked)
    return Compiled(run, whole, tuple(parts), is_chain=True)


def _with_arrays_of_jax(function: Run) -> Run:
    """`function` of NumPy arrays, of others, too: JAX would compile each step for each shape."""

    def run(*values: object) -> Any:
        if not any(isinstance(value, jax.Array) for value in values):
            return function(*values)
        results = function(*map(on_host, values))
        with enable_x64(True):
            return tuple([jnp.asarray(r) if isinstance(r, np.ndarray) else r for r in results])

    return run


def _are_comparisons(graph: FunctionGraph) -> bool:
    """Whether NumPy finds these truth values before a call of XLA begins."""
    computed = [v for v in graph.nodes if not isinstance(v.op, (CheckAndRaise, Length))]
    return len(computed) <= _FEW and all(
        isinstance(kind_of(v), Pointwise) and getattr(v.type, "dtype", None) == "bool"
        for v in computed
    )


def _preferring(by_numpy: Run, by_jax: Run) -> Run:
    """`by_numpy` for arrays of NumPy, `by_jax` for others."""

    def run(*values: object) -> Any:
        are_here = all(type(value) is np.ndarray for value in values)
        return (by_numpy if are_here else by_jax)(*values)

    return run


_FEW = 4
"""So many comparisons of 100,000 numbers take NumPy 60 µs; JAX's takes 35, and what follows, which
finds nothing in caches, 40 more."""


def _explaining(program: Program) -> Callable[..., None]:
    def explain(error: Exception, *values: object) -> None:
        PythonLinker().explain(error, program)

    return explain


def _linked(
    segment: Segment, run: Run, program: Program, translate: Callable[..., None]
) -> CompiledGraph:
    return CompiledGraph(run, lambda: program, [None] * len(segment.outputs), translate)
