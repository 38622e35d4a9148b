"""Quantiles, by all the ways to define them between elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import full
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import eq, ge, isnan, le, lt, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import OrderStatistics, median
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all, size, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis, transpose
from weft_tensor.types.axes import Axes, as_axes

__all__ = ["nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


def _between(alpha: float, beta: float, n: Any, q: Any) -> TensorVariable:
    """Where quantile q of n elements is, in the definition of these parameters."""
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def _spread(n: Any, q: Any) -> TensorVariable:
    return (n - 1) * q


def _stepwise(back: float, goes_back: Callable[[Any], Any], n: Any, q: Any) -> TensorVariable:
    """The element after, or at, a place between two."""
    place = n * q - 1 - back
    before = floor(place)
    stays = eq(place, before) & goes_back(before)
    return maximum(where(stays, before, before + 1), 0.0)


METHODS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "inverted_cdf": partial(_stepwise, 0, lambda k: True),
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": partial(_stepwise, 0.5, lambda k: eq(k % 2, 1)),
    "interpolated_inverted_cdf": partial(_between, 0, 1),
    "hazen": partial(_between, 0.5, 0.5),
    "weibull": partial(_between, 0, 0),
    "linear": _spread,
    "median_unbiased": partial(_between, 1 / 3, 1 / 3),
    "normal_unbiased": partial(_between, 3 / 8, 3 / 8),
    "lower": lambda n, q: floor(_spread(n, q)),
    "higher": lambda n, q: ceil(_spread(n, q)),
    "midpoint": lambda n, q: 0.5 * (floor(_spread(n, q)) + ceil(_spread(n, q))),
    "nearest": lambda n, q: rint(_spread(n, q)),
}
"""The place of quantile q among n sorted elements, in the definitions that `numpy.quantile` has:
those of Hyndman & Fan (1996), and the ones that are no continuous function of q."""

AT_ELEMENTS: Final = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""Those whose places are elements."""

WEIGHTS: Final[dict[str, Callable[[Any], Any]]] = {
    "averaged_inverted_cdf": lambda t: where(eq(t, 0), 0.5, 1.0).astype(t.dtype),
    "midpoint": lambda t: where(eq(t, 0), 0.0, 0.5).astype(t.dtype),
}
"""The share of the element after a place, where it is not what is left of the place."""


def quantile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: TensorLike | None = None,
) -> TensorVariable:
    """The value below which the part `q` (0 to 1) of the elements over `axis` lies.

    The axes of `q` come first. `method` says what is between two elements; `weights`, of the
    shape of `x` or its axis, go with "inverted_cdf". NaN if there is one; IndexError at the call
    where there are no elements. See `numpy.quantile`.

    >>> quantile([1.0, 2.0, 4.0], [0.25, 0.5]).eval()
    array([1.5, 2. ])
    """
    return _quantile(x, q, axis, method, keepdims, weights, skip=False)


def percentile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: TensorLike | None = None,
) -> TensorVariable:
    """The value below which `q` percent of the elements lie. See `quantile`, `numpy.percentile`.

    >>> percentile([1.0, 2.0, 4.0], 25).eval()
    array(1.5)
    """
    return _quantile(x, _hundredth(q), axis, method, keepdims, weights, skip=False)


def nanquantile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: TensorLike | None = None,
) -> TensorVariable:
    """Quantiles of the elements that are not NaN; NaN if all are. See `numpy.nanquantile`.

    >>> nanquantile([1.0, float("nan"), 4.0], 0.5).eval()
    array(2.5)
    """
    return _quantile(x, q, axis, method, keepdims, weights, skip=True)


def nanpercentile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: TensorLike | None = None,
) -> TensorVariable:
    """Percentiles of the elements that are not NaN. See `numpy.nanpercentile`.

    >>> nanpercentile([1.0, float("nan"), 4.0], 100).eval()
    array(4.)
    """
    return _quantile(x, _hundredth(q), axis, method, keepdims, weights, skip=True)


def nanmedian(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
    """The median of the elements that are not NaN. See `numpy.nanmedian`.

    >>> nanmedian([1.0, float("nan"), 4.0, 3.0]).eval()
    array(3.)
    """
    x = as_tensor(x)
    if not x.type.differentiable or x.is_complex:
        return median(x, axis, keepdims)
    axes = as_axes(axis, x.ndim)
    lanes = _with_nan(_lanes_first(x, axes))
    n, ordered, q = sum(~isnan(lanes), 0), sort(lanes, 0), as_tensor(0.5)
    low, high = (_at(ordered, maximum(k, 0), q) for k in ((n - 1) // 2, n // 2))
    result = (low + high) / 2
    return expand_dims(result, axes) if keepdims else result


def _hundredth(q: TensorLike) -> float | TensorVariable:
    return q / 100 if isinstance(q, (int, float)) else as_tensor(q) / 100


def _quantile(
    x: TensorLike, q: Any, axis: Axes, method: str, keepdims: bool, weights: Any, skip: bool
) -> TensorVariable:
    x = as_tensor(x)
    if x.dtype == "bool" and method not in AT_ELEMENTS:
        raise TypeError(f"there is nothing between bools: {x!r}.astype(int) has quantiles")
    if method not in METHODS:
        raise ValueError(f"{method!r} is no method of quantile: there are {', '.join(METHODS)}")
    if x.is_complex:
        raise TypeError(f"quantile takes real numbers, not {x!r}")
    axes = as_axes(axis, x.ndim)
    lanes = _lanes_first(x, axes)
    places = _checked(q, x)
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"weights of quantile go with method='inverted_cdf', not {method!r}")
        shares = _lanes_first(_as_weights(weights, x, axes), axes)
        shares = where(isnan(lanes), 0.0, shares) if skip else shares
        result = _weighted(lanes, places, shares, skip)
    else:
        lanes = _with_nan(lanes) if skip else lanes
        n = sum(~isnan(lanes), 0) if skip else lengths_of(lanes)[0]
        result = _unweighted(lanes, n, places, method, skip)
    if not keepdims:
        return result
    return expand_dims(result, [places.ndim + a for a in axes])


def _checked(q: Any, x: Any) -> TensorVariable:
    """`q` as a tensor; a Python number in the dtype of x if that is floating."""
    weak = isinstance(q, (int, float)) and x.type.differentiable
    places = as_tensor(q).astype(x.dtype) if weak else as_tensor(q)
    places = places if places.type.differentiable else places.astype("float64")
    message = "quantiles must be between 0 and 1, percentiles between 0 and 100"
    if isinstance(places.op, Constant):
        value = places.op.value
        if not ((value >= 0) & (value <= 1)).all():
            raise ValueError(message)
        return places
    return check_and_raise(places, all(ge(places, 0) & le(places, 1)), ValueError, message)


def _lanes_first(x: Any, axes: tuple[int, ...]) -> TensorVariable:
    """`x` with the elements over `axes` along axis 0."""
    others = [a for a in range(x.ndim) if a not in axes]
    lengths = lengths_of(x)
    if len(axes) == 1:
        return transpose(x, [*axes, *others])
    return reshape(transpose(x, [*axes, *others]), (size(x, axes), *(lengths[a] for a in others)))


def _with_nan(lanes: Any) -> TensorVariable:
    """One NaN more in each of `lanes`: one of no elements has that."""
    if not lanes.type.differentiable:
        return lanes
    return concatenate([lanes, full((1, *lengths_of(lanes)[1:]), np.nan, lanes.dtype)])


def _unweighted(lanes: Any, n: Any, q: Any, method: str, skip: bool) -> TensorVariable:
    """Quantiles of lanes, of whose elements `n` count: the smallest."""
    others = lanes.ndim - 1
    wide = reshape(q, (*lengths_of(q), *[1] * others)) if others else q
    place = METHODS[method](n.astype(wide.dtype), wide)
    last = (n - 1).astype(wide.dtype)
    before = minimum(maximum(floor(place), 0.0), last)
    after = where(ge(place, 0), minimum(floor(place) + 1, last), 0.0)
    exact = method in AT_ELEMENTS
    places = [before] if exact else [before, maximum(after, before)]
    if skip:
        ordered = sort(lanes, 0)
        values = [_at(ordered, at, q) for at in places]
    else:
        *values, greatest = _selected(lanes, [*places, last], q)
    result = values[0]
    if not exact:
        low, high = values
        share = place - before
        share = WEIGHTS[method](share) if method in WEIGHTS else share
        apart = high - low
        result = where(ge(share, 0.5), high - apart * (1 - share), low + apart * share)
    if not lanes.type.differentiable:
        return result
    if skip:
        return where(eq(n, 0), np.nan, result)
    return where(isnan(greatest), np.nan, result).astype(result.dtype)


def _selected(lanes: Any, places: Sequence[Any], q: Any) -> list[TensorVariable]:
    """The elements of lanes at whole numbers of the shape of `q`; at the last place, in one lane.

    They are the same for all lanes.
    """
    flat = [reshape(at.astype("int64"), (-1,)) for at in places]
    values = OrderStatistics()(moveaxis(lanes, 0, -1), concatenate(flat))
    values = moveaxis(values, -1, 0)
    others, count = lengths_of(lanes)[1:], size(q)
    parts = [
        reshape(index(values, slice(k * count, (k + 1) * count)), (*lengths_of(q), *others))
        for k in range(len(places) - 1)
    ]
    return [*parts, index(values, -1)]


def _at(ordered: Any, place: Any, q: Any) -> TensorVariable:
    """The elements of sorted lanes at whole numbers `place`."""
    places = place.astype("int64")
    lanes = lengths_of(ordered)[1:]
    places = maximum(broadcast_to(places, (*lengths_of(q), *lanes)), 0)
    together = reshape(places, (size(q), *lanes))
    return reshape(take_along_axis(ordered, together, 0), (*lengths_of(q), *lanes))


def _as_weights(weights: Any, x: Any, axes: tuple[int, ...]) -> TensorVariable:
    w = as_tensor(weights)
    if w.ndim == 1 != x.ndim and len(axes) == 1:
        w = expand_dims(w, [a for a in range(x.ndim) if a not in axes])
    if w.ndim != x.ndim:
        raise TypeError(f"weights of quantile have the shape of {x!r}, or its axis, not {w!r}")
    w = broadcast_to(w.astype("float64"), lengths_of(x))
    return check_and_raise(w, all(ge(w, 0)), ValueError, "weights of quantile must not be negative")


def _weighted(lanes: Any, q: Any, weights: Any, skip: bool) -> TensorVariable:
    """The first element up to which the share of the weights is q."""
    order = argsort(lanes, 0)
    ordered = take_along_axis(lanes, order, 0)
    total = cumsum(take_along_axis(weights, order, 0), 0)
    share = total / index(total, slice(-1, None))
    fits = ~isnan(share) | all(isnan(lanes), 0) if skip else ~isnan(share)
    share = check_and_raise(
        share, all(fits), ValueError, "weights of quantile are NaN, infinite or all zero"
    )
    share = share.astype(q.dtype) if q.type.differentiable else share  # 0.4 of float32 is above 0.4
    share = where(eq(share, 0), -1.0, share)
    wide = reshape(q, (*lengths_of(q), *[1] * lanes.ndim))
    place = minimum(sum(lt(share, wide), q.ndim), lengths_of(lanes)[0] - 1)
    result = _at(ordered, place, q)
    if skip or not lanes.type.differentiable:
        return result
    return where(isnan(index(ordered, -1)), np.nan, result).astype(result.dtype)
