"""What a graph does alike to many sets of numbers, done once to all of them.

A model written with a loop of Python has the same expressions again and again, for other data.
Backends compile each by itself. Where the numbers have equal shapes, arrays with a new first axis
take their place, and what is compiled, and rewritten before, is as small as for one of them.

A pass, because it has to see all that is alike at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain, compress
from math import prod
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Apply, CheckAndRaise, Constant, FunctionGraph, Input, Type, Variable
from weft_graph.extend import changing, remake, standing
from weft_rewrites.dsl.conditions import is_zero
from weft_tensor import (
    Concatenate,
    Elemwise,
    IfElse,
    Index,
    IndexUpdate,
    Pointwise,
    Reduction,
    TensorType,
    View,
    constant,
    reshape,
)
from weft_tensor import sum as sum_of
from weft_tensor.extend import (
    ARRAY,
    Slice,
    Stack,
    aligned,
    is_batched,
    kind_of,
    rows_at,
    vectorize_node,
)

__all__ = ["join_siblings"]

_FEWEST: Final = 8
"""From so many on, they are computed together."""
_WORTH_IT: Final = 100
"""So many nodes, at least, a graph must become smaller by."""
_LARGEST: Final = 2**22
"""So many elements, at most, an array has for that."""
_ADD: Final = Elemwise("add")
_SUMMED: Final = ("float64", "float32", "int64")
"""Dtypes whose sums are of that dtype."""
_ALL: Final = Slice(None, None, None)
_INDICES: Final = (Index, IndexUpdate)
_TAKE_ROWS: Final = (*_INDICES, Stack, Concatenate)
"""They may take what is computed together as it is."""


@changing("rounding", "overflow", "nan", "inf", "error")
def join_siblings(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with what is alike computed together, and added up together.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x", shape=(50,))
    >>> terms = [wt.exp(x[k] - k) * wt.sin(x[k]) for k in range(50)]
    >>> graph = FunctionGraph([x], [sum(terms)])
    >>> len(graph.nodes), len(join_siblings(graph).nodes)
    (300, 6)
    """
    if len(graph.nodes) < 2 * _WORTH_IT or IfElse in graph.op_classes:  # whose cases may not run
        return graph
    count = len(graph.nodes)
    few = min(count // 2, count - _WORTH_IT)  # else reading rows costs more
    if _stay(graph) > few:
        return graph
    classes = _Classes(graph)
    if classes.fewer < _WORTH_IT or classes.least() > few:
        return graph
    classes.sort()
    smaller = _Joining(graph, classes).graph()
    return smaller if len(smaller.nodes) <= few else graph


def _stay(graph: FunctionGraph) -> int:
    """How many nodes are left for their types alone: neither sums nor in a class that is joined."""
    kinds = {v.type for v in graph.nodes}
    fixed = {kind for kind in kinds if not _is_static(kind) or _may_be_a_length(kind)}
    return sum([v.type in fixed and not _may_go(v) for v in graph.nodes])


def _may_go(v: Variable) -> bool:
    """Whether `v` may be a part of a sum of rows."""
    return v.op is _ADD or isinstance(v.op, IndexUpdate)


class _Classes:
    """The variables of a graph that are alike: computed in the same way of inputs of one type.

    No class comes before one that it is computed of.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        number: dict[Hashable, int] = {}
        self.of: dict[Any, int] = {}
        self.members: list[list[Any]] = []
        inputs, of, members = set(graph.inputs), self.of, self.members
        class_of = of.__getitem__
        for v in graph.order:
            key: Hashable
            if v in inputs or not v.inputs:
                kind = type(v.op) if type(v.op) in (Constant, Input) else v
                key = (kind, v.type)
            else:
                place = _place(v) if isinstance(v.op, _INDICES) else ()
                how = (type(v.op), len(place)) if place else v.op
                key = (how, v.type, *map(class_of, v.inputs))
            k = of[v] = number.setdefault(key, len(members))
            if k == len(members):
                members.append([])
            members[k].append(v)
        self.joined = [len(c) >= _FEWEST and _can_be_joined(c) for c in self.members]

    @cached_property
    def fewer(self) -> int:
        """How many nodes less there are if each class is one."""
        pairs = zip(self.members, self.joined, strict=True)
        return sum([len(alike) - 1 for alike, joined in pairs if joined])

    def least(self) -> int:
        """How many nodes are left, at least: sums may go, and rows for others must be read."""
        graph = self.graph
        joined = {*chain.from_iterable(compress(self.members, self.joined))}
        others = [v for v in graph.nodes if v not in joined]
        readers = [v for v in others if v.op is not _ADD and not isinstance(v.op, _TAKE_ROWS)]
        read = {i for v in readers for i in v.inputs if i in joined}
        read.update(joined.intersection(graph.outputs))
        sums = sum(map(_may_go, others))
        return len(graph.nodes) - self.fewer - sums + len(read)

    def is_joined(self, v: Variable) -> bool:
        """Whether `v` is computed together with others."""
        return self.joined[self.of[v]]

    def sort(self) -> None:
        """Put side by side, in each class, what others compute further side by side.

        Then most parts of a batch that are read are slices of it.
        """
        users, rank = self.graph.users, dict[Variable, tuple[int, int]]()
        last = (len(self.members), 0)
        for k in range(len(self.members) - 1, -1, -1):
            if not self.joined[k]:
                continue
            alike = self.members[k]
            first = {v: min([rank.get(u, last) for u, _ in users[v]], default=last) for v in alike}
            alike.sort(key=first.__getitem__)
            rank.update((v, (k, place)) for place, v in enumerate(alike))


def _is_static(kind: Type) -> bool:
    return isinstance(kind, TensorType) and all(isinstance(n, int) for n in kind.shape)


def _may_be_a_length(kind: Any) -> bool:
    """Whether types may tell what it is: as one of an array, they would not."""
    return not kind.shape and kind.numpy_dtype.kind in "iu"


def _can_be_joined(alike: Sequence[Any]) -> bool:
    """Whether a rule applies the Op of all of these to rows of arrays at once."""
    v = alike[0]
    if not v.inputs or not _is_static(v.type) or _may_be_a_length(v.type):
        return False
    if len(alike) * prod([*v.type.shape]) > _LARGEST:
        return False
    columns = list(zip(*[u.inputs for u in alike], strict=True))
    same = [len({*column}) == 1 for column in columns]
    if not all(s or _is_static(column[0].type) for s, column in zip(same, columns, strict=True)):
        return False
    if isinstance(v.op, CheckAndRaise):  # whose error finds the value by the condition's shape
        ndim, *of_conditions = [i.type.ndim for i in v.inputs]
        return not same[0] and {*of_conditions} <= {0, ndim}
    if isinstance(v.op, (Stack, Concatenate)):
        return True
    kind = kind_of(v)
    if isinstance(kind, Pointwise):
        return not kind.positions
    return isinstance(kind, Reduction) or (isinstance(kind, View) and all(same[1:]))


class _Terms(NamedTuple):
    """The terms of a sum: those that are added up together, and the others."""

    groups: list[list[Any]]
    updates: list[list[Any]]
    """Additions to one place each of the same zeros."""
    others: list[Any]

    def each(self) -> Iterator[Any]:
        """All of them."""
        return chain(self.others, *self.groups, *self.updates)


class _Joining:
    """Makes the graph in which classes are computed together."""

    def __init__(self, graph: FunctionGraph, classes: _Classes) -> None:
        self.original = graph
        self.classes = classes
        self.single: dict[Any, Any] = {v: v for v in graph.inputs}
        self.rows: dict[Any, tuple[Any, int]] = {}
        """For what is computed together: the batch, and which of its rows."""
        self.columns: dict[tuple[Any, ...], Any] = {}
        self.sums: dict[Any, _Terms] = {}
        self.within: set[Any] = set()
        """What only a sum of `sums` needs."""
        self._plan_sums()

    def graph(self) -> FunctionGraph:
        """The graph, made class by class."""
        outer = standing.place
        try:
            for alike, joined in zip(self.classes.members, self.classes.joined, strict=True):
                standing.place = alike[0].place
                if joined and self._join(alike):
                    continue
                for v in alike:
                    if v not in self.single and v not in self.within:
                        standing.place = v.place
                        self.single[v] = self._again(v)
        finally:
            standing.place = outer
        return self.original.with_outputs([self._alone(v) for v in self.original.outputs])

    def _plan_sums(self) -> None:
        outputs = set(self.original.outputs)
        users = self.original.users

        def only_added(v: Any) -> bool:
            return v not in outputs and len(users[v]) == 1 and users[v][0][0].op == _ADD

        for root in reversed(self.original.nodes):
            if root.op != _ADD or root in self.within or self.classes.is_joined(root):
                continue
            terms, inner, todo = [], [], list(root.inputs[::-1])
            while todo:
                v = todo.pop()
                if v.op == _ADD and not self.classes.is_joined(v) and only_added(v):
                    inner.append(v)
                    todo += v.inputs[::-1]
                else:
                    terms.append(v)
            plan = self._sorted_out(terms)
            if plan.groups or plan.updates:
                self.sums[root] = plan
                self.within.update(inner)
                self.within.update([v for group in plan.updates for v in group if only_added(v)])

    def _sorted_out(self, terms: Sequence[Any]) -> _Terms:
        groups: dict[Hashable, list[Any]] = {}
        for v in terms:
            key: Hashable = v
            if isinstance(v.op, IndexUpdate):
                if v.op.mode == "inc" and _place(v) and is_zero(v.inputs[0]):
                    key = (v.inputs[0], len(_place(v)), self.classes.of[v.inputs[1]])
            elif self.classes.is_joined(v) or _place(v):
                key = self.classes.of[v]
            groups.setdefault(key, []).append(v)
        result = _Terms([], [], [])
        for key, alike in groups.items():
            if len(alike) < _FEWEST or alike[0].type.dtype not in _SUMMED:
                result.others.extend(alike)
            else:
                (result.updates if isinstance(key, tuple) else result.groups).append(alike)
        return result

    def _join(self, alike: Sequence[Any]) -> bool:
        """Compute `alike` as rows of one array, if there is a rule that does."""
        node = Apply.of(alike[0])
        inputs = [self._column(c) for c in zip(*[v.inputs for v in alike], strict=True)]
        if isinstance(node.op, CheckAndRaise):
            results = node.op.make_node(*inputs).outputs
        else:
            outcome = vectorize_node(node.op, node, inputs)
            results = [outcome] if isinstance(outcome, Variable) else list(outcome)
        batch: Any
        (batch,) = results
        if not is_batched(batch, alike[0]) or batch.type.dtype != alike[0].type.dtype:
            return False
        self.rows.update((v, (batch, row)) for row, v in enumerate(alike))
        return True

    def _again(self, v: Any) -> Any:
        """`v` by itself, of what there is now."""
        if not v.inputs:
            return v
        if v in self.sums:
            total = reduce(add, self._added(self.sums[v]))
            if v.type.accepts(total.type):
                return total
            return reduce(add, map(self._alone, self.sums[v].each()))
        is_long = isinstance(v.op, (Stack, Concatenate)) and len(v.inputs) >= _FEWEST
        if is_long and _is_static(v.type) and self._are_alike(v.inputs):
            column = self._column(v.inputs)
            if isinstance(v.op, Stack):
                return column
            if v.type.ndim == 1:
                return reshape(column, (-1,))
        inputs = tuple([self._alone(i) for i in v.inputs])
        return remake(v, inputs)

    def _added(self, terms: _Terms) -> list[Any]:
        sums = [self._sum_of(tuple(group)) for group in terms.groups]
        for group in terms.updates:
            whole, part = group[0].inputs
            values = self._column(tuple([v.inputs[1] for v in group]))
            places = list(map(np.array, zip(*map(_place, group), strict=True)))
            entries = (ARRAY,) * len(places) + group[0].op.entries[len(places) :]
            values = aligned(values, part, whole.ndim - len(places))
            sums.append(IndexUpdate(entries, "inc")(self._alone(whole), values, *places))
        return [*[self._alone(v) for v in terms.others], *sums]

    def _sum_of(self, terms: tuple[Any, ...]) -> Any:
        if terms.count(terms[0]) == len(terms):
            return self._alone(terms[0]) * len(terms)
        return sum_of(self._column(terms), axis=0)

    def _are_alike(self, column: Sequence[Any]) -> bool:
        return len({self.classes.of[v] for v in column}) == 1

    def _column(self, column: tuple[Any, ...]) -> Any:
        """These variables as rows of one array; what is the same for all, as it is."""
        if column not in self.columns:
            self.columns[column] = self._rows_of(column)
        return self.columns[column]

    def _rows_of(self, column: tuple[Any, ...]) -> Any:
        v = column[0]
        if column.count(v) == len(column):
            return self._alone(v)
        if all(type(u.op) is Constant for u in column):
            return constant(np.stack([u.op.value for u in column]))
        if v in self.rows and self._are_alike(column):
            return rows_at(self.rows[v][0], [(self.rows[u][1],) for u in column])
        if isinstance(v.op, Index) and _place(v) and self._are_alike(column):
            places = list(map(_place, column))
            wholes = tuple([u.inputs[0] for u in column])
            if wholes.count(wholes[0]) == len(wholes):
                return rows_at(self._alone(wholes[0]), places)
            if places.count(places[0]) == len(places):
                return self._column(wholes)[(slice(None), *places[0])]
        return Stack()(*map(self._alone, column))

    def _alone(self, v: Any) -> Any:
        """`v` by itself."""
        if v not in self.single:
            if v in self.rows:
                batch, row = self.rows[v]
                self.single[v] = batch[row]
            else:
                self.single[v] = self._again(v)
        return self.single[v]


def _place(v: Any) -> tuple[int, ...]:
    """The numbers that one place is read or added to by, if it is by nothing else; else none."""
    if not isinstance(v.op, _INDICES):
        return ()
    entries = v.op.entries
    numbers = [e for e in entries if isinstance(e, int)]
    count = len(numbers)
    is_one = [*entries[:count]] == numbers and all(e == _ALL for e in entries[count:])
    return tuple(numbers) if is_one else ()
