"""From a function graph to straight-line Python source: one transpiler for all linkers.

A linker is a table from Op classes to callables (`funcify`) and a way to compile the
function that calls them in order (`finish`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Item, Op, Variable
from weft_graph.linking.compile_request import CompiledGraph, CompileRequest, may_share
from weft_graph.linking.compiled_function import CompiledFunction, Timing
from weft_graph.linking.error_notes import node_note
from weft_graph.linking.program import Names, Program, Step, identifier
from weft_graph.ops.barrier import in_stages
from weft_graph.rewriting.rulebook import RuleBook

__all__ = [
    "Linker",
    "LoweringError",
    "MissingLoweringError",
    "lowered",
    "transpile",
]


class MissingLoweringError(NotImplementedError):
    """A linker has no implementation for an Op."""

    __module__ = "weft_graph"


class LoweringError(RuntimeError):
    """A backend can't compile the implementation of an Op; its own error is the cause."""

    __module__ = "weft_graph"

    @classmethod
    def of(
        cls, backend: str, said: str, node: Variable, values: Sequence[Any] = ()
    ) -> LoweringError:
        """The error for `node`, with what the backend says in one line."""
        error = cls(f"{backend} can't compile the implementation of {node.op}: {said}")
        error.add_note(node_note(node, values))
        return error


class Linker(ABC):
    """Turns function graphs into Python callables for one backend."""

    name: ClassVar[str]
    books: ClassVar[tuple[RuleBook, ...]] = ()
    """The backend's own rules, applied after all others."""
    omits: ClassVar[tuple[str, ...]] = ()
    """Names of rules, books and passes that are applied by default, but not for the backend."""
    runs_branches: ClassVar[bool] = False
    """Whether it has an implementation of `Branch`: then choices are made lazy for it."""
    compiles_for_values: ClassVar[bool] = False
    """Whether it compiles again for each value of an input that is `Static`."""
    flushes_subnormals: ClassVar[bool] = False
    """Whether operations may take numbers below the smallest normal one for 0."""

    @abstractmethod
    def funcify(self, node: Variable) -> Callable[..., Any]:
        """The callable that computes `node` from the values of its inputs."""

    @abstractmethod
    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """A callable from inputs to a tuple of outputs, and the program behind it."""

    def recall(self, request: CompileRequest) -> CompiledGraph | None:
        """What an earlier process kept of the same request; None if there is no such thing.

        A linker that keeps what it compiles answers without asking for `request.graph`, which
        would start the rewriting.
        """
        return None

    def linked(self, request: CompileRequest) -> CompiledGraph:
        """The rewritten graph, linked; a linker with a memory keeps it for `recall`."""
        graph = request.graph
        run, program = self.link(graph)
        finish = [
            v.type.copy if shared else v.type.finish
            for v, shared in zip(graph.outputs, may_share(graph), strict=True)
        ]

        def rescue(error: Exception, *values: Any) -> None:
            self.explain(error, program)

        return CompiledGraph(run, lambda: program, finish, rescue)

    def guard(self, variable: Variable, name: str, namespace: dict[str, Any]) -> str:
        """A condition, as source, under which the value `name` of an input needs no `filter`.

        What it mentions beside `name` is put into `namespace`.
        """
        return variable.type.guard(name, namespace)

    def offers(self, function: CompiledFunction) -> object | None:
        """An object whose public attributes `function`, compiled by this linker, has as well."""
        return None

    def timings(
        self, graph: FunctionGraph, values: Sequence[Any], repeat: int
    ) -> Sequence[Timing] | None:
        """How long each step of the compiled graph takes, the best of `repeat` runs.

        `values` are those of the inputs, as the door lets them in. None: nothing is known but
        what the Python implementations take.
        """
        return None

    def filter(self, variable: Variable, value: Any) -> Any:
        """`value` as the input `variable` at the door of a compiled function."""
        return variable.type.filter(value)

    def admit(self, variable: Variable, value: Any) -> Any:
        """`value` as `CompiledGraph.arranged` takes it: filtered, or nearer to what it was."""
        return self.filter(variable, value)

    def arranges(self, variable: Variable, name: str) -> str:
        """A condition, as source: that `name`, as `admit` gave it, is for `CompiledGraph.arranged`.

        Empty if no value is.
        """
        return ""

    def explain(self, error: Exception, program: Program) -> None:
        """Add to `error`, raised by a call, a note on the node that it came from."""
        failure = program.failed_at(error)
        if failure is not None:
            error.add_note(node_note(*failure))


def transpile(
    graph: FunctionGraph,
    funcify: Callable[[Variable], Callable[..., Any]],
    *,
    reuse: bool,
    name: str = "weft_function",
) -> Program:
    """A function that computes `graph` by calling, in order, what `funcify` gives per node.

    With `reuse`, values that are not needed any more give their names, and so their
    memory, to later ones.
    """
    names = Names()
    names.new(name)
    place: dict[Variable, str] = {}
    for v in graph.inputs:
        place[v] = names.new(identifier(v.name or "", "x"))
    program = Program(name, place.values())
    callees: dict[Callable[..., Any], str] = {}
    order = in_stages(graph.order)
    last_use = _last_uses(graph, order)
    free: list[str] = []
    for v in order:
        if v in place:
            continue
        op = v.op
        if isinstance(op, Constant):
            place[v] = names.new("c")
            program.namespace[place[v]] = op.value
            continue
        arguments = tuple([place[i] for i in v.inputs])
        called = ""
        if type(op) is Item:
            expression = f"{arguments[0]}[{op.index}]"
        else:
            callee = lowered(v, funcify)
            if callee not in callees:
                callees[callee] = names.new(identifier(_short(op), "op"))
                program.namespace[callees[callee]] = callee
            called = callees[callee]
            expression = f"{called}({', '.join(arguments)})"
        if reuse:
            free += [place[i] for i in last_use.get(v, ())]
        place[v] = free.pop() if free else names.new("t")
        program.add(f"{place[v]} = {expression}", Step((v,), arguments, called))
    program.add(f"return ({''.join([place[v] + ', ' for v in graph.outputs])})")
    return program


def lowered(node: Variable, funcify: Callable[[Variable], Any]) -> Callable[..., Any]:
    """What `funcify` gives for `node`; errors name the node.

    >>> from weft_graph import Type
    >>> lowered(Type()("x").named("mu"), lambda node: None)
    Traceback (most recent call last):
    ...
    TypeError: the lowering of Named must return a function, not None
    while computing Named(name='mu') : Type
    ...
    """
    try:
        callee: object = funcify(node)
        if not callable(callee):
            name = type(node.op).__name__
            raise TypeError(f"the lowering of {name} must return a function, not {callee!r}")
    except Exception as error:
        error.add_note(node_note(node))
        raise
    return callee


def _short(op: Op) -> str:
    return getattr(op, "name", None) or type(op).__name__


def _last_uses(graph: FunctionGraph, order: Sequence[Variable]) -> dict[Variable, list[Variable]]:
    """For every node, the computed variables that nothing after it, in this order, needs."""
    inputs = set(graph.inputs)
    uses = {*graph.outputs, *inputs}
    result: dict[Variable, list[Variable]] = {}
    for node in reversed(order):
        for v in () if node in inputs else node.inputs:
            if v not in uses:
                uses.add(v)
                if not isinstance(v.op, Constant):
                    result.setdefault(node, []).append(v)
    return result
