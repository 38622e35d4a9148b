"""Slices in JAX: what XLA fuses where they begin at numbers, and one window where they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from weft_graph import Variable
from weft_jax.lowering.x64 import of_dtype
from weft_tensor import Pointwise
from weft_tensor.extend import SCALARS, kind_of

__all__ = ["Window", "added", "is_quick", "replaced", "taken"]


class Window(NamedTuple):
    """What a slice takes of an axis: `length` elements, from `begin` in steps of `step`."""

    begin: Any
    step: Any
    length: int

    @classmethod
    def of(cls, parts: Sequence[Any], n: int, length: int) -> Window:
        """That of a slice of this length, of an axis of length n; its parts may be traced."""
        start, _, step = parts
        step = 1 if step is None else step
        xp: Any = np if all(_is_number(v) for v in (start, step) if v is not None) else jnp
        forward = step > 0
        if start is None:
            begin = xp.where(forward, 0, n - 1)
        else:
            begin = xp.where(start < 0, start + n, start)
            begin = xp.clip(begin, xp.where(forward, 0, -1), xp.where(forward, n, n - 1))
        return cls(int(begin) if xp is np else begin, int(step) if xp is np else step, length)

    @classmethod
    def of_index(cls, k: Any, n: int) -> Window:
        """That of an index within the bounds of an axis of length n."""
        return cls(int(k) % n if _is_number(k) else k, 1, 1)

    @property
    def is_known(self) -> bool:
        """Whether it is known while JAX traces."""
        return _is_number(self.begin) and _is_number(self.step)

    @property
    def is_dense(self) -> bool:
        """Whether it takes neighbours, in their order."""
        return _is_number(self.step) and self.step == 1

    def places(self) -> Array:
        """The positions that it takes."""
        return jnp.asarray(self.begin + self.step * np.arange(self.length))


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) or (isinstance(x, np.ndarray) and not x.ndim)


def taken(x: Array, axis: int, window: Window) -> Array:
    """The elements of a window along an axis."""
    begin, step, length = window
    if window.is_known and not (length and step < 0):
        end = begin + (length - 1) * step + 1 if length else begin
        return lax.slice_in_dim(x, begin, end, abs(step), axis)
    if window.is_known:
        lowest = begin + (length - 1) * step
        return lax.rev(lax.slice_in_dim(x, lowest, begin + 1, -step, axis), [axis])
    if window.is_dense:
        return lax.dynamic_slice_in_dim(x, begin, length, axis)
    return jnp.take(x, window.places(), axis, mode="clip")


_QUICK: Final = 10
"""The cost of what is rather computed for each use than kept in memory, at most."""


def is_quick(v: Variable) -> bool:
    """Whether it costs little to compute an element of `v` anew for each place that it is added to.

    XLA does so with what `added` adds: in the slope of the total variation of 600 x 600 numbers,
    square roots and quotients for three places each, 5.0 ms; kept, as by `replaced`, 1.2.
    """
    cost, found, waiting = 0.0, {v}, [v]
    while waiting and cost <= _QUICK:
        v = waiting.pop()
        kind = kind_of(v)
        if isinstance(kind, Pointwise):
            cost += SCALARS[kind.of].cost if kind.of in SCALARS else 1
            waiting += [u for u in v.inputs if u not in found]
            found.update(v.inputs)
    return cost <= _QUICK


def added(x: Array, y: Array, windows: Sequence[Window]) -> Array | None:
    """`x` with y added in windows along all axes; None where scattering is better.

    What is added elsewhere is -0, which changes no number.
    """
    if x.dtype == bool or not all(w.is_known and w.step > 0 for w in windows):
        return None
    spread = [max(w.length - 1, 0) * w.step + (w.length > 0) for w in windows]
    sides = [
        (w.begin, n - w.begin - size, w.step - 1)
        for w, n, size in zip(windows, x.shape, spread, strict=True)
    ]
    nothing = complex(-0.0, -0.0) if jnp.issubdtype(x.dtype, jnp.complexfloating) else -0.0
    lengths = [w.length for w in windows]
    return x + lax.pad(jnp.broadcast_to(y, lengths), of_dtype(nothing, str(x.dtype)), sides)


def replaced(x: Array, y: Array, windows: Sequence[Window], mode: str) -> Array | None:
    """`x` with y set, added, ... in windows along all axes; None where scattering is better."""
    if not all(w.is_dense for w in windows):
        return None
    begins = [w.begin for w in windows]
    lengths = [w.length for w in windows]
    y = jnp.broadcast_to(y, lengths)
    if mode != "set":
        y = _COMBINING[mode](lax.dynamic_slice(x, begins, lengths), y)
    return lax.dynamic_update_slice(x, y, begins)


_COMBINING: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "inc": jnp.add,
    "mul": jnp.multiply,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
}
