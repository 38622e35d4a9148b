"""Peaks that are there at many widths: ridges of a transform by wavelets."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, full, full_like
from weft_tensor.ops.elementwise.arithmetic import abs, floor, minimum
from weft_tensor.ops.elementwise.arithmetic import ceil as ceil_of
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.extremes_so_far import cummax, cummin
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.signal.convolution import convolve

__all__ = ["find_peaks_cwt"]

_T = TensorVariable
_NONE: Final = 2**62


class _Ridges(NamedTuple):
    """For each maximum, from the widest on, the ridge that begins there, and its last place."""

    column: Any
    row: Any
    length: Any
    gap: Any
    is_open: Any


def find_peaks_cwt(
    vector: TensorLike,
    widths: Any,
    wavelet: Callable[[Any, Any], Any] | None = None,
    max_distances: TensorLike | None = None,
    gap_thresh: float | None = None,
    min_length: float | None = None,
    min_snr: float = 1,
    noise_perc: float = 10,
    window_size: float | None = None,
) -> TensorVariable:
    """The peaks of a vector that stay, where it is smoothed by wavelets of many widths.

    How many there are depends on values, as is so of `nonzero`; they rise. A ridge is of maxima
    that follow each other from width to width; peaks are the ends of long ones that stand out of
    the noise. See `scipy.signal.find_peaks_cwt`, and P. Du, W. A. Kibbe and S. M. Lin, Improved
    peak detection in mass spectrum, 2006.

    Parameters
    ----------
    vector
        A real vector.
    widths
        A number or numbers: of the wavelets.
    wavelet
        Takes a length and a width, and returns a real vector; by default the second derivative of
        a normal density.
    max_distances
        How far the next maximum of a ridge may be, for each width; by default a quarter of it.
    gap_thresh
        At how many widths in a row a ridge may have none, by default as many as the first width.
    min_length
        How many maxima a ridge has at least, by default a quarter of the number of widths.
    min_snr
        By how much its end is larger at least than the noise, which is the percentile `noise_perc`
        of `window_size` elements around, at the first width; by default a twentieth of all.

    Raises
    ------
    ValueError
        for what are no real vectors, and fewer `max_distances` than widths.

    Examples
    --------
    >>> find_peaks_cwt(np.exp(-((np.arange(60) - 22.0) ** 2) / 18), np.arange(1, 6)).eval()
    array([22])
    """
    v = stop_gradient(as_floating(vector))
    sizes = np.atleast_1d(np.asarray(widths))
    if v.ndim != 1 or v.is_complex or sizes.ndim != 1:
        raise ValueError(
            f"find_peaks_cwt takes real vectors, not {vector!r} and widths {widths!r}{called()}"
        )
    far = as_tensor(sizes / 4 if max_distances is None else max_distances)
    known = static_length(lengths_of(far)[0]) if far.ndim == 1 else 0
    if isinstance(known, int) and known < len(sizes):
        raise ValueError(f"find_peaks_cwt: {len(sizes)} max_distances, not {far!r}{called()}")
    table = _transform(v, wavelet or _ricker, sizes)
    gap = np.ceil(sizes[0]) if gap_thresh is None else gap_thresh
    ridges = _ridges(table, far, float(gap), len(sizes))
    n = lengths_of(table)[1]
    window = (n + 19) // 20 if window_size is None else int(window_size)
    noise = _noise(table[0], as_tensor(window), noise_perc)
    least = ceil(len(sizes) / 4) if min_length is None else min_length
    ratio = abs(table[ridges.row, ridges.column] / index(noise, ridges.column))
    # not `ratio >= min_snr`: as in SciPy, what is NaN stays
    kept = (ridges.length > 0) & (ridges.length >= least) & ~(ratio < min_snr)
    return sort(ridges.column[kept])


def _ricker(points: Any, width: Any) -> _T:
    """The second derivative of a normal density, turned over, of norm 1."""
    places = arange(ceil_of(as_tensor(points)).astype("int64")) - (as_tensor(points) - 1) / 2
    square = places**2 / float(width) ** 2
    return 2 / (np.sqrt(3 * float(width)) * pi**0.25) * (1 - square) * exp(-square / 2)


def _transform(v: _T, wavelet: Callable[[Any, Any], Any], sizes: np.ndarray) -> _T:
    """The vector, smoothed by wavelets of each width, one a row."""
    n = lengths_of(v)[0]
    known, rows = static_length(n), []
    for size in sizes:
        most = 10 * size
        points = min(most, known) if isinstance(known, int) else minimum(most.item(), n)
        w = as_tensor(wavelet(points, size))
        if w.is_complex or w.ndim != 1:
            raise ValueError(f"find_peaks_cwt: wavelets are real vectors, not {w!r}{called()}")
        rows.append(convolve(v, w[::-1], "same"))
    return stack(rows)


def _ridges(table: _T, far: _T, gap: float, height: int) -> _Ridges:
    """Maxima of rows, from the last on, each joined to the nearest ridge if that is near."""
    n = lengths_of(table)[1]
    places = arange(n)
    inside = (places > 0) & (places < n - 1)
    left, right = (index(table.T, clip(places + by, 0, n - 1)).T for by in (-1, 1))
    peaks = (table > left) & (table > right) & inside
    slots = arange(height * n)

    def step(k: _T, s: _Ridges) -> _Ridges:
        row = height - 1 - k
        here = index(peaks, row)
        first = full((n,), _NONE)[s.column].minimum(where(s.is_open, slots, _NONE))
        some = first < _NONE
        before = cummax(where(some, places, -1), 0)
        after = cummin(where(some, places, n), 0, reverse=True)
        back = where(before < 0, n, places - before)
        ahead = where(after < n, after - places, n)
        owners = [index(first, clip(at, 0, n - 1)) for at in (before, after)]
        nearer = where(back < ahead, owners[0], where(ahead < back, owners[1], minimum(*owners)))
        near = minimum(back, ahead)
        joins = here & (near < n) & (near <= index(far, row))
        owner = where(joins, nearer, 0)
        added = full_like(slots, -1)[owner].maximum(where(joins, places, -1))
        grown = added >= 0
        length = s.length[owner].inc(joins.astype("int64"))
        missing = where(grown, 0, s.gap + 1)
        own = k * n + places
        begins = here & ~joins
        return _Ridges(
            where(grown, added, s.column)[own].set(places),
            where(grown, row, s.row)[own].set(row),
            length[own].set(begins.astype("int64")),
            missing[own].set(0),
            (s.is_open & (missing <= gap))[own].set(begins),
        )

    none = full_like(slots, 0)
    start = _Ridges(none, none, none, none, none.astype("bool"))
    end: _Ridges = fori_loop(0, height, step, start)
    return end


def _noise(v: _T, window: _T, percent: float) -> _T:
    """A percentile of the elements around each, by lines between the two that are next to it."""
    n = lengths_of(v)[0]
    half = window // 2
    at = arange(n).expand_dims(-1) + arange(window) - half
    inside = (at >= 0) & (at < n)
    values = sort(where(inside, index(v, clip(at, 0, n - 1)), inf), -1)
    place = percent / 100 * (sum(inside, -1, keepdims=True) - 1)
    low = floor(place).astype("int64")
    share = place - low
    ends = [take_along_axis(values, at, -1) for at in (low, ceil_of(place).astype("int64"))]
    return (ends[0] * (1 - share) + ends[1] * share)[:, 0]
