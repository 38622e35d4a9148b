"""How many elements slices take, in Numba."""

from __future__ import annotations

from typing import Any

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit
from weft_tensor.extend import SCALAR, SliceLength

__all__ = ["numba_funcify_slice_length"]


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
