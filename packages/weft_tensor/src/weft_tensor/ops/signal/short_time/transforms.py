"""Transforms of short parts that overlap, and signals from them."""

from __future__ import annotations

from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, full, zeros
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.trigonometric import arctan2
from weft_tensor.ops.fft.frequencies import fftfreq, rfftfreq
from weft_tensor.ops.fft.numpy_names import ifft, irfft
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.numbers.waves import unwrap
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.spectra import (
    Trend,
    one_of,
    parts_of,
    step_of,
    transforms_of,
    weights_of,
)
from weft_tensor.ops.signal.window_names import Window, get_window
from weft_tensor.types.axes import as_axis

__all__ = ["BOUNDARIES", "istft", "overlapped", "spectrogram", "stft"]

BOUNDARIES: Final[dict[str, dict[str, Any]]] = {
    "zeros": {"mode": "constant"},
    "constant": {"mode": "edge"},
    "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}
"""What `pad` puts beyond the ends."""
_MODES: Final = ("psd", "complex", "magnitude", "angle", "phase")
Spectra = tuple[TensorVariable, TensorVariable, TensorVariable]


def _wider(
    rows: TensorVariable, boundary: str | None, padded: bool, count: Any, step: Any
) -> TensorVariable:
    """Rows with what is before and behind them, so that parts fit."""
    if boundary is not None:
        half = count // 2
        ends = [(0, 0)] * (rows.ndim - 1) + [(half, half)]
        rows = pad(rows, ends, **BOUNDARIES[boundary])
    if padded:
        *others, n = lengths_of(rows)
        more = (count - n) % step % count
        rows = concatenate([rows, full((*others, more), 0, rows.dtype)], -1)
    return rows


def stft(
    x: TensorLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> Spectra:
    """The frequencies, the times, and the transforms of short parts of a signal.

    See `scipy.signal.stft`, and `csd` for what is not named here. The axis becomes that of
    frequencies, that of times is last.

    Parameters
    ----------
    x
        Numbers.
    boundary
        What is before and behind the signal, as far as half a part: "zeros", "even", "odd",
        "constant", or None.
    padded
        Whether zeros are put behind, so that the last part fits.
    scaling
        "spectrum", or "psd".

    Raises
    ------
    ValueError
        for another boundary or scaling, and as `csd` does.

    Examples
    --------
    >>> frequencies, times, parts = stft([1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0], nperseg=4)
    >>> times.eval(), abs(parts).eval().round(4)[1]
    (array([0., 2., 4., 6., 8.]), array([0.5, 0.5, 0.5, 0.5, 0. ]))
    """
    one_of(scaling, ("spectrum", "psd"), "scaling")
    if boundary is not None:
        one_of(boundary, tuple(BOUNDARIES), "boundary")
    return _short_time(
        x,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        boundary,
        padded,
        axis,
        scaling,
    )


def _short_time(
    x: TensorLike,
    fs: float,
    window: Window,
    nperseg: int | None,
    noverlap: int | None,
    nfft: int | None,
    detrend: Trend,
    one_sided: bool,
    boundary: str | None,
    padded: bool,
    axis: int,
    scaling: str,
) -> Spectra:
    v = as_floating(x)
    along = as_axis(axis, v.ndim)
    rows = moveaxis(v, along, -1)
    weights, count = weights_of(window, nperseg, lengths_of(rows)[-1])
    step = step_of(count, noverlap)
    parts = parts_of(_wider(rows, boundary, padded, count, step), count, step)
    is_half = one_sided and not v.is_complex
    if callable(detrend):  # which takes all parts, their elements along the axis
        parts, detrend = moveaxis(detrend(moveaxis(parts, -1, axis)), axis, -1), False
    values = transforms_of(parts, weights, nfft, detrend, is_half)
    squares = sum(weights) if scaling == "spectrum" else sqrt(fs * sum(weights**2))
    values = values / squares.astype(v.real.dtype)
    points: Any = count if nfft is None else nfft
    times = arange(lengths_of(parts)[-2]) * step + (0 if boundary is not None else count / 2)
    frequencies = (rfftfreq if is_half else fftfreq)(points, 1 / fs)
    return frequencies, times / fs, moveaxis(values, -1, along)


def spectrogram(
    x: TensorLike,
    fs: float = 1.0,
    window: Window = ("tukey", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> Spectra:
    """The frequencies, the times, and the power at each, of short parts of a signal.

    See `scipy.signal.spectrogram`. `mode` is "psd", the power, or what the transforms are:
    "complex", their "magnitude", their "angle", or "phase", which goes on beyond a turn. An eighth
    of a part is in the next one by default. As `stft` otherwise, ValueError too.

    >>> frequencies, times, power = spectrogram([1.0, 0.0, -1.0, 0.0] * 4, nperseg=8, window="hann")
    >>> power.eval().round(3).shape
    (5, 2)
    """
    one_of(scaling, ("density", "spectrum"), "scaling")
    one_of(mode, _MODES, "mode")
    v = as_floating(x)
    along = as_axis(axis, v.ndim)
    _, count = weights_of(window, nperseg, lengths_of(v)[along])
    overlap = count // 8 if noverlap is None else noverlap
    kind = "psd" if scaling == "density" else scaling
    frequencies, times, values = _short_time(
        v, fs, window, nperseg, overlap, nfft, detrend, return_onesided, None, False, axis, kind
    )
    if mode == "complex":
        return frequencies, times, values
    if mode == "magnitude":
        return frequencies, times, abs(values)
    if mode in ("angle", "phase"):
        angles = arctan2(values.imag, values.real)
        return frequencies, times, unwrap(angles, axis=along) if mode == "phase" else angles
    power = values.real**2 + values.imag**2
    if return_onesided and not v.is_complex:
        k = expand_dims(arange(lengths_of(power)[along]), tuple(range(1, power.ndim - along)))
        single = eq(k, 0) | eq(2 * k, count if nfft is None else nfft)
        power = power * where(single, 1, 2).astype(power.dtype)
    return frequencies, times, power


def istft(
    Zxx: TensorLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[TensorVariable, TensorVariable]:
    """The times and the signal of which `stft` gives these transforms.

    By adding up parts times the window, over the sum of its squares; where that is 0, the signal is
    0. See `scipy.signal.istft`. Raises ValueError for a single axis, two that are one, another
    scaling, a window of another length, and numbers that do not fit.

    >>> x = [1.0, 2.0, -1.0, 0.0, 4.0, 3.0, 2.0, 1.0]
    >>> istft(stft(x, nperseg=4)[2])[1].eval().round(12) + 0
    array([ 1.,  2., -1.,  0.,  4.,  3.,  2.,  1.])
    """
    one_of(scaling, ("spectrum", "psd"), "scaling")
    z = as_floating(Zxx)
    if z.ndim < 2 or as_axis(time_axis, z.ndim) == as_axis(freq_axis, z.ndim):
        raise ValueError(f"istft takes frequencies and times on two axes, not {z!r}{called()}")
    at, by = as_axis(time_axis, z.ndim), as_axis(freq_axis, z.ndim)
    rows = moveaxis(z, (at, by), (-2, -1))
    bins: Any = rows.type.shape[-1]
    bins = bins if isinstance(bins, int) else lengths_of(rows)[-1]
    usual = 2 * (bins - 1) if input_onesided else bins
    count: Any = usual if nperseg is None else nperseg
    points: Any = nfft
    if nfft is None:
        is_odd = input_onesided and nperseg is not None
        points = usual + (eq(usual + 1, count).astype("int64") if is_odd else 0)
    elif isinstance(count, int) and nfft < count:
        raise ValueError(f"nfft must be greater than or equal to nperseg, not {nfft}{called()}")
    step = step_of(count, noverlap)
    named = isinstance(window, (str, tuple, int, float))
    weights = get_window(window, count) if named else as_floating(window)
    if weights.type.shape[0] not in (None, count) and isinstance(count, int):
        raise ValueError(f"istft: the window must have length {count}{called()}")
    parts = index((irfft if input_onesided else ifft)(rows, points), (..., slice(None, count)))
    weights = weights.astype(parts.real.dtype)
    scale = sum(weights) if scaling == "spectrum" else sqrt(fs * sum(weights**2))
    x, norm = overlapped(parts * weights * scale, weights**2, count, step)
    if boundary:
        n = lengths_of(x)[-1]
        inner = (..., slice(count // 2, n - count // 2))
        x, norm = index(x, inner), index(norm, inner)
    x = x / where(norm > 1e-10, norm, 1.0).astype(norm.dtype)
    times = arange(lengths_of(x)[-1]) / float(fs)
    return times, moveaxis(x, -1, at - (by < at))


def overlapped(
    parts: TensorVariable, squares: TensorVariable, count: Any, step: Any
) -> tuple[TensorVariable, TensorVariable]:
    """The sums of parts that overlap, and of as many vectors `squares`."""
    *batch, number, _ = lengths_of(parts)
    places = expand_dims(arange(number) * step, 1) + arange(count)
    length = count + (number - 1) * step
    whole = zeros((*batch, length), dtype=parts.dtype)
    norm = zeros((length,), dtype=squares.dtype)
    return whole[..., places].inc(parts), norm[places].inc(squares + 0 * norm[places])
