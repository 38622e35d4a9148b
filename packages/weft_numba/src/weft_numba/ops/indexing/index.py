"""Indexing and updates in Numba: views; index arrays and updates are part of loop nests."""

from __future__ import annotations

from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.views import Cut, Kept, New, Part, Picked, view
from weft_numba.ops.shape.reshape import one_element
from weft_tensor import Index, IndexUpdate, TensorVariable
from weft_tensor.extend import NEW, Slice

__all__ = ["numba_funcify_index", "numba_funcify_index_update"]


@numba_funcify.register(Index)
def numba_funcify_index(op: Index, *, node: TensorVariable, **kwargs: object) -> Any:
    """A view; an array of one element for rank 0."""
    x, out = node.inputs[0].type, node.type
    if _rank(x):
        return view(_parts(op.entries))
    return one_element(x, _rank(out)) if _rank(out) else compiled("def lowered(x):\n    return x\n")


def _rank(kind: Any) -> int:
    ndim: int = kind.ndim
    return ndim


def _parts(entries: Any) -> tuple[Part, ...]:
    """What a view is made of, for entries without index arrays."""
    parts: list[Part] = []
    axis = 0
    for e in entries:
        if e == NEW:
            parts.append(New())
            continue
        if isinstance(e, Slice):
            parts.append(Kept(axis) if e.is_full else Cut(axis, *e))
        else:
            parts.append(Picked(axis, e))
        axis += 1
    return tuple(parts)


_CHANGES: Final = {
    "set": "{}",
    "inc": "x + {}",
    "mul": "x * {}",
    "maximum": "np.maximum(x, {})",
    "minimum": "np.minimum(x, {})",
}


@numba_funcify.register(IndexUpdate)
def numba_funcify_index_update(
    op: IndexUpdate, *, node: TensorVariable, **kwargs: object
) -> Dispatcher:
    """The new value of a number: all else is part of loop nests."""
    x, y = (v.type for v in node.inputs[:2])
    value = f"y[{', '.join('0' * _rank(y))}]" if _rank(y) else "y"
    new = _CHANGES[op.mode].format(f"{x.dtype}({value})")
    return compiled(f"def lowered(x, y):\n    return {new}\n")
