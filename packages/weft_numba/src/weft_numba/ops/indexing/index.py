"""Indexing and updates in Numba: views; index arrays and updates are part of loop nests."""

from __future__ import annotations

from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit
from weft_numba.numba_layer.views import Cut, Kept, New, Part, Picked, view
from weft_numba.ops.shape.reshape import one_element
from weft_tensor import Index, IndexUpdate, TensorVariable
from weft_tensor.extend import NEW, SCALAR, Slice, SliceLength

__all__ = ["numba_funcify_index", "numba_funcify_index_update", "numba_funcify_slice_length"]


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


def _slice_length(n: Any, start: Any, stop: Any, step: Any) -> Any:
    """How many elements a slice with integers (None left out before) takes of n."""
    if step > 0:
        return (stop - start - 1) // step + 1 if start < stop else 0
    return (stop - start + 1) // step + 1 if start > stop else 0


@njit
def _slice_ends(n: Any, start: Any, stop: Any, step: Any, has_start: Any, has_stop: Any) -> Any:
    """Start and stop as Python's `slice.indices` gives them."""
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, n) if step > 0 else (-1, n - 1)
    begin, end = (low, high) if step > 0 else (high, low)
    if has_start:
        begin = min(max(start + n if start < 0 else start, low), high)
    if has_stop:
        end = min(max(stop + n if stop < 0 else stop, low), high)
    return begin, end


_count_steps = njit(_slice_length)


@numba_funcify.register(SliceLength)
def numba_funcify_slice_length(op: SliceLength, **kwargs: object) -> Dispatcher:
    """As Python's `slice.indices` says."""
    names, parts = ["n"], []
    for k, p in enumerate(op.part):
        if p == SCALAR:
            names.append(f"v{k}")
            parts.append(f"v{k}")
        else:
            parts.append(str(p if p is not None else (1 if k == 2 else 0)))
    has = f"{op.part.start is not None}, {op.part.stop is not None}"
    return compiled(
        f"def lowered({', '.join(names)}):\n"
        f"    begin, end = slice_ends(n, {', '.join(parts)}, {has})\n"
        f"    return count_steps(n, begin, end, {parts[2]})\n",
        slice_ends=_slice_ends,
        count_steps=_count_steps,
    )
