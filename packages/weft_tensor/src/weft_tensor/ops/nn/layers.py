"""Convolution and pooling of what has the axes (examples, channels, *space)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy import iinfo, inf

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.reduction.standard import max, mean
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad
from weft_tensor.types.dtypes import promote

__all__ = ["avg_pool", "conv", "max_pool"]

Steps = int | Sequence[int]
Padding = str | int | Sequence[int | tuple[int, int]]


def _each(given: Any, rank: int, what: str) -> tuple[int, ...]:
    """One positive int for each axis of space."""
    found = (given,) * rank if isinstance(given, int) else tuple(given)
    if len(found) != rank or not all(isinstance(n, int) and n > 0 for n in found):
        raise ValueError(
            f"{what} is a positive int, or one for each of {rank} axes, not {given!r}{called()}"
        )
    return found


def _pads(
    padding: Padding, lengths: Sequence[Any], steps: Sequence[int], extents: Any
) -> list[Any]:
    """How much comes before and behind each axis of space."""
    rank = len(lengths)
    if isinstance(padding, str):
        if padding.lower() not in ("valid", "same"):
            raise ValueError(
                f"padding is 'valid', 'same', an int, or one or a pair for each axis, not "
                f"{padding!r}{called()}"
            )
        if padding.lower() == "valid":
            return [(0, 0)] * rank
        whole = [
            maximum((-(-n // step) - 1) * step + extent - n, 0)
            for n, step, extent in zip(lengths, steps, extents, strict=True)
        ]
        return [(total // 2, total - total // 2) for total in whole]
    given = [padding] * rank if isinstance(padding, int) else list(padding)
    if len(given) != rank:
        raise ValueError(f"padding is one for each of {rank} axes, not {padding!r}{called()}")
    return [(p, p) if isinstance(p, int) else tuple(p) for p in given]


def conv(
    x: TensorLike,
    kernels: TensorLike,
    strides: Steps = 1,
    padding: Padding = "valid",
    dilation: Steps = 1,
    groups: int = 1,
) -> TensorVariable:
    """Sums of products of kernels with the parts of `x` that they are moved over.

    As networks have it, kernels are not turned round, which `wt.signal.convolve` does.

    Parameters
    ----------
    x
        With the axes (examples, channels, *space), of one to any number of axes of space.
    kernels
        With the axes (results, channels of a group, *space).
    strides
        How far from each other parts begin: one number, or one for each axis of space.
    padding
        Zeros beside x: "valid" for none, "same" for so many that there are as many parts as x has
        elements (if strides are 1), a number, or for each axis a number or a pair.
    dilation
        How far the elements of a part are from each other.
    groups
        Into how many groups channels and kernels are parted: one sees the other in its own only.

    Returns
    -------
    A tensor with the axes (examples, results, *space).

    Raises
    ------
    ValueError
        for channels that do not fit, and for other strides, padding, dilation and groups.

    Examples
    --------
    >>> conv([[[1.0, 2.0, 4.0]]], [[[1.0, -1.0]]]).eval()
    array([[[-1., -2.]]])
    """
    x, w = as_tensors((x, kernels))
    if x.ndim < 3 or x.ndim != w.ndim:
        raise ValueError(
            f"conv takes (examples, channels, *space) and (results, channels, *space), not {x!r} "
            f"and {w!r}{called()}"
        )
    rank = x.ndim - 2
    steps, apart = _each(strides, rank, "strides"), _each(dilation, rank, "dilation")
    (shared,) = _each(groups, 1, "groups")
    lengths = lengths_of(x)[2:]
    extents = [(k - 1) * d + 1 for k, d in zip(lengths_of(w)[2:], apart, strict=True)]
    pads = _pads(padding, lengths, steps, extents)
    rows = list(zip(lengths, pads, extents, steps, strict=True))
    counts = [maximum((n + a + b - extent) // s + 1, 0) for n, (a, b), extent, s in rows]
    dtype = promote((x.dtype, w.dtype))
    op = Conv(steps, apart, (1,) * rank, shared)
    starts = [as_tensor(-a).astype("int64") for a, _ in pads]
    return op(x.astype(dtype), w.astype(dtype), *starts, *counts)


def _pooled(
    x: TensorLike,
    window: Steps,
    strides: Steps | None,
    padding: Padding,
    beside: Callable[[Any], Any],
    summed: Callable[..., TensorVariable],
) -> TensorVariable:
    """What `summed` makes of the last axis of all parts, along one axis after another."""
    result: Any = as_tensor(x)
    if result.ndim < 3:
        raise ValueError(f"pooling takes (examples, channels, *space), not {result!r}{called()}")
    rank = result.ndim - 2
    widths = _each(window, rank, "window")
    steps = widths if strides is None else _each(strides, rank, "strides")
    pads = _pads(padding, lengths_of(result)[2:], steps, widths)
    if any(p != (0, 0) for p in pads):
        result = pad(result, [(0, 0), (0, 0), *pads], constant_values=beside(result))
    for axis, (width, step) in enumerate(zip(widths, steps, strict=True), 2):
        count = maximum((lengths_of(result)[axis] - width) // step + 1, 0)
        places = (arange(count) * step).expand_dims(1) + arange(width)
        parts = index(result, (*[slice(None)] * axis, places))
        result = summed(parts, axis + 1)
    return result


def max_pool(
    x: TensorLike, window: Steps, strides: Steps | None = None, padding: Padding = "valid"
) -> TensorVariable:
    """The largest element of each part of `x`, which has the axes (examples, channels, *space).

    Parameters
    ----------
    x
        Real numbers.
    window
        How long parts are: one number, or one for each axis of space.
    strides
        How far from each other they begin; as long as they are by default.
    padding
        As for `conv`; what is beside x is smaller than all numbers.

    Raises
    ------
    ValueError
        for windows, strides and padding that are none.

    Examples
    --------
    >>> max_pool([[[1.0, 3.0, 2.0, 0.0]]], 2).eval()
    array([[[3., 2.]]])
    """

    def least(v: Any) -> Any:
        return -inf if v.dtype[0] == "f" else iinfo(v.dtype).min

    return _pooled(x, window, strides, padding, least, lambda v, axis: max(v, axis))


def avg_pool(
    x: TensorLike, window: Steps, strides: Steps | None = None, padding: Padding = "valid"
) -> TensorVariable:
    """The mean of each part of `x`, as `max_pool`; zeros beside x are counted.

    Raises ValueError as `max_pool` does.

    >>> avg_pool([[[1.0, 3.0, 2.0, 0.0]]], 2).eval()
    array([[[2., 1.]]])
    """
    return _pooled(x, window, strides, padding, lambda v: 0, lambda v, axis: mean(v, axis))
