"""Signals at other rates, by Fourier transforms and by filters."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from operator import index as whole
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.fft.frequencies import fftshift
from weft_tensor.ops.fft.numpy_names import fft, ifft, irfft, resized, rfft, sized
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.reduction.standard import max, mean, min
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis, swapaxes
from weft_tensor.ops.signal.design.recursive import cheby1
from weft_tensor.ops.signal.responses import firwin
from weft_tensor.ops.signal.sections import sosfilt, sosfiltfilt
from weft_tensor.ops.signal.window_names import Window, get_window
from weft_tensor.types.axes import as_axis

__all__ = ["decimate", "resample", "resample_poly", "upfirdn"]

_BACKGROUNDS: Final[dict[str, Callable[..., TensorVariable]]] = {
    "mean": mean,
    "median": median,
    "minimum": min,
    "maximum": max,
}
_BESIDE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "constant": ("constant", {}),
    "edge": ("edge", {}),
    "symmetric": ("symmetric", {}),
    "antisymmetric": ("symmetric", {}),
    "reflect": ("reflect", {}),
    "antireflect": ("reflect", {"reflect_type": "odd"}),
    "wrap": ("wrap", {}),
    "smooth": ("empty", {}),
    "line": ("empty", {}),
}


def resample(
    x: TensorLike,
    num: SizeLike,
    t: TensorLike | None = None,
    axis: int = 0,
    window: Window | None = None,
    domain: str = "time",
) -> Any:
    """A signal that repeats at `num` points in place of those it has, along an axis.

    Its transform is cut, or zeros follow; what is at the last frequency of both is shared among
    its two sides. See `scipy.signal.resample`.

    Parameters
    ----------
    x
        Numbers.
    num
        How many points.
    t
        When the first two points were, and others: the new times are returned, too.
    axis
        Along which axis.
    window
        By which the transform is multiplied: as for `get_window`, whose middle is at frequency 0,
        or a vector of what belongs to each frequency of `fft.fftfreq`.
    domain
        "freq" if `x` is the signal's transform, by `fft.fft`: the result is complex then.

    Raises
    ------
    ValueError
        for a `num` below 1 (at the call, if it is not known before), and for another `domain`.

    Examples
    --------
    >>> resample([0.0, 1.0, 0.0, -1.0], 8).eval()[1].round(6).item()
    0.707107
    """
    one_of("resample", "domain", domain, ("time", "freq"))
    v = as_floating(x)
    along = as_axis(axis, v.ndim)
    if domain == "freq":
        v = ifft(v, axis=along)
    if t is not None:
        times = as_floating(t)
        step = (times[1] - times[0]) * lengths_of(v)[along] / num
        later = arange(sized(num)) * step + times[0]
        return resample(v, num, None, axis, window), later
    if window is not None:
        spectrum = fft(v, axis=along)
        is_named = isinstance(window, (str, tuple, float))
        weights: Any = fftshift(get_window(window, lengths_of(v)[along])) if is_named else window
        weights = as_tensor(weights).astype(v.real.dtype)
        weighted = ifft(moveaxis(moveaxis(spectrum, along, -1) * weights, -1, along), axis=along)
        return resample(weighted if v.is_complex else weighted.real, num, None, axis)
    if v.is_complex:
        parts = (resample(part, num, None, axis) for part in (v.real, v.imag))
        return next(parts) + 1j * next(parts)
    rows = moveaxis(v, along, -1)
    count: Any = lengths_of(rows)[-1]
    points: Any = sized(num)
    fewer = minimum(count, points)
    spectrum = resized(rfft(rows), points // 2 + 1)
    shared = eq(2 * arange(points // 2 + 1), fewer)
    factor = where(shared, where(points < count, 2.0, where(points > count, 0.5, 1.0)), 1.0)
    factor = (factor * points / count).astype(rows.dtype)
    return moveaxis(irfft(spectrum * factor, points), -1, along)


def upfirdn(
    h: TensorLike,
    x: TensorLike,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: TensorLike = 0,
) -> TensorVariable:
    """Zeros between values, a filter, and every so many results. See `scipy.signal.upfirdn`.

    Parameters
    ----------
    h
        The filter's coefficients, a vector.
    x
        Numbers.
    up
        How far from each other the values are then: one less zeros are put between.
    down
        How far from each other the results are that are kept.
    axis
        Along which axis.
    mode
        What is beside: "constant" (`cval`), "edge" (the first and last value), "symmetric" and
        "antisymmetric" (mirrored, and negated), "reflect" and "antireflect" (the end not twice),
        "wrap" (all again), "smooth" (as between the last two) or "line" (as between the ends).
    cval
        What is beside with "constant".

    Raises
    ------
    ValueError
        for an `h` that is no vector, another mode, and for `up` or `down` below 1; for modes but
        "constant", if the length of `h` is not known.

    Examples
    --------
    >>> upfirdn([1.0, 0.5], [1.0, 2.0, 4.0], up=2).eval()
    array([1. , 0.5, 2. , 1. , 4. , 2. ])
    """
    filter_, v = as_floating(h), as_floating(x)
    n, taps = lengths_of(v)[as_axis(axis, v.ndim)], _taps(filter_)
    _check(up, down)
    count = maximum(((n - 1) * up + taps - 1) // down + 1, 0)
    wider, before = _extended(v, filter_, up, axis, mode, cval)
    return _filtered(filter_, wider, up, down, axis, before * up, count)


def resample_poly(
    x: TensorLike,
    up: int,
    down: int,
    axis: int = 0,
    window: Window = ("kaiser", 5.0),
    padtype: str = "constant",
    cval: TensorLike | None = None,
) -> TensorVariable:
    """A signal at `up / down` times its rate, by a filter. See `scipy.signal.resample_poly`.

    Parameters
    ----------
    x
        Numbers.
    up, down
        The new rate and the old one, whole numbers.
    axis
        Along which axis.
    window
        Of which window the filter is made, a name or a tuple as for `get_window`; or the filter's
        coefficients, a vector.
    padtype
        What is taken from all values before, and added to results: the "mean", "median", "minimum"
        or "maximum" along the axis, with zeros beside then; or a mode of `upfirdn`, of what is
        beside.
    cval
        What is beside with "constant": 0 by default.

    Raises
    ------
    ValueError
        for another padtype, coefficients that are no vector, and for `up` or `down` below 1.

    Examples
    --------
    >>> resample_poly([1.0, 2.0, 1.0], 2, 1).eval().round(2)
    array([1.  , 1.7 , 2.  , 1.7 , 1.  , 0.34])
    """
    v = as_floating(x)
    _check(up, down)
    one_of("resample_poly", "padtype", padtype, [*_BACKGROUNDS, *_BESIDE])
    shared = gcd(up, down)
    up, down = up // shared, down // shared
    if up == down:
        return v
    if isinstance(window, (str, tuple)):
        width = up if up > down else down
        h = firwin(20 * width + 1, 1 / width, window=window).astype(v.real.dtype)
    else:
        h = as_floating(window)
    taps, along = _taps(h), as_axis(axis, v.ndim)
    count = -(-lengths_of(v)[along] * up // down)
    middle = (taps - 1) // 2
    if padtype not in _BACKGROUNDS:
        wider, before = _extended(v, h, up, axis, padtype, 0 if cval is None else cval)
        wider = wider.astype(v.dtype)
        return _filtered(h * up, wider, up, down, axis, middle + before * up, count)
    ground = _BACKGROUNDS[padtype](v, axis=along, keepdims=True)
    return _filtered(h * up, v - ground, up, down, axis, middle, count) + ground


def decimate(
    x: TensorLike,
    q: int,
    n: int | None = None,
    ftype: str = "iir",
    axis: int = -1,
    zero_phase: bool = True,
) -> TensorVariable:
    """Every q-th value of a signal, without what is too fast for that. See `scipy.signal.decimate`.

    Parameters
    ----------
    x
        Numbers.
    q
        How far from each other the values are that are kept.
    n
        The order of the filter: 8, or 20 q without feedback, by default.
    ftype
        "iir" for Chebyshev's filter with feedback, "fir" for one without.
    axis
        Along which axis.
    zero_phase
        Whether nothing is delayed.

    Raises
    ------
    ValueError
        for another ftype, and for `q` below 1.

    Examples
    --------
    >>> decimate([1.0, 2.0, 3.0, 4.0, 5.0], 2, ftype="fir").eval().round(2)
    array([0.73, 3.4 , 3.57])
    """
    v = as_floating(x)
    _check(1, q)
    along = as_axis(axis, v.ndim)
    if ftype == "fir":
        taps = 20 * q if n is None else whole(n)
        h = firwin(taps + 1, 1 / q).astype(v.real.dtype)
        start = taps // 2 if zero_phase else 0
        return _filtered(h, v, 1, q, along, start, -(-lengths_of(v)[along] // q))
    if ftype != "iir":
        raise ValueError(f"ftype must be 'iir' or 'fir', not {ftype!r}{called()}")
    design = cheby1(8 if n is None else whole(n), 0.05, 0.8 / q, output="sos")
    sections = design.eval().astype(v.real.dtype)
    smooth = (sosfiltfilt if zero_phase else sosfilt)(sections, v, axis=along)
    return moveaxis(moveaxis(smooth, along, -1)[..., ::q], -1, along)


def _check(up: int, down: int) -> None:
    if whole(up) < 1 or whole(down) < 1:
        raise ValueError(f"rates must be 1 or more, not {up} and {down}{called()}")


def _taps(h: TensorVariable) -> Any:
    if h.ndim != 1:
        raise ValueError(f"a filter's coefficients are a vector, not {h!r}{called()}")
    return lengths_of(h)[0]


def _extended(
    x: TensorVariable, h: TensorVariable, up: int, axis: int, mode: str, cval: TensorLike
) -> tuple[TensorVariable, int]:
    """Values with those beside that a filter meets, and how many are before."""
    one_of("upfirdn", "mode", mode, [*_BESIDE])
    if mode == "constant" and isinstance(cval, (int, float)) and cval == 0:
        return x, 0
    taps = static_length(_taps(h))
    if not isinstance(taps, int):
        raise ValueError(f"upfirdn: mode {mode!r} needs a filter of known length{called()}")
    more = -(-taps // up)
    rows = moveaxis(x, axis, -1)
    how, options = _BESIDE[mode]
    if mode == "constant":
        options = {"constant_values": cval}
    wide = pad(rows, [(0, 0)] * (rows.ndim - 1) + [(more, more)], how, **options)
    n, steps = lengths_of(rows)[-1], arange(1, more + 1)
    if mode in ("smooth", "line"):
        first, last = rows[..., :1], rows[..., -1:]
        slope = (last - first) / maximum(n - 1, 1)
        ends = (
            (slope, slope) if mode == "line" else (rows[..., 1:2] - first, last - rows[..., -2:-1])
        )
        before = flip(first - ends[0] * steps, -1)
        wide = concatenate([before, rows, last + ends[1] * steps], -1)
    if mode == "antisymmetric":
        place = arange(n + 2 * more) - more
        wide = wide * (1 - 2 * (place // n % 2)).astype(wide.dtype)
    return moveaxis(wide, -1, axis), more


def _filtered(
    h: TensorVariable, x: TensorVariable, up: int, down: int, axis: int, start: Any, count: Any
) -> TensorVariable:
    """`count` results from `start` on, `down` apart."""
    rows = moveaxis(x, axis, -1)
    flat = reshape(rows, (-1, 1, lengths_of(rows)[-1]))
    taps, first = static_length(_taps(h)), static_length(start)
    if isinstance(taps, int) and isinstance(first, int) and taps:
        result = _by_phases(h, flat, up, down, first, count)
    else:
        places = [as_tensor(v).astype("int64") for v in (start - _taps(h) + 1, count)]
        result = Conv((down,), (1,), (up,))(flat, expand_dims(flip(h), (0, 1)), *places)
    return moveaxis(reshape(result, (*lengths_of(rows)[:-1], count)), -1, axis)


def _by_phases(
    h: TensorVariable, flat: TensorVariable, up: int, down: int, start: int, count: Any
) -> TensorVariable:
    """Of `up` results, each has a part of the filter of its own: none is for the zeros between."""
    taps = h.type.shape[0]
    assert isinstance(taps, int)
    shifts, phases = np.divmod(start + down * np.arange(up), up)
    longest = -(-taps // up)
    before = shifts[0] - longest + 1
    back = shifts[:, None] - before - np.arange(longest + shifts[-1] - shifts[0])
    which = phases[:, None] + up * back
    which = np.where((back >= 0) & (which < taps), which, taps)
    kernels = expand_dims(index(pad(h, (0, 1)), which), 1)
    places = [as_tensor(v).astype("int64") for v in (int(before), -(-count // up))]
    result = swapaxes(Conv((down,), (1,), (1,))(flat, kernels, *places), 1, 2)
    return reshape(result, (lengths_of(flat)[0], -1))[:, :count]
