"""Tests of which draws tell how they are distributed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.random.distributions import split
from weft_tensor.ops.reduction.standard import max, mean, sum
from weft_tensor.ops.sample_statistics.hypotheses.further_tests import expected_shares
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel

__all__ = ["GoodnessOfFitResult", "PowerResult", "goodness_of_fit", "power"]

_T = TensorVariable


class PowerResult(NamedTuple):
    """The share of tests that found a difference, and the probability that each found."""

    power: TensorVariable
    pvalues: TensorVariable


class GoodnessOfFitResult(NamedTuple):
    """The statistic, its probability, the parameters, and the statistic of the draws."""

    statistic: TensorVariable
    pvalue: TensorVariable
    fit_result: tuple[TensorVariable, ...]
    null_distribution: TensorVariable


def power(
    test: Callable[..., Any],
    rvs: Callable[..., TensorLike] | Sequence[Callable[..., TensorLike]],
    n_observations: int | Sequence[int],
    *,
    rng: TensorLike,
    significance: TensorLike = 0.01,
    n_resamples: int = 10_000,
) -> PowerResult:
    """How often a test of samples that `rvs` draws finds a probability of at most `significance`.

    `test` takes a vector for each sample, and gives a probability, or what has it as `pvalue`;
    functions of `rvs` take a key and `size=`, as `wt.stats.norm.rvs` does, and `rng` is a key. Both
    `rvs` and `n_observations` may be one or several. See `scipy.stats.power`. Raises ValueError for
    other numbers of both.

    >>> from weft_tensor import random
    >>> from weft_tensor.stats import norm, ttest_1samp
    >>> found = power(
    ...     lambda x: ttest_1samp(x, 0.5), norm.rvs, 40, rng=random.key(1), significance=0.05,
    ...     n_resamples=500,
    ... )
    >>> bool((abs(found.power - 0.87) < 0.05).eval())
    True
    """
    draws = [rvs] if callable(rvs) else list(rvs)
    sizes = [n_observations] if isinstance(n_observations, int) else list(n_observations)
    if len(draws) != len(sizes):
        raise ValueError(
            f"power: {len(draws)} functions of rvs, {len(sizes)} numbers of observations{called()}"
        )
    keys = split(rng, len(draws))
    samples = [
        as_tensor(draw(keys[k], size=(n_resamples, n)))
        for k, (draw, n) in enumerate(zip(draws, sizes, strict=True))
    ]

    def chance(*vectors: _T) -> _T:
        found = test(*vectors)
        return as_tensor(getattr(found, "pvalue", found))

    vmap = lazy_import("weft_tensor.batching.functions.vmap")
    chances: _T = vmap(chance)(*samples)
    return PowerResult(mean((chances <= significance).astype("float64")), chances)


def _anderson(law: Any, x: _T) -> _T:
    n = lengths_of(x)[0].astype("float64")
    weights = (2 * arange(lengths_of(x)[0]) + 1).astype("float64") / n
    return -n - sum(weights * (law.logcdf(x) + law.logsf(x)[::-1]))


def _kolmogorov(law: Any, x: _T) -> _T:
    n, shares = lengths_of(x)[0].astype("float64"), law.cdf(x)
    k = arange(lengths_of(x)[0]).astype("float64")
    return max(maximum((k + 1) / n - shares, shares - k / n))


def _cramer(law: Any, x: _T) -> _T:
    n = lengths_of(x)[0].astype("float64")
    middle = (arange(lengths_of(x)[0]).astype("float64") + 0.5) / n
    return 1 / (12 * n) + sum((middle - law.cdf(x)) ** 2)


def _filliben(law: Any, x: _T) -> _T:
    """What the correlation of the probability plot lacks of 1: so that large is far."""
    places = law.ppf(expected_shares(x))
    one, two = places - mean(places), x - mean(x)
    return -sum(one * two) * (sum(one**2) * sum(two**2)) ** -0.5


class _Fitted:
    """Methods of a family with its parameters, which are not checked."""

    def __init__(self, family: Any, parameters: Sequence[_T]) -> None:
        self.family, self.parameters = family, parameters

    def __getattr__(self, name: str) -> Any:
        return partial(self._value, name)

    def _value(self, name: str, x: _T) -> Any:
        return getattr(self.family, name)(x, *self.parameters, check=False)


_STATISTICS = {"ad": _anderson, "ks": _kolmogorov, "cvm": _cramer, "filliben": _filliben}


def goodness_of_fit(
    dist: Any,
    data: TensorLike,
    *,
    rng: TensorLike,
    known_params: dict[str, TensorLike] | None = None,
    statistic: str | Callable[..., TensorLike] = "ad",
    n_mc_samples: int = 9999,
) -> GoodnessOfFitResult:
    """Whether observations may come from a family of continuous distributions.

    The parameters are those of `dist.fit`, but for `known_params`, by name. The probability is that
    of a statistic as large, of samples that are drawn with these parameters and fitted too. See
    `scipy.stats.goodness_of_fit`.

    Parameters
    ----------
    dist
        A continuous distribution of `wt.stats`.
    data
        A vector.
    rng
        A key, made by `wt.random.key`, `split` or `fold_in`.
    known_params
        Parameters that are not fitted.
    statistic
        "ad", "ks", "cvm", "filliben", by Anderson and Darling, Kolmogorov and Smirnov, Cramer and
        von Mises, and Filliben (of which small ones are far), or a function of a distribution with
        its parameters and a vector in order.
    n_mc_samples
        How many samples are drawn.

    Raises
    ------
    ValueError
        for another statistic.

    Examples
    --------
    >>> from weft_tensor import random
    >>> from weft_tensor.stats import norm
    >>> x = [1.0, 1.2, 1.4, 2.0, 9.0, 30.0]
    >>> found = goodness_of_fit(norm, x, rng=random.key(1), n_mc_samples=300)
    >>> bool((found.pvalue < 0.05).eval())
    True
    """
    if not callable(statistic):
        one_of("goodness_of_fit", "statistic", statistic, tuple(_STATISTICS))
    measure: Any = statistic if callable(statistic) else _STATISTICS[statistic]
    names = (*dist.parameters, "loc", "scale")
    known = {f"f{name}": v for name, v in (known_params or {}).items()}

    def fitted(x: _T) -> tuple[_T, ...]:
        if len(known) == len(names):
            return tuple([as_tensor(known[f"f{name}"]) for name in names])
        estimates: tuple[_T, ...] = dist.fit(x, **known)
        return estimates

    def distance(x: _T) -> _T:
        ordered = sort(x, -1)
        return as_tensor(measure(_Fitted(dist, fitted(ordered)), ordered))

    x = ravel(numbers(data))
    best = fitted(x)
    drawn = dist.rvs(rng, *best, size=(n_mc_samples, lengths_of(x)[0]), check=False)
    vmap = lazy_import("weft_tensor.batching.functions.vmap")
    null: _T = vmap(distance)(drawn)
    found = distance(x)
    chance = (sum((null >= found).astype("float64")) + 1) / (n_mc_samples + 1)
    if statistic == "filliben":
        found, null = -found, -null
    return GoodnessOfFitResult(found, chance, best, null)
