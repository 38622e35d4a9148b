"""Functions that take XLA long to compile, of several arrays of few elements, compiled once.

XLA compiles each use of a function by itself, and one of the incomplete beta function takes it most
of a second. Where a graph has several that don't depend on each other, as a density that is cut at
both ends has, one array has all their elements.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from math import prod
from typing import Any, Final

import numpy as np

from weft_graph import Constant, FunctionGraph, Variable
from weft_graph.extend import remake, standing
from weft_tensor import Elemwise, broadcast_to, concatenate, constant, reshape
from weft_tensor.extend import LOOP, SCALARS

__all__ = ["joined"]

_MANY: Final = 2048
"""Of more elements, those that need more steps than others would have others do these, too."""
_LONG: Final = frozenset(["gammaln", "digamma", "trigamma", "zeta", "betaln", "gamma"])
"""Functions without a loop that are long in XLA's language."""


def joined(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which each such function is there once, as far as shapes are known.

    >>> import weft_tensor as wt
    >>> x, y = wt.vector("x", shape=(3,)), wt.scalar("y")
    >>> graph = FunctionGraph([x, y], [wt.gammainc(y, x), wt.gammainc(2.0, y)])
    >>> [v.op.name for v in joined(graph).nodes if isinstance(v.op, Elemwise)]
    ['gammainc']
    """
    nodes: Sequence[Any] = graph.nodes
    found: set[Any] = set()
    for v in nodes:  # most graphs have none: no function is called for each
        if isinstance(v.op, Elemwise):
            row = SCALARS[v.op.name]
            is_long = row.cost >= LOOP or row.summation is not None or row.name in _LONG
            if is_long and _is_small(v):
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
            alike.setdefault((v.op, dtypes, level[v]), []).append(v)
    return [part for group in alike.values() for part in _parts(group) if len(part) > 1]


def _is_small(v: Any) -> bool:
    return all(isinstance(n, int) for n in v.type.shape) and prod(v.type.shape) <= _MANY


def _parts(group: Sequence[Any]) -> Iterator[list[Any]]:
    """The group, cut where it would have too many elements."""
    part: list[Any] = []
    count = 0
    for v in group:
        if count + prod(v.type.shape) > _MANY:
            yield part
            part, count = [], 0
        part.append(v)
        count += prod(v.type.shape)
    yield part


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


def _together(group: Sequence[Any], new_of: dict[Variable, Any]) -> Iterator[Any]:
    """What the nodes of a group are, of one array with the elements of all."""
    first = group[0]
    outer, standing.place = standing.place, first.place
    try:
        columns = zip(*[v.inputs for v in group], strict=True)
        arrays = [_end_to_end(group, [new_of.get(i, i) for i in column]) for column in columns]
        whole = first.op(*arrays)
        start = 0
        for v in group:
            stop = start + prod(v.type.shape)
            yield reshape(whole[start:stop], v.type.shape)
            start = stop
    finally:
        standing.place = outer


def _end_to_end(group: Sequence[Any], values: Sequence[Any]) -> Any:
    """The values, each as often as its node has elements."""
    if values.count(values[0]) == len(values) and not values[0].ndim:
        return values[0]
    if all(isinstance(x.op, Constant) for x in values):
        return constant(
            np.concatenate(
                [
                    np.broadcast_to(x.op.value, v.type.shape).reshape(-1)
                    for x, v in zip(values, group, strict=True)
                ]
            )
        )
    flat = [
        reshape(broadcast_to(x, v.type.shape), (prod(v.type.shape),))
        for x, v in zip(values, group, strict=True)
    ]
    return concatenate(flat)
