"""Signals at other rates, by Fourier transforms."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.fft.numpy_names import irfft, resized, rfft, sized
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis

__all__ = ["resample"]


def resample(x: TensorLike, num: SizeLike, axis: int = 0) -> TensorVariable:
    """A signal that repeats at `num` points in place of those it has, along an axis.

    Its transform is cut, or zeros follow; what is at the last frequency of both is shared among
    its two sides. See `scipy.signal.resample`, which takes windows, too.

    Parameters
    ----------
    x
        Numbers.
    num
        How many points.
    axis
        Along which axis.

    Raises
    ------
    ValueError
        for a `num` below 1 (at the call, if it is not known before).

    Examples
    --------
    >>> resample([0.0, 1.0, 0.0, -1.0], 8).eval()[1].round(6).item()
    0.707107
    """
    v = as_floating(x)
    if v.is_complex:
        result: TensorVariable = resample(v.real, num, axis) + 1j * resample(v.imag, num, axis)
        return result
    along = as_axis(axis, v.ndim)
    rows = moveaxis(v, along, -1)
    count: Any = lengths_of(rows)[-1]
    points: Any = sized(num)
    fewer = minimum(count, points)
    spectrum = resized(rfft(rows), points // 2 + 1)
    shared = eq(2 * arange(points // 2 + 1), fewer)
    factor = where(shared, where(points < count, 2.0, where(points > count, 0.5, 1.0)), 1.0)
    factor = (factor * points / count).astype(rows.dtype)
    return moveaxis(irfft(spectrum * factor, points), -1, along)
