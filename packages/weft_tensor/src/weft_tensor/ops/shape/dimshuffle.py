"""Axes put in another order, left out and made: `dimshuffle` and its like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.reshape import expand_dims, squeeze
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.axes import as_axes

__all__ = [
    "dimshuffle",
    "patternbroadcast",
    "shape_padaxis",
    "shape_padleft",
    "shape_padright",
]


def dimshuffle(x: TensorLike, *pattern: Any) -> TensorVariable:
    """The axes of `x` in the order of `pattern`, given one by one or in a sequence.

    "x" makes an axis of length 1; an axis that is left out must have that length. The same as
    `transpose`, `expand_dims` and `squeeze`.

    >>> dimshuffle([1, 2], "x", 0).eval()
    array([[1, 2]])
    """
    x = as_tensor(x)
    several = len(pattern) == 1 and isinstance(pattern[0], (list, tuple))
    entries = list(pattern[0]) if several else list(pattern)
    axes = [a for a in entries if a != "x"]
    as_axes(axes, x.ndim)
    order = [a % x.ndim for a in axes]
    left_out = [a for a in range(x.ndim) if a not in order]
    remaining = sorted(order)
    result = squeeze(x, left_out) if left_out else x
    if order:
        result = transpose(result, [remaining.index(a) for a in order])
    return expand_dims(result, tuple(k for k, a in enumerate(entries) if a == "x"))


def shape_padleft(x: TensorLike, n_ones: int = 1) -> TensorVariable:
    """`x` with `n_ones` axes of length 1 before the others.

    >>> shape_padleft([1, 2]).eval()
    array([[1, 2]])
    """
    return expand_dims(x, tuple(range(n_ones)))


def shape_padright(x: TensorLike, n_ones: int = 1) -> TensorVariable:
    """`x` with `n_ones` axes of length 1 behind the others.

    >>> shape_padright([1, 2]).eval()
    array([[1],
           [2]])
    """
    return expand_dims(x, tuple(range(-n_ones, 0)))


def shape_padaxis(x: TensorLike, axis: int) -> TensorVariable:
    """`x` with an axis of length 1 at the place `axis` of the result: `expand_dims`.

    >>> shape_padaxis([1, 2], 0).eval()
    array([[1, 2]])
    """
    return expand_dims(x, axis)


def patternbroadcast(x: TensorLike, broadcastable: Sequence[bool]) -> TensorVariable:
    """`x`, of which the axes that are `broadcastable` are known to have length 1.

    >>> from weft_tensor import matrix
    >>> patternbroadcast(matrix("x"), (True, False)).type.shape
    (1, None)
    """
    return specify_shape(x, tuple(1 if is_one else None for is_one in broadcastable))
