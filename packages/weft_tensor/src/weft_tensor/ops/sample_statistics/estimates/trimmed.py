"""Observations without the farthest, and what share of them lies where."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any, max, mean, min, sum
from weft_tensor.ops.sample_statistics.samples import numbers, observations, one_of
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel, with_axis
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.statistics.histograms import histogram
from weft_tensor.ops.statistics.moments import std
from weft_tensor.ops.statistics.quantiles import quantile

__all__ = [
    "CumfreqResult",
    "RelfreqResult",
    "SigmaclipResult",
    "cumfreq",
    "percentileofscore",
    "relfreq",
    "scoreatpercentile",
    "sigmaclip",
    "trim1",
    "trimboth",
]


class SigmaclipResult(NamedTuple):
    """Observations without the farthest, and between what they lie."""

    clipped: TensorVariable
    lower: TensorVariable
    upper: TensorVariable


def sigmaclip(a: TensorLike, low: TensorLike = 4.0, high: TensorLike = 4.0) -> SigmaclipResult:
    """A vector without what is farther from its mean than so many standard deviations.

    What is too far is left out until nothing is. See `scipy.stats.sigmaclip`.

    >>> sigmaclip([1.0, 2.0, 3.0, 2.0, 50.0], 1.5, 1.5).clipped.eval()
    array([1., 2., 3., 2.])
    """
    x = ravel(numbers(a))
    at, least, most = (stop_gradient(v) for v in (x, numbers(low), numbers(high)))

    def step(state: tuple[TensorVariable, TensorVariable]) -> tuple[TensorVariable, TensorVariable]:
        kept, _ = state
        n = sum(kept).astype(x.dtype)
        middle = sum(where(kept, at, 0.0)) / n
        width = sqrt(sum(where(kept, (at - middle) ** 2, 0.0)) / n)
        inside = kept & (at >= middle - width * least) & (at <= middle + width * most)
        return inside, any(neq(inside, kept))

    every = eq(at, at) | neq(at, at)
    kept: TensorVariable = while_loop(lambda s: s[1], step, (every, as_tensor(True)))[0]
    clipped = x[kept]
    middle, width = mean(clipped), std(clipped)
    lower, upper = middle - width * numbers(low), middle + width * numbers(high)
    return SigmaclipResult(clipped, lower.astype(x.dtype), upper.astype(x.dtype))


def _trimmed(a: TensorLike, share: float, axis: int | None, left: bool, right: bool) -> Any:
    if not 0 <= share <= 1 - (left and right) / 2:
        raise ValueError(f"proportiontocut leaves nothing: {share!r}{called()}")
    x, along = with_axis(numbers(a), axis)
    rows = sort(moveaxis(x, along, -1), -1)
    n = lengths_of(rows)[-1]
    cut: Any = (n * float(share)).astype("int64")
    part = slice(cut if left else 0, n - cut if right else n)
    return moveaxis(index(rows, (..., part)), -1, along)


def trimboth(a: TensorLike, proportiontocut: float, axis: int | None = 0) -> TensorVariable:
    """The observations in order without that share at each end. See `scipy.stats.trimboth`.

    Raises ValueError for a share of which nothing is left.

    >>> trimboth([4.0, 1.0, 2.0, 3.0, 90.0], 0.2).eval()
    array([2., 3., 4.])
    """
    result: TensorVariable = _trimmed(a, proportiontocut, axis, True, True)
    return result


def trim1(
    a: TensorLike, proportiontocut: float, tail: str = "right", axis: int | None = 0
) -> TensorVariable:
    """The observations in order without that share at one end. See `scipy.stats.trim1`.

    `tail` is "right" or "left". Raises ValueError for another, and for a share beyond 0 to 1.

    >>> trim1([4.0, 1.0, 2.0, 3.0, 90.0], 0.2).eval()
    array([1., 2., 3., 4.])
    """
    one_of("trim1", "tail", tail, ("right", "left"))
    result: TensorVariable = _trimmed(a, proportiontocut, axis, tail == "left", tail == "right")
    return result


def scoreatpercentile(
    a: TensorLike,
    per: TensorLike,
    limit: tuple[TensorLike, TensorLike] | tuple[()] = (),
    interpolation_method: str = "fraction",
    axis: int | None = None,
) -> TensorVariable:
    """Below which value so many percent of the observations lie, of those within `limit`.

    Between observations it is by "fraction", or the "lower" or "higher" of both. See
    `scipy.stats.scoreatpercentile`. Raises ValueError for another method.

    >>> scoreatpercentile([1.0, 2.0, 4.0], 75).eval()
    array(3.)
    """
    name = "interpolation_method"
    one_of("scoreatpercentile", name, interpolation_method, ("fraction", "lower", "higher"))
    x = numbers(a)
    if limit:
        low, high = limit
        x = x[(x >= low) & (x <= high)]
    method = "linear" if interpolation_method == "fraction" else interpolation_method
    return quantile(x, numbers(per) / 100, axis, method=method)


def percentileofscore(
    a: TensorLike, score: TensorLike, kind: str = "rank", nan_policy: str = "propagate"
) -> TensorVariable:
    """How many percent of a vector lie below a score, or several.

    `kind` says what of those that equal it: "rank" for the mean of their ranks, "weak" if all of
    them count, "strict" if none, "mean" for half. See `scipy.stats.percentileofscore`. Raises
    ValueError for another kind.

    >>> percentileofscore([1.0, 2.0, 3.0, 4.0], 3.0).eval()
    array(75.)
    """
    one_of("percentileofscore", "kind", kind, ("rank", "weak", "strict", "mean"))
    x, at = observations(a, None, nan_policy).rows, numbers(score)
    left, right = (sum(side, -1) for side in (x < at.expand_dims(-1), x <= at.expand_dims(-1)))
    counts = {
        "rank": (left + right + (left < right)) / 2,
        "weak": right,
        "strict": left,
        "mean": (left + right) / 2,
    }
    percent = counts[kind] * 100.0 / lengths_of(x)[0]
    return where(any(neq(x, x)) | neq(at, at), float("nan"), percent)


class CumfreqResult(NamedTuple):
    """Counts up to each interval, where the first begins, their length, how many are out."""

    cumcount: TensorVariable
    lowerlimit: TensorVariable
    binsize: TensorVariable
    extrapoints: TensorVariable


class RelfreqResult(NamedTuple):
    """Shares of each interval, where the first begins, their length, how many are out."""

    frequency: TensorVariable
    lowerlimit: TensorVariable
    binsize: TensorVariable
    extrapoints: TensorVariable


def _counted(a: TensorLike, bins: int, limits: Any, weights: TensorLike | None) -> Any:
    x = ravel(numbers(a))
    if limits is None:
        low, high = min(x), max(x)
        half = (high - low) / (2 * (bins - 1))
        limits = low - half, high + half
    low, high = limits
    counts, edges = histogram(x, bins, (low, high), weights=weights)
    outside = sum((x < low) | (x > high))
    parts = as_tensor(low), index(edges, 1) - index(edges, 0), outside
    return counts.astype("float64"), parts


def cumfreq(
    a: TensorLike,
    numbins: int = 10,
    defaultreallimits: tuple[TensorLike, TensorLike] | None = None,
    weights: TensorLike | None = None,
) -> CumfreqResult:
    """How many observations lie up to the end of each of `numbins` intervals of one length.

    They go from half an interval below the least to as far above the largest, or between
    `defaultreallimits`. See `scipy.stats.cumfreq`.

    >>> cumfreq([1.0, 2.0, 2.0, 4.0], 4).cumcount.eval()
    array([1., 3., 3., 4.])
    """
    counts, parts = _counted(a, numbins, defaultreallimits, weights)
    return CumfreqResult(cumsum(counts), *parts)


def relfreq(
    a: TensorLike,
    numbins: int = 10,
    defaultreallimits: tuple[TensorLike, TensorLike] | None = None,
    weights: TensorLike | None = None,
) -> RelfreqResult:
    """Which share of observations lies in each of `numbins` intervals, those of `cumfreq`.

    See `scipy.stats.relfreq`.

    >>> relfreq([1.0, 2.0, 2.0, 4.0], 4).frequency.eval()
    array([0.25, 0.5 , 0.  , 0.25])
    """
    counts, parts = _counted(a, numbins, defaultreallimits, weights)
    n = lengths_of(ravel(numbers(a)))[0].astype("float64")
    return RelfreqResult(counts / n, *parts)
