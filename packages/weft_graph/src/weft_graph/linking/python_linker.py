"""The reference backend: plain Python, nothing to wait for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, singledispatch
from typing import Any, ClassVar, Final
from weakref import WeakKeyDictionary

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Apply, Op, TupleType, Variable
from weft_graph.core.source_location import is_own
from weft_graph.linking.compile_request import CompiledGraph, CompileRequest
from weft_graph.linking.linker import Linker, MissingLoweringError, transpile
from weft_graph.linking.program import Program
from weft_graph.linking.result_check import kept
from weft_graph.ops.branch import Branch
from weft_graph.ops.loop import Loop
from weft_graph.ops.op_from_graph import OpFromGraph
from weft_graph.text.late_names import imported_late

__all__ = ["PythonLinker", "in_python", "overwritten", "py_funcify"]

_LARGE: Final = 50
"""So many nodes a graph has that is looked for on disk, or graphs within: others are rewritten as
soon."""
_LONG: Final = 2e-3
"""So many seconds to rewrite a graph are long: to keep and recall it takes less."""
_late, _ = imported_late(__name__, {"kept_graphs": "weft_graph.disk.kept_graphs"})


@singledispatch
def py_funcify(op: Op, *, node: Variable, **kwargs: Any) -> Callable[..., Any]:
    """The Python function that computes `op`; register one for an Op class to replace it.

    Without one, the Op's own `impl` or `perform` serves: of a class and those that it
    inherits from, the first that has one. Raises MissingLoweringError if there is none.
    """
    for owner in type(op).__mro__:
        if owner is Op:
            break
        if "impl" in vars(owner):
            return _sparing(op, node, op.impl)
        if "perform" in vars(owner):
            return _sparing(op, node, _performer(op, node))
    raise MissingLoweringError(
        f"{type(op).__name__} has no Python implementation: define "
        f"`{type(op).__name__}.impl(self, *values)`, or `perform(self, node, inputs, "
        "output_storage)`, or register one with `py_funcify.register`"
    )


def _sparing(op: Op, node: Variable, compute: Callable[..., Any]) -> Callable[..., Any]:
    """`compute`, which gets copies of the inputs that it overwrites."""
    copies = {k: node.inputs[k].type.copy for k in overwritten(op, len(node.inputs))}
    if not copies:
        return compute

    def spared(*values: Any) -> object:
        own = [copies[k](value) if k in copies else value for k, value in enumerate(values)]
        return compute(*own)

    return spared


def overwritten(op: Op, count: int) -> tuple[int, ...]:
    """Which of its `count` inputs an implementation of `op` overwrites, by its `destroy_map`.

    Raises ValueError for a position that no input has.

    >>> class AddTo(Op):
    ...     destroy_map = {0: [1]}
    >>> overwritten(AddTo(), 2)
    (1,)
    """
    positions = sorted({k for inputs in op.destroy_map.values() for k in inputs})
    for k in positions:
        if k >= count:
            raise ValueError(
                f"the destroy_map of {op} says that it overwrites input {k}, but it has {count}"
            )
    return tuple(positions)


def _is_large(graph: FunctionGraph) -> bool:
    return len(graph.order) >= _LARGE or not graph.op_classes.isdisjoint({Loop, OpFromGraph})


def _performer(op: Op, node: Variable) -> Callable[..., object]:
    view = Apply.of(node)
    single = type(node.type) is not TupleType
    perform = op.perform

    def performed(*values: Any) -> object:
        storage: list[list[Any]] = [[None] for _ in view.outputs]
        perform(view, list(values), storage)
        return storage[0][0] if single else tuple([cell[0] for cell in storage])

    return performed


def _home(op: Op) -> str | None:
    """The module of the Python implementation of `op`."""
    registered = py_funcify.dispatch(type(op))
    if registered is not py_funcify.dispatch(object):
        return registered.__module__
    return next(c for c in type(op).__mro__ if {"impl", "perform"} & vars(c).keys()).__module__


class PythonLinker(Linker):
    """Runs each node's Python implementation in turn."""

    name: ClassVar[str] = "py"
    runs_branches: ClassVar[bool] = True

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `py_funcify` gives; what users wrote must keep what their Op promises."""
        compute = py_funcify(node.op, node=node)
        return compute if is_own(_home(node.op)) else kept(compute, node)

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The transpiled function as it is."""
        program = transpile(graph, self.funcify, reuse=True)
        return program.load(), program

    def recall(self, request: CompileRequest) -> CompiledGraph | None:
        """The rewritten graph that an earlier process has kept, linked."""
        if not _is_large(request.written):
            return None
        graph: FunctionGraph | None = _late("kept_graphs").recall(self, request)
        if graph is None:
            return None
        request.graph = graph
        return self.linked(request)

    def linked(self, request: CompileRequest) -> CompiledGraph:
        """The rewritten graph, linked; it is kept if to rewrite it took long."""
        linked = super().linked(request)
        if request.seconds > _LONG and _is_large(request.written):
            _late("kept_graphs").remember(self, request)
        return linked


class _Run:
    """A graph that Python runs; it is linked when it is first run."""

    def __init__(self, graph: FunctionGraph) -> None:
        self._graph = graph

    @cached_property
    def _linked(self) -> tuple[Callable[..., Any], Program]:
        return PythonLinker().link(self._graph)

    def __call__(self, *values: Any) -> object:
        run, program = self._linked
        try:
            results = run(*values)
        except Exception as error:
            PythonLinker().explain(error, program)
            raise
        return results if len(results) > 1 else results[0]


_runs: WeakKeyDictionary[Op, _Run] = WeakKeyDictionary()


def in_python(op: OpFromGraph) -> Callable[..., Any]:
    """The Python function of the values of an OpFromGraph's inputs: its results, by its graph.

    >>> from weft_graph import Type
    >>> x, y = Type()("x"), Type()("y")
    >>> in_python(OpFromGraph([x, y], [y, x]))(1, 2)
    (2, 1)
    """
    return _runs.setdefault(op, _Run(op.graph))


@py_funcify.register(OpFromGraph)
def _op_from_graph(op: OpFromGraph, **kwargs: object) -> Callable[..., object]:
    return in_python(op)


@py_funcify.register(Branch)
def _branch(op: Branch, **kwargs: object) -> Callable[..., object]:
    on_true, on_false = in_python(op.on_true), in_python(op.on_false)

    def chosen(condition: object, *values: object) -> object:
        return (on_true if condition else on_false)(*values)

    return chosen
