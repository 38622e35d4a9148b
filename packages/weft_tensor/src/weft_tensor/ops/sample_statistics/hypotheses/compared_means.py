"""Which of several normal samples differ in their means: all pairs, or each and a control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.distributions.groups.many_to_one import log_many_to_one_sf
from weft_tensor.ops.distributions.groups.studentized_rows import studentized_range
from weft_tensor.ops.elementwise.arithmetic import abs, sqrt
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.implicit.search import crossing
from weft_tensor.ops.reduction.standard import mean, sum
from weft_tensor.ops.sample_statistics.resampling import ConfidenceInterval
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.statistics.moments import var
from weft_tensor.types.dtypes import promote

__all__ = ["DunnettResult", "TukeyHSDResult", "dunnett", "tukey_hsd"]

_FARTHEST = 1e6


class _Test(NamedTuple):
    statistic: TensorVariable
    pvalue: TensorVariable


class TukeyHSDResult(_Test):
    """Differences of the means of all pairs of samples, and probabilities of ones as large."""

    spread: TensorVariable
    """The standard errors of the differences, over sqrt(2)."""
    df: TensorVariable
    groups: int

    def confidence_interval(self, confidence_level: TensorLike = 0.95) -> ConfidenceInterval:
        """Where all differences of expectations are, with that probability."""
        width = self.spread * studentized_range.ppf(confidence_level, float(self.groups), self.df)
        return ConfidenceInterval(self.statistic - width, self.statistic + width)


class DunnettResult(_Test):
    """Differences from a control over their standard errors, and probabilities of ones as large."""

    differences: TensorVariable
    errors: TensorVariable
    shares: TensorVariable
    df: TensorVariable
    alternative: str

    def confidence_interval(self, confidence_level: TensorLike = 0.95) -> ConfidenceInterval:
        """Where all differences of expectations are, with that probability."""
        level = log(1 - as_tensor(confidence_level).astype("float64"))
        is_two_sided = self.alternative == "two-sided"
        start = full_like(level + self.df, -_FARTHEST * (not is_two_sided))

        def excess(x: TensorVariable) -> TensorVariable:
            return level - log_many_to_one_sf(x, self.shares, self.df, is_two_sided)

        width = self.errors * crossing(excess, start, full_like(start, _FARTHEST), 0.9)
        far = full_like(width, float("inf"))
        low = self.differences - (far if self.alternative == "less" else width)
        high = self.differences + (far if self.alternative == "greater" else width)
        return ConfidenceInterval(low, high)


class _Groups(NamedTuple):
    means: TensorVariable
    variances: TensorVariable
    counts: TensorVariable

    def pooled(self) -> tuple[TensorVariable, TensorVariable]:
        """The variance of all samples around their means, and its degrees of freedom."""
        df = sum(self.counts - 1)
        return sum((self.counts - 1) * self.variances) / df, df


def _groups(name: str, samples: Sequence[TensorLike], least: int) -> _Groups:
    """The means, variances and numbers of observations of samples of one axis each."""
    tensors = [numbers(v) for v in samples]
    if len(tensors) < least or any(x.ndim != 1 for x in tensors):
        raise ValueError(
            f"{name} compares {least} samples or more, of one axis each, not {tensors}{called()}"
        )
    kind = promote(tuple([x.dtype for x in tensors]))
    tensors = [x.astype(kind) for x in tensors]
    counts = stack([lengths_of(x)[0] for x in tensors]).astype(kind)
    return _Groups(
        stack([mean(x) for x in tensors]), stack([var(x, ddof=1) for x in tensors]), counts
    )


def tukey_hsd(*samples: TensorLike, equal_var: bool = True) -> TukeyHSDResult:
    """Which pairs of normal samples differ in their means, by the studentized range.

    The result is a tuple of matrices `statistic`, the differences of means, and `pvalue`, and has
    `confidence_interval(confidence_level=0.95)`. Without `equal_var`, each pair has a variance of
    its own: P. A. Games and J. F. Howell, Pairwise multiple comparison procedures with unequal n's
    and/or variances, 1976. See `scipy.stats.tukey_hsd`. Raises ValueError for fewer than two
    samples, and such that have another number of axes than one.

    >>> tukey_hsd([24.5, 23.5, 26.4], [28.4, 34.2, 29.5], [26.1, 28.3, 24.3]).pvalue.eval().round(3)
    array([[1.   , 0.045, 0.735],
           [0.045, 1.   , 0.117],
           [0.735, 0.117, 1.   ]])
    """
    of = _groups("tukey_hsd", samples, 2)
    apart = expand_dims(of.means, 1) - of.means
    if equal_var:
        variance, whole = of.pooled()
        square = variance / of.counts
        df = whole + 0 * apart
    else:
        square = of.variances / of.counts
        rest = square**2 / (of.counts - 1)
        df = (expand_dims(square, 1) + square) ** 2 / (expand_dims(rest, 1) + rest)
    spread = sqrt(0.5 * (expand_dims(square, 1) + square))
    chance = studentized_range.sf(abs(apart) / spread, float(len(samples)), df, check=False)
    result = TukeyHSDResult(apart, chance.astype(apart.dtype))
    result.spread, result.df, result.groups = spread, df, len(samples)
    return result


def dunnett(
    *samples: TensorLike, control: TensorLike, alternative: str = "two-sided"
) -> DunnettResult:
    """Which normal samples of one variance differ from a control in their means.

    The result is a tuple of vectors `statistic` and `pvalue`, and has
    `confidence_interval(confidence_level=0.95)`. The probabilities are integrals with ten digits:
    there is no `rng`, as SciPy's has. See `scipy.stats.dunnett`. Raises ValueError for no sample,
    such that have another number of axes than one, and another alternative.

    >>> found = dunnett([24.5, 23.5, 26.4], [28.4, 34.2, 29.5], control=[26.1, 28.3, 24.3])
    >>> found.pvalue.eval().round(4)
    array([0.6784, 0.0922])
    """
    one_of("dunnett", "alternative", alternative, ("two-sided", "less", "greater"))
    of = _groups("dunnett", [control, *samples], 2)
    variance, df = of.pooled()
    inverse = 1 / of.counts
    total = inverse[1:] + inverse[0]
    apart, errors = of.means[1:] - of.means[0], sqrt(variance * total)
    statistic = apart / errors
    shares = (inverse[0] / total).astype("float64")
    place = {"two-sided": abs(statistic), "greater": statistic, "less": -statistic}[alternative]
    chance = exp(log_many_to_one_sf(place, shares, df, alternative == "two-sided"))
    result = DunnettResult(statistic, chance.astype(statistic.dtype))
    result.differences, result.errors, result.df = apart, errors, df
    result.shares, result.alternative = shares, alternative
    return result
