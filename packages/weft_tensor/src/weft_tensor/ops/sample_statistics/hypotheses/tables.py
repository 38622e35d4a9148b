"""Tests of counts: in tables, and of successes."""

from __future__ import annotations

from typing import NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.discrete_rows import binom, hypergeom
from weft_tensor.ops.distributions.gamma_rows import chi2
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sign
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import all, sum
from weft_tensor.ops.sample_statistics.samples import SignificanceResult, numbers, one_of
from weft_tensor.ops.sample_statistics.tests_of_fit import power_divergence
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["Chi2ContingencyResult", "binomtest", "chi2_contingency", "fisher_exact"]


class Chi2ContingencyResult(NamedTuple):
    """A statistic of a table, its probability, and what it would be by its margins."""

    statistic: TensorVariable
    pvalue: TensorVariable
    dof: TensorVariable
    expected_freq: TensorVariable


def chi2_contingency(
    observed: TensorLike, correction: bool = True, lambda_: float | str | None = None
) -> Chi2ContingencyResult:
    """Whether the axes of a table of counts may be independent.

    With `correction`, counts of a table with one degree of freedom are nearer to those expected by
    at most one half (Yates). `lambda_` is as for `power_divergence`. See
    `scipy.stats.chi2_contingency`. Raises ValueError, when it is computed, where an expected count
    is 0, or one observed is negative.

    >>> chi2_contingency([[10, 20], [20, 10]]).pvalue.eval().round(4)
    np.float64(0.0201)
    """
    seen = numbers(observed)
    if not seen.ndim:
        raise ValueError(f"chi2_contingency takes a table, not {seen!r}{called()}")
    seen = check_and_raise(
        seen, all(seen >= 0), ValueError, "chi2_contingency: counts must not be negative"
    )
    axes = range(seen.ndim)
    expected = sum(seen, keepdims=True) ** (1 - seen.ndim)
    for axis in axes:
        others = tuple(k for k in axes if k != axis)
        expected = expected * sum(seen, others, keepdims=True)
    message = "chi2_contingency: an expected count is 0"
    expected = check_and_raise(expected, all(expected > 0), ValueError, message)
    lengths = lengths_of(seen)
    size, ends = as_tensor(1), as_tensor(0)
    for length in lengths:
        size, ends = size * length, ends + length
    dof = size - ends + seen.ndim - 1
    if correction:
        apart = expected - seen
        nearer = seen + minimum(abs(apart), 0.5) * sign(apart)
        seen = where(dof.eq(1), nearer, seen)
    fit = power_divergence(seen, expected, size - 1 - dof, None, lambda_)
    statistic = where(dof.eq(0), 0.0, fit.statistic)
    chance = where(dof.eq(0), 1.0, chi2.sf(statistic, maximum(dof, 1).astype(seen.dtype)))
    kind = seen.dtype
    return Chi2ContingencyResult(statistic.astype(kind), chance.astype(kind), dof, expected)


def fisher_exact(table: TensorLike, alternative: str = "two-sided") -> SignificanceResult:
    """Whether the axes of a table of two by two counts may be independent: exactly.

    The statistic is the ratio of odds; the probability that of tables with the same margins. See
    `scipy.stats.fisher_exact`. Raises ValueError for another shape or alternative.

    >>> [v.eval().round(4).item() for v in fisher_exact([[8, 2], [1, 5]])]
    [20.0, 0.035]
    """
    one_of("fisher_exact", "alternative", alternative, ("two-sided", "less", "greater"))
    counts = as_tensor(table)
    if counts.ndim != 2:
        raise ValueError(f"fisher_exact takes a table of two by two, not {counts!r}{called()}")
    counts = specify_shape(counts, 2, 2).astype("int64")
    (a, b), (c, d) = ([index(counts, (i, j)) for j in range(2)] for i in range(2))
    empty = ((a + b) * (c + d) * (a + c) * (b + d)).eq(0)
    odds = where((b * c).eq(0), float("inf"), a * d / maximum(b * c, 1))
    ratio = where(empty, float("nan"), odds)
    total, kind, drawn = a + b + c + d, a + b, a + c
    least = maximum(drawn - (total - kind), 0)
    support = least + arange(minimum(kind, drawn) - least + 1)
    shares = hypergeom.pmf(support, total, kind, drawn, check=False)
    own = hypergeom.pmf(a, total, kind, drawn, check=False)
    # Shares that are equal but for rounding count as equal, as in SciPy.
    rare = shares <= own * (1 + 1e-14)
    sides = {"less": support <= a, "greater": support >= a, "two-sided": rare}
    chance = minimum(sum(where(sides[alternative], shares, 0.0)), 1.0)
    return SignificanceResult(ratio, where(empty, 1.0, chance))


def binomtest(
    k: TensorLike, n: TensorLike, p: TensorLike = 0.5, alternative: str = "two-sided"
) -> SignificanceResult:
    """Whether `k` successes of `n` trials may be of the share `p`.

    The statistic is `k / n`. See `scipy.stats.binomtest`. Raises ValueError for another
    alternative, and what is no number.

    >>> binomtest(3, 15, 0.1).pvalue.eval().round(4)
    np.float64(0.1841)
    """
    one_of("binomtest", "alternative", alternative, ("two-sided", "less", "greater"))
    wins, trials, share = as_tensor(k), as_tensor(n), numbers(p)
    if wins.ndim or trials.ndim or share.ndim:
        raise ValueError(f"binomtest takes numbers, not {wins!r}, {trials!r}, {share!r}{called()}")
    if alternative == "less":
        chance = binom.cdf(wins, trials, share)
    elif alternative == "greater":
        chance = binom.sf(wins - 1, trials, share)
    else:
        every = binom.pmf(arange(trials + 1), trials, share)
        own = binom.pmf(wins, trials, share)
        # As SciPy has it: what is equal but for rounding counts as equal.
        chance = minimum(sum(where(every <= own * (1 + 1e-7), every, 0.0)), 1.0)
    return SignificanceResult(wins / trials, chance)
