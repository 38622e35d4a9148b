"""Fourier transforms along any axes, of any number of points: NumPy's functions.

A transform and its inverse go through the axes in opposite orders, so that they cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import TensorOp
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.comparison import ge
from weft_tensor.ops.fft.transforms import FFT, IRFFT, OTHER, RFFT, Scale, no_points
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.shape.length import (
    Length,
    as_size,
    inferred_shapes,
    lengths_of,
    same_size,
    static_length,
)
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis, listed

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "resized",
    "rfft",
    "rfft2",
    "rfftn",
    "sized",
]


Norm = str | None
Sizes = Sequence[SizeLike] | None
Places = Sequence[int] | None


def _norm(norm: Norm) -> Scale:
    """ValueError for another scale than NumPy has."""
    if norm is None:
        return "backward"
    for scale in OTHER:
        if norm == scale:
            return scale
    raise ValueError(
        f'Invalid norm value {norm}; should be "backward", "ortho" or "forward"{called()}'
    )


def sized(n: SizeLike) -> TensorVariable:
    """A number of points: ValueError below 1, at the call if it is not known before."""
    size = as_size(n)
    if type(size.op) is Length:  # of no points, the transform says so itself
        return size
    if not isinstance(size.op, Constant):
        return check_and_raise(size, ge(size, 1), ValueError, no_points("below 1"))
    if size.op.value < 1:
        raise ValueError(f"{no_points(size.op.value)}{called()}")
    return size


def resized(x: TensorVariable, n: SizeLike) -> TensorVariable:
    """The first `n` elements along the last axis; where there are less, zeros follow."""
    (*lanes, length), size = lengths_of(x), as_size(n)
    if same_size(length, size) or same_size(_inferred(x), size):
        return x
    cut = index(x, (..., slice(None, size)))
    own, target = static_length(length), static_length(size)
    if isinstance(own, int) and isinstance(target, int) and own > target:
        return cut
    nothing = zeros((*lanes, size), x.dtype)
    return updated(index(nothing, (..., slice(None, length))), "set", cut)


def _inferred(x: TensorVariable) -> TensorVariable:
    """The length of the last axis by what the Op of `x` says of it."""
    shapes = inferred_shapes(x) if type(x.op) in (FFT, IRFFT, RFFT) else None
    return (lengths_of(x) if shapes is None else shapes[0])[-1]


def _along(op: TensorOp, x: TensorVariable, axis: int, n: SizeLike | None) -> TensorVariable:
    """The transform along one axis, of `n` points if that is said."""
    last = moveaxis(x, axis, -1)
    return moveaxis(op(last if n is None else resized(last, sized(n))), -1, axis)


def _to_real(x: TensorVariable, n: SizeLike | None, axis: int, norm: Scale) -> TensorVariable:
    last = moveaxis(x, axis, -1)
    if n is None:
        return moveaxis(IRFFT(norm)(last, as_size(2 * (lengths_of(last)[-1] - 1))), -1, axis)
    points = as_size(n)
    return moveaxis(IRFFT(norm)(resized(last, sized(points) // 2 + 1), points), -1, axis)


def _one(a: TensorLike, axis: int) -> tuple[TensorVariable, int]:
    x = as_tensor(a)
    return x, as_axis(axis, x.ndim)


def fft(
    a: TensorLike, n: SizeLike | None = None, axis: int = -1, norm: Norm = None
) -> TensorVariable:
    """The discrete Fourier transform along an axis. See `numpy.fft.fft`.

    Parameters
    ----------
    a
        Real or complex numbers.
    n
        How many points: what is longer is cut, what is shorter gets zeros.
    axis
        Along which axis.
    norm
        Which direction is divided by `n`: "backward", as by default, "forward", or both by its
        root, "ortho".

    Raises
    ------
    ValueError
        for n below 1 (at the call, if it is not known before), and for another norm.

    Examples
    --------
    >>> fft([1.0, 0.0, 0.0, 0.0]).eval().real
    array([1., 1., 1., 1.])
    """
    x, along = _one(a, axis)
    return _along(FFT(False, _norm(norm)), x, along, n)


def ifft(
    a: TensorLike, n: SizeLike | None = None, axis: int = -1, norm: Norm = None
) -> TensorVariable:
    """The inverse of `fft`. See `numpy.fft.ifft`.

    ValueError as for `fft`.

    >>> ifft([1.0, 1.0, 1.0, 1.0]).eval().real
    array([1., 0., 0., 0.])
    """
    x, along = _one(a, axis)
    return _along(FFT(True, _norm(norm)), x, along, n)


def rfft(
    a: TensorLike, n: SizeLike | None = None, axis: int = -1, norm: Norm = None
) -> TensorVariable:
    """The first half of the transform of real numbers. See `numpy.fft.rfft`.

    ValueError as for `fft`; TypeError for complex numbers.

    >>> rfft([1.0, 0.0, 0.0, 0.0]).eval().real
    array([1., 1., 1.])
    """
    x, along = _one(a, axis)
    return _along(RFFT(_norm(norm)), x, along, n)


def irfft(
    a: TensorLike, n: SizeLike | None = None, axis: int = -1, norm: Norm = None
) -> TensorVariable:
    """The inverse of `rfft`: `n` real numbers, 2 (m - 1) by default. See `numpy.fft.irfft`.

    ValueError as for `fft`.

    >>> irfft([1.0, 1.0, 1.0]).eval()
    array([1., 0., 0., 0.])
    """
    x, along = _one(a, axis)
    return _to_real(x, n, along, _norm(norm))


def hfft(
    a: TensorLike, n: SizeLike | None = None, axis: int = -1, norm: Norm = None
) -> TensorVariable:
    """The real transform of what is its own conjugate mirrored, of which `a` is half.

    See `numpy.fft.hfft`. ValueError as for `fft`.

    >>> hfft([1.0, 1.0, 1.0]).eval()
    array([4., 0., 0., 0.])
    """
    x, along = _one(a, axis)
    return _to_real(x.conj(), n, along, OTHER[_norm(norm)])


def ihfft(
    a: TensorLike, n: SizeLike | None = None, axis: int = -1, norm: Norm = None
) -> TensorVariable:
    """The inverse of `hfft`. See `numpy.fft.ihfft`.

    ValueError as for `fft`; TypeError for complex numbers.

    >>> ihfft([4.0, 0.0, 0.0, 0.0]).eval().real
    array([1., 1., 1.])
    """
    x, along = _one(a, axis)
    return _along(RFFT(OTHER[_norm(norm)]), x, along, n).conj()


def _several(x: TensorVariable, s: Any, axes: Any) -> tuple[list[int], list[Any]]:
    """The axes, and the number of points along each, None for as many as there are."""
    if s is None:
        places = list(range(x.ndim)) if axes is None else [as_axis(a, x.ndim) for a in listed(axes)]
        return places, [None] * len(places)
    sizes = [None if isinstance(n, int) and n == -1 else n for n in s]
    where = range(-len(sizes), 0) if axes is None else listed(axes)
    places = [as_axis(a, x.ndim) for a in where]
    if len(places) != len(sizes):
        raise ValueError(f"Shape and axes have different lengths{called()}")
    return places, sizes


def _through(x: TensorVariable, axes: list[int], sizes: list[Any], op: TensorOp) -> TensorVariable:
    for axis, n in zip(axes, sizes, strict=True):
        x = _along(op, x, axis, n)
    return x


def fftn(a: TensorLike, s: Sizes = None, axes: Places = None, norm: Norm = None) -> TensorVariable:
    """The discrete Fourier transform along several axes, all by default. See `numpy.fft.fftn`.

    `s` says how many points along each, -1 for as many as there are. ValueError as for `fft`, and
    for another number of axes than of points.

    >>> fftn([[1.0, 0.0], [0.0, 0.0]]).eval().real
    array([[1., 1.],
           [1., 1.]])
    """
    x = as_tensor(a)
    places, sizes = _several(x, s, axes)
    return _through(x, places[::-1], sizes[::-1], FFT(False, _norm(norm)))


def ifftn(a: TensorLike, s: Sizes = None, axes: Places = None, norm: Norm = None) -> TensorVariable:
    """The inverse of `fftn`. See `numpy.fft.ifftn`.

    ValueError as for `fftn`.

    >>> ifftn([[1.0, 1.0], [1.0, 1.0]]).eval().real
    array([[1., 0.],
           [0., 0.]])
    """
    x = as_tensor(a)
    return _through(x, *_several(x, s, axes), FFT(True, _norm(norm)))


def rfftn(a: TensorLike, s: Sizes = None, axes: Places = None, norm: Norm = None) -> TensorVariable:
    """That of real numbers, of which half is kept along the last of the axes.

    See `numpy.fft.rfftn`. ValueError as for `fftn`; TypeError for complex numbers.

    >>> rfftn([[1.0, 0.0], [0.0, 0.0]]).eval().shape
    (2, 2)
    """
    x, scale = as_tensor(a), _norm(norm)
    places, sizes = _several(x, s, axes)
    if not places:
        raise ValueError(f"at least 1 axis must be transformed{called()}")
    half = _along(RFFT(scale), x, places[-1], sizes[-1])
    return _through(half, places[-2::-1], sizes[-2::-1], FFT(False, scale))


def irfftn(
    a: TensorLike, s: Sizes = None, axes: Places = None, norm: Norm = None
) -> TensorVariable:
    """The inverse of `rfftn`. See `numpy.fft.irfftn`.

    ValueError as for `fftn`.

    >>> irfftn([[1.0, 1.0], [1.0, 1.0]]).eval()
    array([[1., 0.],
           [0., 0.]])
    """
    x, scale = as_tensor(a), _norm(norm)
    places, sizes = _several(x, s, axes)
    if not places:
        raise ValueError(f"at least 1 axis must be transformed{called()}")
    whole = _through(x, places[:-1], sizes[:-1], FFT(True, scale))
    return _to_real(whole, sizes[-1], places[-1], scale)


_LAST_TWO: Final = (-2, -1)


def fft2(
    a: TensorLike, s: Sizes = None, axes: Places = _LAST_TWO, norm: Norm = None
) -> TensorVariable:
    """`fftn` along two axes, the last by default. See `numpy.fft.fft2`.

    >>> fft2([[1.0, 0.0], [0.0, 0.0]]).eval().real
    array([[1., 1.],
           [1., 1.]])
    """
    return fftn(a, s, axes, norm)


def ifft2(
    a: TensorLike, s: Sizes = None, axes: Places = _LAST_TWO, norm: Norm = None
) -> TensorVariable:
    """`ifftn` along two axes, the last by default. See `numpy.fft.ifft2`.

    >>> ifft2([[1.0, 1.0], [1.0, 1.0]]).eval().real
    array([[1., 0.],
           [0., 0.]])
    """
    return ifftn(a, s, axes, norm)


def rfft2(
    a: TensorLike, s: Sizes = None, axes: Places = _LAST_TWO, norm: Norm = None
) -> TensorVariable:
    """`rfftn` along two axes, the last by default. See `numpy.fft.rfft2`.

    >>> rfft2([[1.0, 0.0], [0.0, 0.0]]).eval().shape
    (2, 2)
    """
    return rfftn(a, s, axes, norm)


def irfft2(
    a: TensorLike, s: Sizes = None, axes: Places = _LAST_TWO, norm: Norm = None
) -> TensorVariable:
    """`irfftn` along two axes, the last by default. See `numpy.fft.irfft2`.

    >>> irfft2([[1.0, 1.0], [1.0, 1.0]]).eval()
    array([[1., 0.],
           [0., 0.]])
    """
    return irfftn(a, s, axes, norm)
