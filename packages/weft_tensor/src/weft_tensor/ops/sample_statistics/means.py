"""Means of other kinds, and of observations between limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.reduction.standard import any, mean, min, sum
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    by_policy,
    numbers,
    observations,
)
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.moments import std
from weft_tensor.types.axes import Axes

__all__ = [
    "gmean",
    "gstd",
    "hmean",
    "pmean",
    "tmax",
    "tmean",
    "tmin",
    "trim_mean",
    "tsem",
    "tstd",
    "tvar",
]

_NAN = float("nan")
Limits = tuple[TensorLike | None, TensorLike | None] | None


def _weighted(
    a: TensorLike, axis: Axes, dtype: Any, weights: TensorLike | None, policy: str, keepdims: bool
) -> tuple[Observations, TensorVariable | None]:
    """Observations, and what each of them counts."""
    x = as_tensor(a)
    x = x if dtype is None else x.astype(dtype)
    given = [x] if weights is None else [x, numbers(weights) + numbers(0 * x)]
    of, *shares = by_policy(policy, *[observations(v, axis, keepdims=keepdims) for v in given])
    return of, shares[0].rows.astype(of.rows.dtype) if shares else None


def _mean(values: TensorVariable, shares: TensorVariable | None) -> TensorVariable:
    if shares is None:
        return mean(values, -1)
    return sum(where(eq(shares, 0), 0.0, values * shares), -1) / sum(shares, -1)


def gmean(
    a: TensorLike,
    axis: Axes = 0,
    dtype: Any = None,
    weights: TensorLike | None = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The geometric mean: the n-th root of the product. See `scipy.stats.gmean`.

    `weights` broadcast with `a`. NaN where one is negative. Raises ValueError for another
    `nan_policy`, TypeError for complex numbers.

    >>> gmean([1.0, 4.0, 16.0]).eval().round(12)
    np.float64(4.0)
    """
    of, shares = _weighted(a, axis, dtype, weights, nan_policy, keepdims)
    return of.result(exp(_mean(log(of.rows), shares)))


def hmean(
    a: TensorLike,
    axis: Axes = 0,
    dtype: Any = None,
    *,
    weights: TensorLike | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The harmonic mean: one over the mean of the inverses. See `scipy.stats.hmean`.

    As `gmean`.

    >>> hmean([1.0, 4.0, 4.0]).eval()
    array(2.)
    """
    of, shares = _weighted(a, axis, dtype, weights, nan_policy, keepdims)
    return of.result(1 / _mean(1 / where(of.rows < 0, _NAN, of.rows).astype(of.rows.dtype), shares))


def pmean(
    a: TensorLike,
    p: float,
    *,
    axis: Axes = 0,
    dtype: Any = None,
    weights: TensorLike | None = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The p-th root of the mean of p-th powers; for p = 0 the geometric mean.

    See `scipy.stats.pmean`, and `gmean`. Raises ValueError if `p` is no number.

    >>> pmean([1.0, 7.0], 2).eval()
    array(5.)
    """
    if not isinstance(p, (int, float)):
        raise ValueError(f"the power of pmean is a number, not {p!r}{called()}")
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    of, shares = _weighted(a, axis, dtype, weights, nan_policy, keepdims)
    rows = where(of.rows < 0, _NAN, of.rows).astype(of.rows.dtype)
    return of.result(_mean(rows ** float(p), shares) ** (1 / p))


def gstd(
    a: TensorLike,
    axis: Axes = 0,
    ddof: TensorLike = 1,
    *,
    keepdims: bool = False,
    nan_policy: str = "propagate",
) -> TensorVariable:
    """The geometric standard deviation: by how many times numbers vary. See `scipy.stats.gstd`.

    NaN where one is not positive.

    >>> gstd([1.0, 10.0, 100.0]).eval().round(12)
    np.float64(10.0)
    """
    of = observations(a, axis, nan_policy, keepdims)
    logs = log(where(of.rows <= 0, _NAN, of.rows))
    return of.result(exp(std(logs.astype(of.rows.dtype), -1, ddof=ddof)))


def trim_mean(
    a: TensorLike,
    proportiontocut: float,
    axis: Axes = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The mean without that share of observations at each end. See `scipy.stats.trim_mean`.

    Raises ValueError for a share that is not from 0 to below one half.

    >>> trim_mean([1.0, 2.0, 3.0, 100.0], 0.25).eval()
    array(2.5)
    """
    if not 0 <= proportiontocut < 0.5:
        allowed = "proportiontocut is from 0 to below 0.5"
        raise ValueError(f"{allowed}, not {proportiontocut!r}{called()}")
    of = observations(a, axis, nan_policy, keepdims)
    n = lengths_of(of.rows)[-1]
    cut: Any = (n * float(proportiontocut)).astype("int64")
    k = arange(n)
    inner = where((k >= cut) & (k < n - cut), sort(of.rows, -1), 0.0)
    middle = sum(inner, -1) / (n - 2 * cut).astype(of.rows.dtype)
    return of.result(where(any(isnan(of.rows), -1), _NAN, middle).astype(of.rows.dtype))


def _inside(rows: TensorVariable, limits: Limits, inclusive: Sequence[bool]) -> TensorVariable:
    """Which observations lie between limits; those that are NaN do."""
    low, high = (None, None) if limits is None else limits
    inside = eq(rows, rows) | isnan(rows)
    if low is not None:
        inside = inside & ~(rows < low if inclusive[0] else rows <= low)
    if high is not None:
        inside = inside & ~(rows > high if inclusive[1] else rows >= high)
    return inside


def _between(
    of: Observations, limits: Limits, inclusive: Sequence[bool], ddof: TensorLike | None
) -> tuple[TensorVariable, TensorVariable]:
    """The mean between limits, or the variance with a `ddof`, and the number there."""
    kind = of.rows.dtype
    inside = _inside(of.rows, limits, inclusive)
    n = sum(inside, -1).astype(kind)
    middle = sum(where(inside, of.rows, 0.0), -1, keepdims=True) / n.expand_dims(-1)
    if ddof is None:
        return middle.squeeze(-1).astype(kind), n
    apart = where(inside, of.rows - middle, 0.0)
    rest = n - ddof
    square = sum(apart * apart, -1) / where(rest > 0, rest, _NAN)
    return square.astype(kind), n


def tmean(
    a: TensorLike,
    limits: Limits = None,
    inclusive: Sequence[bool] = (True, True),
    axis: Axes = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The mean of the observations between limits. See `scipy.stats.tmean`.

    A limit that is None is none; `inclusive` says whether observations that equal a limit count.
    NaN where there are none.

    >>> tmean([1.0, 2.0, 3.0, 100.0], (2, 50)).eval()
    array(2.5)
    """
    of = observations(a, axis, nan_policy, keepdims)
    return of.result(_between(of, limits, inclusive, None)[0])


def tvar(
    a: TensorLike,
    limits: Limits = None,
    inclusive: Sequence[bool] = (True, True),
    axis: Axes = 0,
    ddof: TensorLike = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The variance of the observations between limits. See `scipy.stats.tvar`, and `tmean`.

    >>> tvar([1.0, 2.0, 3.0, 100.0], (None, 50)).eval()
    array(1.)
    """
    of = observations(a, axis, nan_policy, keepdims)
    return of.result(_between(of, limits, inclusive, ddof)[0])


def tstd(
    a: TensorLike,
    limits: Limits = None,
    inclusive: Sequence[bool] = (True, True),
    axis: Axes = 0,
    ddof: TensorLike = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The square root of `tvar`. See `scipy.stats.tstd`.

    >>> tstd([1.0, 2.0, 3.0, 100.0], (None, 50)).eval()
    array(1.)
    """
    return sqrt(tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims))


def tsem(
    a: TensorLike,
    limits: Limits = None,
    inclusive: Sequence[bool] = (True, True),
    axis: Axes = 0,
    ddof: TensorLike = 1,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The standard error of the mean between limits. See `scipy.stats.tsem`, and `tmean`.

    >>> tsem([1.0, 2.0, 3.0, 100.0], (None, 50)).eval().round(4)
    np.float64(0.5774)
    """
    of = observations(a, axis, nan_policy, keepdims)
    square, n = _between(of, limits, inclusive, ddof)
    return of.result(sqrt(square / n))


def tmin(
    a: TensorLike,
    lowerlimit: TensorLike | None = None,
    axis: Axes = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The least observation that is not below a limit. See `scipy.stats.tmin`.

    A floating number, NaN where there is none.

    >>> tmin([1.0, 2.0, 3.0], 1, inclusive=False).eval()
    array(2.)
    """
    of = observations(a, axis, nan_policy, keepdims, one_stays=True)
    inside = _inside(of.rows, (lowerlimit, None), (inclusive, True))
    least = min(where(inside, of.rows, float("inf")), -1)
    return of.result(where(any(inside, -1), least, _NAN).astype(of.rows.dtype))


def tmax(
    a: TensorLike,
    upperlimit: TensorLike | None = None,
    axis: Axes = 0,
    inclusive: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The largest observation that is not above a limit. See `scipy.stats.tmax`, and `tmin`.

    >>> tmax([1.0, 2.0, 3.0], 2.5).eval()
    array(2.)
    """
    return -tmin(
        -numbers(a),
        None if upperlimit is None else -as_tensor(upperlimit),
        axis,
        inclusive,
        nan_policy,
        keepdims=keepdims,
    )
