"""Tests by ranks of whether two samples come from one distribution."""

from __future__ import annotations

from math import nan
from typing import Any, Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.distributions.gamma_rows import t
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import abs, ceil, floor, maximum, minimum, sign, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any, mean, sum
from weft_tensor.ops.sample_statistics.ranks import rankdata, ties_of
from weft_tensor.ops.sample_statistics.resampled import PermutationMethod, chance_by
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    SignificanceResult,
    observations,
    one_of,
    pairs,
    probability,
    several,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.axes import Axes

__all__ = ["brunnermunzel", "mannwhitneyu", "ranksums", "wilcoxon"]

_FEW: Final = 8
"""Up to how many observations "auto" takes the exact distribution of `mannwhitneyu`, as SciPy."""
_MANY: Final = 50
"""The same of `wilcoxon`."""
_FEW_SIGNS: Final = 13
"""The same with zeros and ties."""


def _ranked(of: list[Observations]) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The ranks of both samples among all, and how many equal each in order."""
    rows = concatenate([v.rows for v in of], -1)
    ranks = rankdata(rows, axis=-1)
    n = lengths_of(of[0].rows)[-1]
    ties = ties_of(sort(rows, -1))
    equal = (ties.last - ties.first + 1).astype("float64")
    return index(ranks, (..., slice(0, n))), index(ranks, (..., slice(n, None))), equal


def ranksums(
    x: TensorLike,
    y: TensorLike,
    alternative: str = "two-sided",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether two samples come from one distribution, by the sum of ranks, as if without ties.

    See `scipy.stats.ranksums`, and `mannwhitneyu`, which counts ties.

    >>> ranksums([1.0, 2.0, 5.0], [3.0, 4.0, 6.0, 7.0]).statistic.eval().round(4)
    np.float64(-1.4142)
    """
    of = several([x, y], axis, nan_policy, keepdims)
    first, _, _ = _ranked(of)
    n, m = of[0].number, of[1].number
    middle = n * (n + m + 1) / 2
    score = (sum(first, -1) - middle) / sqrt(n * m * (n + m + 1) / 12)
    score = score.astype(of[0].rows.dtype)
    chance = probability(norm, score, alternative)
    return SignificanceResult(of[0].result(score), of[0].result(chance))


def mannwhitneyu(
    x: TensorLike,
    y: TensorLike,
    use_continuity: bool = True,
    alternative: str = "two-sided",
    axis: Axes = 0,
    method: str | PermutationMethod = "auto",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether two samples come from one distribution, by how many pairs have the larger in `x`.

    See `scipy.stats.mannwhitneyu`.

    Parameters
    ----------
    x, y
        Observations.
    use_continuity
        Whether the normal number is nearer to its mean by half a pair.
    alternative
        "two-sided", "less" or "greater".
    axis, nan_policy, keepdims
        As for `ttest_ind`.
    method
        "exact" for the distribution without ties, which takes the number of observations times
        that of pairs as many steps; "asymptotic" for a normal number; "auto" for the exact one
        where a sample has at most 8 observations and there are no ties; a `PermutationMethod` for
        that of rearrangements.

    Raises
    ------
    ValueError
        for another alternative or method.

    Examples
    --------
    >>> mannwhitneyu([1.0, 2.0, 5.0], [3.0, 4.0, 6.0, 7.0]).pvalue.eval().round(4)
    np.float64(0.2286)
    """
    if not isinstance(method, PermutationMethod):
        one_of("mannwhitneyu", "method", method, ("auto", "asymptotic", "exact"))
    one_of("mannwhitneyu", "alternative", alternative, ("two-sided", "less", "greater"))
    of = several([x, y], axis, nan_policy, keepdims)
    first, second, equal = _ranked(of)
    kind = of[0].rows.dtype
    sizes = [lengths_of(v.rows)[-1] for v in of]
    n, m = (v.astype("float64") for v in sizes)
    pairs_won = sum(first, -1) - n * (n + 1) / 2
    others = n * m - pairs_won
    ways = {"greater": pairs_won, "less": others, "two-sided": maximum(pairs_won, others)}
    least = ways[alternative]
    factor = 2 if alternative == "two-sided" else 1

    def asymptotic() -> TensorVariable:
        ties = sum(equal**2 - 1, -1)
        total = n + m
        spread = sqrt(n * m / 12 * maximum(total + 1 - ties / (total * (total - 1)), 0.0))
        above = least - n * m / 2 - (0.5 if use_continuity else 0)
        return minimum(factor * norm.sf(above / spread, check=False), 1.0)

    def exact() -> TensorVariable:
        tail = _pairs_won_by_chance(minimum(*sizes), maximum(*sizes))
        at = where(eq(least, least), floor(least), 0).astype("int64")
        return where(eq(least, least), minimum(factor * index(tail, at), 1.0), least)

    if isinstance(method, PermutationMethod):
        chance = chance_by(
            method, "mannwhitneyu", [first, second], lambda own, _: sum(own), alternative
        )
    elif method == "auto":
        tied = any(equal > 1, -1)
        chance = ifelse(
            minimum(*sizes) <= _FEW, where(tied, asymptotic(), exact()), asymptotic() + 0 * least
        )
    else:
        chance = exact() if method == "exact" else asymptotic()
    empty = minimum(*sizes).eq(0)
    results = (where(empty, nan, v).astype(kind) for v in (pairs_won, chance))
    return SignificanceResult(*[of[0].result(v) for v in results])


def _pairs_won_by_chance(n: TensorVariable, m: TensorVariable) -> TensorVariable:
    """The probabilities that at least 0, 1, ... of n m pairs are won, if all orders are alike.

    The last of i and j elements is of the first kind in i of i + j cases, and wins j pairs then.
    """
    count = n * m + 1
    own, won = arange(n + 1).expand_dims(1), arange(count)

    def step(s: TensorVariable, shares: TensorVariable) -> TensorVariable:
        other = s - own
        before = won - other
        at = minimum(maximum(before, 0), count - 1)
        fewer = index(shares, (maximum(own - 1, 0), at))
        by_own = where((own >= 1) & (before >= 0), fewer * own, 0.0)
        both = by_own + where(other >= 1, shares * other, 0.0)
        return where((other >= 0) & (other <= m), both / s, 0.0)

    first = zeros((n + 1, count), "float64")
    first = index(first, (0, 0)).set(1.0)
    ends: TensorVariable = fori_loop(1, n + m + 1, step, first)
    back = slice(None, None, -1)
    return index(cumsum(index(index(ends, n), back), 0), back)


def wilcoxon(
    x: TensorLike,
    y: TensorLike | None = None,
    zero_method: str = "wilcox",
    correction: bool = False,
    alternative: str = "two-sided",
    method: str | PermutationMethod = "auto",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether `x`, or pairs' differences `x - y`, may lie symmetrically about 0, by signed ranks.

    See `scipy.stats.wilcoxon`.

    Parameters
    ----------
    x, y
        Observations.
    zero_method
        "wilcox" leaves zeros out, "pratt" ranks them but counts them for neither sign, "zsplit"
        counts half of them for each.
    correction
        Whether the normal number is nearer to its mean by half a rank.
    alternative
        "two-sided", "less" or "greater".
    method
        "exact" for the distribution without zeros and ties, which takes n³ steps; "asymptotic" for
        a normal number; "auto" for the exact one of at most 50 observations without zeros and ties,
        and of at most 13 also with them, where all signs of the ranks are equally likely; a
        `PermutationMethod` for these signs, or some of them.
    axis, nan_policy, keepdims
        As for `ttest_rel`.

    Raises
    ------
    ValueError
        for another zero method, alternative or method.

    Examples
    --------
    >>> wilcoxon([1.0, -2.0, 3.0, 4.0, 5.0, 6.0]).pvalue.eval().round(4)
    np.float64(0.0938)
    """
    if not isinstance(method, PermutationMethod):
        one_of("wilcoxon", "method", method, ("auto", "asymptotic", "exact"))
    one_of("wilcoxon", "zero_method", zero_method, ("wilcox", "pratt", "zsplit"))
    one_of("wilcoxon", "alternative", alternative, ("two-sided", "less", "greater"))
    if y is None:
        of = observations(x, axis, nan_policy, keepdims)
        apart = of.rows
    else:
        of, second = pairs(x, y, axis, nan_policy, keepdims)
        apart = of.rows - second.rows
    kind = apart.dtype
    zeros_here = eq(apart, 0)
    none = sum(zeros_here, -1).astype("float64")
    size = abs(apart)
    ranks = rankdata(size, axis=-1)
    number = lengths_of(apart)[-1].astype("float64")
    if zero_method == "wilcox":  # zeros come first
        ranks, count = where(zeros_here, 0.0, ranks - none.expand_dims(-1)), number - none
    else:
        count = number + 0 * none
    up, down = (sum(where(side, ranks, 0.0), -1) for side in (apart > 0, apart < 0))
    if zero_method == "zsplit":
        half = sum(where(zeros_here, ranks, 0.0), -1) / 2
        up, down = up + half, down + half
    ordered = sort(size, -1)
    ties = ties_of(ordered)
    equal = (ties.last - ties.first + 1).astype("float64")
    if zero_method != "zsplit":
        equal = where(eq(ordered, 0), 1.0, equal)
    middle, square = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1)
    if zero_method == "pratt":
        middle = middle - none * (none + 1) / 4
        square = square - none * (none + 1) * (2 * none + 1)
    spread = sqrt((square - sum(equal**2 - 1, -1) / 2) / 24)
    statistic = minimum(up, down) if alternative == "two-sided" else up

    def asymptotic() -> TensorVariable:
        score = (up - middle) / spread
        if correction:
            way = {"greater": 1, "less": -1}.get(alternative, sign(score))
            score = score - way * 0.5 / spread
        return probability(norm, score, alternative)

    def exact() -> TensorVariable:
        known = eq(up, up)
        won = where(known, up, 0.0).expand_dims(-1)
        shares = _ranks_won_by_chance(count, lengths_of(apart)[-1])
        sums = arange(lengths_of(shares)[-1])
        at_most, at_least = (
            sum(where(side, shares, 0.0), -1) for side in (sums <= ceil(won), sums >= floor(won))
        )
        tails = {"less": at_most, "greater": at_least}
        both = minimum(2 * minimum(at_most, at_least), 1.0)
        return where(known, tails.get(alternative, both), up)

    def permuted() -> TensorVariable:
        known = eq(up, up)
        own = where(zeros_here | ~known.expand_dims(-1), 0.0, ranks)
        won = sum(where(apart > 0, own, 0.0), -1).expand_dims(-1)
        shares = _signed_by_chance(own)
        sums = arange(lengths_of(shares)[-1]) / 2
        at_most, at_least = (sum(where(s, shares, 0.0), -1) for s in (sums <= won, sums >= won))
        tails = {"less": at_most, "greater": at_least}
        both = minimum(2 * minimum(at_most, at_least), 1.0)
        return where(known, tails.get(alternative, both), up)

    if isinstance(method, PermutationMethod):
        signed = sign(apart) * ranks
        chance = chance_by(
            method, "wilcoxon", [signed], lambda v: sum(maximum(v, 0.0)), alternative, "samples"
        )
    elif method == "auto":
        plain = ~(any(equal > 1, -1) | (none > 0))
        n = lengths_of(apart)[-1]
        of_more = ifelse(n <= _MANY, where(plain, exact(), asymptotic()), asymptotic())
        chance = ifelse(n <= _FEW_SIGNS, permuted(), of_more)
    else:
        chance = exact() if method == "exact" else asymptotic()
    unfit = number.eq(0) | any(isnan(apart), -1)
    results = (where(unfit, nan, v).astype(kind) for v in (statistic, chance))
    return SignificanceResult(*[of.result(v) for v in results])


def _signed_by_chance(ranks: TensorVariable) -> TensorVariable:
    """The probabilities of 0, 1/2, 1, ... as sums of those of the ranks that have one sign."""
    n = lengths_of(ranks)[-1]
    doubled, sums = (2 * ranks).astype("int64"), arange(n * (n + 1) + 1)

    def step(i: TensorVariable, shares: TensorVariable) -> TensorVariable:
        before = sums - index(doubled, (..., i)).expand_dims(-1)
        fewer = take_along_axis(shares, maximum(before, 0), -1)
        return (shares + where(before >= 0, fewer, 0.0)) / 2

    lanes = sum(doubled, -1, keepdims=True)
    result: TensorVariable = fori_loop(0, n, step, where(eq(sums, 0 * lanes), 1.0, 0.0))
    return result


def _ranks_won_by_chance(count: TensorVariable, most: TensorVariable) -> TensorVariable:
    """The probabilities of the sums of those of the ranks 1 to `count` that have one sign."""
    sums = arange(most * (most + 1) // 2 + 1)
    counts = count.expand_dims(-1)

    def step(rank: TensorVariable, shares: TensorVariable) -> TensorVariable:
        before = sums - rank
        with_it = where(before >= 0, index(shares, (..., maximum(before, 0))), 0.0)
        return where(rank <= counts, (shares + with_it) / 2, shares)

    first: Any = where(eq(sums, 0), 1.0, 0.0) + 0 * counts
    ends: TensorVariable = fori_loop(1, most + 1, step, first)
    return ends


def brunnermunzel(
    x: TensorLike,
    y: TensorLike,
    alternative: str = "two-sided",
    distribution: str = "t",
    nan_policy: str = "propagate",
    *,
    axis: Axes = 0,
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether numbers of `x` are below those of `y` as often as above, by ranks.

    By E. Brunner and U. Munzel, The nonparametric Behrens-Fisher problem, 2000. The probability
    is that of Student's "t" or of a "normal" number. See `scipy.stats.brunnermunzel`. Raises
    ValueError for another distribution.

    >>> brunnermunzel([1.0, 2.0, 5.0], [3.0, 4.0, 6.0, 7.0]).statistic.eval().round(4)
    np.float64(1.7321)
    """
    one_of("brunnermunzel", "distribution", distribution, ("t", "normal"))
    of = several([x, y], axis, nan_policy, keepdims)
    first, second, _ = _ranked(of)
    n, m = (v.number.astype("float64") for v in of)

    def squares(among_all: TensorVariable, rows: TensorVariable, count: Any) -> TensorVariable:
        apart = among_all - rankdata(rows, axis=-1)
        return sum((apart - mean(apart, -1, keepdims=True)) ** 2, -1) / (count - 1) * count

    u, v = squares(first, of[0].rows, n), squares(second, of[1].rows, m)
    score = n * m * (mean(second, -1) - mean(first, -1)) / ((n + m) * sqrt(u + v))
    score = score.astype(of[0].rows.dtype)
    if distribution == "t":
        df = (u + v) ** 2 / (u**2 / (n - 1) + v**2 / (m - 1))
        chance = probability(t, -score, alternative, df.astype(score.dtype))
    else:
        chance = probability(norm, -score, alternative)
    return SignificanceResult(of[0].result(score), of[0].result(chance))
