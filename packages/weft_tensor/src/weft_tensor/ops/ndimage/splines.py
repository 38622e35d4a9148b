"""Splines through the elements of an image: their coefficients, and what each weighs at a place.

M. Unser, Splines: A perfect fit for signal and image processing, IEEE Signal Processing Magazine 16
(1999). Continued beyond its borders an image is periodic: coefficients come of recursions there and
back over a period, of few elements exactly, too, where SciPy breaks a sum off.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.ndimage.borders import Axes, along_axes, chosen_axes
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.filters import lfilter
from weft_tensor.types.axes import as_axis

__all__ = ["spline_filter", "spline_filter1d"]

_TWICE: Final = ("reflect", "grid-mirror", "nearest")
"""Modes that have the last element again."""
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
    rows = moveaxis(x, along, -1)
    for pole in _poles(order):
        there = _followed(pole, rows, _before(pole, rows, mode))
        back = _followed(pole, there[..., ::-1], _after(pole, there, mode))
        rows = (1 - pole) ** 2 * back[..., ::-1]
    return moveaxis(rows, -1, along)


@cache
def _poles(order: int) -> tuple[float, ...]:
    """By which factors a coefficient weighs less with each step from its element."""
    taps = [float(w) for w in spline_weights(0.5 if order % 2 == 0 else 0.0, order)]
    roots = np.roots([*taps[: order // 2], *taps[order // 2 :: -1]])
    return tuple(float(z) for z in roots.real if abs(z) < 1)


def _followed(pole: float, x: TensorVariable, before: TensorVariable) -> TensorVariable:
    """The y with y[k] = x[k] + pole y[k - 1] along the last axis, and `before` as y[-1]."""
    return lfilter([1.0], [1.0, -pole], x, zi=pole * before)[0]


def _before(pole: float, x: TensorVariable, mode: str) -> TensorVariable:
    """What the period of x has made until it begins."""
    if mode == "grid-wrap":
        back = x[..., ::-1]
    elif mode in _TWICE:
        back = concatenate([x, x[..., ::-1]], -1)
    else:
        turn = minimum(lengths_of(x)[-1] - 1, 1)  # one element is the period of itself
        back = concatenate([x[..., 1:], x[..., ::-1][..., turn:]], -1)
    return _faded(pole, back)


def _after(pole: float, x: TensorVariable, mode: str) -> TensorVariable:
    """What is made of what comes after x, which was made there."""
    if mode == "grid-wrap":
        return _faded(pole, x)
    last = x[..., -1:]
    if mode in _TWICE:
        return last / (1 - pole)
    return (pole * last + x[..., -2:][..., :1]) / (1 - pole**2)


def _faded(pole: float, x: TensorVariable) -> TensorVariable:
    """The sum of x, which weighs less with each step, and comes again and again."""
    n = lengths_of(x)[-1]
    fading = as_tensor(pole) ** arange(n)
    return (x * fading).sum(-1, keepdims=True) / (1 - as_tensor(pole) ** n)


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
