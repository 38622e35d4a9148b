"""What tests take as `method`: probabilities by rearrangements or draws, intervals by resamples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from math import nan
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones_like
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.trigonometric import arctanh, tanh
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.sample_statistics.resampling import (
    ConfidenceInterval,
    bootstrap,
    monte_carlo_test,
    permutation_test,
)
from weft_tensor.ops.sample_statistics.samples import SignificanceResult
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.normal import ndtri

__all__ = [
    "BootstrapMethod",
    "MonteCarloMethod",
    "PearsonRResult",
    "PermutationMethod",
    "chance_by",
    "chance_of_pairs",
]


@dataclass(frozen=True, eq=False)
class PermutationMethod:
    """The probability is that of `permutation_test`, whose arguments these are.

    `rng` is a key, which is needed where there are more ways than `n_resamples`; `batch` makes no
    difference. See `scipy.stats.PermutationMethod`.

    >>> from weft_tensor.stats import ttest_ind
    >>> found = ttest_ind([1.0, 2.0, 3.5], [4.0, 6.0, 9.0, 7.0], method=PermutationMethod())
    >>> found.pvalue.eval().round(4)
    np.float64(0.0571)
    """

    n_resamples: int = 9999
    batch: int | None = None
    _: KW_ONLY
    rng: TensorLike | None = None


@dataclass(frozen=True, eq=False)
class MonteCarloMethod:
    """The probability is that of `monte_carlo_test`, whose arguments these are.

    `rng` is a key; functions of `rvs` draw samples, normal ones by default; `batch` makes no
    difference. See `scipy.stats.MonteCarloMethod`.

    >>> from weft_tensor import random
    >>> from weft_tensor.stats import pearsonr
    >>> x, y = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]
    >>> found = pearsonr(x, y, method=MonteCarloMethod(500, rng=random.key(1)))
    >>> bool((abs(found.pvalue - 0.2) < 0.1).eval())
    True
    """

    n_resamples: int = 9999
    batch: int | None = None
    rvs: Callable[..., TensorLike] | Sequence[Callable[..., TensorLike]] | None = None
    _: KW_ONLY
    rng: TensorLike | None = None


@dataclass(frozen=True, eq=False)
class BootstrapMethod:
    """The interval is that of `bootstrap`, whose arguments these are.

    `rng` is a key; `batch` makes no difference. See `scipy.stats.BootstrapMethod`.

    >>> from weft_tensor import random
    >>> from weft_tensor.stats import pearsonr
    >>> x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 3.0, 2.0, 4.0, 6.0, 5.0]
    >>> how = BootstrapMethod(500, method="percentile", rng=random.key(1))
    >>> low, high = pearsonr(x, y).confidence_interval(0.9, how)
    >>> bool((low > 0.2).eval()), bool((high > 0.9).eval())
    (True, True)
    """

    n_resamples: int = 9999
    batch: int | None = None
    method: str = "BCa"
    _: KW_ONLY
    rng: TensorLike | None = None


class PearsonRResult(SignificanceResult):
    """A correlation and its probability; what the interval is of stands beside the tuple."""

    _samples: tuple[TensorVariable, TensorVariable]
    _of: Callable[[TensorVariable, TensorVariable], TensorVariable]
    _alternative: str

    @property
    def correlation(self) -> TensorVariable:
        """Another name of `statistic`."""
        return self.statistic

    def confidence_interval(
        self, confidence_level: TensorLike = 0.95, method: object = None
    ) -> ConfidenceInterval:
        """Where the correlation is likely to be, to one or both sides as the test was.

        By R. A. Fisher's law of the inverse hyperbolic tangent, or by resamples of pairs. Raises
        ValueError for another `method`, and one without a key.

        >>> from weft_tensor.stats import pearsonr
        >>> ends = pearsonr([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]).confidence_interval()
        >>> [v.eval().round(4).item() for v in ends]
        [-0.697, 0.9956]
        """
        r, alternative = self.statistic, self._alternative
        if method is not None:
            if not isinstance(method, BootstrapMethod) or method.rng is None:
                raise ValueError(
                    "confidence_interval: method is a BootstrapMethod(rng=wt.random.key(0)), not "
                    f"{method!r}{called()}"
                )
            low, high = bootstrap(
                self._samples,
                self._of,
                rng=method.rng,
                n_resamples=method.n_resamples,
                paired=True,
                axis=-1,
                confidence_level=confidence_level,
                alternative=alternative,
                method=method.method,
            ).confidence_interval
            return ConfidenceInterval(maximum(low, -1.0), minimum(high, 1.0))
        n = lengths_of(self._samples[0])[-1].astype(r.dtype)
        level = as_tensor(confidence_level).astype(r.dtype)
        share = (1 + level) / 2 if alternative == "two-sided" else level
        some = n > 3
        apart = ndtri(share) / sqrt(where(some, n - 3, 1.0))
        low = tanh(arctanh(r) - apart) if alternative != "less" else -ones_like(r)
        high = tanh(arctanh(r) + apart) if alternative != "greater" else ones_like(r)
        return ConfidenceInterval(where(some, low, -1.0), where(some, high, 1.0))

    @classmethod
    def of(
        cls,
        found: tuple[TensorVariable, TensorVariable],
        samples: tuple[TensorVariable, TensorVariable],
        correlation: Callable[[TensorVariable, TensorVariable], TensorVariable],
        alternative: str,
    ) -> PearsonRResult:
        """A statistic and its probability, with what they are of."""
        result = cls(*found)
        result._samples, result._of, result._alternative = samples, correlation, alternative
        return result


def chance_by(
    method: object,
    name: str,
    data: Sequence[TensorVariable],
    statistic: Callable[..., TensorVariable],
    alternative: str,
    permutation_type: str = "independent",
    kinds: tuple[type, ...] = (PermutationMethod, MonteCarloMethod),
) -> TensorVariable:
    """How likely a statistic of samples along the last axis is as extreme; NaN where it is NaN.

    ValueError for a method that is none of `kinds`, and for draws without a key.
    """
    if not isinstance(method, kinds):
        names = " or ".join([kind.__name__ for kind in kinds])
        raise ValueError(f"{name}: method may be a {names}, not {method!r}{called()}")
    given: Any = method
    named: Any = {"n_resamples": given.n_resamples, "alternative": alternative, "axis": -1}
    if isinstance(method, PermutationMethod):
        kind = permutation_type
        test: Any = permutation_test(
            tuple(data), statistic, rng=method.rng, permutation_type=kind, **named
        )
    elif given.rng is None:
        raise ValueError(
            f"{name}: give a key as `MonteCarloMethod(rng=wt.random.key(0))`{called()}"
        )
    else:
        draws = given.rvs or [norm.rvs] * len(data)
        samples = data[0] if callable(draws) else tuple(data)
        test = monte_carlo_test(samples, draws, statistic, rng=given.rng, **named)
    return where(isnan(test.statistic), nan, test.pvalue)


def chance_of_pairs(
    method: object,
    name: str,
    pairs: tuple[TensorVariable, TensorVariable],
    statistic: Callable[[TensorVariable, TensorVariable], TensorVariable],
    alternative: str,
) -> TensorVariable:
    """The same of a statistic of rows of pairs, where the second sample alone is rearranged."""
    if not isinstance(method, PermutationMethod):
        return chance_by(method, name, pairs, statistic, alternative)
    first, second = pairs

    def of_order(places: TensorVariable) -> TensorVariable:
        return statistic(first, take(second, places.astype("int64"), -1))

    order = arange(lengths_of(first)[-1])
    return chance_by(method, name, [order], of_order, alternative, "pairings")
