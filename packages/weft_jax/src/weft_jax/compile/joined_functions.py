"""Functions that take XLA long to compile, of several arrays of few elements, compiled once.

XLA compiles each use of a function by itself, and one of the incomplete beta function takes it most
of a second. Where a graph has several that don't depend on each other, as a density that is cut at
both ends has, one array has all their elements.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from itertools import accumulate, pairwise
from math import prod
from typing import Any, Final

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import remake, standing
from weft_jax.analysis.static_values import no_positions, static_positions
from weft_tensor import Elemwise, TensorOp, TensorType, TensorVariable
from weft_tensor.extend import LOOP, SCALARS

__all__ = ["ANOTHER", "MOST", "Together", "joined"]

MOST: Final = 2048
"""Of more elements, those that need more steps than others would have others do these, too."""
ANOTHER: Final = {
    "betaincc": "betainc",
    "betainccinv": "betaincinv",
    "gammaincc": "gammainc",
    "gammainccinv": "gammaincinv",
}
"""Functions that are others, of further arguments."""
_LONG: Final = frozenset(["gammaln", "digamma", "trigamma", "zeta", "betaln", "gamma"])
"""Functions without a loop that are long in XLA's language."""


class Together(TensorOp):
    """Functions of the table, each of arrays of its own, that are one function.

    >>> import weft_tensor as wt
    >>> both = Together((Elemwise("gammainc"), Elemwise("gammaincc")))
    >>> [v.type.ndim for v in both(1.0, 2.0, [1.0], [2.0])]
    [0, 1]
    """

    rows: tuple[Elemwise, ...]

    def infer_from(self, *inputs: Any) -> tuple[TensorType, ...]:
        """The types of their results."""
        return tuple([v.type for v in self.alone(inputs)])

    def alone(self, inputs: Sequence[Any]) -> list[TensorVariable]:
        """The results of each by itself."""
        parts = self.parts(inputs)
        return [row(*part) for row, part in zip(self.rows, parts, strict=True)]

    def parts(self, values: Sequence[Any]) -> list[Sequence[Any]]:
        """What each function is of."""
        ends = accumulate([row.scalar.arity for row in self.rows], initial=0)
        return [values[start:stop] for start, stop in pairwise(ends)]

    def __str__(self) -> str:
        return f"{self.rows[0]} together"


static_positions.register(Together, no_positions)


def joined(graph: FunctionGraph, *, in_loop: bool = False) -> FunctionGraph:
    """`graph`, in which each such function is there once; in loops, only those that are loops.

    >>> import weft_tensor as wt
    >>> x, y = wt.vector("x"), wt.scalar("y")
    >>> graph = FunctionGraph([x, y], [wt.gammainc(y, x), wt.gammaincc(2.0, y)])
    >>> [str(v.op) for v in joined(graph).nodes if isinstance(v.op, Together)]
    ['gammainc together']
    """
    nodes: Sequence[Any] = graph.nodes
    found: set[Any] = set()
    for v in nodes:  # most graphs have none: no function is called for each
        if isinstance(v.op, Elemwise):
            row = SCALARS[v.op.name]
            is_known = None not in v.type.shape
            is_long = row.cost >= LOOP or row.summation is not None
            if is_long or (row.name in _LONG and is_known and not in_loop):
                if is_known and prod(v.type.shape) > MOST:
                    continue
                found.add(v)
    groups = _groups(graph, found) if len(found) > 1 else ()
    if not groups:
        return graph
    group_of = {v: group for group in groups for v in group}
    new_of: dict[Variable, Any] = {}
    for v in _by_level(graph, found):
        if v in new_of:
            continue
        group = group_of.get(v)
        if group is not None:
            new_of.update(zip(group, _together(group, new_of), strict=True))
            continue
        inputs = tuple([new_of.get(i, i) for i in v.inputs])
        if inputs != tuple(v.inputs):
            new_of[v] = remake(v, inputs)
    return FunctionGraph(graph.inputs, [new_of.get(v, v) for v in graph.outputs])


def _groups(graph: FunctionGraph, found: Set[Any]) -> list[list[Any]]:
    """The nodes that are to be one, none of which depends on another."""
    alike: dict[Hashable, list[Any]] = {}
    level, nodes = _levels(graph, found), list[Any](graph.nodes)
    for v in nodes:
        if v in found:
            dtypes = tuple([i.type.dtype for i in v.inputs])
            name = ANOTHER.get(v.op.name, v.op.name)
            alike.setdefault((name, dtypes, level[v]), []).append(v)
    return [group for group in alike.values() if len(group) > 1]


def _levels(graph: FunctionGraph, found: Set[Any]) -> dict[Variable, int]:
    """How many of those that are found each variable depends on, one on another."""
    level: dict[Variable, int] = {}
    for v in graph.order:
        level[v] = max([level[i] + (i in found) for i in v.inputs], default=0)
    return level


def _by_level(graph: FunctionGraph, found: Set[Any]) -> list[Variable]:
    """In an order in which all that members of a group depend on is before the first of them."""
    level = _levels(graph, found)
    return sorted(graph.order, key=lambda v: (level[v], v in found))


def _together(group: Sequence[Any], new_of: dict[Variable, Any]) -> list[TensorVariable]:
    """What the nodes of a group are, by one."""
    outer, standing.place = standing.place, group[0].place
    try:
        op = Together(tuple([v.op for v in group]))
        results: Any = op(*[new_of.get(i, i) for v in group for i in v.inputs])
        return list(results)
    finally:
        standing.place = outer
