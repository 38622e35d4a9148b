"""Pooling of what has the axes (examples, channels, *space): maxima, sums and means of parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any, NamedTuple

from numpy import iinfo, inf

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.nn.layers import Padding, Steps, each, pads_of
from weft_tensor.ops.reduction.standard import max
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.reshape import expand_dims, reshape

__all__ = ["avg_pool", "max_pool", "sum_pool"]


class _Axis(NamedTuple):
    """The parts along an axis of space."""

    length: Any
    width: int
    step: int
    apart: int
    before: Any
    behind: Any
    count: Any

    @property
    def extent(self) -> int:
        """How long a part is."""
        return (self.width - 1) * self.apart + 1

    @property
    def needed(self) -> Any:
        """How much must be behind, for the last part to be there."""
        return (self.count - 1) * self.step + self.extent - self.length - self.before


def _axes(
    x: TensorVariable,
    window: Steps,
    strides: Steps | None,
    padding: Padding,
    ceil_mode: bool,
    dilation: Steps = 1,
) -> list[_Axis]:
    if x.ndim < 3:
        raise ValueError(f"pooling takes (examples, channels, *space), not {x!r}{called()}")
    rank, lengths = x.ndim - 2, lengths_of(x)[2:]
    widths = each(window, rank, "window")
    steps = widths if strides is None else each(strides, rank, "strides")
    apart = each(dilation, rank, "dilation")
    extents = [(k - 1) * d + 1 for k, d in zip(widths, apart, strict=True)]
    axes = []
    pads = pads_of(padding, lengths, steps, extents)
    rows = zip(lengths, widths, steps, apart, extents, pads, strict=True)
    for n, width, step, far, extent, (a, b) in rows:
        left = n + a + b - extent
        count = maximum(left // step + 1, 0)
        if ceil_mode:  # one more that begins in x, or before it
            more = -(-left // step) + 1
            count = maximum(more - ge((more - 1) * step, n + a).astype("int64"), 0)
        axes.append(_Axis(n, width, step, far, a, b, count))
    return axes


def max_pool(
    x: TensorLike,
    window: Steps,
    strides: Steps | None = None,
    padding: Padding = "valid",
    dilation: Steps = 1,
    ceil_mode: bool = False,
) -> TensorVariable:
    """The largest element of each part of `x`, with axes `(examples, channels, *space)`.

    Parameters
    ----------
    x
        Real numbers.
    window
        How many elements parts have: one number, or one for each axis of space.
    strides
        How far from each other they begin; as long as they are by default.
    padding
        As for `conv`; what is beside x is smaller than all numbers.
    dilation
        How far the elements of a part are from each other.
    ceil_mode
        Whether there is one part more where the last element would be in none.

    Raises
    ------
    ValueError
        for windows, strides, padding and dilation that are none.

    Examples
    --------
    >>> max_pool([[[1.0, 3.0, 2.0, 0.0]]], 2).eval()
    array([[[3., 2.]]])
    """
    result = as_tensor(x)
    axes = _axes(result, window, strides, padding, ceil_mode, dilation)
    pads = [(a.before, maximum(a.needed, a.behind) if ceil_mode else a.behind) for a in axes]
    if any(p != (0, 0) for p in pads):
        least = -inf if result.dtype[0] == "f" else iinfo(result.dtype).min
        result = pad(result, [(0, 0), (0, 0), *pads], constant_values=least)
    if all(a.step == a.width and a.apart == 1 for a in axes):
        blocks = index(result, (..., *[slice(None, a.count * a.width) for a in axes]))
        sizes = [n for a in axes for n in (a.count, a.width)]
        rows = reshape(blocks, (*lengths_of(result)[:2], *sizes))
        return max(rows, tuple(range(3, rows.ndim, 2)))
    for k, axis in enumerate(axes, 2):
        places = expand_dims(arange(axis.count) * axis.step, 1) + arange(axis.width) * axis.apart
        result = max(index(result, (*[slice(None)] * k, places)), k + 1)
    return result


def sum_pool(
    x: TensorLike,
    window: Steps,
    strides: Steps | None = None,
    padding: Padding = "valid",
    ceil_mode: bool = False,
) -> TensorVariable:
    """The sum of each part of `x`, as `max_pool`; beside x are zeros.

    Raises ValueError as `max_pool` does.

    >>> sum_pool([[[1.0, 3.0, 2.0, 0.0]]], 2).eval()
    array([[[4., 2.]]])
    """
    value = as_tensor(x)
    value = value.astype("int64") if value.dtype == "bool" else value
    return _summed(value, _axes(value, window, strides, padding, ceil_mode))


def avg_pool(
    x: TensorLike,
    window: Steps,
    strides: Steps | None = None,
    padding: Padding = "valid",
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> TensorVariable:
    """The mean of each part of `x`, as `max_pool`; beside x are zeros.

    They are counted as far as `padding` says, or not at all: `count_include_pad`. ValueError as
    for `max_pool`.

    >>> avg_pool([[[1.0, 3.0, 2.0, 0.0]]], 2).eval()
    array([[[2., 1.]]])
    """
    tensor = as_tensor(x)
    value = tensor if tensor.dtype[0] in "fc" else tensor.astype("float64")
    axes = _axes(value, window, strides, padding, ceil_mode)
    total = _summed(value, axes)
    is_padded = any((a.before, a.behind) != (0, 0) for a in axes)
    if not ceil_mode and (count_include_pad or not is_padded):
        return total / float(prod(a.width for a in axes))
    return total / _outer([_counted(a, count_include_pad) for a in axes]).astype(value.dtype)


def _summed(x: TensorVariable, axes: Sequence[_Axis]) -> TensorVariable:
    """A convolution with ones, of each channel by itself."""
    examples, channels, *space = lengths_of(x)
    apart = reshape(x, (examples * channels, 1, *space))
    kernel = ones((1, 1, *(a.width for a in axes)), x.dtype)
    flat = (1,) * len(axes)
    op = Conv(tuple([a.step for a in axes]), flat, flat)
    starts = [as_tensor(-a.before).astype("int64") for a in axes]
    counts = [a.count for a in axes]
    return reshape(op(apart, kernel, *starts, *counts), (examples, channels, *counts))


def _counted(axis: _Axis, is_padding: bool) -> TensorVariable:
    """How many elements each part along an axis has, with or without padding."""
    begins = arange(axis.count) * axis.step - axis.before
    first, last = (-axis.before, axis.length + axis.behind) if is_padding else (0, axis.length)
    return minimum(begins + axis.width, last) - maximum(begins, first)


def _outer(counts: Sequence[TensorVariable]) -> TensorVariable:
    rank = len(counts)
    rows = [expand_dims(n, tuple(a for a in range(rank) if a != k)) for k, n in enumerate(counts)]
    return reduce(lambda a, b: a * b, rows)
