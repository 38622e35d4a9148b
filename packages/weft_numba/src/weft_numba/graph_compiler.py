"""From a rewritten graph to machine code: what the linker does with what is not on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numba
import numpy as np

from weft_graph import Constant, FunctionGraph, Variable
from weft_graph.extend import (
    CompiledGraph,
    CompileRequest,
    Program,
    Reference,
    Timing,
    is_cut,
    node_note,
    without_collecting,
)
from weft_numba.analysis.specialise import Narrowed, narrowed
from weft_numba.disk import disk_recall
from weft_numba.fusion.emit_program import written
from weft_numba.fusion.parameters import Groups, adapted, groups, names, signature
from weft_numba.linker import NumbaLinker, bound, of_scalars, rank
from weft_numba.lowering.njit_source import njit
from weft_numba.numba_layer.result_check import broken
from weft_numba.runtime import segments as in_parts
from weft_numba.runtime.error_location import first_failing_node, raised_in
from weft_numba.runtime.finishers import How, finishers, how_to_finish
from weft_numba.runtime.memory_order import Arranged
from weft_numba.runtime.segments import Parts, in_segments, opened, segments_of, warn_of_python
from weft_numba.runtime.step_clock import clocked, hold, measured, with_marks
from weft_tensor import TensorType

__all__ = [
    "Parts",
    "arranged",
    "array_constants",
    "cut_graph",
    "link",
    "linked",
    "linked_for_others",
    "program",
    "rescue",
    "timings",
    "usual_program",
]


class _Built(NamedTuple):
    """A graph as machine code."""

    run: Callable[..., Any]
    """From what a door has checked to a tuple of arrays, and of Python numbers for rank 0."""
    program: Program
    constants: list[Variable]
    arguments: Groups
    results: Groups
    compiled: Any
    """What Numba says of it; None if it compiles when it is called."""


def link(linker: NumbaLinker, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
    """The compiled function, for whatever lengths, and the source it was compiled from."""
    whole = opened(graph)
    segments = segments_of(whole)
    if is_cut(whole, segments):
        cut = in_segments(linker, whole, segments, partial(_recalled_or_linked, linker))
        return cut.run, cut.program
    build = _for_whatever_lengths(linker, graph)
    return build.run, build.program


def linked(linker: NumbaLinker, request: CompileRequest) -> CompiledGraph:
    """The rewritten graph as machine code, kept on disk; in segments if some Ops have none."""
    whole = opened(request.graph)
    if is_cut(whole, segments_of(whole)):
        return cut_graph(linker, disk_recall.remember_graph(linker, request, whole), above=7)
    return _linked_whole(linker, request)


def cut_graph(linker: NumbaLinker, graph: FunctionGraph, *, above: int = 6) -> CompiledGraph:
    """A graph with Ops that have no machine code, in segments.

    Users call `function` so many calls `above`.
    """
    segments = segments_of(graph)
    warn_of_python(segments, above)
    return in_segments(linker, graph, segments, partial(_recalled_or_linked, linker))


def _recalled_or_linked(linker: NumbaLinker, request: CompileRequest) -> CompiledGraph:
    return linker.recall(request) or _linked_whole(linker, request)


def _linked_whole(linker: NumbaLinker, request: CompileRequest) -> CompiledGraph:
    usual = narrowed(request.graph, assume=True)
    build = _built(linker, request.graph, usual, assume=True)
    finish = how_to_finish(request.graph, usual.graph)
    _remember(disk_recall.key_of(linker, request), request, build, finish, usual.conditions)
    return linker.completed(
        request,
        build.run,
        lambda: build.program,
        finishers(request.graph, finish),
        rescue(request, build.program),
        usual.conditions,
    )


def linked_for_others(
    linker: NumbaLinker, request: CompileRequest, key: str | None
) -> Callable[..., Any]:
    """The code of `request` for calls that are not usual, kept on disk under `key`."""
    build = _for_whatever_lengths(linker, request.graph)
    _remember(key, request, build, (), ())
    return build.run


def _for_whatever_lengths(linker: NumbaLinker, graph: FunctionGraph) -> _Built:
    return _built(linker, graph, narrowed(graph, assume=False), assume=False)


def _remember(
    key: str | None,
    request: CompileRequest,
    build: _Built,
    finish: tuple[How, ...],
    conditions: tuple[str, ...],
) -> None:
    if build.compiled is not None:
        bundles = build.arguments, build.results
        parts = build.compiled, *bundles, build.constants, finish, conditions
        disk_recall.remember(key, request, *parts)


def arranged(linker: NumbaLinker, request: CompileRequest, linked: CompiledGraph) -> Arranged:
    """What takes arrays as they lie in memory."""
    return Arranged(lambda: request.graph, linked, partial(_recalled_or_linked, linker))


def timings(
    linker: NumbaLinker, graph: FunctionGraph, values: Sequence[Any], repeat: int
) -> list[Timing]:
    """Seconds per step, taken by a build of the graph that looks at a clock."""
    whole = opened(graph)
    if is_cut(whole, segments_of(whole)):
        return in_parts.timings(linker, whole, values, repeat, partial(_recalled_or_linked, linker))
    marked = with_marks(graph)
    usual = narrowed(marked, assume=True)
    assume = hold(usual.conditions, values)
    used = usual if assume else narrowed(marked, assume=False)
    build = _built(linker, marked, used, assume=assume, clock=True)
    return measured(build.run, build.program, values, repeat)


def _built(
    linker: NumbaLinker, graph: FunctionGraph, usual: Narrowed, *, assume: bool, clock: bool = False
) -> _Built:
    constants = array_constants(usual.graph)
    parameters = [*constants, *graph.inputs]
    arguments, results = groups(parameters), groups(usual.graph.outputs)
    own = program(linker, usual, constants, arguments, results, assume=assume)
    if clock:
        own = clocked(own, names(arguments)[-1])
    machine = njit(own.load(), nogil=linker.nogil)
    if all(isinstance(v.type, TensorType) for v in parameters):
        compiled = _compiled(machine, parameters, own)
        call = adapted(compiled.entry_point, arguments, results)
    else:
        numbers = [isinstance(v.type, TensorType) and not v.type.ndim for v in parameters]
        compiled = None
        call = of_scalars(adapted(machine, arguments, results), numbers)
    values = [v.op.value for v in constants if isinstance(v.op, Constant)]
    run = bound(call, values, graph.inputs)
    return _Built(run, own, constants, arguments, results, compiled)


def usual_program(linker: NumbaLinker, graph: FunctionGraph) -> Program:
    """The source of a rewritten graph, for the usual calls."""
    usual = narrowed(graph, assume=True)
    constants = array_constants(usual.graph)
    arguments = groups([*constants, *graph.inputs])
    return program(linker, usual, constants, arguments, groups(usual.graph.outputs), assume=True)


def program(
    linker: NumbaLinker,
    usual: Narrowed,
    constants: Sequence[Variable],
    arguments: Groups,
    results: Groups,
    *,
    assume: bool,
) -> Program:
    """The source of a graph, whose `constants` come before its inputs."""
    return written(
        FunctionGraph([*constants, *usual.graph.inputs], usual.graph.outputs),
        linker.funcify,
        arguments,
        results,
        exact=linker.exact,
        parallel=linker.parallel,
        assume=assume,
    )


def array_constants(graph: FunctionGraph) -> list[Variable]:
    """Constants that are passed as arguments, so that they are no part of the machine code."""
    inputs = set(graph.inputs)
    return [v for v in graph.order if isinstance(v.op, Constant) and v not in inputs and rank(v)]


def _compiled(machine: Any, parameters: Sequence[Variable], program: Program) -> Any:
    kinds = signature(parameters)
    try:
        with without_collecting():
            machine.compile(kinds)
    except Exception as error:
        if failure := broken(error):
            raise failure from None
        better = first_failing_node(program, "C")
        if better is None:
            raise
        raise better from better.__cause__ or error
    return machine.overloads[kinds]


def rescue(request: CompileRequest, program: Program | None) -> Callable[..., None]:
    """Raises what Python would raise; else adds a note, if it is clear where an error is from."""

    @cache
    def reference() -> Reference:
        return Reference(request.graph)

    def rescue(error: Exception, *values: Any) -> None:
        if failure := broken(error):
            raise failure from None
        if program is not None and isinstance(error, numba.core.errors.NumbaError):
            raise first_failing_node(program, "A") or error from error
        with np.errstate(all="ignore"):
            better = reference().better(error, *values)
        if better is not error:
            try:
                raise better from error
            finally:
                del better  # its traceback leads here: neither would die, nor the values
        if program is not None and not getattr(error, "__notes__", ()):
            node = raised_in(error, program)
            if node is not None:
                error.add_note(node_note(node))

    return rescue
