"""Transformations after which observations are nearer to normal ones."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isinf, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import all, any, max, min, sum
from weft_tensor.ops.sample_statistics.correlations import pearsonr
from weft_tensor.ops.sample_statistics.hypotheses.further_tests import expected_shares
from weft_tensor.ops.sample_statistics.samples import in_place, observations, one_of
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.special.integrals.logarithms import lambertw
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
    largest = max(lmb * logs, -1, keepdims=True, initial=-inf)
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


Bracket = tuple[float, float] | None


def _likeliest(of: TensorVariable, brack: Bracket) -> TensorVariable:
    return minimize_scalar(lambda lmb: -boxcox_llf(lmb, of, axis=None), bracket=brack).x


def _straightest(of: TensorVariable, brack: Bracket) -> TensorVariable:
    """The correlation of what is expected in order with it: powers keep the order."""
    logs = sort(log(of), 0)
    places = norm.ppf(expected_shares(logs))
    return minimize_scalar(
        lambda lmb: -pearsonr(places, _power(logs, lmb)).statistic, bracket=brack
    ).x


def _no_larger(of: TensorVariable, lmb: TensorVariable, ymax: float | None) -> TensorVariable:
    """The power, or the next one with which no number becomes larger than `ymax`.

    That with which x becomes y is -W(-exp(-u / y) u / y) / u - 1 / y for u = log(x), where W is the
    lower branch of Lambert's function.
    """
    # 1e4 is room for what is computed with such numbers.
    most = float(np.finfo(of.dtype).max) / 1e4 if ymax is None else ymax
    low, high = min(of), max(of)
    at_low, at_high = (abs(_power(log(end), lmb)) for end in (low, high))
    above = (low >= 1) | ((high > 1) & (at_high > at_low))
    too_large = where(above, at_high, at_low) > most
    u = where(too_large, log(where(above, high, low)), 1.0)
    part = abs(u) / most
    inverse = where(u > 0, -1.0, 1.0) * part / u
    found = -lambertw(-exp(-part) * part, -1) / u + inverse
    return where(too_large, found, lmb).astype(of.dtype)


def boxcox_normmax(
    x: TensorLike,
    brack: Bracket = None,
    method: str = "pearsonr",
    *,
    ymax: float | None = None,
    nan_policy: str = "propagate",
) -> TensorVariable:
    """The power with which `boxcox` makes a vector most like normal numbers.

    `method` is "pearsonr", by which its probability plot is straightest; "mle", by which
    `boxcox_llf` is greatest, as `boxcox` has it; or "all" for both in a vector. `brack` is where
    to begin, (-2, 2) by default. No number becomes larger than `ymax`, by default a 10,000th of
    the largest number. NaN where numbers of `x` are NaN or negative. See
    `scipy.stats.boxcox_normmax`. Raises ValueError for another method or policy, and for a `ymax`
    that is not positive.

    >>> boxcox_normmax([1.0, 2.0, 4.0, 8.0]).eval().round(4) + 0
    np.float64(0.0)
    """
    if ymax is not None and not ymax > 0:
        raise ValueError(f"boxcox_normmax: ymax is positive, not {ymax!r}{called()}")
    of = observations(x, None, nan_policy).rows
    ways = {"pearsonr": [_straightest], "mle": [_likeliest], "all": [_straightest, _likeliest]}
    one_of("boxcox_normmax", "method", method, tuple(ways))
    start = (-2.0, 2.0) if brack is None else brack
    fit = all((of >= 0) & (of < inf))
    best = [where(fit, _no_larger(of, way(of, start), ymax), nan) for way in ways[method]]
    return stack(best) if method == "all" else best[0]


def boxcox(
    x: TensorLike,
    lmbda: TensorLike | None = None,
    alpha: None = None,
    *,
    nan_policy: str = "propagate",
) -> Any:
    """(x**lmbda - 1) / lmbda, and log(x) for 0; without `lmbda`, the likeliest one, too.

    x is positive. See `scipy.stats.boxcox`, and `boxcox_normmax`. Raises ValueError for an
    `alpha`: there are no intervals of confidence.

    >>> boxcox([1.0, 2.0, 4.0], 2.0).eval()
    array([0. , 1.5, 7.5])
    """
    if alpha is not None:
        raise ValueError(f"boxcox: alpha is None: there are no intervals here{called()}")
    of = in_place(x, nan_policy)
    if lmbda is not None:
        return _power(log(of), as_tensors((of, lmbda))[1])
    best = boxcox_normmax(of, method="mle", nan_policy=nan_policy)
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
    low, logs = rows < 0, log1p(abs(rows))
    slopes = (power - 1) * sum(where(low, -logs, logs), -1)
    # Of numbers of one sign, what is the same in all is left out: for some powers it is the most.
    mixed = (any(low, -1) & ~all(low, -1)).expand_dims(-1)
    alike = where(all(low, -1), 2 - power, power).expand_dims(-1)
    of_both = log(var(_yeojohnson(rows, where(mixed, power, 1.0)), -1))
    spread = where(mixed.squeeze(-1), of_both, _log_variance(logs, alike))
    value = slopes - of.number / 2 * spread
    return of.result(value.astype(rows.dtype))


def yeojohnson_normmax(
    x: TensorLike, brack: Bracket = None, *, nan_policy: str = "propagate"
) -> TensorVariable:
    """The power with which `yeojohnson` makes a vector most like normal numbers.

    `brack` is where to begin; by default, it is between the powers that make numbers too large to
    compute their variance. 1 for zeros alone; NaN where numbers of `x` are not finite. See
    `scipy.stats.yeojohnson_normmax`. Raises ValueError for another policy.

    >>> yeojohnson_normmax([-2.0, -1.0, 1.0, 2.0]).eval().round(4)
    np.float64(1.0)
    """
    of = observations(x, None, nan_policy).rows
    bounds = None
    if brack is None:
        limits = np.finfo(of.dtype)
        room = np.log(float(limits.eps))
        least = (np.log(float(limits.tiny)) - room) / 2
        most = (np.log(float(limits.max)) + room) / 2
        size = max(abs(of))
        # 20 times as large ones are transformed, too; by half of the exponents.
        whole = log1p(20 * where((size > 0) & (size < inf), size, 1.0))
        low, high, below = least / whole, most / whole, of < 0
        bounds = (
            where(all(below), 2 - high, where(any(below), maximum(2 - high, low), low)),
            where(all(below), 2 - low, where(any(below), minimum(2 - low, high), high)),
        )

    def cost(lmb: TensorVariable) -> TensorVariable:
        found = yeojohnson_llf(lmb, of, axis=None)
        return where(isinf(found), inf, -found)

    best = minimize_scalar(cost, bracket=brack, bounds=bounds).x
    best = where(all(isfinite(of)), best, nan)
    return where(any(of.neq(0)), best, 1.0).astype(of.dtype)


def yeojohnson(
    x: TensorLike, lmbda: TensorLike | None = None, *, nan_policy: str = "propagate"
) -> Any:
    """`boxcox` of numbers of both signs; without `lmbda`, that of `yeojohnson_normmax`, too.

    See `scipy.stats.yeojohnson`.

    >>> yeojohnson([-1.0, 0.0, 3.0], 0.0).eval().round(4)
    array([-1.5   ,  0.    ,  1.3863])
    """
    of = in_place(x, nan_policy)
    if lmbda is not None:
        return _yeojohnson(of, as_tensors((of, lmbda))[1])
    best = yeojohnson_normmax(of, nan_policy=nan_policy)
    return _yeojohnson(of, best), best
