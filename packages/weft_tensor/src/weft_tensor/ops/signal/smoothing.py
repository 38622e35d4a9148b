"""Smoothing: lines that are taken away, medians of neighbours, polynomials that fit them."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq, ge, isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.windows import windows
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.ndimage.ranks import rank_filter
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.reduction.standard import sum as total_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.convolution import correlate
from weft_tensor.ops.signal.filters import lfilter
from weft_tensor.types.axes import as_axis

__all__ = [
    "detrend",
    "medfilt",
    "medfilt2d",
    "order_filter",
    "savgol_coeffs",
    "savgol_filter",
    "wiener",
]

_PADS: Final = {"mirror": "reflect", "constant": "constant", "nearest": "edge", "wrap": "wrap"}


def detrend(
    data: TensorLike, axis: int = -1, type: str = "linear", bp: int | Sequence[int] = 0
) -> TensorVariable:
    """Without the line that fits best along an axis, or without the mean.

    See `scipy.signal.detrend`.

    Parameters
    ----------
    data
        Numbers.
    axis
        Along which axis.
    type
        "linear", or "constant" for the mean alone.
    bp
        Where lines begin, if there is one for each part.

    Raises
    ------
    ValueError
        for another type, and for `bp` that are not from 0 to below the length.

    Examples
    --------
    >>> detrend([1.0, 2.0, 3.0, 5.0]).eval().round(12)
    array([ 0.2, -0.1, -0.4,  0.3])
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError(f"Trend type must be 'linear' or 'constant', not {type!r}{called()}")
    x = as_floating(data)
    along = as_axis(axis, x.ndim)
    rows = moveaxis(x, along, -1)
    places = sorted({0, *(bp if isinstance(bp, Sequence | np.ndarray) else [bp])})
    length = static_length(lengths_of(rows)[-1])
    if places[0] < 0 or (isinstance(length, int) and 0 < length <= places[-1]):
        raise ValueError(f"detrend: bp are from 0 to below the length, not {bp!r}{called()}")
    if len(places) > 1 and type in ("linear", "l"):
        ends = zip(places, [*places[1:], None], strict=True)
        parts = [detrend(rows[..., start:stop]) for start, stop in ends]
        return moveaxis(concatenate(parts, -1), -1, along)
    rows = rows - expand_dims(mean(rows, -1), -1)
    if type in ("linear", "l"):
        n: Any = lengths_of(rows)[-1]
        k = arange(n) - (n - 1) / 2
        k = k.astype(rows.real.dtype)
        squares = where(eq(n, 1), 1.0, total_of(k * k)).astype(k.dtype)
        rows = rows - total_of(rows * k, -1, keepdims=True) / squares * k
    return moveaxis(rows, -1, along)


def medfilt(volume: TensorLike, kernel_size: int | Sequence[int] | None = None) -> TensorVariable:
    """The median of each element and its neighbours, zeros beside. See `scipy.signal.medfilt`.

    Parameters
    ----------
    volume
        Real numbers, and no bools.
    kernel_size
        How many neighbours, with itself, along each axis: odd; 3 by default.

    Raises
    ------
    ValueError
        for another kernel_size, and for bools and complex numbers.

    Examples
    --------
    >>> medfilt([1.0, 9.0, 2.0, 3.0]).eval()
    array([1., 2., 3., 2.])
    """
    x = as_tensor(volume)
    if x.dtype[0] in "bc":
        raise ValueError(f"medfilt takes real numbers, not {x!r}{called()}")
    kernel_size = 3 if kernel_size is None else kernel_size
    sizes = (kernel_size,) * x.ndim if isinstance(kernel_size, int) else tuple(kernel_size)
    if len(sizes) != x.ndim or not all(n > 0 and n % 2 for n in sizes):
        raise ValueError(
            f"Each element of kernel_size should be odd, one for each of {x.ndim} axes, not "
            f"{kernel_size!r}{called()}"
        )
    parts = pad(x, [(n // 2, n // 2) for n in sizes])
    parts = windows(parts, range(x.ndim), sizes)
    ranked = sort(reshape(parts, (*lengths_of(x), prod(sizes))), -1)
    middle, last = ranked[..., prod(sizes) // 2], ranked[..., -1]
    return where(isnan(last), last, middle) if x.dtype[0] == "f" else middle


def medfilt2d(input: TensorLike, kernel_size: int | Sequence[int] = 3) -> TensorVariable:
    """`medfilt` of a matrix; ValueError for another rank. See `scipy.signal.medfilt2d`.

    >>> medfilt2d([[1.0, 9.0], [2.0, 3.0]]).eval()
    array([[0., 0.],
           [0., 0.]])
    """
    x = as_tensor(input)
    if x.ndim != 2:
        raise ValueError(f"medfilt2d takes a matrix, not {x!r}{called()}")
    return medfilt(x, kernel_size)


def order_filter(a: TensorLike, domain: Any, rank: int) -> TensorVariable:
    """The neighbour of that rank, zeros beside. See `scipy.signal.order_filter`.

    Parameters
    ----------
    a
        Real numbers.
    domain
        Which neighbours count, those where it is not 0: an array of odd lengths.
    rank
        Which of them, from the least on.

    Raises
    ------
    ValueError
        for a `domain` of even length or without a neighbour, and for another rank.

    Examples
    --------
    >>> order_filter([1.0, 9.0, 2.0, 3.0], [1, 0, 1], 1).eval()
    array([9., 2., 9., 2.])
    """
    counted = np.asarray(domain)
    if not all(n % 2 for n in counted.shape):
        raise ValueError(
            f"each dimension of domain should have an odd number of elements, not {counted.shape}"
            f"{called()}"
        )
    return rank_filter(a, rank, footprint=counted, mode="constant")


def wiener(
    im: TensorLike,
    mysize: int | Sequence[int] | None = None,
    noise: TensorLike | None = None,
) -> TensorVariable:
    """Nearer to the mean of neighbours where they vary less than noise. See `scipy.signal.wiener`.

    Parameters
    ----------
    im
        Real numbers.
    mysize
        How many neighbours along each axis: 3 by default.
    noise
        The variance of the noise; that of the neighbours, averaged, by default.

    Examples
    --------
    >>> wiener([1.0, 9.0, 2.0, 3.0]).eval().round(2)
    array([2.44, 5.05, 4.67, 1.67])
    """
    x = as_floating(im)
    mysize = 3 if mysize is None else mysize
    sizes = [mysize] * x.ndim if isinstance(mysize, int) else [*mysize]
    ones = np.ones(sizes) / prod(sizes)
    average = correlate(x, ones, "same")
    variance = correlate(x**2, ones, "same") - average**2
    level = variance.mean() if noise is None else as_tensor(noise)
    under = variance < level
    share = where(under, 0, 1 - level / where(under, 1, variance))
    return average + (x - average) * share


def _fit(window: int, polyorder: int, at: Any, deriv: int, delta: float) -> np.ndarray:
    """The matrix that makes of so many elements a derivative, at some places, of what fits them."""
    half = (window - 1) / 2
    places = (np.arange(window) - half)[:, None] ** np.arange(polyorder + 1)
    inverse = np.linalg.pinv(places)
    powers = np.arange(polyorder + 1)
    factors = [factorial(int(p)) / factorial(int(p) - deriv) if p >= deriv else 0.0 for p in powers]
    there = (np.atleast_1d(at) - half)[:, None] ** np.maximum(powers - deriv, 0) * factors
    matrix: np.ndarray = there @ inverse / delta**deriv
    return matrix


def _check(window_length: int, polyorder: int) -> None:
    if polyorder >= window_length:
        raise ValueError(
            f"polyorder must be less than window_length, not {polyorder} for {window_length}"
            f"{called()}"
        )


def savgol_coeffs(
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    pos: int | None = None,
    use: str = "conv",
) -> TensorVariable:
    """The coefficients of a Savitzky-Golay filter. See `scipy.signal.savgol_coeffs`.

    Parameters
    ----------
    window_length, polyorder
        How many neighbours are fitted by a polynomial of which order.
    deriv
        Which derivative.
    delta
        How far from each other the neighbours are.
    pos
        Where the polynomial is evaluated; in the middle by default.
    use
        "conv" for a convolution, "dot" for a product with the neighbours.

    Raises
    ------
    ValueError
        for a polyorder that is not less than window_length, a pos outside, and another use.

    Examples
    --------
    >>> savgol_coeffs(3, 1).eval().round(4)
    array([0.3333, 0.3333, 0.3333])
    """
    _check(window_length, polyorder)
    if use not in ("conv", "dot"):
        raise ValueError(f"`use` must be 'conv' or 'dot', not {use!r}{called()}")
    place = (window_length - 1) / 2 if pos is None else pos
    if not 0 <= place < window_length:
        raise ValueError(f"pos must be nonnegative and less than window_length{called()}")
    row = _fit(window_length, polyorder, place, deriv, delta)[0]
    return as_tensor(row[::-1].copy() if use == "conv" else row)


def savgol_filter(
    x: TensorLike,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> TensorVariable:
    """Polynomials that fit the neighbours of each element. See `scipy.signal.savgol_filter`.

    Parameters
    ----------
    x
        Real numbers.
    window_length, polyorder, deriv, delta
        As for `savgol_coeffs`; an odd window_length.
    axis
        Along which axis.
    mode
        How it goes on beyond the ends: "mirror", "nearest", "wrap", "constant", which is `cval`;
        or "interp": the polynomial that fits the first, or last, elements.
    cval
        A number.

    Raises
    ------
    ValueError
        as for `savgol_coeffs`, for another mode, for an even window_length, and with "interp" for
        one that is longer than `x` is known to be.

    Examples
    --------
    >>> savgol_filter([0.0, 1.0, 4.0, 9.0, 16.0], 3, 2).eval().round(12) + 0
    array([ 0.,  1.,  4.,  9., 16.])
    """
    if mode != "interp" and mode not in _PADS:
        names = ", ".join(map(repr, [*_PADS, "interp"]))
        raise ValueError(f"mode must be one of {names}, not {mode!r}{called()}")
    _check(window_length, polyorder)
    if window_length % 2 == 0:
        raise ValueError(f"window_length must be odd, not {window_length}{called()}")
    v = as_floating(x)
    along = as_axis(axis, v.ndim)
    rows, half = moveaxis(v, along, -1), window_length // 2
    b = _fit(window_length, polyorder, half, deriv, delta)[0, ::-1].astype(v.dtype)
    if mode != "interp":
        width = [(0, 0)] * (rows.ndim - 1) + [(half, half)]
        more = {"constant_values": cval} if mode == "constant" else {}
        rows = pad(rows, width, _PADS[mode], **more)
        return moveaxis(index(lfilter(b, [1.0], rows), (..., slice(2 * half, None))), -1, along)
    n = lengths_of(rows)[-1]
    length = static_length(n)
    message = "If mode is 'interp', window_length must be less than or equal to the size of x"
    if not isinstance(length, int):
        rows = check_and_raise(rows, ge(n, window_length), ValueError, message)
    elif length < window_length:
        raise ValueError(f"{message}, {length}, not {window_length}{called()}")
    inside = index(lfilter(b, [1.0], rows), (..., slice(2 * half, None)))
    ends = []
    for part, places in (
        (slice(None, window_length), np.arange(half)),
        (slice(-window_length, None), np.arange(half) + half + 1),
    ):
        fitted = _fit(window_length, polyorder, places, deriv, delta).T.astype(v.dtype)
        ends.append(matmul(index(rows, (..., part)), fitted))
    return moveaxis(concatenate([ends[0], inside, ends[1]], -1), -1, along)
