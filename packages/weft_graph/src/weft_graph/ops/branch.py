"""Branches: what only one case of a choice needs is computed in that case alone.

Users write a choice between values, a `Choice`, which is easy to rewrite and to
differentiate. The last pass before a graph is linked, `lazy_branches`, makes of choices a
`Branch`, which has two graphs inside, of which it runs one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Apply, Item, Op, TupleType, Type, Variable, apply
from weft_graph.core.protocols import ShapeUnknownError
from weft_graph.core.traversal import renewed
from weft_graph.ops.loop import with_bodies
from weft_graph.ops.op_from_graph import OpFromGraph

__all__ = ["Branch", "Choice", "lazy_branches"]

_DEEPEST = 24
"""How many branches are put into one another; what is deeper is computed with its surroundings.

JAX calls itself once per level while it compiles, in some ten frames of Python each."""


class Choice(Op):
    """Of `2 * n_outs` values, after a condition, the first half if it is true, else the second."""

    n_outs: int

    @abstractmethod
    def undefined(self, kind: Type) -> Variable:
        """A value of type `kind` that costs nothing and that nobody reads."""


class Branch(Op):
    """What one of two graphs gives for the inputs after the condition; the other does not run.

    >>> from weft_graph import Op, Type, function
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> is_loud, x = Type()("is_loud"), Type()("x")
    >>> on_true, on_false = OpFromGraph([x], [Twice()(x)]), OpFromGraph([x], [x])
    >>> f = function([is_loud, x], Branch(on_true, on_false, (Type(),))(is_loud, x), mode="py")
    >>> f(True, "ha"), f(False, "ha")
    ('haha', 'ha')
    """

    on_true: OpFromGraph
    on_false: OpFromGraph
    types: tuple[Type, ...]
    """Those of the results."""

    @property
    def view_of(self) -> tuple[int, ...]:  # type: ignore[override]  # it depends on the graphs
        """Any input but the condition may be among the results."""
        return tuple(range(1, 1 + len(self.on_true.graph.inputs)))

    def infer(self, *types: Type) -> Type | tuple[Type, ...]:
        """The types that were given."""
        return self.types if len(self.types) > 1 else self.types[0]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shapes that both graphs give, where these are the same."""
        shapes, other = (
            case.infer_shape(fgraph, case.make_node(*node.inputs[1:]), input_shapes[1:])
            for case in (self.on_true, self.on_false)
        )
        if shapes != other:
            raise ShapeUnknownError("the shapes of a choice depend on its condition")
        return shapes

    def __str__(self) -> str:
        return "branch"


class _Place(NamedTuple):
    """Where a variable is computed: in one case of the choices at one stage."""

    condition: Variable
    case: bool
    stage: int


def lazy_branches(graph: FunctionGraph) -> FunctionGraph:
    """A pass: every `Choice` that saves work becomes part of a `Branch`.

    Choices by one condition that do not depend on each other share a Branch, so that what
    they have in common is computed once. What one case needs at several stages is computed
    at the first and kept.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> graph = FunctionGraph([x], [x.named("y")])
    >>> lazy_branches(graph) is graph
    True
    """
    return _lazy(with_bodies(graph, lazy_branches), 0)


def _lazy(graph: FunctionGraph, depth: int) -> FunctionGraph:
    if depth == _DEEPEST or Choice not in graph.op_classes:
        return graph
    plan = _Plan(graph)
    return plan.result(depth) if plan.busy else graph


class _Plan:
    """Which variables of a graph go into which branch."""

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.stage = _stages(graph)
        self.choice = next(v.op for v in graph.nodes if isinstance(v.op, Choice))
        self.outputs = set(graph.outputs)
        self.computed = set(graph.nodes)
        self.exported: set[Variable] = set()
        """What one case needs at several stages."""
        self.places: dict[Variable, _Place | None] = {}
        self.items: dict[Variable, list[Variable]] = {}
        for v in graph.outputs:
            self._meet(v, None)
        for v in reversed(graph.nodes):
            self._pass_on(v)
        places = [self.places[v] for v in graph.nodes]
        self.busy = {(p.condition, p.stage) for p in places if p is not None}
        """The condition and stage of every Branch."""

    def _pass_on(self, v: Variable) -> None:
        """Say of the inputs of `v`, whose place is known, where it needs them."""
        place = self.places[v]
        if type(v.op) is Item:
            self.items.setdefault(v.inputs[0], []).append(v)
        for item in self.items.get(v, ()):  # results of one node are computed in one place
            self.places[item] = place
            if v in self.exported:
                self.exported.add(item)
        if place is None and self._is_choice(v):
            condition, *values = v.inputs
            self._meet(condition, None)
            half = len(values) // 2
            for k, x in enumerate(values):
                self._meet(x, _Place(condition, k < half, self.stage[v] - 1))
        else:
            for x in v.inputs:
                self._meet(x, place)

    def _meet(self, v: Variable, place: _Place | None) -> None:
        old = self.places.setdefault(v, place if v in self.computed else None)
        if old == place:
            return
        if old is None or place is None or old[:2] != place[:2]:
            self.places[v] = None
            self.exported.discard(v)
        else:
            stage = self.stage.get(place.condition, 0)
            self.places[v] = place._replace(stage=max(self.stage[v], stage))
            self.exported.add(v)

    def _is_choice(self, v: Variable) -> bool:
        whole = type(v.type) is TupleType and v in self.outputs
        return isinstance(v.op, Choice) and not whole

    def group(self, v: Variable) -> tuple[Variable, int] | None:
        """The Branch of which the choice `v` is a part, if it is of any."""
        key = (v.inputs[0], self.stage[v] - 1) if v.inputs else None
        return key if key in self.busy and self._is_choice(v) else None

    def result(self, depth: int) -> FunctionGraph:
        """The graph with branches."""
        plain: dict[int, list[Variable]] = {}
        groups: dict[int, dict[Variable, list[Variable]]] = {}
        for v in self.graph.nodes:
            place = self.places[v]
            if place is None:
                source = v.inputs[0] if type(v.op) is Item else v
                key = self.group(source)
                if key is None:
                    plain.setdefault(self.stage[v], []).append(v)
                elif source is v:
                    groups.setdefault(key[1], {}).setdefault(key[0], []).append(v)
            elif v in self.exported and type(v.type) is not TupleType:
                at = groups.setdefault(place.stage, {})
                at.setdefault(place.condition, []).append(v)
        new_of = {v: v for v in self.graph.order if v not in self.computed}
        for stage in sorted({*plain, *groups}):
            for v in plain.get(stage, ()):
                new_of[v] = renewed(v, new_of)
            for condition, members in groups.get(stage, {}).items():
                new_of.update(self._branch(condition, stage, members, new_of, depth))
        return FunctionGraph(self.graph.inputs, [new_of[v] for v in self.graph.outputs])

    def _branch(
        self,
        condition: Variable,
        stage: int,
        members: Sequence[Variable],
        new_of: Mapping[Variable, Variable],
        depth: int,
    ) -> dict[Variable, Variable]:
        """The new variables for choices, and for what is exported, by one condition."""
        blank: set[Variable] = set()
        old: list[Variable | None] = []
        exports: dict[bool, list[Variable]] = {True: [], False: []}
        for v in members:
            place = self.places[v]
            if place is not None:
                old.append(v)
                exports[place.case].append(v)
                nothing = self.choice.undefined(v.type)
                blank.add(nothing)
                exports[not place.case].append(nothing)
                continue
            values = v.inputs[1:]
            half = len(values) // 2
            exports[True] += values[:half]
            exports[False] += values[half:]
            items = {i.op.index: i for i in self.items.get(v, ()) if isinstance(i.op, Item)}
            old += [items.get(k) for k in range(half)] if items else [v]
        cases = [(exports[case], _Place(condition, case, stage)) for case in (True, False)]
        outside = self._given(cases, blank)
        types = tuple(
            [a.type if v is None else v.type for v, a in zip(old, exports[True], strict=True)]
        )
        on_true, on_false = [
            _as_op(_lazy(FunctionGraph(outside, outputs), depth + 1)) for outputs, _ in cases
        ]
        inputs = (new_of[condition], *(new_of[v] for v in outside))
        branch = apply(Branch(on_true, on_false, types), inputs, members[0].place)
        results = Apply.of(branch).outputs
        return {v: new for v, new in zip(old, results, strict=True) if v is not None}

    def _given(
        self, cases: Iterable[tuple[Sequence[Variable], _Place]], blank: set[Variable]
    ) -> list[Variable]:
        """What the graphs inside take from outside: not numbers that are known."""
        inputs: dict[Variable, None] = {}
        for outputs, place in cases:
            todo, visits = list(outputs)[::-1], set(blank)
            while todo:
                v = todo.pop()
                if v in visits:
                    continue
                visits.add(v)
                if v in self.computed and self.places[v] == place:
                    todo += v.inputs[::-1]
                elif not _is_number(v):
                    inputs[v] = None
        return list(inputs)


def _as_op(graph: FunctionGraph) -> OpFromGraph:
    return OpFromGraph(graph.inputs, graph.outputs, inline=False)


def _is_number(v: Variable) -> bool:
    return type(v.op) is Constant and not getattr(v.type, "ndim", 0)


def _stages(graph: FunctionGraph) -> dict[Variable, int]:
    """For every variable, how many choices are behind it, one behind the other."""
    stage: dict[Variable, int] = dict.fromkeys(graph.inputs, 0)
    for v in graph.nodes:
        before = max([stage.get(i, 0) for i in v.inputs], default=0)
        stage[v] = before + isinstance(v.op, Choice)
    return stage
