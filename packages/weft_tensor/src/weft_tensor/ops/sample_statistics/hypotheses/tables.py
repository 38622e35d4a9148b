"""Tests of counts: in tables, and of successes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.discrete_rows import binom, hypergeom, poisson
from weft_tensor.ops.distributions.gamma_rows import chi2
from weft_tensor.ops.distributions.multivariate.table_rows import random_table
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sign, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.take import bincount
from weft_tensor.ops.reduction.standard import all, sum
from weft_tensor.ops.sample_statistics.resampled import (
    MonteCarloMethod,
    PermutationMethod,
    chance_by,
)
from weft_tensor.ops.sample_statistics.samples import SignificanceResult, numbers, one_of
from weft_tensor.ops.sample_statistics.tests_of_fit import power_divergence
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import repeat
from weft_tensor.ops.shape.reshape import ravel, reshape

__all__ = [
    "Chi2ContingencyResult",
    "binomtest",
    "chi2_contingency",
    "fisher_exact",
    "poisson_means_test",
]


_RARE: Final = 1e-17


class Chi2ContingencyResult(NamedTuple):
    """A statistic of a table, its probability, and what it would be by its margins."""

    statistic: TensorVariable
    pvalue: TensorVariable
    dof: TensorVariable
    expected_freq: TensorVariable


def chi2_contingency(
    observed: TensorLike,
    correction: bool = True,
    lambda_: float | str | None = None,
    *,
    method: PermutationMethod | MonteCarloMethod | None = None,
) -> Chi2ContingencyResult:
    """Whether the axes of a table of counts may be independent.

    With `correction`, counts of a table with one degree of freedom are nearer to those expected by
    at most one half (Yates). `lambda_` is as for `power_divergence`. With a `method`, the
    probability is that of tables with the same margins, and `dof` is NaN. See
    `scipy.stats.chi2_contingency`. Raises ValueError, when it is computed, where an expected count
    is 0, or one observed is negative; and for a `method` but of a matrix, with correction=False.

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
    if method is not None:
        if seen.ndim != 2 or correction or lambda_ is not None:
            raise ValueError(
                "chi2_contingency: a method is for a matrix, with correction=False and "
                f"lambda_=None{called()}"
            )

        def square(table: TensorVariable) -> TensorVariable:
            return sum((table - expected) ** 2 / expected)

        chance = _of_tables(method, "chi2_contingency", seen, square, "greater")
        return Chi2ContingencyResult(square(seen), chance, as_tensor(nan), expected)
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


def _of_tables(
    method: PermutationMethod | MonteCarloMethod,
    name: str,
    table: TensorVariable,
    statistic: Callable[[TensorVariable], TensorVariable],
    alternative: str,
) -> TensorVariable:
    """The probability of a statistic of tables with the same margins."""
    sizes = lengths_of(table)
    if isinstance(method, MonteCarloMethod):
        if method.rvs is not None:
            raise ValueError(f"{name}: tables are drawn by their margins: leave rvs out{called()}")
        row, col = sum(table, 1), sum(table, 0)

        def drawn(key: TensorLike, size: tuple[Any, ...]) -> TensorVariable:
            return reshape(random_table.rvs(key, row, col, size=size[:1]), size)

        return chance_by(
            replace(method, rvs=drawn),
            name,
            [ravel(table)],
            lambda cells: statistic(reshape(cells, sizes)),
            alternative,
        )
    columns: Any = sizes[1]
    cells = repeat(arange(sizes[0] * columns), ravel(table).astype("int64"))
    others = cells % columns

    def paired(own: TensorVariable) -> TensorVariable:
        counts = bincount(own.astype("int64") * columns + others, length=sizes[0] * columns)
        return statistic(reshape(counts, sizes).astype(table.dtype))

    return chance_by(method, name, [cells // columns], paired, alternative, "pairings")


def fisher_exact(
    table: TensorLike,
    alternative: str | None = None,
    *,
    method: PermutationMethod | MonteCarloMethod | None = None,
) -> SignificanceResult:
    """Whether the axes of a table of counts may be independent: exactly, of two by two.

    The statistic is the ratio of odds; the probability that of tables with the same margins which
    are as far on a side ("less", "greater") or as unlikely ("two-sided", the default). With a
    `method`, which tables of other lengths need, the statistic is how likely the table is, and the
    probability that of tables that are no likelier. See `scipy.stats.fisher_exact`. Raises
    ValueError for what is no matrix, another alternative, one of them with a method, and for other
    lengths without one (at the call, if they are not known before).

    >>> [v.eval().round(4).item() for v in fisher_exact([[8, 2], [1, 5]])]
    [20.0, 0.035]
    >>> from weft_tensor import random
    >>> method = MonteCarloMethod(500, rng=random.key(1))
    >>> found = fisher_exact([[8, 2, 3], [1, 5, 4]], method=method)
    >>> found.statistic.eval().round(6), bool((abs(found.pvalue - 0.06) < 0.05).eval())
    (np.float64(0.005782), True)
    """
    counts = as_tensor(table)
    if counts.ndim != 2:
        raise ValueError(f"fisher_exact takes a matrix of counts, not {counts!r}{called()}")
    if method is not None:
        if alternative is not None:
            raise ValueError(f"fisher_exact: with a method, alternative is None{called()}")
        seen = numbers(counts)
        margins = sum(seen, 1), sum(seen, 0)

        def likely(table: TensorVariable) -> TensorVariable:
            return minimum(random_table.pmf(table, *margins, check=False), 1.0)

        chance = _of_tables(method, "fisher_exact", seen, likely, "less")
        return SignificanceResult(likely(seen), chance)
    alternative = "two-sided" if alternative is None else alternative
    one_of("fisher_exact", "alternative", alternative, ("two-sided", "less", "greater"))
    if any(n not in (2, None) for n in counts.type.shape):
        raise ValueError(
            "fisher_exact: a table that is not two by two needs a method, as "
            f"`method=MonteCarloMethod(rng=wt.random.key(0))`{called()}"
        )
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


def poisson_means_test(
    k1: TensorLike,
    n1: TensorLike,
    k2: TensorLike,
    n2: TensorLike,
    *,
    diff: TensorLike = 0,
    alternative: str = "two-sided",
) -> SignificanceResult:
    """Whether the rates of two counts, `k1` of the size `n1` and `k2` of `n2`, differ by `diff`.

    By K. Krishnamoorthy and J. Thomson, A more powerful test for comparing two Poisson means, 2004:
    the probability is that of all pairs of counts which lie as far apart, if rates are those that
    are likeliest. See `scipy.stats.poisson_means_test`. Raises ValueError for another alternative,
    what is no number, and, when it is computed, counts or `diff` below 0, and sizes not above 0.

    >>> [v.eval().round(4).item() for v in poisson_means_test(0, 100, 3, 100)]
    [-1.7321, 0.0884]
    """
    one_of("poisson_means_test", "alternative", alternative, ("two-sided", "less", "greater"))
    given = [numbers(v).astype("float64") for v in (k1, n1, k2, n2, diff)]
    if any(v.ndim for v in given):
        raise ValueError(f"poisson_means_test takes numbers, not {given}{called()}")
    k1, n1, k2, n2, apart = given
    valid = (k1 >= 0) & (k2 >= 0) & (n1 > 0) & (n2 > 0) & (apart >= 0)
    need = "poisson_means_test: counts and diff are 0 or positive, sizes positive"
    k1 = check_and_raise(k1, valid, ValueError, need)
    rate = (k1 + k2 - apart * n1) / (n1 + n2)
    some = rate > 0
    rate = where(some, rate, 1.0)

    def score(one: TensorVariable, two: TensorVariable) -> TensorVariable:
        """0 of no counts at all, which is no evidence."""
        first, second = one / n1, two / n2
        square = first / n1 + second / n2
        away = first - second - apart
        beyond = where(eq(away, 0), 0.0, where(away > 0, inf, -inf))
        return where(square > 0, away / sqrt(where(square > 0, square, 1.0)), beyond)

    def counted(mean: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        """Counts of which more than rounding is likely, and how likely they are."""
        first = poisson.ppf(_RARE, mean)
        places = first + arange(
            poisson.isf(_RARE, mean).astype("int64") - first.astype("int64") + 1
        )
        return places, poisson.pmf(places, mean)

    (ones, likely), (twos, other) = counted(n1 * (rate + apart)), counted(n2 * rate)
    own, every = score(k1, k2), score(ones.expand_dims(1), twos)
    sides = {"less": every <= own, "greater": every >= own, "two-sided": abs(every) >= abs(own)}
    chance = minimum(sum(where(sides[alternative], likely.expand_dims(1) * other, 0.0)), 1.0)
    return SignificanceResult(where(some, own, 0.0), where(some, chance, 1.0))
