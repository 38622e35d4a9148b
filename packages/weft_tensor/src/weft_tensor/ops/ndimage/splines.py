"""Splines through the elements of an image: their coefficients, and what each weighs at a place.

M. Unser, Splines: A perfect fit for signal and image processing, IEEE Signal Processing Magazine 16
(1999). Continued beyond its borders an image is periodic: coefficients come of Fourier transforms,
of few elements exactly, too, where SciPy breaks a sum off.
"""

from __future__ import annotations

from math import pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.trigonometric import cos
from weft_tensor.ops.fft.numpy_names import fft, ifft
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.ndimage.borders import Axes, along_axes, chosen_axes
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.axes import as_axis

__all__ = ["spline_filter", "spline_filter1d"]

ORDERS: Final = (0, 1, 2, 3, 4, 5)
_MODES: Final = (
    *("mirror", "reflect", "grid-mirror", "wrap", "grid-wrap"),
    *("constant", "nearest", "grid-constant"),
)


def spline_weights(at: Any, order: int) -> list[Any]:
    """Of `order` + 1 coefficients in turn, at a part from 0 to 1. C. de Boor's recursion."""
    parts: list[Any] = [1.0]
    for p in range(1, order + 1):
        inner = [((k + 1 - at) * parts[k] + (at + (p - k)) * parts[k - 1]) / p for k in range(1, p)]
        parts = [(1 - at) * parts[0] / p, *inner, at * parts[-1] / p]
    return parts


def spline_filter1d(
    input: TensorLike, order: int = 3, axis: int = -1, mode: str = "mirror"
) -> TensorVariable:
    """The coefficients of the spline through the elements along an axis.

    Parameters
    ----------
    input
        A tensor; real ones are float64 then.
    order
        From 0 to 5.
    axis
        Along which.
    mode
        How `input` goes on: "reflect", "grid-mirror" and "nearest" with its last element again,
        "grid-wrap" from the other end, and all others without its last element again.

    Raises
    ------
    ValueError
        for another order or mode.

    See `scipy.ndimage.spline_filter1d`.

    Examples
    --------
    >>> spline_filter1d([1.0, 1.0, 1.0]).eval().round(6)
    array([1., 1., 1.])
    """
    x = as_tensor(input)
    if order not in ORDERS:
        raise ValueError(f"order must be from 0 to 5, not {order!r}{called()}")
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(_MODES)}, not {mode!r}{called()}")
    x = x if x.is_complex else x.astype("float64")
    if order < 2:
        return x
    along = as_axis(axis, x.ndim)

    def part(places: slice) -> TensorVariable:
        return index(x, (*[slice(None)] * along, places))

    if mode == "grid-wrap":
        whole = x
    elif mode in ("reflect", "grid-mirror", "nearest"):
        whole = concatenate([x, part(slice(None, None, -1))], along)
    else:
        whole = concatenate([x, part(slice(-2, 0, -1))], along)
    length = lengths_of(whole)[along]
    turn = 2 * pi / as_tensor(length) * arange(length)
    taps = [float(w) for w in spline_weights(0.5 if order % 2 == 0 else 0.0, order)]
    middle = order // 2
    response: Any = taps[middle]
    for k in range(1, middle + 1):
        response = response + 2 * taps[middle - k] * cos(k * turn)
    shape = [-1 if a == along else 1 for a in range(x.ndim)]
    spline = ifft(fft(whole, axis=along) / reshape(response, shape), axis=along)
    n = lengths_of(x)[along]
    inner = index(spline, (*[slice(None)] * along, slice(None, n)))
    return inner if x.is_complex else inner.real


def spline_filter(
    input: TensorLike, order: int = 3, mode: str = "mirror", *, axes: Axes = None
) -> TensorVariable:
    """The coefficients of the spline through all elements. See `scipy.ndimage.spline_filter`.

    >>> spline_filter([[0.0, 6.0], [0.0, 6.0]]).eval().round(6)
    array([[-6., 12.],
           [-6., 12.]])
    """
    x = as_tensor(input)
    inputs = x if x.is_complex else x.astype("float64")
    return along_axes(
        inputs, chosen_axes(axes, x.ndim), lambda v, axis: spline_filter1d(v, order, axis, mode)
    )
