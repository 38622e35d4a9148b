"""The first or last elements in order, without sorting all."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import FunctionGraph, Variable
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_tensor import ArgSort, Index, Max, Min, Sort, TensorVariable
from weft_tensor.extend import Slice, found_one_by_one, one_by_one

__all__ = ["find_first"]

_REVERSED: Final = Slice(None, None, -1)


def find_first(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which the few elements that are taken from the ends of an order are looked for.

    A pass, because it has to know all users of the order.

    >>> x = wt.vector("x")
    >>> graph = FunctionGraph([x], [wt.argsort(x)[:3]])
    >>> any(isinstance(v.op, ArgSort) for v in find_first(graph).nodes)
    False
    """
    new_of: dict[Variable, Variable] = {}
    outputs = set(graph.outputs)
    nodes: Any = graph.nodes
    for order in nodes:
        if type(order.op) in (ArgSort, Sort) and order not in outputs:
            new_of |= _ends(order, graph, outputs)
    return graph.replace(new_of) if new_of else graph


def _ends(order: Any, graph: FunctionGraph, outputs: set[Variable]) -> dict[Variable, Variable]:
    """What takes the place of users, if each of them takes a few from one end."""
    (x,), axis = order.inputs, order.op.axis
    new_of: dict[Variable, Variable] = {}
    for user, _ in graph.users[order]:
        taken = _along(user, axis)
        users: list[Any] = [user]
        is_reversed = taken == _REVERSED
        if is_reversed:
            users = [] if user in outputs else [v for v, _ in graph.users[user]]
        for v in users:
            count = _count(_along(v, axis))
            if not count or not found_one_by_one(x, abs(count), axis):
                return {}
            new = _found(order.op, x, count, is_reversed=is_reversed)
            if not keeps_lengths(v.type, new.type):
                return {}
            new_of[v] = new
        if not users:
            return {}
    return new_of


def _along(v: Any, axis: int) -> Any:
    """What an index takes along an axis, if it takes all of the others; else None."""
    if type(v.op) is not Index or v.op.lifted or len(v.inputs) > 1:
        return None
    taken = v.op.entries[axis] if axis < len(v.op.entries) else None
    others = [*v.op.entries[:axis], *v.op.entries[axis + 1 :]]
    return taken if all(isinstance(e, Slice) and e.is_full for e in others) else None


def _count(taken: Any) -> int:
    """How many a slice takes from the beginning, or, below 0, from the end; else 0."""
    if not isinstance(taken, Slice) or taken.step not in (None, 1):
        return 0
    if taken.start in (None, 0) and isinstance(taken.stop, int) and taken.stop > 0:
        return taken.stop
    if taken.stop is None and isinstance(taken.start, int) and taken.start < 0:
        return taken.start
    return 0


def _found(op: ArgSort | Sort, x: Any, count: int, *, is_reversed: bool) -> TensorVariable:
    """So many from an end of an order, or of the order from its end."""
    lanes, k = wt.moveaxis(x, op.axis, -1), abs(count)
    lanes = lanes.astype("uint8") if lanes.dtype == "bool" else lanes
    n = wt.shape(lanes)[-1]
    if (count > 0) != is_reversed:  # the smallest, of which the first ones come first
        places = one_by_one(_with_one_more(lanes, Min), -k)
    else:
        places = n - 1 - one_by_one(_with_one_more(wt.flip(lanes, -1), Max), k)
    places = places[..., :n]
    places = wt.moveaxis(places if count > 0 else wt.flip(places, -1), -1, op.axis)
    if isinstance(op, ArgSort):
        return places.astype(op(x).type.dtype)
    return wt.take_along_axis(x, places, op.axis)


def _with_one_more(lanes: Any, kind: type[Max | Min]) -> TensorVariable:
    """Lanes, behind which stands what is found last, if it is not known that there is anything."""
    if isinstance(lanes.type.shape[-1], int) and lanes.type.shape[-1]:
        return lanes
    last = np.nan if kind is Min and lanes.type.differentiable else kind.of_nothing(lanes.dtype)
    more = wt.full((*wt.shape(lanes)[:-1], 1), last, lanes.dtype)
    return wt.concatenate([lanes, more], -1)
