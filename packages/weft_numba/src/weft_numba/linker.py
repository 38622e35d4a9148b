"""The Numba linker: one njit function per graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numba
import numpy as np

from weft_graph import Constant, FunctionGraph, Variable
from weft_graph.extend import (
    CompiledFunction,
    CompiledGraph,
    CompileRequest,
    Linker,
    Program,
    Reference,
    Timing,
    is_cut,
    node_note,
    overwritten,
)
from weft_numba.analysis.specialise import Narrowed, narrowed
from weft_numba.cache import disk_recall
from weft_numba.fusion.emit_program import written
from weft_numba.fusion.parameters import Groups, adapted, groups, names, signature
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit
from weft_numba.numba_layer.result_check import broken
from weft_numba.runtime.error_location import first_failing_node, raised_in
from weft_numba.runtime.finishers import finishers, how_to_finish
from weft_numba.runtime.memory_order import Arranged, order_of
from weft_numba.runtime.segments import (
    Parts,
    in_segments,
    opened,
    segments_of,
    timings,
    warn_of_python,
)
from weft_numba.runtime.step_clock import clocked, hold, measured, with_marks
from weft_tensor import TensorType

__all__ = ["NumbaLinker", "array_constants"]

_TO_USERS = 6
"""How many calls above `NumbaLinker._in_segments` users call `function`."""


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


class NumbaLinker(Linker):
    """Compiles a graph to machine code with Numba, and keeps it on disk.

    The code takes C-contiguous arrays; small ones that are none are copied when they are given,
    and large ones unless they are transposes of such. With
    `exact=True` all functions are the C library's own, one number at a time: often to the
    last digit right, where its functions of whole vectors may be 4 units in the last place
    off, and slower. With `parallel=True` long loops, and linear algebra with many matrices, are
    split over threads, NUMBA_NUM_THREADS at most; results do not depend on how many there are.
    With `nogil=True` other Python threads go on while the code runs.

    >>> import weft_tensor as wt
    >>> from weft_graph import Mode, function
    >>> x = wt.vector("x")
    >>> function([x], wt.exp(x), mode=Mode(NumbaLinker(exact=True)))([0.0, 1.0])
    array([1.        , 2.71828183])
    """

    name: ClassVar[str] = "numba"
    runs_branches: ClassVar[bool] = True

    def __init__(self, *, exact: bool = False, parallel: bool = False, nogil: bool = False) -> None:
        self.exact = exact
        self.parallel = parallel
        self.nogil = nogil

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `numba_funcify` gives, as a function that Numba has taken."""
        function: Any = numba_funcify(node.op, node=node, exact=self.exact, parallel=self.parallel)
        is_plain = isinstance(function, FunctionType)
        callee: Callable[..., Any] = njit(function) if is_plain else function
        own = [k for k in overwritten(node.op, len(node.inputs)) if _rank(node.inputs[k])]
        return _sparing(callee, len(node.inputs), own) if own else callee

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The compiled function, for whatever lengths, and the source it was compiled from."""
        whole = opened(graph)
        segments = segments_of(whole)
        if is_cut(whole, segments):
            linked = in_segments(self, whole, segments, self._recalled_or_linked)
            return linked.run, linked.program
        build = self._built(graph, narrowed(graph, assume=False), assume=False)
        return build.run, build.program

    def recall(self, request: CompileRequest) -> CompiledGraph | None:
        """What was kept on disk of the same request: nothing is rewritten or compiled."""
        entry = disk_recall.recall(self, request)
        if entry is None:
            return None
        if isinstance(entry, FunctionGraph):
            return self._in_segments(entry)
        linked = CompiledGraph(
            _bound(entry.call, entry.constants, request.written.inputs),
            lambda: self._usual_program(request.graph),
            finishers(request.written, entry.finish),
            _rescue(request, None),
            entry.conditions,
            self._others(request),
        )
        return self._with_arranged(request, linked)

    def linked(self, request: CompileRequest) -> CompiledGraph:
        """The rewritten graph as machine code, kept on disk if other processes can use it.

        The code is for the usual calls; for others it is compiled when they come. A graph with
        Ops that have no machine code is linked in segments.
        """
        whole = opened(request.graph)
        if is_cut(whole, segments_of(whole)):
            return self._in_segments(disk_recall.remember_graph(self, request, whole))
        return self._linked_whole(request)

    def _in_segments(self, graph: FunctionGraph) -> CompiledGraph:
        segments = segments_of(graph)
        warn_of_python(segments, _TO_USERS)
        return in_segments(self, graph, segments, self._recalled_or_linked)

    def _recalled_or_linked(self, request: CompileRequest) -> CompiledGraph:
        return self.recall(request) or self._linked_whole(request)

    def _linked_whole(self, request: CompileRequest) -> CompiledGraph:
        usual = narrowed(request.graph, assume=True)
        build = self._built(request.graph, usual, assume=True)
        finish = how_to_finish(request.graph, usual.graph)
        if build.compiled is not None:
            bundles = build.arguments, build.results
            parts = build.compiled, *bundles, build.constants, finish, usual.conditions
            disk_recall.remember(self, request, *parts)
        linked = CompiledGraph(
            build.run,
            lambda: build.program,
            finishers(request.graph, finish),
            _rescue(request, build.program),
            usual.conditions,
            self._others(request),
        )
        return self._with_arranged(request, linked)

    def _with_arranged(self, request: CompileRequest, linked: CompiledGraph) -> CompiledGraph:
        """`linked` with what takes arrays as they lie in memory, if there could be any."""
        if any(_rank(v) > 1 for v in request.written.inputs):
            linked.arranged = Arranged(lambda: request.graph, linked, self._recalled_or_linked)
        return linked

    def _others(self, request: CompileRequest) -> Callable[..., Any]:
        """The function for calls that are not usual, compiled when the first one comes."""
        linked = cache(lambda: self.link(request.graph)[0])
        return lambda *values: linked()(*values)

    def offers(self, function: CompiledFunction) -> Parts:
        """Who runs which part of a function."""
        return Parts(function)

    def timings(self, graph: FunctionGraph, values: Sequence[Any], repeat: int) -> list[Timing]:
        """Seconds per step, taken by a build of the graph that looks at a clock."""
        whole = opened(graph)
        if is_cut(whole, segments_of(whole)):
            return timings(self, whole, values, repeat, self._recalled_or_linked)
        marked = with_marks(graph)
        usual = narrowed(marked, assume=True)
        assume = hold(usual.conditions, values)
        used = usual if assume else narrowed(marked, assume=False)
        build = self._built(marked, used, assume=assume, clock=True)
        return measured(build.run, build.program, values, repeat)

    def guard(self, variable: Variable, name: str, namespace: dict[str, Any]) -> str:
        """The type's own, and for arrays: C-contiguous and aligned. NumPy's numbers pass, too."""
        kind, guard = variable.type, super().guard(variable, name, namespace)
        if not isinstance(kind, TensorType):
            return guard
        if kind.ndim:
            return f"{guard} and {name}.flags.carray"
        namespace[f"_number_{kind.dtype}"] = kind.numpy_dtype.type
        return f"{guard} or type({name}) is _number_{kind.dtype}"

    def filter(self, variable: Variable, value: Any) -> Any:
        """`value` as an array that is C-contiguous and aligned."""
        filtered = super().filter(variable, value)
        return _contiguous(filtered) if _rank(variable) else filtered

    def admit(self, variable: Variable, value: Any) -> Any:
        """`value` as an array; large ones may lie in memory in another order than C's."""
        filtered = super().filter(variable, value)
        return filtered if order_of(filtered) else _contiguous(filtered)

    def arranges(self, variable: Variable, name: str) -> str:
        """Matrices, and arrays of more axes, may come in another order."""
        return f"not {name}.flags.c_contiguous" if _rank(variable) > 1 else ""

    def _built(
        self, graph: FunctionGraph, usual: Narrowed, *, assume: bool, clock: bool = False
    ) -> _Built:
        constants = array_constants(usual.graph)
        parameters = [*constants, *graph.inputs]
        arguments, results = groups(parameters), groups(usual.graph.outputs)
        program = self.program(usual, constants, arguments, results, assume=assume)
        if clock:
            program = clocked(program, names(arguments)[-1])
        machine = njit(program.load(), nogil=self.nogil)
        if all(isinstance(v.type, TensorType) for v in parameters):
            compiled = _compiled(machine, parameters, program)
            call = adapted(compiled.entry_point, arguments, results)
        else:
            numbers = [isinstance(v.type, TensorType) and not v.type.ndim for v in parameters]
            compiled = None
            call = _of_scalars(adapted(machine, arguments, results), numbers)
        values = [v.op.value for v in constants if isinstance(v.op, Constant)]
        run = _bound(call, values, graph.inputs)
        return _Built(run, program, constants, arguments, results, compiled)

    def _usual_program(self, graph: FunctionGraph) -> Program:
        usual = narrowed(graph, assume=True)
        constants = array_constants(usual.graph)
        arguments = groups([*constants, *graph.inputs])
        return self.program(usual, constants, arguments, groups(usual.graph.outputs), assume=True)

    def program(
        self,
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
            self.funcify,
            arguments,
            results,
            exact=self.exact,
            parallel=self.parallel,
            assume=assume,
        )


def _sparing(function: Callable[..., Any], count: int, own: Sequence[int]) -> Callable[..., Any]:
    """`function`, which gets copies of the arrays in the positions `own`, since it changes them."""
    names = [f"x{k}" for k in range(count)]
    passed = [f"{x}.copy()" if k in own else x for k, x in enumerate(names)]
    source = f"def lowered({', '.join(names)}):\n    return function({', '.join(passed)})\n"
    wrapper: Callable[..., Any] = compiled(source, function=function)
    return wrapper


def _rank(variable: Variable) -> int:
    return variable.type.ndim if isinstance(variable.type, TensorType) else 0


def _contiguous(value: Any) -> Any:
    return np.require(value, requirements=("C", "A"))


def array_constants(graph: FunctionGraph) -> list[Variable]:
    """Constants that are passed as arguments, so that they are no part of the machine code."""
    inputs = set(graph.inputs)
    return [v for v in graph.order if isinstance(v.op, Constant) and v not in inputs and _rank(v)]


def _bound(
    call: Callable[..., Any], constants: Sequence[Any], inputs: Sequence[Variable]
) -> Callable[..., Any]:
    """`call` with its first arguments, the values of constants, as a function of arrays.

    Numba takes arrays of rank 0 for numbers, but for complex ones.
    """
    arrays = [np.require(value, requirements=("C", "A")) for value in constants]
    bound = partial(call, *arrays) if arrays else call
    complexes = [_rank(v) == 0 and str(v.type).startswith("complex") for v in inputs]
    return _of_scalars(bound, complexes) if any(complexes) else bound


def _of_scalars(call: Callable[..., Any], which: Sequence[bool]) -> Callable[..., Any]:
    """`call` with scalars in the place of some arrays of rank 0."""

    def converted(*values: Any) -> Any:
        return call(*[v[()] if s else v for v, s in zip(values, which, strict=True)])

    return converted


def _compiled(machine: Any, parameters: Sequence[Variable], program: Program) -> Any:
    kinds = signature(parameters)
    try:
        machine.compile(kinds)
    except Exception as error:
        if failure := broken(error):
            raise failure from None
        better = first_failing_node(program, "C")
        if better is None:
            raise
        raise better from better.__cause__ or error
    return machine.overloads[kinds]


def _rescue(request: CompileRequest, program: Program | None) -> Callable[..., None]:
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
