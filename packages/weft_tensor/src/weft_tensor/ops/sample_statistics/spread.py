"""How far observations are spread: quartiles, entropies, directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log as number_log
from math import pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.trigonometric import arctan2, cos, sin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.reduction.standard import any, mean, sum
from weft_tensor.ops.sample_statistics.samples import by_policy, numbers, observations, several
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.special.entropies import entr, rel_entr
from weft_tensor.ops.special.gamma import digamma
from weft_tensor.ops.statistics.quantiles import percentile
from weft_tensor.types.axes import Axes

__all__ = [
    "circmean",
    "circstd",
    "circvar",
    "differential_entropy",
    "entropy",
    "iqr",
    "median_abs_deviation",
]

_NORMAL_SPREAD: Final = {"iqr": 1.3489795003921634, "mad": 0.6744897501960817}
"""Those of the standard normal distribution."""


def _scale(scale: float | str, of: str) -> float:
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"scale is a number or 'normal', not {scale!r}{called()}")
        return _NORMAL_SPREAD[of]
    return scale


def iqr(
    x: TensorLike,
    axis: Axes = None,
    rng: Sequence[float] = (25, 75),
    scale: float | str = 1.0,
    nan_policy: str = "propagate",
    interpolation: str = "linear",
    keepdims: bool = False,
) -> TensorVariable:
    """The distance between two percentiles, which are quartiles by default. See `scipy.stats.iqr`.

    Over `scale`, which "normal" makes an estimate of a normal deviation. `interpolation` is the
    method of `percentile`. Raises ValueError for another scale or policy.

    >>> iqr([1.0, 2.0, 3.0, 4.0, 5.0]).eval()
    array(2.)
    """
    of = observations(x, axis, nan_policy, keepdims, one_stays=True)
    low, high = sorted(rng)
    ends = percentile(of.rows, [low, high], -1, interpolation)
    spread = index(ends, 1) - index(ends, 0)
    return of.result((spread / _scale(scale, "iqr")).astype(of.rows.dtype))


def median_abs_deviation(
    x: TensorLike,
    axis: Axes = 0,
    center: Callable[..., TensorVariable] | None = None,
    scale: float | str = 1.0,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The median of the distances from the median, over `scale`.

    `center` is a function like `median`, which takes numbers and an `axis`. See
    `scipy.stats.median_abs_deviation`, and `iqr`.

    >>> median_abs_deviation([1.0, 2.0, 3.0, 4.0, 50.0]).eval()
    array(1.)
    """
    of = observations(x, axis, nan_policy, keepdims)
    middle = (median if center is None else center)(of.rows, axis=-1)
    apart = abs(of.rows - middle.expand_dims(-1))
    return of.result(median(apart, -1) / _scale(scale, "mad"))


def _by_base(nats: TensorVariable, base: float | None) -> TensorVariable:
    if base is None:
        return nats
    if base <= 0:
        raise ValueError(f"base is positive, not {base!r}{called()}")
    return nats / number_log(base)


def entropy(
    pk: TensorLike,
    qk: TensorLike | None = None,
    base: float | None = None,
    axis: Axes = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The entropy of probabilities `pk`, or relative to `qk`, in nats or to a `base`.

    Both are divided by their sums. See `scipy.stats.entropy`. Raises ValueError for a base that is
    not positive.

    >>> entropy([1, 1, 1, 1], base=2).eval()
    array(2.)
    """
    samples = [pk] if qk is None else [pk, qk]
    of, *others = by_policy(nan_policy, *several(samples, axis, keepdims=keepdims))
    rows = broadcast_arrays(of.rows, *[other.rows for other in others])
    share, *rest = (row / sum(row, -1, keepdims=True) for row in rows)
    if not rest:
        return of.result(_by_base(sum(entr(share), -1), base))
    (beside,) = rest
    return of.result(_by_base(sum(rel_entr(share, beside), -1), base))


def _neighbours(ordered: TensorVariable, m: Any) -> tuple[TensorVariable, TensorVariable]:
    """The elements m places before and behind each, or the first and last."""
    n = lengths_of(ordered)[-1]
    k = arange(n)
    return take(ordered, maximum(k - m, 0), -1), take(ordered, minimum(k + m, n - 1), -1)


def _vasicek(ordered: TensorVariable, m: Any) -> TensorVariable:
    low, high = _neighbours(ordered, m)
    n = lengths_of(ordered)[-1].astype(ordered.dtype)
    return mean(log(n / (2 * m.astype(ordered.dtype)) * (high - low)), -1)


def _van_es(ordered: TensorVariable, m: Any) -> TensorVariable:
    """By B. van Es, Estimating functionals related to a density by spacings, 1992."""
    kind = ordered.dtype
    n = lengths_of(ordered)[-1]
    is_pair = arange(n) < n - m
    apart = where(is_pair, _neighbours(ordered, m)[1] - ordered, 1.0)
    size, width = n.astype(kind), m.astype(kind)
    logs = where(is_pair, log((size + 1) / width * apart), 0.0)
    harmonic = digamma(size + 1) - digamma(width)
    return sum(logs, -1) / (size - width) + harmonic + log(width) - log(size + 1)


def _ebrahimi(ordered: TensorVariable, m: Any) -> TensorVariable:
    """By N. Ebrahimi and others, Two measures of sample entropy, 1994."""
    kind = ordered.dtype
    low, high = _neighbours(ordered, m)
    n = lengths_of(ordered)[-1]
    k, size, width = arange(1, n + 1).astype(kind), n.astype(kind), m.astype(kind)
    ends = where(k <= width, 1 + (k - 1) / width, 2.0)
    weights = where(k >= size - width + 1, 1 + (size - k) / width, ends).astype(kind)
    return mean(log(size * (high - low) / (weights * width)), -1)


def _correa(ordered: TensorVariable, m: Any) -> TensorVariable:
    """By J. C. Correa, A new estimator of entropy, 1995: slopes of lines through neighbours."""
    n = lengths_of(ordered)[-1]
    steps = arange(-m, m + 1)
    places = maximum(minimum(arange(n).expand_dims(1) + steps, n - 1), 0)
    around = take(ordered, places, -1)
    apart = around - mean(around, -1, keepdims=True)
    size = n.astype(ordered.dtype)
    slope = sum(apart * steps.astype(ordered.dtype), -1) / (size * sum(apart**2, -1))
    return -mean(log(slope), -1)


_ESTIMATES: Final[dict[str, Callable[[TensorVariable, Any], TensorVariable]]] = {
    "vasicek": _vasicek,
    "van es": _van_es,
    "ebrahimi": _ebrahimi,
    "correa": _correa,
}


def differential_entropy(
    values: TensorLike,
    *,
    window_length: int | None = None,
    base: float | None = None,
    axis: Axes = 0,
    method: str = "auto",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The entropy of the density that observations come from, by distances of those in order.

    See `scipy.stats.differential_entropy`. `method` is "vasicek", "van es", "ebrahimi", "correa",
    or "auto", which takes "van es" of at most 10, "ebrahimi" of at most 1000, and else "vasicek".
    `window_length` is how many places neighbours are apart: by default the square root of the
    number.

    Raises ValueError for another method, and for a window that does not fit.

    >>> differential_entropy([0.0, 1.0, 2.0, 4.0, 7.0], method="vasicek").eval().round(4)
    np.float64(1.7085)
    """
    of = observations(values, axis, nan_policy, keepdims)
    n = lengths_of(of.rows)[-1]
    count = static_length(n)
    if method == "auto" and isinstance(count, int):
        method = "van es" if count <= 10 else "ebrahimi" if count <= 1000 else "vasicek"
    if method != "auto" and method not in _ESTIMATES:
        names = ", ".join(map(repr, _ESTIMATES))
        raise ValueError(f"method is {names} or 'auto', not {method!r}{called()}")
    window: Any = floor(sqrt(n.astype("float64")) + 0.5).astype("int64")
    if window_length is not None:
        if window_length < 1 or (isinstance(count, int) and 2 * window_length >= count):
            fits = f"window_length is positive and less than half of {count}"
            raise ValueError(f"{fits}, not {window_length!r}{called()}")
        window = 0 * window + window_length
    ordered = sort(of.rows, -1)
    if method == "auto":
        few, some, many = (
            _ESTIMATES[k](ordered, window) for k in ("van es", "ebrahimi", "vasicek")
        )
        nats = ifelse(n <= 10, few, ifelse(n <= 1000, some, many))
    else:
        nats = _ESTIMATES[method](ordered, window)
    unfit = any(isnan(of.rows), -1) | (2 * window >= n)
    return of.result(_by_base(where(unfit, float("nan"), nats).astype(of.rows.dtype), base))


def _direction(
    x: TensorLike, high: TensorLike, low: TensorLike, axis: Axes, policy: str, keepdims: bool
) -> tuple[TensorVariable, TensorVariable]:
    """The means of sines and of cosines."""
    of = observations(x, axis, policy, keepdims)
    angles = of.rows * (2 * pi / (numbers(high) - low)).astype(of.rows.dtype)
    return of.result(mean(sin(angles), -1)), of.result(mean(cos(angles), -1))


def _resultant(sines: TensorVariable, cosines: TensorVariable) -> TensorVariable:
    """The length of the mean of unit vectors."""
    return minimum(sqrt(sines * sines + cosines * cosines), 1.0).astype(sines.dtype)


def circmean(
    samples: TensorLike,
    high: TensorLike = 2 * pi,
    low: TensorLike = 0,
    axis: Axes = None,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The mean of angles, which go round from `low` to `high`. See `scipy.stats.circmean`.

    >>> circmean([350.0, 20.0], high=360).eval().round(9)
    np.float64(5.0)
    """
    sines, cosines = _direction(samples, high, low, axis, nan_policy, keepdims)
    width = (numbers(high) - low).astype(sines.dtype)
    start = numbers(low).astype(sines.dtype)
    return (arctan2(sines, cosines) * (width / (2 * pi)) - start) % width + start


def circvar(
    samples: TensorLike,
    high: TensorLike = 2 * pi,
    low: TensorLike = 0,
    axis: Axes = None,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The variance of angles, from 0 to 1. See `scipy.stats.circvar`, and `circmean`.

    >>> circvar([0.0, 90.0, 180.0, 270.0], high=360).eval().round(9)
    np.float64(1.0)
    """
    return 1 - _resultant(*_direction(samples, high, low, axis, nan_policy, keepdims))


def circstd(
    samples: TensorLike,
    high: TensorLike = 2 * pi,
    low: TensorLike = 0,
    axis: Axes = None,
    nan_policy: str = "propagate",
    *,
    normalize: bool = False,
    keepdims: bool = False,
) -> TensorVariable:
    """The standard deviation of angles. See `scipy.stats.circstd`, and `circmean`.

    In their unit, or in radians with `normalize`.

    >>> circstd([0.0, 0.4], normalize=True).eval().round(4)
    np.float64(0.2007)
    """
    length = _resultant(*_direction(samples, high, low, axis, nan_policy, keepdims))
    radians = sqrt(-2 * log(length))
    if normalize:
        return radians
    return radians * ((numbers(high) - low) / (2 * pi)).astype(radians.dtype)
