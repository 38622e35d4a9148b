"""Convolution of what has the axes `(examples, channels, *space)`, and its transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.nn.conv import Conv, swapped
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["Padding", "Steps", "conv", "conv_transpose", "each", "pads_of"]

Steps = int | Sequence[int]
Padding = str | int | Sequence[int | tuple[int, int]]


def each(value: Any, rank: int, what: str) -> tuple[int, ...]:
    """One positive int for each axis of space.

    >>> each(2, 3, "strides")
    (2, 2, 2)
    """
    numbers = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(numbers) != rank or not all(isinstance(n, int) and n > 0 for n in numbers):
        raise ValueError(
            f"{what} is a positive int, or one for each of {rank} axes, not {value!r}{called()}"
        )
    return numbers


def pads_of(
    padding: Padding, lengths: Sequence[Any], steps: Sequence[int], extents: Any
) -> list[Any]:
    """How much comes before and behind each axis of space.

    >>> pads_of([1, (2, 0)], [5, 5], [1, 1], [3, 3])
    [(1, 1), (2, 0)]
    """
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
    items = [padding] * rank if isinstance(padding, int) else list(padding)
    if len(items) != rank:
        raise ValueError(f"padding is one for each of {rank} axes, not {padding!r}{called()}")
    return [(p, p) if isinstance(p, int) else tuple(p) for p in items]


def conv(
    x: TensorLike,
    kernels: TensorLike,
    strides: Steps = 1,
    padding: Padding = "valid",
    dilation: Steps = 1,
    groups: int = 1,
    input_dilation: Steps = 1,
) -> TensorVariable:
    """Sums of products of kernels with the parts of `x` that they are moved over.

    As networks have it, kernels are not turned round, which `wt.signal.convolve` does.

    Parameters
    ----------
    x
        With the axes `(examples, channels, *space)`, of one to any number of axes of space.
    kernels
        With the axes `(results, channels of a group, *space)`.
    strides
        How far from each other parts begin: one number, or one for each axis of space.
    padding
        Zeros beside x: "valid" for none, "same" for so many that there are as many parts as x has
        elements (if strides are 1), a number, or for each axis a number or a pair.
    dilation
        How far the elements of a part are from each other.
    groups
        Into how many groups channels and kernels are parted: one sees the other in its own only.
    input_dilation
        How far the elements of x are from each other: one less zeros are put between them.

    Returns
    -------
    A tensor with an axis of examples, one of results and those of space.

    Raises
    ------
    ValueError
        for channels that do not fit, and for other strides, padding, dilation and groups.

    Examples
    --------
    >>> conv([[[1.0, 2.0, 4.0]]], [[[1.0, -1.0]]]).eval()
    array([[[-1., -2.]]])
    """
    x, w, rank = _layer(x, kernels, "results, channels of a group")
    steps, apart = each(strides, rank, "strides"), each(dilation, rank, "dilation")
    spread = each(input_dilation, rank, "input_dilation")
    (shared,) = each(groups, 1, "groups")
    lengths = [
        n if s == 1 else maximum((n - 1) * s + 1, 0)
        for n, s in zip(lengths_of(x)[2:], spread, strict=True)
    ]
    extents = [(k - 1) * d + 1 for k, d in zip(lengths_of(w)[2:], apart, strict=True)]
    pads = pads_of(padding, lengths, steps, extents)
    rows = zip(lengths, pads, extents, steps, strict=True)
    counts = [maximum((n + a + b - extent) // s + 1, 0) for n, (a, b), extent, s in rows]
    starts = [as_tensor(-a).astype("int64") for a, _ in pads]
    return Conv(steps, apart, spread, shared)(x, w, *starts, *counts)


def _layer(x: TensorLike, kernels: TensorLike, axes: str) -> tuple[Any, Any, int]:
    """Both in one dtype, and how many axes of space they have."""
    x, w = as_tensors((x, kernels))
    if x.ndim < 3 or x.ndim != w.ndim:
        raise ValueError(
            f"conv takes (examples, channels, *space) and ({axes}, *space), not {x!r} and {w!r}"
            f"{called()}"
        )
    dtype = promote((x.dtype, w.dtype))
    return x.astype(dtype), w.astype(dtype), x.ndim - 2


def conv_transpose(
    x: TensorLike,
    kernels: TensorLike,
    strides: Steps = 1,
    padding: Padding = "valid",
    dilation: Steps = 1,
    groups: int = 1,
    output_padding: int | Sequence[int] = 0,
) -> TensorVariable:
    """Each element of `x` times a kernel, added up: the transpose of `conv` in its first argument.

    Parameters
    ----------
    x
        With the axes `(examples, channels, *space)`.
    kernels
        With the axes `(channels, results of a group, *space)`: those of the `conv` that it is the
        transpose of.
    strides, dilation, groups
        Those of that `conv`.
    padding
        That of that `conv`, which is taken away here; "same" for `strides` times as many elements
        as `x` has.
    output_padding
        How many elements more there are at the end, less than a stride: convolutions of several
        lengths have results of one.

    Returns
    -------
    A tensor with an axis of examples, one of results and those of space, each of
    (n - 1) stride + (k - 1) dilation + 1 elements, less the padding.

    Raises
    ------
    ValueError
        as for `conv`, and for another output_padding.

    Examples
    --------
    >>> conv_transpose([[[1.0, 2.0]]], [[[1.0, 1.0, 1.0]]], strides=2).eval()
    array([[[1., 1., 3., 2., 2.]]])
    """
    x, w, rank = _layer(x, kernels, "channels, results of a group")
    steps, apart = each(strides, rank, "strides"), each(dilation, rank, "dilation")
    (shared,) = each(groups, 1, "groups")
    more = (output_padding,) * rank if isinstance(output_padding, int) else tuple(output_padding)
    if len(more) != rank or not all(
        0 <= n < max(s, d) for n, s, d in zip(more, steps, apart, strict=True)
    ):
        raise ValueError(
            f"output_padding is less than a stride, or one for each of {rank} axes, not "
            f"{output_padding!r}{called()}"
        )
    lengths, kernel = lengths_of(x)[2:], lengths_of(w)[2:]
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, apart, strict=True)]
    if isinstance(padding, str) and padding.lower() == "same":
        before = [maximum((extent - s) // 2, 0) for extent, s in zip(extents, steps, strict=True)]
        counts = [n * s + m for n, s, m in zip(lengths, steps, more, strict=True)]
    else:
        pads = pads_of(padding, lengths, steps, extents)
        before = [a for a, _ in pads]
        rows = zip(lengths, steps, extents, pads, more, strict=True)
        counts = [maximum((n - 1) * s + e - a - b + m, 0) for n, s, e, (a, b), m in rows]
    starts = [
        (as_tensor(a) - (e - 1)).astype("int64") for a, e in zip(before, extents, strict=True)
    ]
    flipped_kernels = swapped(index(w, (..., *[slice(None, None, -1)] * rank)), shared)
    return Conv((1,) * rank, apart, steps, shared)(x, flipped_kernels, *starts, *counts)
