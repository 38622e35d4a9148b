"""Increments of zeros at every place of an axis, summed: the places' values, stacked.

Such are derivatives of what reads a vector element by element. What is stacked can be read again
without a vector between. The same is done with increments at the same indices of each column or
row, as of coefficients that belong to groups. A pass, because a sum has any number of terms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple

from weft_graph import Constant, FunctionGraph, Variable
from weft_graph.extend import remake
from weft_tensor import BroadcastTo, Elemwise, IndexUpdate, TensorVariable, stack
from weft_tensor.extend import ARRAY, Slice

__all__ = ["join_increments"]

_FULL: Final = Slice(None, None, None)
_FEW: Final = 8
"""An axis is no longer."""


class _Places(NamedTuple):
    """All places of an axis: of all that is along the other, or of what is at these indices."""

    axis: int
    zeros: TensorVariable
    indices: TensorVariable | None


def join_increments(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with increments at every place of a short axis in one.

    >>> import weft_tensor as wt
    >>> x, y = wt.scalars("x y")
    >>> zeros = wt.zeros(2)
    >>> total = zeros[0].inc(x) + zeros[1].inc(y)
    >>> join_increments(FunctionGraph([x, y], [total])).outputs[0] is wt.stack([x, y])
    True
    >>> k, zeros = wt.ivector("k", shape=(5,)), wt.zeros((9, 2))
    >>> total = zeros[k, 0].inc(wt.exp(k)) + zeros[k, 1].inc(wt.sin(k))
    >>> print(join_increments(FunctionGraph([k], [total])).outputs[0].op)
    inc[array, :]
    """
    if not any(map(_place, graph.nodes)):
        return graph
    uses = Counter(i for v in graph.nodes for i in v.inputs) + Counter(graph.outputs)
    sums = [v for v in graph.nodes if _is_sum(v)]
    inside = {t for v in sums for t in v.inputs if _is_sum(t) and t.type is v.type and uses[t] == 1}
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    order: Sequence[Any] = graph.order
    for v in order:
        if v in new_of:
            continue
        new = _joined(v, inside, new_of) if _is_sum(v) and v not in inside else None
        inputs = tuple([new_of[i] for i in v.inputs])
        new_of[v] = new if new is not None else remake(v, inputs)
    return graph.with_outputs([new_of[v] for v in graph.outputs])


def _is_sum(v: Variable) -> bool:
    return isinstance(v.op, Elemwise) and str(v.op) == "add"


def _joined(
    total: TensorVariable, inside: Container[Variable], new_of: Mapping[Variable, Variable]
) -> TensorVariable | None:
    """The sum with what is stacked in the place of increments; None without any such."""
    places: dict[_Places, dict[int, list[Any]]] = defaultdict(lambda: defaultdict(list))
    terms: list[Any] = []
    todo: list[Any] = [total]
    while todo:
        v = todo.pop()
        if v is total or v in inside:
            todo += reversed(v.inputs)
            continue
        where = _place(v) if v.type is total.type else None
        if where is None:
            terms.append(new_of[v])
        else:
            places[where[0]][where[1]].append(new_of[v.inputs[1]])
    stacked = [_stack(total, where, parts, new_of) for where, parts in places.items()]
    if None in stacked:
        return None
    return reduce(add, [*stacked, *terms]) if stacked else None


def _stack(
    total: TensorVariable,
    where: _Places,
    parts: Mapping[int, list[TensorVariable]],
    new_of: Mapping[Variable, Variable],
) -> TensorVariable | None:
    axis, zeros, indices = where
    length = total.type.shape[axis]
    if len(parts) != length:
        return None
    kind = total.type.shape[:axis] + total.type.shape[axis + 1 :]
    kind = kind if indices is None else indices.type.shape
    rows = [reduce(add, parts[k]) for k in range(length)]
    if not all(r.type.shape == kind and r.dtype == total.dtype for r in rows):
        return None
    if indices is None:
        return stack(rows, axis)
    x: Any = new_of[zeros]
    places = x[:, new_of[indices]] if axis == 0 else x[new_of[indices]]
    whole: TensorVariable = places.inc(stack(rows, -axis))
    return whole


def _place(v: Variable) -> tuple[_Places, int] | None:
    """Where zeros are increased, and the place on its axis; None for anything else."""
    op: Any = v.op
    if type(op) is not IndexUpdate or op.mode != "inc" or len(v.inputs) > 3:
        return None
    x: Any = v.inputs[0]
    if type(x.op) is not BroadcastTo or not _is_zero(x.inputs[0]):
        return None
    indices: Any = None
    if len(v.inputs) == 3:
        indices = v.inputs[2]
        if len(op.entries) != 2 or ARRAY not in op.entries or None in indices.type.shape:
            return None
    chosen: list[Any] = [(a, e) for a, e in enumerate(op.entries) if e not in (_FULL, ARRAY)]
    if len(chosen) != 1 or type(chosen[0][1]) is not int:
        return None
    axis, place = chosen[0]
    length = x.type.shape[axis]
    if not isinstance(length, int) or not -length <= place < length <= _FEW:
        return None
    return _Places(axis, x, indices), place % length


def _is_zero(v: TensorVariable) -> bool:
    return isinstance(v.op, Constant) and v.type.shape == () and not v.op.value
