"""Ranks of observations, what is most frequent, and quantiles."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, full, ones_like
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum
from weft_tensor.ops.elementwise.comparison import isnan, neq, where
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.extremes_so_far import cummax, cummin
from weft_tensor.ops.reduction.standard import any, max, sum
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    by_policy,
    chosen_observations,
    in_place,
    numbers,
    one_of,
)
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays, broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, with_axis
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.special.incomplete import betainc
from weft_tensor.ops.statistics.quantiles import AT_ELEMENTS, METHODS, WEIGHTS
from weft_tensor.types.axes import Axes, as_axis
from weft_tensor.types.dtypes import is_weak

__all__ = ["ModeResult", "mode", "quantile", "rankdata"]

_MEANS: Final = "harrell-davis"
_BY_WEIGHTS: Final[dict[str, Callable[[Any], Any]]] = {
    "inverted_cdf": lambda p: 0.0,
    "averaged_inverted_cdf": lambda p: 0.0,
    "closest_observation": lambda p: -0.5,
    "interpolated_inverted_cdf": lambda p: 0.0,
    "hazen": lambda p: 0.5,
    "weibull": lambda p: p,
    "linear": lambda p: 1 - p,
    "median_unbiased": lambda p: p / 3 + 1 / 3,
    "normal_unbiased": lambda p: p / 4 + 3 / 8,
}
"""What Hyndman and Fan (1996) add to the share of the whole, in each definition."""
_STEPS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "inverted_cdf": lambda share, before: where(share > 0, 1.0, 0.0),
    "averaged_inverted_cdf": lambda share, before: where(share > 0, 1.0, 0.5),
    "closest_observation": lambda share, before: where(share.eq(0) & (before % 2).eq(1), 0.0, 1.0),
}
"""The share of the element after, where it is not what is left of the place."""


class ModeResult(NamedTuple):
    """What is most frequent, and how often it occurs."""

    mode: TensorVariable
    count: TensorVariable  # type: ignore[assignment]  # SciPy's name, and a tuple's


class Ties(NamedTuple):
    """Of elements in order: from where, and to where, others equal them, and how many differ."""

    first: TensorVariable
    last: TensorVariable
    distinct: TensorVariable


def ties_of(ordered: TensorVariable) -> Ties:
    """Along the last axis; NaN equals nothing."""
    n = lengths_of(ordered)[-1]
    k = arange(n)
    begins = neq(index(ordered, (..., slice(1, None))), index(ordered, (..., slice(None, -1))))
    edge = ones_like(index(ordered, (..., slice(0, 1)))).astype("bool")
    is_first = concatenate([edge, begins], -1)
    is_last = concatenate([begins, edge], -1)
    first = cummax(where(is_first, k, 0), -1)
    backward = (..., slice(None, None, -1))
    last = index(cummin(index(where(is_last, k, n), backward), -1), backward)
    return Ties(first, last, cumsum(is_first, -1))


_RANKS: Final[dict[str, Callable[[Ties], Any]]] = {
    "average": lambda ties: (ties.first + ties.last).astype("float64") / 2 + 1,
    "min": lambda ties: ties.first + 1,
    "max": lambda ties: ties.last + 1,
    "dense": lambda ties: ties.distinct,
    "ordinal": lambda ties: arange(1, lengths_of(ties.first)[-1] + 1) + 0 * ties.first,
}
"""The rank of each element in order."""


def rankdata(
    a: TensorLike,
    method: str = "average",
    *,
    axis: int | None = None,
    nan_policy: str = "propagate",
) -> TensorVariable:
    """The ranks of elements along an axis, from 1 on; of all, in a vector, without an axis.

    Equal ones have their "average", "min" or "max", "dense" ranks, of which none is left out, or
    "ordinal" ones in the order in which they stand. See `scipy.stats.rankdata`. Where there is
    NaN, all are NaN, or with `nan_policy="omit"` it alone; "raise" makes it an error. Ranks are
    floating, and have float64, as float32 has no whole numbers beyond 2**24. Raises ValueError for
    another method or `nan_policy`.

    >>> rankdata([0.5, 2.0, 3.0, 2.0]).eval()
    array([1. , 2.5, 4. , 2.5])
    """
    one_of("rankdata", "method", method, tuple(_RANKS))
    given, checked = as_tensor(a), in_place(a, nan_policy)
    x, along = with_axis(given if given.dtype[0] in "iu" else checked, axis)
    rows = moveaxis(x, along, -1)
    order = argsort(rows, -1)
    ordered = take_along_axis(rows, order, -1)
    ranks = take_along_axis(_RANKS[method](ties_of(ordered)), argsort(order, -1), -1)
    holes = isnan(rows) if nan_policy == "omit" else any(isnan(rows), -1, keepdims=True)
    return moveaxis(where(holes, float("nan"), ranks.astype("float64")), -1, along)


def mode(
    a: TensorLike, axis: Axes = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> ModeResult:
    """The most frequent element along an axis, of several the least, and how often it occurs.

    See `scipy.stats.mode`. Raises ValueError, at the call if it is not known before, where there
    are no elements.

    >>> mode([3, 1, 3, 2, 1]).mode.eval()
    array(1)
    """
    of = chosen_observations(a, axis, nan_policy, keepdims, one_stays=True)
    ordered = sort(of.rows, -1)
    ties = ties_of(ordered)
    n = lengths_of(ordered)[-1]
    holes = isnan(ordered)
    first = where(holes, argmax(holes, -1, keepdims=True), ties.first)
    counts = where(holes, n - 1, ties.last) - first + 1
    place = argmax(counts, -1, keepdims=True)
    values = take_along_axis(ordered, place, -1).squeeze(-1)
    often = max(counts, -1)
    often = where(isnan(values), 0, often) if nan_policy == "omit" else often
    return ModeResult(of.result(values), of.result(often))


def quantile(
    x: TensorLike,
    p: TensorLike,
    *,
    method: str = "linear",
    axis: int | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool | None = None,
    weights: TensorLike | None = None,
) -> TensorVariable:
    """The value below which the part `p` of the observations along an axis lies.

    `p` broadcasts with `x` but along the axis, where results are as long as `p`; if it is a number
    or of length 1 there, they have no such axis, unless with `keepdims`. `method` is one that
    `wt.quantile` has. NaN where there is NaN, no observation, or a `p` that is not from 0 to 1.
    See `scipy.stats.quantile`. Raises ValueError for another method, and for `keepdims=False` of
    several.

    >>> quantile([1.0, 2.0, 4.0], [0.25, 0.5]).eval()
    array([1.5, 2. ])
    """
    allowed = (*METHODS, _MEANS) if weights is None else tuple(_BY_WEIGHTS)
    one_of("quantile", "method", method, allowed)
    of, shares = numbers(x), numbers(p)
    shares = shares.astype(of.dtype) if is_weak(p) else shares
    given = [of] if weights is None else [of, numbers(weights)]
    others: tuple[int, ...] = ()
    if axis is None:
        others = tuple(range(of.ndim - 1))
        given, shares, axis = [ravel(v) for v in given], ravel(shares), 0
    given = broadcast_arrays(*given)
    kept = by_policy(nan_policy, *[Observations(v, (), False) for v in given])
    shares = shares if shares.ndim else expand_dims(shares, 0)
    rank = builtins.max(given[0].ndim, shares.ndim)
    rows, *shared, places = (
        moveaxis(expand_dims(v, tuple(range(rank - v.ndim))), as_axis(axis, rank), -1)
        for v in (*[of.rows for of in kept], shares)
    )
    is_single = places.type.shape[-1] == 1
    if keepdims is False and not is_single:
        raise ValueError(f"quantile: several quantiles keep their axis{called()}")
    values = _weighted(rows, shared[0], places, method) if shared else _lanes(rows, places, method)
    if is_single and not keepdims:
        return index(values, (..., 0))
    return expand_dims(moveaxis(values, -1, axis), others)


def _lanes(rows: TensorVariable, shares: TensorVariable, method: str) -> TensorVariable:
    """The quantiles of each row, as many as it has shares."""
    others = broadcast_dims(lengths_of(rows)[:-1], lengths_of(shares)[:-1])
    n, count = lengths_of(rows)[-1], lengths_of(shares)[-1]
    shares = broadcast_to(shares, (*others, count))
    valid = (shares >= 0) & (shares <= 1)
    if method == _MEANS:
        ends = (arange(n + 1) / n.astype(shares.dtype)).astype(shares.dtype)
        by = where(valid, shares, 0.5).expand_dims(-1)
        likely = betainc(by * (n + 1), (1 - by) * (n + 1), ends)
        likely = index(likely, (..., slice(1, None))) - index(likely, (..., slice(None, -1)))
        ordered = broadcast_to(sort(rows, -1), (*others, n)).expand_dims(-2)
        holes = any(isnan(rows), -1, keepdims=True) | ~valid | n.eq(0)
        return where(holes, float("nan"), sum(likely * ordered, -1)).astype(ordered.dtype)
    place = METHODS[method](n.astype(shares.dtype), where(valid, shares, 0.0))
    last = (n - 1).astype(shares.dtype)
    before = maximum(minimum(floor(place), last), 0.0)
    after = maximum(where(place >= 0, minimum(floor(place) + 1, last), 0.0), before)
    one_more = full((*others, 1), float("nan"), rows.dtype)
    ordered = sort(concatenate([broadcast_to(rows, (*others, n)), one_more], -1), -1)
    low, high = (take_along_axis(ordered, at.astype("int64"), -1) for at in (before, after))
    if method not in AT_ELEMENTS:
        share = place - before
        low = low + (high - low) * (WEIGHTS[method](share) if method in WEIGHTS else share)
    holes = any(isnan(rows), -1, keepdims=True) | ~valid
    return where(holes, float("nan"), low).astype(low.dtype)


def _weighted(
    rows: TensorVariable, weights: TensorVariable, shares: TensorVariable, method: str
) -> TensorVariable:
    """Quantiles of rows in which each is counted as often as its weight says.

    Up to which share of the whole all are counted that are before it, and 1 less: the elements that
    this reaches are those between which a quantile lies.
    """
    message = "quantile: weights must not be negative"
    weights = check_and_raise(weights, ~any(weights < 0), ValueError, message)
    others = broadcast_dims(lengths_of(rows)[:-1], lengths_of(shares)[:-1])
    shares = broadcast_to(shares, (*others, lengths_of(shares)[-1]))
    none = weights.eq(0)
    values = where(none, float("inf"), rows)
    order = argsort(values, -1)
    ordered, counted = (take_along_axis(v, order, -1) for v in (values, weights))
    size = (*others, lengths_of(rows)[-1])
    ordered, reached = (broadcast_to(v, size) for v in (ordered, cumsum(counted, -1)))
    last = sum(~none, -1, keepdims=True) - 1
    valid = (shares >= 0) & (shares <= 1)
    by = where(valid, shares, 0.0)
    whole = sum(weights, -1, keepdims=True)
    at = by * whole + _BY_WEIGHTS[method](by)
    after, before = (_reached(reached, v) for v in (at, at - 1))
    share = at % 1
    if method in _STEPS:
        share = where(at < 0, 0.0, _STEPS[method](share, before)).astype(share.dtype)
    low, high = (
        take_along_axis(ordered, maximum(minimum(k, last), 0), -1) for k in (before, after)
    )
    holes = any(isnan(values), -1, keepdims=True) | ~valid | (last < 0)
    return where(holes, float("nan"), (1 - share) * low + share * high).astype(rows.dtype)


def _reached(reached: TensorVariable, at: TensorVariable) -> TensorVariable:
    """How many of a row are no more, for each place."""
    return sum(reached.expand_dims(-2) <= at.expand_dims(-1), -1)
