"""Weighted sums of neighbours: correlation, convolution, means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.ndimage.borders import (
    Axes,
    along_axes,
    as_image,
    bordered,
    chosen_axes,
    window,
)
from weft_tensor.ops.ndimage.output import with_output
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.reduction.windows import sums_of_windows
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.axes import as_axis

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "uniform_filter",
    "uniform_filter1d",
]


@with_output
def correlate(
    input: TensorLike,
    weights: TensorLike,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int | Sequence[int] = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The sum of each element's neighbours, times `weights`. See `scipy.ndimage.correlate`.

    All functions here take the following arguments by keyword, and return what `input` is: of its
    shape and dtype, to which sums for integers are truncated, and counted round its range.

    Parameters
    ----------
    input
        A tensor.
    weights
        A tensor with an axis for each of `axes`, from first to last.
    mode
        What is beyond the borders: "reflect" `d c b a | a b c d | d c b a`, "mirror"
        `d c b | a b c d | c b a`, "nearest" `a a a | a b c d | d d d`, "wrap"
        `b c d | a b c d | a b c`, "constant" `cval`.
    cval
        A number.
    origin
        How far the middle of the window is moved: one number, or one for each of `axes`.
    axes
        Along which axes the window goes, all by default.

    Raises
    ------
    ValueError
        for weights of another rank, another mode, and an origin outside.

    Examples
    --------
    >>> correlate([1.0, 2.0, 4.0], [0.0, 1.0, 10.0]).eval()
    array([21., 42., 44.])
    """
    x = as_tensor(input)
    return _correlated(x, *_window(x, weights, origin, axes), mode, cval)


def _window(
    x: TensorVariable, weights: TensorLike, origin: Any, axes: Axes
) -> tuple[TensorVariable, list[int]]:
    """Weights and origins with all axes of `x`."""
    w, chosen = as_tensor(weights), chosen_axes(axes, x.ndim)
    if w.ndim != len(chosen):
        raise ValueError(f"weights must be of rank {len(chosen)}, not {w!r}{called()}")
    w = expand_dims(w, tuple(a for a in range(x.ndim) if a not in chosen))
    return w, window(origin, chosen, x.ndim, 0, "origin")


def _correlated(
    x: TensorVariable, w: TensorVariable, origins: list[int], mode: str, cval: TensorLike
) -> TensorVariable:
    wide = bordered(_wide(x), _sizes(w), origins, mode, cval)
    ones = (1,) * x.ndim
    places = [as_tensor(0)] * x.ndim + [as_tensor(n) for n in lengths_of(x)]
    kernel = w if w.is_complex else w.astype(wide.dtype)
    sums = Conv(ones, ones, ones)(wide.expand_dims((0, 1)), kernel.expand_dims((0, 1)), *places)
    return as_image(index(sums, (0, 0)), sums.dtype if w.is_complex else x.dtype)


@with_output
def convolve(
    input: TensorLike,
    weights: TensorLike,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int | Sequence[int] = 0,
    axes: Axes = None,
) -> TensorVariable:
    """As `correlate`, with the weights turned round. See `scipy.ndimage.convolve`.

    >>> convolve([1.0, 2.0, 4.0], [0.0, 1.0, 10.0]).eval()
    array([11., 12., 24.])
    """
    x = as_tensor(input)
    w, origins = _window(x, weights, origin, axes)
    moved = [n % 2 - 1 - o for o, n in zip(origins, _sizes(w), strict=True)]
    return _correlated(x, flip(w), moved, mode, cval)


@with_output
def correlate1d(
    input: TensorLike,
    weights: TensorLike,
    axis: int = -1,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int = 0,
) -> TensorVariable:
    """`correlate` with a vector, along one axis. See `scipy.ndimage.correlate1d`.

    >>> correlate1d([[1.0, 2.0, 4.0]], [1.0, 1.0, 1.0], mode="nearest").eval()
    array([[ 4.,  7., 10.]])
    """
    return correlate(input, weights, mode=mode, cval=cval, origin=origin, axes=axis)


@with_output
def convolve1d(
    input: TensorLike,
    weights: TensorLike,
    axis: int = -1,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int = 0,
) -> TensorVariable:
    """`convolve` with a vector, along one axis. See `scipy.ndimage.convolve1d`.

    >>> convolve1d([[1.0, 2.0, 4.0]], [1.0, 0.0, -1.0], mode="nearest").eval()
    array([[1., 3., 2.]])
    """
    return convolve(input, weights, mode=mode, cval=cval, origin=origin, axes=axis)


@with_output
def uniform_filter1d(
    input: TensorLike,
    size: int,
    axis: int = -1,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int = 0,
) -> TensorVariable:
    """The mean of `size` neighbours along an axis. See `scipy.ndimage.uniform_filter1d`.

    >>> uniform_filter1d([1.0, 2.0, 6.0], 3, mode="nearest").eval().round(4)
    array([1.3333, 3.    , 4.6667])
    """
    x = as_tensor(input)
    across = as_axis(axis, x.ndim)
    sizes = window(size, [across], x.ndim, 1, "size")
    origins = window(origin, [across], x.ndim, 0, "origin")
    wide = bordered(_wide(x), sizes, origins, mode, cval)
    return as_image(sums_of_windows(wide, across, sizes[across]) / size, x.dtype)


@with_output
def uniform_filter(
    input: TensorLike,
    size: int | Sequence[int] = 3,
    *,
    mode: str | Sequence[str] = "reflect",
    cval: TensorLike = 0.0,
    origin: int | Sequence[int] = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The mean of the neighbours along `axes`, all by default. See `scipy.ndimage.uniform_filter`.

    `size`, `mode` and `origin` are one, or lists with one for each axis.

    >>> uniform_filter([[1.0, 1.0], [4.0, 1.0]], 2).eval()
    array([[1.  , 1.  ],
           [2.5 , 1.75]])
    """
    x = as_tensor(input)

    def mean(x: Any, axis: int, size: int, origin: int, mode: str) -> TensorVariable:
        if size == 1:
            return x
        return uniform_filter1d(x, size, axis, mode=mode, cval=cval, origin=origin)

    return along_axes(x, chosen_axes(axes, x.ndim), mean, size=size, origin=origin, mode=mode)


def _wide(x: TensorVariable) -> TensorVariable:
    """Floating numbers as they are, others as float64."""
    return x if x.dtype[0] in "fc" else x.astype("float64")


def _sizes(x: TensorVariable) -> list[Any]:
    """The lengths, as Python's numbers where they are known."""
    return [
        n if isinstance(n := static_length(length), int) else length for length in lengths_of(x)
    ]
