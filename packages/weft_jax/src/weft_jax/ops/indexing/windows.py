"""Windows that slide along an axis: a few slices, where XLA would look up each element.

Medians of 3 x 3 neighbours of 500 x 500 pixels take 3 ms in place of 23.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import jax.numpy as jnp
from jax import Array, lax

from weft_graph.extend import Identity
from weft_tensor import Arange, Pointwise, View
from weft_tensor.extend import kind_of

__all__ = ["are_windows", "fit", "windows", "with_windows"]

_WIDEST: Final = 32


def are_windows(index: Any) -> bool:
    """Whether rows of `index` are 0, 1, ..., then 1, 2, ..., and so on.

    >>> import weft_tensor as wt
    >>> n = wt.expand_dims(wt.arange(5), 1)
    >>> are_windows(n + wt.arange(3)), are_windows(n + 2 * wt.arange(3))
    (True, False)
    """
    while isinstance(index.op, Identity):
        index = index.inputs[0]
    kind = kind_of(index)
    if not isinstance(kind, Pointwise) or kind.of != "add" or index.ndim != 2:
        return False
    return sorted(map(_along, index.inputs)) == [0, 1]


def _along(v: Any) -> int:
    """The axis of a matrix along which `v` counts; -1 if it does not."""
    kind = kind_of(v)
    axes: list[int | None] = list(range(v.ndim))
    if isinstance(kind, View):
        v, axes = v.inputs[0], list(kind.axes)
    return 2 - len(axes) + axes.index(0) if isinstance(v.op, Arange) else -1


def fit(shape: Sequence[int], length: int) -> bool:
    """Whether windows, so many and so wide, are within an axis, and few slices."""
    count, width = shape
    return 0 < width <= _WIDEST and 0 < count <= length - width + 1


def windows(x: Array, axis: int, count: int, width: int) -> Array:
    """`x`, with `width` elements from each place of an axis on along another one behind it."""
    slices = [lax.slice_in_dim(x, k, k + count, axis=axis) for k in range(width)]
    return jnp.stack(slices, axis + 1)


def with_windows(x: Array, y: Array, axis: int, count: int, width: int) -> Array:
    """`x` with elements of windows added to those that they are of."""
    shape = (*x.shape[:axis], count, width, *x.shape[axis + 1 :])
    zero, none = jnp.zeros((), x.dtype), (0, 0, 0)
    parts = [
        lax.pad(
            lax.index_in_dim(jnp.broadcast_to(y, shape), k, axis + 1, keepdims=False),
            zero,
            [(k, x.shape[a] - count - k, 0) if a == axis else none for a in range(x.ndim)],
        )
        for k in range(width)
    ]
    return reduce(jnp.add, parts, x)
