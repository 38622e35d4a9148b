"""Segments of a graph, run one after another: by JAX, or by Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import FunctionGraph
from weft_graph.extend import Linked, Program, PythonLinker, Segment, chain
from weft_jax.compile.compile_stats import Compiles
from weft_jax.runtime.error_location import rescuer
from weft_jax.runtime.runtime_checks import Bounds

__all__ = ["chained"]


def chained(
    graph: FunctionGraph,
    segments: Sequence[Segment],
    link: Callable[[FunctionGraph], tuple[Callable[..., Any], Program]],
    bounds: Bounds,
) -> tuple[Callable[..., Any], Program]:
    """The function that runs `segments` one after another; `link` compiles those for JAX."""
    python = PythonLinker()
    parts: list[Compiles] = []
    linked: list[Linked] = []
    for segment in segments:
        program: Any
        if segment.by_python:
            function, program = python.link(segment.graph)
            parts.append(Compiles(python.name, len(segment.graph.nodes)))
        else:
            function, program = link(segment.graph)
            parts += program.segments
        linked.append(_linked(segment, function, program, bounds))
    whole: Any
    run, whole = chain(graph, segments, linked)
    whole.segments = tuple(parts)
    return run, whole


def _linked(segment: Segment, run: Callable[..., Any], program: Program, bounds: Bounds) -> Linked:
    def explain(error: Exception, *values: Any) -> None:
        PythonLinker().explain(error, program)

    rescue = explain if segment.by_python else rescuer(segment.graph, program, bounds)
    return Linked(run, lambda: program, [None] * len(segment.outputs), rescue)
