"""Transformations after which observations are nearer to normal ones."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import expm1, log, log1p
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.sample_statistics.correlations import pearsonr
from weft_tensor.ops.sample_statistics.hypotheses.further_tests import expected_shares
from weft_tensor.ops.sample_statistics.samples import numbers, observations
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.ops.statistics.moments import var
from weft_tensor.types.axes import Axes

__all__ = [
    "boxcox",
    "boxcox_llf",
    "boxcox_normmax",
    "yeojohnson",
    "yeojohnson_llf",
    "yeojohnson_normmax",
]


def _power(logs: TensorVariable, lmb: Any) -> TensorVariable:
    """(exp(logs)**lmb - 1) / lmb, and logs for lmb = 0."""
    zero = eq(lmb, 0)
    safe = where(zero, 1.0, lmb).astype(logs.dtype)
    return where(zero, logs, expm1(safe * logs) / safe).astype(logs.dtype)


def _log_variance(logs: TensorVariable, lmb: Any) -> TensorVariable:
    """The logarithm of the variance of `_power`; the largest is taken out, so none overflows."""
    largest = max(lmb * logs, -1, keepdims=True)
    zero = eq(lmb, 0)
    safe = where(zero, 1.0, lmb).astype(logs.dtype)
    values = where(zero, logs, expm1(safe * logs - largest) / safe)
    return 2 * largest.squeeze(-1) + log(var(values.astype(logs.dtype), -1))


def boxcox_llf(
    lmb: TensorLike,
    data: TensorLike,
    *,
    axis: Axes = 0,
    keepdims: bool = False,
    nan_policy: str = "propagate",
) -> TensorVariable:
    """The logarithm of the likelihood of normal numbers after `boxcox` with `lmb`, a number.

    See `scipy.stats.boxcox_llf`.

    >>> boxcox_llf(0.5, [1.0, 2.0, 4.0]).eval().round(4)
    np.float64(-0.4462)
    """
    of = observations(data, axis, nan_policy, keepdims)
    _, power = as_tensors((of.rows, lmb))
    logs = log(of.rows)
    value = (power - 1) * sum(logs, -1) - of.number / 2 * _log_variance(logs, power)
    return of.result(value.astype(of.rows.dtype))


def _likeliest(of: TensorVariable, brack: tuple[float, float]) -> TensorVariable:
    return minimize_scalar(lambda lmb: -boxcox_llf(lmb, of, axis=None), bracket=brack).x


def _straightest(of: TensorVariable, brack: tuple[float, float]) -> TensorVariable:
    """The correlation of what is expected in order with it: powers keep the order."""
    logs = sort(ravel(log(of)), 0)
    places = norm.ppf(expected_shares(logs))
    return minimize_scalar(
        lambda lmb: -pearsonr(places, _power(logs, lmb)).statistic, bracket=brack
    ).x


def boxcox_normmax(
    x: TensorLike, brack: tuple[float, float] = (-2.0, 2.0), method: str = "pearsonr"
) -> TensorVariable:
    """The power with which `boxcox` makes a vector most like normal numbers.

    `method` is "pearsonr", by which its probability plot is straightest; "mle", by which
    `boxcox_llf` is greatest, as `boxcox` has it; or "all" for both in a vector. `brack` is where
    to begin. See `scipy.stats.boxcox_normmax`. Raises ValueError for another method.

    >>> boxcox_normmax([1.0, 2.0, 4.0, 8.0]).eval().round(4) + 0
    np.float64(0.0)
    """
    of = numbers(x)
    match method:
        case "pearsonr":
            return _straightest(of, brack)
        case "mle":
            return _likeliest(of, brack)
        case "all":
            return stack([_straightest(of, brack), _likeliest(of, brack)])
    raise ValueError(f"boxcox_normmax: method is 'pearsonr', 'mle' or 'all', not {method!r}")


def boxcox(x: TensorLike, lmbda: TensorLike | None = None, alpha: None = None) -> Any:
    """(x**lmbda - 1) / lmbda, and log(x) for 0; without `lmbda`, the likeliest one, too.

    x is positive. See `scipy.stats.boxcox`. Raises ValueError for an `alpha`: there are no
    intervals of confidence.

    >>> boxcox([1.0, 2.0, 4.0], 2.0).eval()
    array([0. , 1.5, 7.5])
    """
    if alpha is not None:
        raise ValueError(f"boxcox: alpha is None: there are no intervals here{called()}")
    of = numbers(x)
    if lmbda is not None:
        return _power(log(of), as_tensors((of, lmbda))[1])
    best = _likeliest(of, (-2.0, 2.0))
    return _power(log(of), best), best


def _yeojohnson(x: TensorVariable, lmb: Any) -> TensorVariable:
    """By I.-K. Yeo and R. A. Johnson, A new family of power transformations, 2000."""
    low = x < 0
    return where(
        low, -_power(log1p(where(low, -x, 0.0)), 2 - lmb), _power(log1p(where(low, 0.0, x)), lmb)
    )


def yeojohnson_llf(
    lmb: TensorLike,
    data: TensorLike,
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The logarithm of the likelihood of normal numbers after `yeojohnson` with `lmb`, a number.

    See `scipy.stats.yeojohnson_llf`.

    >>> yeojohnson_llf(0.5, [-1.0, 2.0, 4.0]).eval().round(4)
    np.float64(-2.3372)
    """
    of = observations(data, axis, nan_policy, keepdims)
    rows, power = as_tensors((of.rows, lmb))
    logs = log1p(abs(rows))
    slopes = (power - 1) * sum(where(rows < 0, -logs, logs), -1)
    value = slopes - of.number / 2 * log(var(_yeojohnson(rows, power), -1))
    return of.result(value.astype(rows.dtype))


def yeojohnson_normmax(x: TensorLike, brack: tuple[float, float] = (-2.0, 2.0)) -> TensorVariable:
    """The power with which `yeojohnson` makes a vector most like normal numbers.

    See `scipy.stats.yeojohnson_normmax`; `brack` is where to begin.

    >>> yeojohnson_normmax([-2.0, -1.0, 1.0, 2.0]).eval().round(4)
    np.float64(1.0)
    """
    of = numbers(x)
    return minimize_scalar(lambda lmb: -yeojohnson_llf(lmb, of, axis=None), bracket=brack).x


def yeojohnson(x: TensorLike, lmbda: TensorLike | None = None) -> Any:
    """`boxcox` of numbers of both signs; without `lmbda`, that of `yeojohnson_normmax`, too.

    See `scipy.stats.yeojohnson`.

    >>> yeojohnson([-1.0, 0.0, 3.0], 0.0).eval().round(4)
    array([-1.5   ,  0.    ,  1.3863])
    """
    of = numbers(x)
    if lmbda is not None:
        return _yeojohnson(of, as_tensors((of, lmbda))[1])
    best = yeojohnson_normmax(of)
    return _yeojohnson(of, best), best
