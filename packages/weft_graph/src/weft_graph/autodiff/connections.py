"""What a value is computed from at all, whether or not it changes smoothly with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from weft_graph.autodiff.dependency_path import made_at
from weft_graph.autodiff.reverse_sweep import DisconnectedType
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Apply, Identity, Item, Type, Variable, apply
from weft_graph.core.protocols import TypeHooks

__all__ = [
    "Step",
    "add_step",
    "connected",
    "has_zeros",
    "pattern_of_graph",
    "step_between",
    "steps_by_states",
    "steps_of_graph",
]

Pattern = Sequence[Sequence[bool]]
"""For each input, and each output, whether values of the output depend on that input's."""

_remedies: Final[set[str]] = set()
"""All that `add_step` was ever told: without any, nothing is looked for."""


class Step(Identity):
    """The identity, of what changes by steps: a derivative of zero past it would mislead."""

    remedy: str

    def __str__(self) -> str:
        return type(self).__name__


def add_step(v: Variable, remedy: str) -> Any:
    """`v`; where it is on the way to what users differentiate by, an error tells the remedy.

    That is for values that change by steps, of which averages change smoothly, as drawn integers.
    """
    _remedies.add(remedy)
    return apply(Step(remedy), (v,))


def step_between(
    starts: Iterable[Variable], targets: Iterable[Variable], constants: Iterable[Variable] = ()
) -> str:
    """What is wrong with a derivative of `starts` by `targets`; or nothing.

    >>> from weft_graph import Op
    >>> class Rounded(Op):
    ...     def infer(self, x):
    ...         return x
    >>> class Number(Type):
    ...     differentiable = True
    >>> x = Number()("x")
    >>> k = add_step(Rounded()(x), "take a mean of it")
    >>> step_between([k], [x]).endswith("depends on <x : Number> by steps: take a mean of it")
    True
    """
    for v in connected(starts, constants) if _remedies else ():
        for remedy, sources in _steps_at(v):
            above = connected(sources)
            for target in targets:
                if target in above:
                    return f"{v!r}{made_at(v)} depends on {target!r} by steps: {remedy}"
    return ""


def steps_of_graph(graph: FunctionGraph) -> Sequence[Sequence[str]]:
    """The step pattern of what computes a graph's outputs from its inputs."""
    pattern = [[""] * len(graph.outputs) for _ in graph.inputs]
    for place, output in enumerate(graph.outputs) if _remedies else ():
        for v in connected([output]):
            for remedy, sources in _steps_at(v):
                above = connected(sources)
                for row, source in zip(pattern, graph.inputs, strict=True):
                    row[place] = row[place] or (remedy if source in above else "")
    return pattern


def steps_by_states(
    within: Sequence[Sequence[str]], across: Pattern, states: Sequence[int]
) -> Sequence[Sequence[str]]:
    """The step pattern of a loop, from that of its body and the connection pattern of all steps.

    `states` are the places of inputs that the first outputs go to at the next step.

    >>> steps_by_states([["", ""], ["", "why"]], [[True, False], [True, True]], [1])
    [['', 'why'], ['', 'why']]
    """
    count = len(within[0]) if within else 0

    def earlier(i: int, o: int) -> str:
        return next((within[place][o] for s, place in enumerate(states) if across[i][s]), "")

    reached = [[row[o] or earlier(i, o) for o in range(count)] for i, row in enumerate(within)]

    def later(row: Sequence[str], o: int) -> str:
        return next((row[s] for s, place in enumerate(states) if across[place][o]), "")

    return [[row[o] or later(row, o) for o in range(count)] for row in reached]


def _steps_at(v: Variable) -> Iterator[tuple[str, list[Variable]]]:
    """What was said of `v`, or of a value inside its Op, and what inputs that depends on."""
    node, index = _result(v)
    if type(node.op) is Step:
        yield node.op.remedy, list(node.inputs)
    elif node.op.defines("step_pattern"):
        for source, row in zip(node.inputs, node.op.step_pattern(Apply.of(node)), strict=True):
            if row[index]:
                yield row[index], [source]


def connected(starts: Iterable[Variable], constants: Iterable[Variable] = ()) -> set[Variable]:
    """All that the values of `starts` depend on, themselves included.

    Ops say in `connection_pattern` what does not count. Nothing goes past `constants`, nor
    past values of a type without zeros.

    >>> from weft_graph import stop_gradient
    >>> class Number(Type):
    ...     differentiable = True
    >>> x = Number()("x")
    >>> x in connected([x.named("y")]), x in connected([stop_gradient(x)])
    (True, False)
    """
    fixed = set(constants)
    closure: set[Variable] = set()
    todo = list(starts)
    while todo:
        v = todo.pop()
        if v in closure or not has_zeros(v.type):
            continue
        closure.add(v)
        if v not in fixed:
            todo += _sources(v)
    return closure


def has_zeros(kind: Type) -> bool:
    """Whether variables of this type have a zero: that of what is constant, or a step."""
    return kind.differentiable or type(kind).zeros_like is not TypeHooks.zeros_like


def pattern_of_graph(graph: FunctionGraph) -> Pattern:
    """The connection pattern of what computes a graph's outputs from its inputs."""
    dependencies = [connected([output]) for output in graph.outputs]
    return [[v in below for below in dependencies] for v in graph.inputs]


def _sources(v: Variable) -> list[Variable]:
    """The inputs that the value of `v` depends on."""
    node, index = _result(v)
    pattern = _pattern(node)
    if pattern is None:
        return list(node.inputs)
    return [source for source, row in zip(node.inputs, pattern, strict=True) if row[index]]


def _result(v: Variable) -> tuple[Variable, int]:
    """The node that computes `v`, and which of its results that is."""
    return (v.inputs[0], v.op.index) if isinstance(v.op, Item) else (v, 0)


def _pattern(node: Variable) -> Pattern | None:
    """What the Op says; None if it says nothing: then all depends on everything."""
    op = node.op
    if op.defines("connection_pattern"):
        return op.connection_pattern(Apply.of(node))
    return _answered(node) if op._has("L_op") or op._has("grad") else None


def _answered(node: Variable) -> Pattern | None:
    """What an Op of the tradition says by the type of the cotangents that it returns."""
    view = Apply.of(node)
    try:
        answers = node.op.pullback(view.inputs, view.outputs, [v.type() for v in view.outputs])
    except Exception:
        return None  # it says nothing: the error is for those who need that derivative
    parts = [isinstance(getattr(g, "type", None), DisconnectedType) for g in answers]
    return [[not apart] * len(view.outputs) for apart in parts]
