"""What a graph does to many small arrays alike, done to all of them at once.

A model written with a loop of Python has the same expressions again and again, for other data.
XLA compiles each by itself. Where the data have equal shapes, one array with a new first axis
takes their place, and the program that is compiled is as small as that of one of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence, Set
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple

from weft_graph import Apply, FunctionGraph, Input, Variable
from weft_graph.extend import remake, standing
from weft_tensor import Length, Pointwise, Reduction, TensorType, View, reshape
from weft_tensor.extend import Stack, kind_of, rows_at, vectorize_node

__all__ = ["FEWEST", "LARGEST", "WORTH_IT", "BatchedGraph", "batch_isomorphic"]

FEWEST: Final = 4
"""From so many nodes on, they are computed together."""
WORTH_IT: Final = 100
"""So many nodes, at least, a graph must become smaller by."""
LARGEST: Final = 2**16
"""Up to this many elements of all inputs: then putting them together costs little."""

Shape = tuple[int, ...]


class BatchedGraph(NamedTuple):
    """A graph that computes together what is alike, and what to give it."""

    graph: FunctionGraph
    """Its first input is a vector: all inputs of one dtype, one behind another."""
    joined: tuple[int, ...]
    """The positions of the inputs that the vector has, in its order."""
    rest: tuple[int, ...]
    """The positions of the other inputs."""
    places: tuple[tuple[int, int | None], ...]
    """For each result its place among the graph's outputs, and its row there, if that has rows."""


def batch_isomorphic(graph: FunctionGraph, shapes: Sequence[Shape]) -> BatchedGraph | None:
    """`graph` for inputs of these shapes, with what is alike computed together.

    None if that does not make it much smaller.

    >>> import weft_tensor as wt
    >>> xs = [wt.vector(f"x{k}") for k in range(40)]
    >>> graph = FunctionGraph(xs, [wt.exp(wt.square(x - 1.0)).sum() for x in xs])
    >>> found = batch_isomorphic(graph, [(3,)] * 40)
    >>> len(graph.nodes), len(found.graph.nodes), found.places[7]
    (160, 6, (0, 7))
    >>> batch_isomorphic(graph, [(k,) for k in range(40)]) is None
    True
    """
    if sum(map(math.prod, shapes)) > LARGEST:
        return None
    classes = _classes(graph, shapes)
    if len(graph.nodes) - len(classes) < WORTH_IT:
        return None
    result = _Builder(graph, shapes, _sorted(graph, classes)).built(classes)
    return result if len(graph.nodes) - len(result.graph.nodes) >= WORTH_IT else None


def _classes(graph: FunctionGraph, shapes: Sequence[Shape]) -> list[list[Variable]]:
    """The variables that are alike: computed in the same way of inputs of equal shapes.

    No class comes before one that it is computed of.
    """
    keys = {v: (v.type, shape) for v, shape in zip(graph.inputs, shapes, strict=True)}
    number: dict[Hashable, int] = {}
    of: dict[Variable, int] = {}
    classes: list[list[Variable]] = []
    for v in graph.order:
        key: Hashable = v
        if v in keys:
            key = keys[v]
        elif isinstance(v.op, Length) or _is_by_rows(v):
            key = (v.op, *[of[i] for i in v.inputs])
        of[v] = number.setdefault(key, len(classes))
        if of[v] == len(classes):
            classes.append([])
        classes[of[v]].append(v)
    return classes


def _sorted(graph: FunctionGraph, classes: list[list[Variable]]) -> list[list[Variable]]:
    """The classes, in each side by side what goes on to the same other ones.

    Then most parts of a batch that are computed further are slices of it.
    """
    of = {v: k for k, alike in enumerate(classes) if len(alike) >= FEWEST for v in alike}
    reached: dict[Variable, int] = {}
    for v in reversed(graph.order):
        bits = 0
        for user, _ in graph.users[v]:
            if user in of:
                bits |= reached[user] | 1 << (len(classes) - of[user])
        reached[v] = bits
    for alike in classes:
        alike.sort(key=reached.__getitem__, reverse=True)
    return classes


def _sums(
    graph: FunctionGraph, alone: Set[Variable]
) -> tuple[dict[Variable, list[Variable]], set[Variable]]:
    """The terms of sums of numbers that are computed one by one, and what is but part of a sum."""
    terms: dict[Variable, list[Variable]] = {}
    within: set[Variable] = set()
    results = set(graph.outputs)
    for v in graph.order:
        if v not in alone or not _adds_numbers(v):
            continue
        single = [i for i in v.inputs if i in terms and len(graph.users[i]) == 1]
        inner = [i for i in single if i not in results]
        within.update(inner)
        parts = [terms.pop(i) if i in inner else [i] for i in v.inputs]
        longest = max(parts, key=len)
        for part in parts:
            if part is not longest:
                longest += part
        terms[v] = longest
    return terms, within


def _adds_numbers(v: Any) -> bool:
    kind = kind_of(v)
    if not isinstance(kind, Pointwise) or kind.of != "add" or v.type.ndim:
        return False
    return v.type.dtype.startswith("float") and all(i.type == v.type for i in v.inputs)


def _may_join(v: Variable) -> bool:
    return type(v.op) is Input and isinstance(v.type, TensorType)


def _is_by_rows(v: Variable) -> bool:
    """Whether the Op of `v` has a rule that applies it to all rows of a batch."""
    kind = kind_of(v)
    if isinstance(kind, Pointwise):
        return bool(v.inputs) and not kind.positions
    return isinstance(kind, Reduction | View) and len(v.inputs) == 1


class _Builder:
    """Makes the graph in which classes are computed together."""

    def __init__(
        self, graph: FunctionGraph, shapes: Sequence[Shape], classes: Sequence[list[Variable]]
    ) -> None:
        self.graph = graph
        self.single: dict[Variable, Any] = {}
        self.rows: dict[Variable, tuple[Any, int]] = {}
        """For what is computed together: the batch, and which of its rows."""
        self.stacks: dict[tuple[Variable, ...], Any] = {}
        self.joined: list[int] = []
        position = {v: k for k, v in enumerate(graph.inputs)}
        inputs: Sequence[Any] = graph.inputs
        dtypes = Counter(v.type.dtype for v in inputs if _may_join(v))
        self.dtype = dtypes.most_common(1)[0][0]
        of_inputs = [c for c in classes if c[0] in position and self._joins(c[0])]
        total = sum(len(c) * math.prod(shapes[position[c[0]]]) for c in of_inputs)
        self.vector: Any = TensorType(self.dtype, (total,))("together")
        start = 0
        for alike in of_inputs:
            shape = shapes[position[alike[0]]]
            stop = start + len(alike) * math.prod(shape)
            batch = reshape(self.vector[start:stop], (len(alike), *shape))
            self.rows.update((v, (batch, row)) for row, v in enumerate(alike))
            self.joined += [position[v] for v in alike]
            start = stop
        alone = {v for c in classes if len(c) < FEWEST for v in c}
        self.terms, self.within = _sums(graph, alone)
        self.rest = [k for k, v in enumerate(graph.inputs) if not self._joins(v)]
        self.single.update((graph.inputs[k], graph.inputs[k]) for k in self.rest)

    def _joins(self, v: Any) -> bool:
        return _may_join(v) and v.type.dtype == self.dtype

    def built(self, classes: Sequence[list[Variable]]) -> BatchedGraph:
        """The graph, made class by class."""
        for alike in classes:
            if alike[0] in self.single or alike[0] in self.rows:
                continue
            if type(alike[0].op) is Length:
                self._lengths(alike)
            elif len(alike) >= FEWEST and _is_by_rows(alike[0]):
                batch = self._batch(alike)
                self.rows.update((v, (batch, row)) for row, v in enumerate(alike))
            else:
                for v in alike:
                    if v not in self.within:
                        self.single[v] = self._made(v)
        places: list[tuple[int, int | None]] = []
        outputs: dict[Any, int] = {}
        row: int | None
        for v in self.graph.outputs:
            batch, row = (self.single[v], None) if v in self.single else self.rows[v]
            places.append((outputs.setdefault(batch, len(outputs)), row))
        parameters = [self.vector, *[self.graph.inputs[k] for k in self.rest]]
        return BatchedGraph(
            FunctionGraph(parameters, outputs), tuple(self.joined), tuple(self.rest), tuple(places)
        )

    def _made(self, v: Variable) -> Variable:
        """`v` by itself, of what is computed together or not."""
        if v in self.terms:
            return self._sum(self.terms[v])
        inputs = tuple([self._alone(i) for i in v.inputs])
        return v if inputs == tuple(v.inputs) else remake(v, inputs)

    def _sum(self, terms: Sequence[Variable]) -> Variable:
        """The sum of terms, of which the rows of one batch are one."""
        rows: dict[Any, list[Variable]] = {}
        for v in terms:
            rows.setdefault(self.rows.get(v, (v, 0))[0], []).append(v)
        parts: list[Any] = []
        for batch, own in rows.items():
            if len(own) < FEWEST:
                parts += map(self._alone, own)
            else:
                parts.append(rows_at(batch, [(self.rows[v][1],) for v in own]).sum())
        total: Variable = reduce(add, parts)
        return total

    def _lengths(self, alike: list[Variable]) -> None:
        """All the same: of arrays of equal shapes."""
        (x,), op = alike[0].inputs, alike[0].op
        assert isinstance(op, Length)
        length: Any = Length(op.axis + 1)(self.rows[x][0]) if x in self.rows else op(self.single[x])
        self.single.update(dict.fromkeys(alike, length))

    def _batch(self, alike: Sequence[Any]) -> Variable:
        """What `alike` are, as rows of one array."""
        node = Apply.of(alike[0])
        columns = [self._joined(c) for c in zip(*[v.inputs for v in alike], strict=True)]
        outer, standing.place = standing.place, alike[0].place
        try:
            batch = vectorize_node(node.op, node, columns)
        finally:
            standing.place = outer
        result: Variable = batch[0] if isinstance(batch, list) else batch
        return result

    def _joined(self, column: tuple[Variable, ...]) -> Any:
        """These variables as rows of one array; what is the same for all, as it is."""
        if column.count(column[0]) == len(column):
            return self._alone(column[0])
        if column not in self.stacks:
            if column[0] in self.rows:
                batch = self.rows[column[0]][0]
                self.stacks[column] = rows_at(batch, [(self.rows[v][1],) for v in column])
            else:
                self.stacks[column] = Stack()(*map(self._alone, column))
        return self.stacks[column]

    def _alone(self, v: Variable) -> Any:
        """`v` by itself."""
        if v not in self.single:
            batch, row = self.rows[v]
            self.single[v] = batch[row]
        return self.single[v]
