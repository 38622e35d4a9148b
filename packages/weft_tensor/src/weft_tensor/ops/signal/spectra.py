"""Power at each frequency, by transforms of parts that overlap; trends, and analytic signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.of_numbers import check_known
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.fft.frequencies import fftfreq, rfftfreq
from weft_tensor.ops.fft.numpy_names import fft, fft2, ifft, ifft2, resized, rfft, sized
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.reduction.standard import sum as total_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, same_size, static_length
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.smoothing import detrend
from weft_tensor.ops.signal.window_names import Window, get_window
from weft_tensor.types.axes import as_axis

__all__ = ["coherence", "csd", "hilbert", "hilbert2", "periodogram", "welch"]

_USUAL: Final = 256
"""How many elements parts have by default."""
_SCALINGS: Final = ("density", "spectrum")
_AVERAGES: Final = ("mean", "median")
Trend = str | bool | Callable[[Any], Any]
"""Which trend is taken from parts, or what is left of a part."""


def hilbert(x: TensorLike, N: SizeLike | None = None, axis: int = -1) -> TensorVariable:
    """The analytic signal: without negative frequencies. See `scipy.signal.hilbert`.

    Parameters
    ----------
    x
        Real numbers.
    N
        How many points; as many as there are by default.
    axis
        Along which axis.

    Raises
    ------
    ValueError
        for complex numbers, and for N below 1 (at the call, if it is not known before).

    Examples
    --------
    >>> abs(hilbert([1.0, 0.0, -1.0, 0.0])).eval()
    array([1., 1., 1., 1.])
    """
    v = as_floating(x)
    if v.is_complex:
        raise ValueError(f"x must be real, not {v!r}{called()}")
    along = as_axis(axis, v.ndim)
    rows = moveaxis(v, along, -1)
    rows = rows if N is None else resized(rows, sized(N))
    n: Any = lengths_of(rows)[-1]
    k = arange(n)
    factor = where(eq(k, 0) | eq(2 * k, n), 1, where(2 * k < n, 2, 0)).astype(rows.dtype)
    return moveaxis(ifft(fft(rows) * factor), -1, along)


def hilbert2(
    x: TensorLike, N: int | tuple[int, int] | None = None, axes: tuple[int, int] = (-2, -1)
) -> TensorVariable:
    """The signal with the frequencies of one quarter of the plane, four times as large.

    Along two axes, of `N` points each, or of two numbers. See `scipy.signal.hilbert2`. Raises
    ValueError for complex numbers, and for N below 1.

    >>> hilbert2([[1.0, 0.0], [0.0, 0.0]]).eval().real
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    v = as_floating(x)
    if v.is_complex:
        raise ValueError(f"x must be real, not {v!r}{called()}")
    if N is not None and min((N,) if isinstance(N, int) else N) < 1:
        raise ValueError(f"hilbert2: N must be positive, not {N!r}{called()}")
    spectrum: Any = fft2(v, (N, N) if isinstance(N, int) else N, axes)
    spectrum = moveaxis(spectrum, axes, (-2, -1))
    for axis in (-1, -2):
        n: Any = lengths_of(spectrum)[axis]
        k = arange(n)
        factor = where(eq(k, 0), 1, where(k < (n + 1) // 2, 2, 0)).astype(v.dtype)
        spectrum = spectrum * (factor if axis == -1 else expand_dims(factor, -1))
    return moveaxis(ifft2(spectrum), (-2, -1), axes)


def one_of(value: str, choices: tuple[str, ...], what: str) -> None:
    if value not in choices:
        names = " or ".join(map(repr, choices))
        raise ValueError(f"{what} is {names}, not {value!r}{called()}")


def csd(
    x: TensorLike,
    y: TensorLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[TensorVariable, TensorVariable]:
    """The cross power density, by Welch's method. See `scipy.signal.csd`.

    Parameters
    ----------
    x, y
        Numbers, whose other axes broadcast. Zeros follow where one has fewer along the axis.
    fs
        How many there are in a unit of time.
    window
        As for `get_window`; or a vector of known length.
    nperseg
        How many elements a part has: 256 by default, less if there are less.
    noverlap
        How many are in the next one, too: half of them by default.
    nfft
        How many points transforms have.
    detrend
        What is taken from each part first: "constant", "linear" or False; or a function of a part,
        whose elements are along its last axis, that gives what is left.
    return_onesided
        Whether of real numbers only frequencies from 0 on are given.
    scaling
        "density", power in a unit of frequency; or "spectrum", power.
    axis
        Along which axis.
    average
        "mean" or "median" of all parts.

    Returns
    -------
    The frequencies, and the power at each.

    Raises
    ------
    ValueError
        for another scaling, average or detrend, for numbers that do not fit, and for an `fs` that
        is not positive.

    Examples
    --------
    >>> frequencies, power = csd([1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0], window="boxcar")
    >>> power.eval().round(12) + 0
    array([0.+0.j, 0.-2.j, 0.+0.j])
    """
    first, second = (as_floating(v) for v in as_tensors((x, y)))
    rows = [moveaxis(v, as_axis(axis, v.ndim), -1) for v in (first, second)]
    length = maximum(*[lengths_of(v)[-1] for v in rows])
    both = [moveaxis(_with_zeros(v, length), -1, axis) for v in rows]
    frequencies, (of_x, of_y), finish = _transformed(
        both, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )
    return frequencies, finish(of_x.conj() * of_y)


def _transformed(
    signals: Sequence[TensorLike],
    fs: float,
    window: Window,
    nperseg: int | None,
    noverlap: int | None,
    nfft: int | None,
    trend: Trend,
    one_sided: bool,
    scaling: str,
    axis: int,
    average: str | None,
) -> tuple[TensorVariable, list[TensorVariable], Callable[[TensorVariable], TensorVariable]]:
    """The frequencies, the transforms of each signal's parts, and what makes a result of powers.

    Without an `average`, there is one part: all of it, for which there is a window as long.
    """
    one_of(scaling, _SCALINGS, "scaling")
    check_known(fs, lambda rate: rate > 0, "the sampling frequency fs is positive")
    if average is not None:
        one_of(average, _AVERAGES, "average")
    tensors = [as_floating(v) for v in as_tensors(signals)]
    rows = [moveaxis(v, as_axis(axis, v.ndim), -1) for v in tensors]
    rows = [specify_shape(v, *[None] * (v.ndim - 1), lengths_of(rows[0])[-1]) for v in rows]
    weights, count = weights_of(window, nperseg, lengths_of(rows[0])[-1])
    points: Any = count if nfft is None else nfft
    is_half = one_sided and not any(v.is_complex for v in rows)
    if average is not None:
        rows = [parts_of(v, count, step_of(count, noverlap)) for v in rows]
        if callable(trend):
            map_of = lazy_import("weft_tensor.batching.functions.vmap")
            trend = map_of(trend, in_axes=-2, out_axes=-2)
    transforms = [transforms_of(v, weights, nfft, trend, is_half) for v in rows]
    squares = total_of(weights) ** 2 if scaling == "spectrum" else fs * total_of(weights**2)
    share = 1 / squares.astype(transforms[0].real.dtype)
    if is_half:
        k = arange(lengths_of(transforms[0])[-1])
        single = eq(k, 0) | eq(2 * k, points)
        share = where(single, share, 2 * share)

    def finish(power: TensorVariable) -> TensorVariable:
        power = power if average is None else _averaged(power, average)
        return moveaxis(power * share, -1, axis)

    return (rfftfreq if is_half else fftfreq)(points, 1 / fs), transforms, finish


def _with_zeros(rows: TensorVariable, length: Any) -> TensorVariable:
    *others, n = lengths_of(rows)
    if same_size(n, length):
        return rows
    return concatenate([rows, zeros((*others, length - n), rows.dtype)], -1)


def _square(v: TensorVariable) -> TensorVariable:
    return v.real**2 + v.imag**2


def weights_of(window: Window, nperseg: int | None, length: Any) -> tuple[TensorVariable, Any]:
    """The window, and how many elements parts have."""
    if not isinstance(window, (str, tuple, int, float)):
        weights = as_floating(window)
        count: Any = lengths_of(weights)[0]
        if isinstance(size := static_length(count), int) and nperseg not in (None, size):
            raise ValueError(f"nperseg={nperseg} is not the length of {weights!r}{called()}")
        message = "the window is longer than the signal"
        return check_and_raise(weights, count <= length, ValueError, message), count
    if nperseg is not None and nperseg < 1:
        raise ValueError(f"nperseg must be a positive integer, not {nperseg}{called()}")
    wanted = _USUAL if nperseg is None else nperseg
    if isinstance(size := static_length(length), int):
        count = min(size, wanted)
    else:
        count = where(length < wanted, length, wanted)
    return get_window(window, count), count


def step_of(count: Any, noverlap: int | None) -> Any:
    """How far parts are from each other: ValueError, at the call if unknown before, for none."""
    if noverlap is None:
        return count - count // 2
    message = f"noverlap must be less than nperseg, not {noverlap}"
    if not isinstance(count, int):
        return check_and_raise(count - noverlap, count > noverlap, ValueError, message)
    if noverlap >= count:
        raise ValueError(f"{message}{called()}")
    return count - noverlap


def parts_of(x: TensorVariable, count: Any, step: Any) -> TensorVariable:
    """All parts along the last axis, each a row."""
    n: Any = lengths_of(x)[-1]
    begins = arange((n - count) // step + 1) * step
    return index(x, (..., expand_dims(begins, 1) + arange(count)))


def transforms_of(
    parts: TensorVariable,
    weights: TensorVariable,
    nfft: int | None,
    trend: Trend,
    is_half: bool,
) -> TensorVariable:
    """Those of all rows: ValueError, at the call if unknown before, for fewer points than those."""
    if nfft is not None:
        length = lengths_of(parts)[-1]
        message = f"nfft must be greater than or equal to nperseg, not {nfft}"
        if isinstance(size := static_length(length), int) and nfft < size:
            raise ValueError(f"{message}{called()}")
        parts = check_and_raise(parts, length <= nfft, ValueError, message)
    if callable(trend):
        parts = as_tensor(trend(parts))
    elif isinstance(trend, str):
        parts = detrend(parts, -1, trend)
    elif trend:
        raise ValueError(
            f"detrend is 'constant', 'linear', False or a function, not {trend!r}{called()}"
        )
    parts = parts * weights.astype(parts.real.dtype)
    return (rfft if is_half else fft)(parts, nfft)


def _averaged(power: TensorVariable, average: str) -> TensorVariable:
    """The mean of all rows; or the median, over what it is of exponential numbers."""
    if average == "mean":
        return mean(power, -2)
    n: Any = lengths_of(power)[-2]
    evens = arange(1, (n - 1) // 2 + 1) * 2.0
    bias = 1 + total_of(1 / (evens + 1) - 1 / evens)
    if not power.is_complex:
        return median(power, -2) / bias
    return (median(power.real, -2) + 1j * median(power.imag, -2)) / bias


def welch(
    x: TensorLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[TensorVariable, TensorVariable]:
    """The frequencies and the power density at each, by Welch's method. See `scipy.signal.welch`.

    As `csd` of `x` with itself, ValueError too.

    >>> welch([1.0, 0.0, -1.0, 0.0], window="boxcar")[1].eval().round(12)
    array([0., 2., 0.])
    """
    frequencies, (of_x,), finish = _transformed(
        [x], fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )
    return frequencies, finish(_square(of_x))


def periodogram(
    x: TensorLike,
    fs: float = 1.0,
    window: Window = "boxcar",
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[TensorVariable, TensorVariable]:
    """The frequencies and the power density at each, of one transform.

    See `scipy.signal.periodogram`. As `welch` with one part, of the first `nfft` elements if there
    are more. ValueError as for `csd`.

    >>> periodogram([1.0, 0.0, -1.0, 0.0])[1].eval().round(12)
    array([0., 2., 0.])
    """
    v = as_tensor(x)
    along = as_axis(axis, v.ndim)
    v = v if nfft is None else index(v, (*[slice(None)] * along, slice(0, nfft)))
    n: Any = lengths_of(v)[along]
    length = static_length(n)
    whole: Any = get_window(window, length if isinstance(length, int) else n)
    frequencies, (of_x,), finish = _transformed(
        [v], fs, whole, None, 0, nfft, detrend, return_onesided, scaling, axis, None
    )
    return frequencies, finish(_square(of_x))


def coherence(
    x: TensorLike,
    y: TensorLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    axis: int = -1,
) -> tuple[TensorVariable, TensorVariable]:
    """The frequencies, and how far two signals go together at each. See `scipy.signal.coherence`.

    ValueError as for `csd`, and for signals of other lengths (at the call, if they are not known
    before).

    >>> x = [1.0, 0.0, -1.0, 0.0, 2.0, 1.0]
    >>> coherence(x, x, nperseg=4)[1].eval().round(12)
    array([1., 1., 1.])
    """
    frequencies, (of_x, of_y), finish = _transformed(
        [x, y], fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis, "mean"
    )
    both = _square(finish(of_x.conj() * of_y))
    return frequencies, both / finish(_square(of_x)) / finish(_square(of_y))
