"""Rules for indexing, and for updates of what is indexed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft_graph import Apply
from weft_tensor.batching.node import (
    aligned,
    batch_length,
    by_map,
    is_batched,
    repeated,
    vectorize_node,
)
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.indexing.index import FULL, Index, IndexUpdate
from weft_tensor.ops.indexing.slices import Slice
from weft_tensor.ops.indexing.subscript import ARRAY, NEW, SCALAR, Entry, advanced_place
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import transpose

__all__: list[str] = []


class _Subscript(NamedTuple):
    """A subscript for a batch, and in which order the axes of its result are those before."""

    entries: tuple[Entry, ...]
    values: list[Any]
    order: list[int]


@vectorize_node.register
def _index(op: Index, node: Apply, inputs: Sequence[Any]) -> Any:
    subscript = _subscript(
        op.entries, node, inputs, 1, x_batched=is_batched(inputs[0], node.inputs[0])
    )
    if subscript is None:
        return by_map(op, node, inputs)
    return transpose(Index(subscript.entries)(inputs[0], *subscript.values), subscript.order)


@vectorize_node.register
def _index_update(op: IndexUpdate, node: Apply, inputs: Sequence[Any]) -> Any:
    old: Sequence[Any] = node.inputs
    subscript = _subscript(op.entries, node, inputs, 2, x_batched=True)
    if subscript is None:
        return by_map(op, node, inputs)
    x, y = inputs[:2]
    x = repeated(x, old[0], batch_length(node, inputs))
    ndim = len(subscript.order)
    y = aligned(y, old[1], ndim - 1)
    if y.ndim:
        y = expand_dims(y, tuple(range(ndim - y.ndim)))
        y = transpose(y, [int(a) for a in np.argsort(subscript.order)])
    return IndexUpdate(subscript.entries, op.mode)(x, y, *subscript.values)


def _subscript(
    entries: Sequence[Entry], node: Apply, inputs: Sequence[Any], first: int, *, x_batched: bool
) -> _Subscript | None:
    """What indexes with values from input `first` on; None where ends of slices are batched."""
    old: Sequence[Any] = node.inputs[first:]
    new = inputs[first:]
    pairs = iter(list(zip(new, old, strict=True)))
    rank = max([v.ndim for v in old], default=0)
    result: list[Entry] = []
    values: list[Any] = []
    any_batched = False
    for e in entries:
        if isinstance(e, Slice):
            ends = [next(pairs) for p in e if p == SCALAR]
            if any(is_batched(*pair) for pair in ends):
                return None
            values += [v for v, _ in ends]
        elif e in (ARRAY, SCALAR):
            v, own = next(pairs)
            if is_batched(v, own):
                any_batched, e, v = True, ARRAY, aligned(v, own, rank)
            values.append(v)
        result.append(e)
    if any_batched and x_batched:
        n = batch_length(node, inputs)
        values.insert(0, expand_dims(arange(n), tuple(range(1, 1 + rank))))
    if x_batched:
        result.insert(0, ARRAY if any_batched else FULL)
    return _Subscript(tuple(result), values, _order(entries, result, rank, any_batched))


def _order(
    before: Sequence[Entry], after: Sequence[Entry], rank: int, any_batched: bool
) -> list[int]:
    """Where, in what `after` gives, the batch is, and then each axis of what `before` gave."""
    count = sum(map(_keeps_axis, after))
    place = _block_place(after)
    size = rank + any_batched
    block = list(range(place, place + size))
    others = [a for a in range(count + size) if a not in block]
    batch, *rest = [block[0], *others] if any_batched else others
    core = block[1:] if any_batched else block
    own = _block_place(before)
    return [batch, *rest[:own], *core, *rest[own:]]


def _block_place(entries: Sequence[Entry]) -> int:
    """The first of the axes that index arrays give, in the result."""
    at = advanced_place(entries)
    return sum(map(_keeps_axis, entries[:at])) if at is not None else 0


def _keeps_axis(e: Entry) -> bool:
    return isinstance(e, Slice) or e == NEW
