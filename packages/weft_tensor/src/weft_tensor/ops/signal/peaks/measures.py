"""Peaks of a vector, how far they stand out, and how wide they are."""

from __future__ import annotations

from typing import Any

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, ones_like
from weft_tensor.ops.elementwise.arithmetic import abs, ceil, maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.nonzero import flatnonzero
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.sample_statistics.ranks import ties_of
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.signal.peaks.blocks import Blocks, blocks_of

__all__ = ["find_peaks", "peak_prominences", "peak_widths"]

Three = tuple[TensorVariable, TensorVariable, TensorVariable]
Four = tuple[TensorVariable, TensorVariable, TensorVariable, TensorVariable]


def _vector(x: TensorLike, name: str) -> TensorVariable:
    v = as_floating(x)
    if v.ndim != 1 or v.is_complex:
        raise ValueError(f"{name} takes a vector of real numbers, not {v!r}{called()}")
    return v


def peak_prominences(x: TensorLike, peaks: TensorLike, wlen: TensorLike | None = None) -> Three:
    """How far peaks stand out of what is between them and higher ones, and where it is lowest.

    Within `wlen` elements, the peak in the middle, if that is given. NaN is higher than any. See
    `scipy.signal.peak_prominences`. Raises ValueError for what is no vector.

    >>> [v.eval().tolist() for v in peak_prominences([0.0, 2.0, 1.0, 3.0, 0.5], [1, 3])]
    [[1.0, 2.5], [0, 0], [2, 4]]
    """
    v, at = _vector(x, "peak_prominences"), as_tensor(peaks).astype("int64")
    heights, n = index(v, at), lengths_of(v)[0]
    half: Any = n if wlen is None else ceil(as_tensor(wlen)).astype("int64") // 2
    known = stop_gradient(v)
    highest, lowest = blocks_of(known, maximum), blocks_of(known, minimum)
    bases = []
    for way, end in ((-1, maximum(at - half, 0)), (1, minimum(at + half, n - 1))):
        edge = highest.reach(at, way, end, lambda m: m <= stop_gradient(heights))
        least = lowest.between(*((edge, at) if way < 0 else (at, edge)))
        bases.append(_first_down(lowest, known, at, way, edge, least))
    return heights - maximum(*(index(v, base) for base in bases)), bases[0], bases[1]


def _first_down(
    lowest: Blocks,
    v: TensorVariable,
    at: TensorVariable,
    way: int,
    end: TensorVariable,
    level: TensorVariable,
) -> TensorVariable:
    """The first place from each on, or `end`, where a vector is not above a level."""
    last = lowest.reach(at, way, end, lambda m: m > level)
    beside = maximum(last - 1, end) if way < 0 else minimum(last + 1, end)
    return where(index(v, at) > level, beside, at)


def peak_widths(
    x: TensorLike,
    peaks: TensorLike,
    rel_height: TensorLike = 0.5,
    prominence_data: Three | None = None,
    wlen: TensorLike | None = None,
) -> Four:
    """How wide peaks are at a part of their prominence; at which height, from where, to where.

    Ends are between elements, by lines. `prominence_data` is what `peak_prominences` gives. See
    `scipy.signal.peak_widths`. Raises ValueError for what is no vector.

    >>> [v.eval().tolist() for v in peak_widths([0.0, 2.0, 1.0, 3.0, 0.5], [1, 3])]
    [[0.75, 1.125], [1.5, 1.75], [0.75, 2.375], [1.5, 3.5]]
    """
    v, at = _vector(x, "peak_widths"), as_tensor(peaks).astype("int64")
    parts = peak_prominences(v, at, wlen) if prominence_data is None else prominence_data
    out, left, right = (as_tensor(part) for part in parts)
    n = lengths_of(v)[0]
    height = index(v, at) - out * rel_height
    known, level = stop_gradient(v), stop_gradient(height)
    lowest = blocks_of(known, minimum)
    before, after = (
        _first_down(lowest, known, at, way, end, level) for way, end in ((-1, left), (1, right))
    )

    def crossing(end: TensorVariable, way: int) -> TensorVariable:
        low, high = index(v, end), index(v, minimum(maximum(end + way, 0), n - 1))
        short = low < height
        share = (height - low) / where(short, high - low, 1.0)
        return where(short, end + way * share, end.astype(v.dtype))

    start, end = crossing(before, 1), crossing(after, -1)
    return end - start, height, start, end


class _Peaks:
    """Peaks, and properties of each, of which conditions leave some."""

    def __init__(self, at: TensorVariable, properties: dict[str, TensorVariable]) -> None:
        self.at, self.properties = at, properties

    def keep(self, which: TensorVariable) -> None:
        self.at = self.at[which]
        self.properties = {name: v[which] for name, v in self.properties.items()}

    def between(self, name: str, bounds: Any) -> None:
        """Leave those whose property lies between bounds: a least, or a pair."""
        low, high = bounds if isinstance(bounds, (tuple, list)) else (bounds, None)
        values = self.properties[name]
        which = ones_like(values).astype("bool")
        for bound, is_least in ((low, True), (high, False)):
            if bound is None:
                continue
            limit = as_tensor(bound)
            limit = index(limit, self.at) if limit.ndim else limit
            which = which & (limit <= values if is_least else values <= limit)
        self.keep(which)


def _plateaus(v: TensorVariable) -> _Peaks:
    """The middles of what is flat and higher than on both sides."""
    n = lengths_of(v)[0]
    ties, places = ties_of(v), arange(n)
    inside = ties.first.eq(places) & (ties.first > 0) & (ties.last < n - 1)
    before = index(v, maximum(ties.first - 1, 0))
    after = index(v, minimum(ties.last + 1, n - 1))
    left = flatnonzero(inside & (before < v) & (after < v))
    right = index(ties.last, left)
    sizes = {"plateau_sizes": right - left + 1, "left_edges": left, "right_edges": right}
    return _Peaks((left + right) // 2, sizes)


def _far_enough(at: TensorVariable, heights: TensorVariable, distance: Any) -> TensorVariable:
    """Which peaks are left if each, from the highest on, takes away those that are nearer."""
    order, n = argsort(heights), lengths_of(at)[0]
    least = ceil(as_tensor(distance)).astype("int64")

    def step(k: TensorVariable, kept: TensorVariable) -> TensorVariable:
        highest = index(order, n - 1 - k)
        own = index(at, highest)
        near = (abs(at - own) < least) & at.neq(own)
        return kept & ~(near & index(kept, highest))

    kept: TensorVariable = fori_loop(0, n, step, ones_like(at).astype("bool"))
    return kept


def find_peaks(
    x: TensorLike,
    height: Any = None,
    threshold: Any = None,
    distance: TensorLike | None = None,
    prominence: Any = None,
    width: Any = None,
    wlen: TensorLike | None = None,
    rel_height: TensorLike = 0.5,
    plateau_size: Any = None,
) -> tuple[TensorVariable, dict[str, TensorVariable]]:
    """The peaks of a vector that meet conditions, and what was measured of them.

    How many there are depends on values, as is so of `nonzero`. What is measured has derivatives
    by `x`. See `scipy.signal.find_peaks`.

    Parameters
    ----------
    x
        A real vector.
    height, threshold, prominence, width, plateau_size
        Conditions, each a least number, or a pair of a least and a largest, either None; bounds may
        be vectors like `x`: on a peak's height, its distance up from both neighbours, what
        `peak_prominences` and `peak_widths` say, and how many equal elements it has.
    distance
        How far peaks are apart at least: of nearer ones the higher is left.
    wlen, rel_height
        As for `peak_widths`.

    Returns
    -------
    The indices of peaks, and a dict of their properties with SciPy's names.

    Raises
    ------
    ValueError
        for what is no vector.

    Examples
    --------
    >>> peaks, properties = find_peaks([0.0, 2.0, 1.0, 3.0, 3.0, 0.5], height=1.0)
    >>> peaks.eval(), properties["peak_heights"].eval()
    (array([1, 3]), array([2., 3.]))
    """
    v = _vector(x, "find_peaks")
    peaks = _plateaus(v)
    if plateau_size is None:
        peaks.properties = {}
    else:
        peaks.between("plateau_sizes", plateau_size)
    if height is not None:
        peaks.properties["peak_heights"] = index(v, peaks.at)
        peaks.between("peak_heights", height)
    if threshold is not None:
        for name, way in (("left_thresholds", -1), ("right_thresholds", 1)):
            peaks.properties[name] = index(v, peaks.at) - index(v, peaks.at + way)
        bounds = threshold if isinstance(threshold, (tuple, list)) else (threshold, None)
        for name in ("left_thresholds", "right_thresholds"):
            peaks.between(name, bounds)
    if distance is not None:
        peaks.keep(_far_enough(peaks.at, index(v, peaks.at), distance))
    if prominence is not None or width is not None:
        names = ("prominences", "left_bases", "right_bases")
        parts = peak_prominences(v, peaks.at, wlen)
        peaks.properties.update(zip(names, parts, strict=True))
        if prominence is not None:
            peaks.between("prominences", prominence)
    if width is not None:
        prominent: Any = [peaks.properties[name] for name in names]
        labels = ("widths", "width_heights", "left_ips", "right_ips")
        widths = peak_widths(v, peaks.at, rel_height, prominent)
        peaks.properties.update(zip(labels, widths, strict=True))
        peaks.between("widths", width)
    return peaks.at, peaks.properties
