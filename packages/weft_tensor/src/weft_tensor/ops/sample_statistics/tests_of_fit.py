"""Tests of whether observations come from a distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.gamma_rows import chi2
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.distributions.rows.distance_rows import ksone, kstwo
from weft_tensor.ops.distributions.rows.series_rows import kstwobign
from weft_tensor.ops.elementwise.arithmetic import minimum, sign, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.trigonometric import arcsinh
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.standard import mean, sum
from weft_tensor.ops.sample_statistics.moments import kurtosis, skew
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    SignificanceResult,
    by_policy,
    observations,
    one_of,
    probability,
    several,
)
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.types.axes import Axes

__all__ = [
    "KstestResult",
    "KurtosistestResult",
    "NormaltestResult",
    "Power_divergenceResult",
    "SignificanceResult",
    "SkewtestResult",
    "chisquare",
    "jarque_bera",
    "ks_1samp",
    "kurtosistest",
    "normaltest",
    "power_divergence",
    "skewtest",
]

_POWERS: Final = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2 / 3,
}


class Power_divergenceResult(NamedTuple):  # SciPy's name
    """A statistic, and the probability of one at least as large."""

    statistic: TensorVariable
    pvalue: TensorVariable


class SkewtestResult(NamedTuple):
    """A statistic, and the probability of one as extreme."""

    statistic: TensorVariable
    pvalue: TensorVariable


class KurtosistestResult(NamedTuple):
    """A statistic, and the probability of one as extreme."""

    statistic: TensorVariable
    pvalue: TensorVariable


class NormaltestResult(NamedTuple):
    """A statistic, and the probability of one at least as large."""

    statistic: TensorVariable
    pvalue: TensorVariable


class _Distance(NamedTuple):
    statistic: TensorVariable
    pvalue: TensorVariable


class KstestResult(_Distance):
    """A distance and its probability; where it is, and its sign, stand beside the tuple."""

    statistic_location: TensorVariable
    statistic_sign: TensorVariable


def _divergence(seen: TensorVariable, expected: TensorVariable, power: float) -> TensorVariable:
    """By N. Cressie and T. R. C. Read, Multinomial goodness-of-fit tests, 1984."""
    if power == 1:
        return (seen - expected) ** 2 / expected
    if power == 0:
        return 2 * xlogy(seen, seen / expected)
    if power == -1:
        return 2 * xlogy(expected, expected / seen)
    return seen * ((seen / expected) ** power - 1) / (0.5 * power * (power + 1))


def power_divergence(
    f_obs: TensorLike,
    f_exp: TensorLike | None = None,
    ddof: TensorLike = 0,
    axis: Axes = 0,
    lambda_: float | str | None = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Power_divergenceResult:
    """Whether counts may be those that are expected, which are equal by default.

    `lambda_` is the power of the divergence, 1 by default, or the name of one: "pearson",
    "log-likelihood", "freeman-tukey", "mod-log-likelihood", "neyman", "cressie-read". See
    `scipy.stats.power_divergence`. Raises ValueError for another name, and, at the call, where
    both sums differ.

    >>> power_divergence([16, 18, 16, 14, 12, 12], lambda_=0).statistic.eval().round(4)
    np.float64(2.0066)
    """
    return _fit(f_obs, f_exp, ddof, axis, lambda_, True, nan_policy, keepdims)


def chisquare(
    f_obs: TensorLike,
    f_exp: TensorLike | None = None,
    ddof: TensorLike = 0,
    axis: Axes = 0,
    *,
    sum_check: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Power_divergenceResult:
    """Whether counts may be those that are expected, by Pearson's test.

    See `scipy.stats.chisquare`. Raises ValueError, at the call, where both sums differ, unless
    without `sum_check`.

    >>> chisquare([16, 18, 16, 14, 12, 12]).pvalue.eval().round(4)
    np.float64(0.8491)
    """
    return _fit(f_obs, f_exp, ddof, axis, 1.0, sum_check, nan_policy, keepdims)


def _fit(
    f_obs: TensorLike,
    f_exp: TensorLike | None,
    ddof: TensorLike,
    axis: Axes,
    lambda_: float | str | None,
    sum_check: bool,
    policy: str,
    keepdims: bool,
) -> Power_divergenceResult:
    if isinstance(lambda_, str):
        one_of("power_divergence", "lambda_", lambda_, tuple(_POWERS))
        lambda_ = _POWERS[lambda_]
    power = 1.0 if lambda_ is None else lambda_
    counts = [f_obs] if f_exp is None else [f_obs, f_exp]
    of, *others = by_policy(policy, *several(counts, axis, keepdims=keepdims))
    kind = of.rows.dtype
    seen, *rest = broadcast_arrays(of.rows, *[other.rows for other in others])
    expected = rest[0] if rest else mean(seen, -1, keepdims=True)
    if rest and sum_check:
        ends = sum(seen, -1), sum(expected, -1)
        near = 1e-8 if kind == "float64" else float(np.finfo(kind).eps) ** 0.5
        differ = abs(ends[0] - ends[1]) > near * minimum(*ends)
        message = "the sums of the counts and of those that are expected differ"
        expected = check_and_raise(expected, ~differ, ValueError, message)
    statistic = sum(_divergence(seen, expected, power), -1).astype(kind)
    n = lengths_of(seen + expected)[-1].astype(kind)
    chance = chi2.sf(statistic, n - 1 - ddof, check=False).astype(kind)
    return Power_divergenceResult(of.result(statistic), of.result(chance))


def jarque_bera(
    x: TensorLike, *, axis: Axes = None, nan_policy: str = "propagate", keepdims: bool = False
) -> SignificanceResult:
    """Whether observations may be normal, by skewness and kurtosis. See `scipy.stats.jarque_bera`.

    >>> jarque_bera([1.0, 2.0, 6.0, 2.0]).statistic.eval().round(4)
    np.float64(0.7548)
    """
    of = observations(x, axis, nan_policy, keepdims)
    statistic = of.number / 6 * (skew(of.rows, -1) ** 2 + kurtosis(of.rows, -1) ** 2 / 4)
    chance = chi2.sf(statistic, 2.0, check=False).astype(statistic.dtype)
    return SignificanceResult(of.result(statistic), of.result(chance))


def _enough(of: Observations, least: int, statistic: TensorVariable) -> TensorVariable:
    """NaN for fewer observations."""
    return where(of.number < least, float("nan"), statistic).astype(of.rows.dtype)


def _skew_score(of: Observations) -> TensorVariable:
    """By R. B. D'Agostino, Transformation to normality of the null distribution of g1, 1970."""
    n = of.number.astype("float64")
    y = skew(of.rows, -1) * sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta2 = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    beta2 = beta2 / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    square = sqrt(2 * (beta2 - 1)) - 1
    score = arcsinh(y / sqrt(2 / (square - 1))) / sqrt(0.5 * log(square))
    return _enough(of, 8, score)


def _kurtosis_score(of: Observations) -> TensorVariable:
    """By F. J. Anscombe and W. J. Glynn, Distribution of the kurtosis statistic b2, 1983."""
    n = of.number.astype("float64")
    spread = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis(of.rows, -1, False) - 3 * (n - 1) / (n + 1)) / sqrt(spread)
    root = sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    third = 6 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9)) * root
    a = 6 + 8 / third * (2 / third + sqrt(1 + 4 / third**2))
    below = 1 + x * sqrt(2 / (a - 4))
    share = sign(below) * ((1 - 2 / a) / abs(below)) ** (1 / 3)
    return _enough(of, 5, (1 - 2 / (9 * a) - share) / sqrt(2 / (9 * a)))


def skewtest(
    a: TensorLike,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> SkewtestResult:
    """Whether the skewness may be that of normal observations. See `scipy.stats.skewtest`.

    NaN for fewer than 8.

    >>> skewtest([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 16.0]).statistic.eval().round(4)
    np.float64(2.4359)
    """
    of = observations(a, axis, nan_policy, keepdims)
    score = _skew_score(of)
    chance = probability(norm, score, alternative)
    return SkewtestResult(of.result(score), of.result(chance))


def kurtosistest(
    a: TensorLike,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> KurtosistestResult:
    """Whether the kurtosis may be that of normal observations. See `scipy.stats.kurtosistest`.

    NaN for fewer than 5.

    >>> kurtosistest([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 16.0]).statistic.eval().round(4)
    np.float64(2.165)
    """
    of = observations(a, axis, nan_policy, keepdims)
    score = _kurtosis_score(of)
    chance = probability(norm, score, alternative)
    return KurtosistestResult(of.result(score), of.result(chance))


def normaltest(
    a: TensorLike, axis: Axes = 0, nan_policy: str = "propagate", *, keepdims: bool = False
) -> NormaltestResult:
    """Whether observations may be normal, by `skewtest` and `kurtosistest`.

    See `scipy.stats.normaltest`.

    >>> normaltest([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 16.0]).pvalue.eval().round(4)
    np.float64(0.0049)
    """
    of = observations(a, axis, nan_policy, keepdims)
    statistic = _skew_score(of) ** 2 + _kurtosis_score(of) ** 2
    chance = chi2.sf(statistic, 2.0, check=False).astype(statistic.dtype)
    return NormaltestResult(of.result(statistic), of.result(chance))


def ks_1samp(
    x: TensorLike,
    cdf: Callable[..., TensorVariable],
    args: Any = (),
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> KstestResult:
    """Whether observations may come from a distribution, by their distance from `cdf(x, *args)`.

    See `scipy.stats.ks_1samp`. The result is a tuple of `statistic` and `pvalue`, and has
    `statistic_location` and `statistic_sign`. The probability is exact, for the alternative
    "two-sided" of more than 140 observations to 3e-6; then it is that of infinitely many with
    method="asymp", and twice that of one side with "approx". Raises ValueError for another
    alternative or method.

    >>> from weft_tensor.ops.distributions.simple_rows import uniform
    >>> [v.eval().round(4).item() for v in ks_1samp([0.1, 0.4, 0.9], uniform.cdf)]
    [0.2667, 0.952]
    """
    one_of("ks_1samp", "alternative", alternative, ("two-sided", "less", "greater"))
    one_of("ks_1samp", "method", method, ("auto", "exact", "asymp", "approx"))
    of = observations(x, axis, nan_policy, keepdims)
    ordered = sort(of.rows, -1)
    shares = cdf(ordered, *args)
    n = lengths_of(ordered)[-1]
    k = arange(n).astype(shares.dtype)
    above, below = (k + 1) / of.number - shares, shares - k / of.number
    ways = {"greater": above, "less": below}
    if alternative == "two-sided":
        is_above = above.max(-1) > below.max(-1)
        apart = where(is_above.expand_dims(-1), above, below)
    else:
        is_above = constant(alternative == "greater")
        apart = ways[alternative]
    place = argmax(apart, -1, keepdims=True)
    distance = take_along_axis(apart, place, -1).squeeze(-1)
    chance = _chance(distance, n, alternative, method)
    result = KstestResult(of.result(distance), of.result(chance))
    result.statistic_location = of.result(take_along_axis(ordered, place, -1).squeeze(-1))
    result.statistic_sign = of.result(where(is_above, 1, -1) + 0 * place.squeeze(-1))
    return result


def _chance(distance: TensorVariable, n: Any, alternative: str, method: str) -> TensorVariable:
    if alternative != "two-sided" or method == "approx":
        one_sided = ksone.sf(distance, n.astype(distance.dtype), check=False)
        return one_sided if alternative != "two-sided" else minimum(2 * one_sided, 1.0)
    if method != "asymp":
        return kstwo.sf(distance.astype("float64"), n, check=False).astype(distance.dtype)
    scaled = distance * sqrt(n.astype(distance.dtype))
    return kstwobign.sf(scaled, check=False).astype(distance.dtype)
