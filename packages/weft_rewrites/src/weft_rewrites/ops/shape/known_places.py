"""Reading, at places known while compiling, of what was written to such places.

A triangle is packed by writing to its places; its diagonal is some of what was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_tensor import Arange, Index, IndexUpdate, TensorVariable
from weft_tensor.extend import ARRAY

__all__ = ["diagonal_of", "rules"]

_MOST: Final = 1 << 10
"""The most places that are compared."""


def _places(
    entries: Sequence[object], x: TensorVariable, indices: Sequence[TensorVariable]
) -> list[tuple[int, ...]] | None:
    """The elements of `x` in their order, where vectors of known numbers say which."""
    if set(entries) != {ARRAY} or len(entries) != x.ndim or len(indices) != x.ndim:
        return None
    columns = []
    for v, length in zip(indices, x.type.shape, strict=True):
        count = v.type.shape[0] if v.ndim == 1 else None
        if not isinstance(count, int) or not isinstance(length, int) or count > _MOST:
            return None
        if type(v.op) is Arange and len(v.inputs) == 1:
            numbers = np.arange(count)
        elif type(v.op) is Constant and v.op.value.dtype != bool:
            numbers = v.op.value.astype("int64")
        else:
            return None
        if ((numbers < -length) | (numbers >= length)).any():
            return None
        columns.append((numbers % length).tolist())
    return list(zip(*columns, strict=True)) if len({len(c) for c in columns}) == 1 else None


def diagonal_of(x: TensorVariable) -> TensorVariable:
    """The diagonal of a square matrix, from what was put there where that is known.

    >>> from weft_tensor import vector, zeros
    >>> v = vector("v", shape=(3,))
    >>> triangle = zeros((2, 2))[[0, 1, 1], [0, 0, 1]].set(v)
    >>> diagonal_of(triangle).inputs
    (<v : float64[3]>, <[0, 2] : int64[2]>)
    """
    length = x.type.shape[0]
    if not isinstance(length, int) or length > _MOST:
        return wt.diagonal(x)
    i = wt.constant(np.arange(length))
    part = x[i, i]
    while (older := _before(part)) is not None:
        part = older
    return part


def _before(node: TensorVariable) -> TensorVariable | None:
    """All of it from what was written, or all from what was there before."""
    f, (x, *j) = node.op, node.inputs or (node,)
    if type(f) is not Index or f.lifted or type(x.op) is not IndexUpdate or x.op.mode != "set":
        return None
    old, new, *i = x.inputs
    read, written = _places(f.entries, old, j), _places(x.op.entries, old, i)
    if read is None or written is None or new.type.shape != (len(written),):
        return None
    last = {place: n for n, place in enumerate(written)}
    found = [last.get(place) for place in read]
    if found == [*range(len(written))]:
        return new.astype(node.dtype)
    if None not in found:
        return new[np.array(found)].astype(node.dtype)
    return f(old, *j) if {*found} == {None} else None


rules: tuple[Rule, ...] = (
    rule(Index, over=IndexUpdate, name="reading at known places what was set")(_before),
)
"""All of them."""
