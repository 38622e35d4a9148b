"""Graphs with Ops that have no machine code: compiled segments, and Python in between."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple
from weakref import WeakSet

import numpy as np

from weft_graph import (
    Constant,
    FunctionGraph,
    Item,
    MissingLoweringError,
    Named,
    Op,
    OpFromGraph,
    PythonFallbackWarning,
    TupleType,
    Variable,
    inline,
    profile,
    py_funcify,
)
from weft_graph.extend import (
    Assumed,
    Branch,
    CompiledFunction,
    CompiledGraph,
    CompileRequest,
    Identity,
    Linker,
    PythonLinker,
    Segment,
    StopGradient,
    Timing,
    broken_promise,
    chain,
    cut,
    load_source,
    may_share,
    node_note,
    nodes_inside,
)
from weft_numba.analysis.access import fused_kind, is_collected, is_pointwise
from weft_numba.lowering.dispatch import BY_ROW, has_function
from weft_numba.runtime.step_clock import hold
from weft_tensor import TensorType, expanded

__all__ = [
    "Part",
    "Parts",
    "in_segments",
    "nodes_inside",
    "opened",
    "segments_of",
    "timings",
    "warn_of_python",
]

_PASSED_ON: Final = (Assumed, Named, StopGradient)


class Part(NamedTuple):
    """A part of a compiled function, for users who want to know."""

    by: str
    """"numba" or "py"."""
    nodes: int

    def __repr__(self) -> str:
        return f"<segment of {self.nodes} node{'s' * (self.nodes != 1)} by {self.by}>"


class Parts:
    """What is told of the parts of a compiled function."""

    def __init__(self, function: CompiledFunction) -> None:
        self._compiled = function

    @property
    def segments(self) -> tuple[Part, ...]:
        """The parts that run one after another, each compiled as a whole or by Python."""
        own_segments = segments_of(opened(self._compiled.graph))
        return tuple(
            [Part("py" if s.by_python else "numba", len(s.graph.nodes)) for s in own_segments]
        )


def opened(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with what Ops stand for in their place: their expansions where they have no machine
    code, and graphs in which Python has a part."""
    host = _Held()
    graph = inline(graph, lambda v: isinstance(v.op, OpFromGraph) and host.hosts(v.op))
    return expanded(graph, has_function)


def segments_of(graph: FunctionGraph) -> list[Segment]:
    """`graph`, which was `opened`, cut at what runs in Python; as few segments as can be.

    >>> import weft_tensor as wt
    >>> class Doubled(wt.TensorOp):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return 2 * x
    >>> x = wt.vector("x")
    >>> [s.by_python for s in segments_of(FunctionGraph([x], [wt.exp(Doubled()(wt.sin(x)))]))]
    [False, True, False]
    """
    host = _Held()
    stages: dict[Variable, int] = {}
    repeated: set[Variable] = set()
    for v in graph.nodes:
        before = [stages[i] for i in v.inputs if i in stages and i not in repeated]
        stage = max(before, default=0)
        passed_on = isinstance(v.op, _PASSED_ON) and isinstance(v.type, TensorType)
        if passed_on and not before:
            repeated.add(v)
        elif not passed_on and not isinstance(v.op, Item):
            stage += stage % 2 != host.is_pythons(v)
        stages[v] = stage
    if not any(stages.values()) and all(isinstance(v.type, TensorType) for v in _given(graph)):
        return [Segment(graph, False, graph.inputs, graph.outputs)]
    return cut(graph, stages, repeated)


def _given(graph: FunctionGraph) -> Iterator[Variable]:
    """The inputs, and the constants among the outputs: machine code need not pass them on."""
    yield from graph.inputs
    yield from (v for v in graph.outputs if isinstance(v.op, Constant))


class _Held:
    """Which nodes run in Python; what is known of Ops with graphs inside is kept."""

    def __init__(self) -> None:
        self._known: dict[Op, bool] = {}

    def is_pythons(self, v: Variable) -> bool:
        """Whether Python has an implementation of the Op of `v`, but there is no machine code."""
        if _has_code(v) and not self.hosts(v.op):
            return False
        try:
            py_funcify(v.op, node=v)
        except MissingLoweringError:
            return False
        return True

    def hosts(self, op: Op) -> bool:
        """Whether a graph that is part of `op` has nodes, or values, without machine code."""
        if op not in self._known:
            others = isinstance(op, OpFromGraph) and not all(
                isinstance(v.type, TensorType) for v in (*op.graph.inputs, *op.graph.outputs)
            )
            self._known[op] = others or any(not _has_code(v) for v in nodes_inside(op))
        return self._known[op]


def _has_code(v: Any) -> bool:
    if isinstance(v.op, Identity) and not isinstance(v.type, TensorType):
        return False
    kind = fused_kind(v)
    if isinstance(v.op, (Branch, Item)) or is_pointwise(v, kind) or is_collected(v, kind):
        return True
    if has_function(v.op):
        return type(v.op) not in BY_ROW
    inner = expanded(FunctionGraph(dict.fromkeys(v.inputs), [v]), has_function)
    return v not in inner.outputs and all(map(_has_code, inner.nodes))


def in_segments(
    linker: Linker,
    graph: FunctionGraph,
    segments: Iterable[Segment],
    link: Callable[[CompileRequest], CompiledGraph],
) -> CompiledGraph:
    """The `segments` of `graph` one after another; `link` compiles those without Python.

    What crosses is as a door lets it in: arrays, contiguous, of the types that Ops promise.
    """
    segments = list(segments)
    linked = [_linked(linker, segment, link) for segment in segments]
    run, program = chain(graph, segments, linked)
    finish = [
        v.type.copy if shared else None if isinstance(v.type, TensorType) else v.type.finish
        for v, shared in zip(graph.outputs, may_share(graph), strict=True)
    ]
    return CompiledGraph(run, lambda: program, finish, _nothing)


def _nothing(error: Exception, *values: Any) -> None:
    """Each segment has explained its own errors."""


def timings(
    linker: Linker,
    graph: FunctionGraph,
    values: Sequence[Any],
    repeat: int,
    link: Callable[[CompileRequest], CompiledGraph],
) -> list[Timing]:
    """How long the steps of all segments of `graph`, which was `opened`, take."""
    value_of: dict[Variable, Any] = dict(zip(graph.inputs, values, strict=True))
    times_of_steps: list[Timing] = []
    for segment in segments_of(graph):
        arguments = [value_of[v] for v in segment.inputs]
        times = profile(segment.graph, arguments, repeat).timings if segment.by_python else None
        times_of_steps += times or linker.timings(segment.graph, arguments, repeat) or ()
        part = _linked(linker, segment, link)
        run = part.run if hold(part.conditions, arguments) else part.others
        assert run is not None
        results = zip(segment.outputs, run(*arguments), part.finish, strict=True)
        value_of.update(
            (v, value if finish is None else finish(value)) for v, value, finish in results
        )
    return times_of_steps


def _linked(
    linker: Linker, segment: Segment, link: Callable[[CompileRequest], CompiledGraph]
) -> CompiledGraph:
    return _by_python(linker, segment) if segment.by_python else _compiled(segment, link)


def _compiled(segment: Segment, link: Callable[[CompileRequest], CompiledGraph]) -> CompiledGraph:
    part = link(CompileRequest(segment.graph, (), lambda graph, books: graph))
    finish = [  # code need not return contiguous arrays, but the next segment takes no others
        _contiguous if _is_array(v) else finisher
        for v, finisher in zip(segment.outputs, part.finish, strict=True)
    ]
    return CompiledGraph(
        part.run, lambda: part.program, finish, part.rescue, part.conditions, part.others
    )


def _is_array(v: Variable) -> bool:
    return isinstance(v.type, TensorType) and v.type.ndim > 0


def _contiguous(value: Any) -> Any:
    return value if value.flags.c_contiguous else np.ascontiguousarray(value)


def _by_python(linker: Linker, segment: Segment) -> CompiledGraph:
    python = PythonLinker()
    run, program = python.link(segment.graph)
    finish = [_checked(linker, v) for v in segment.outputs]

    def run_on_arrays(*values: Any) -> Any:
        """NumPy's numbers come as users gave them: Python's code is written for arrays."""
        return run(*[np.array(v) if isinstance(v, np.generic) else v for v in values])

    return CompiledGraph(
        run_on_arrays,
        lambda: program,
        finish,
        lambda error, *values: python.explain(error, program),
    )


def _checked(linker: Linker, v: Variable) -> Callable[[Any], Any]:
    """What lets a result of Python's pass if it is what the type of `v` says."""
    node = v.inputs[0] if type(v.op) is Item else v

    def convert(value: Any) -> Any:
        try:
            return linker.filter(v, value)
        except (TypeError, ValueError) as error:
            better = broken_promise("Python", node, v.type.summary(value))
            better.add_note(node_note(node))
            raise better from error

    namespace: dict[str, Any] = {"convert": convert, "generic": np.generic}
    guard = f"not isinstance(value, generic) and ({linker.guard(v, 'value', namespace)})"
    source = f"def checked(value):\n    return value if {guard} else convert(value)\n"
    return load_source("checked", source, namespace)


_warned: Final[WeakSet[Any]] = WeakSet()
"""Classes of Ops, and functions of numbers, of which users have been told."""


def warn_of_python(segments: Iterable[Segment], stacklevel: int) -> None:
    """Tell of Ops that run in Python though nobody said they should: of each class once.

    Of what takes or gives other values than tensors nobody expects machine code.
    """
    in_python = [v for s in segments if s.by_python for v in s.graph.nodes]
    nodes = [v for v in in_python if not v.op.runs_in_python and _has_tensors_alone(v)]
    for op in dict.fromkeys(op for v in nodes for op in _without_code(v.op)):
        subject = op if type(op) in BY_ROW else type(op)
        if isinstance(op, (Item, Identity)) or op.runs_in_python or subject in _warned:
            continue
        warnings.warn(
            f"{op} has no Numba implementation: it runs in Python, between compiled parts of the "
            "function. Each such place costs about 1 µs per call, and what is on both sides of "
            f"it is not computed in one pass. {_what_to_write(op)}; or, if Python is what you "
            "want, say `runs_in_python = True` in the class.",
            PythonFallbackWarning,
            stacklevel=stacklevel + 1,
        )
        _warned.add(subject)


def _has_tensors_alone(v: Variable) -> bool:
    results = v.type.items if isinstance(v.type, TupleType) else (v.type,)
    return all(isinstance(kind, TensorType) for kind in (*results, *(i.type for i in v.inputs)))


def _without_code(op: Op) -> list[Op]:
    """The Ops for which `op` runs in Python: those in graphs of its own, or itself."""
    return [v.op for v in nodes_inside(op) if not _has_code(v)] or [op]


def _what_to_write(op: Op) -> str:
    if type(op) in BY_ROW:
        return BY_ROW[type(op)]
    name, kind = type(op).__name__, type(op).__module__
    package, _, module = kind.partition(".")
    place = f" in weft_numba/{module.replace('.', '/')}.py" if package.startswith("weft_") else ""
    place = place or ("" if module == "__main__" else f" in {kind} or a file {module}_numba.py")
    return f"Register one with `@weft_numba.numba_funcify.register({name})`{place}"
