"""Tests by ranks of whether one sample is wider, and of whether treatments do more and more."""

from __future__ import annotations

from math import nan
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all, any, sum
from weft_tensor.ops.sample_statistics.ranks import rankdata, ties_of
from weft_tensor.ops.sample_statistics.samples import (
    SignificanceResult,
    numbers,
    one_of,
    probability,
    several,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.types.axes import Axes

__all__ = ["ansari", "page_trend_test"]

_MANY: Final = 55
"""From how many observations of a sample on SciPy takes a normal number."""
_WIDE: Final = 8
"""Up to so many treatments there is an exact distribution."""


def ansari(
    x: TensorLike,
    y: TensorLike,
    alternative: str = "two-sided",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether two samples may have one spread, by ranks from both ends of all observations.

    The probability is exact for fewer than 55 observations of both without ties, else that of a
    normal number. See `scipy.stats.ansari`. "greater" is for a wider `x`. Raises ValueError for
    another alternative. NaN leads to NaN.

    >>> [v.eval().round(4).item() for v in ansari([1.0, 9.0, 5.0], [4.0, 4.5, 5.5, 6.0])]
    [6.0, 0.8571]
    """
    one_of("ansari", "alternative", alternative, ("two-sided", "less", "greater"))
    of = several([x, y], axis, nan_policy, keepdims)
    rows = concatenate([v.rows for v in of], -1)
    ranks = rankdata(rows, axis=-1)
    sizes = [lengths_of(v.rows)[-1] for v in of]
    n, m = (v.astype("float64") for v in sizes)
    total = n + m
    ends = minimum(ranks, total - ranks + 1)
    statistic = sum(index(ends, (..., slice(0, sizes[0]))), -1)
    ties = ties_of(sort(rows, -1))
    is_odd = (sizes[0] + sizes[1]) % 2
    middle = where(is_odd, n * (total + 1) ** 2 / (4 * total), n * (total + 2) / 4)
    mean = middle / n
    square = sum(ends**2, -1) / total - mean**2
    deviation = sqrt(n * m / (total - 1) * square)

    def asymptotic() -> TensorVariable:
        return probability(norm, (middle - statistic) / deviation, alternative)

    def exact() -> TensorVariable:
        shares = _sums_of_ends(*sizes)
        below = cumsum(shares)
        above = index(cumsum(index(shares, slice(None, None, -1))), slice(None, None, -1))
        last = lengths_of(shares)[0] - 1
        known = where(isnan(statistic), 0.0, statistic)
        at_most = take(below, minimum(floor(known), last).astype("int64"))
        at_least = take(above, minimum(ceil(known), last).astype("int64"))
        both = 2 * minimum(at_most, at_least)
        return minimum({"greater": at_most, "less": at_least}.get(alternative, both), 1.0)

    few = maximum(*sizes) < _MANY
    tied = any(ties.last > ties.first, -1)
    some = asymptotic() + 0 * statistic
    chance = ifelse(few, where(tied, some, exact()), some)
    empty = minimum(*sizes).eq(0) | isnan(statistic)
    kind = of[0].rows.dtype
    results = (where(empty, nan, v).astype(kind) for v in (statistic, chance))
    return SignificanceResult(*[of[0].result(v) for v in results])


def _sums_of_ends(n: TensorVariable, m: TensorVariable) -> TensorVariable:
    """The probabilities of the sums of n of the numbers 1, 2, ..., 2, 1, of which there are n + m.

    After so many numbers, of how many have been taken, and their sum.
    """
    total = n + m
    sums = arange((total + 1) * (total + 1) // 4 + 1)
    counts = arange(n + 1).expand_dims(1)

    def step(k: TensorVariable, shares: TensorVariable) -> TensorVariable:
        before = sums - minimum(k, total + 1 - k)
        fewer = index(shares, (maximum(counts - 1, 0), maximum(before, 0)))
        taken = where((counts >= 1) & (before >= 0), fewer * counts, 0.0)
        left = k - counts
        return where(left >= 0, (taken + shares * left) / k, 0.0)

    first = index(zeros((n + 1, lengths_of(sums)[0]), "float64"), (0, 0)).set(1.0)
    ends: TensorVariable = fori_loop(1, total + 1, step, first)
    return index(ends, n)


def page_trend_test(
    data: TensorLike,
    ranked: bool = False,
    predicted_ranks: TensorLike | None = None,
    method: str = "auto",
) -> SignificanceResult:
    """Whether treatments, the columns, do more and more, by ranks within each subject, the rows.

    By E. B. Page, Ordered hypotheses for multiple treatments, 1963. See
    `scipy.stats.page_trend_test`.

    Parameters
    ----------
    data
        A matrix of at least two rows and three columns.
    ranked
        Whether data are ranks.
    predicted_ranks
        The expected ranks of the columns; by default 1, 2, ...
    method
        "asymptotic" for a normal number; "exact" for the distribution without ties, of at most 8
        columns; "auto" for it where there are at most 12 rows, or at most 20 of three columns. For
        both, the lengths must be known.

    Raises
    ------
    ValueError
        for what is no matrix or too small, another method, lengths that are not known, and, when it
        is computed, ranks that are not from 1 to the number of columns.

    Examples
    --------
    >>> page_trend_test([[1.0, 2.0, 3.0], [2.0, 1.0, 4.0]]).pvalue.eval().round(4)
    np.float64(0.1389)
    """
    one_of("page_trend_test", "method", method, ("auto", "asymptotic", "exact"))
    given = numbers(data)
    if given.ndim != 2:
        raise ValueError(f"page_trend_test takes a matrix, not {given!r}{called()}")
    rows, columns = (static_length(v) for v in lengths_of(given))
    if (isinstance(rows, int) and rows < 2) or (isinstance(columns, int) and columns < 3):
        few = "page_trend_test takes two rows and three columns or more"
        raise ValueError(f"{few}, not {rows} and {columns}{called()}")
    m, n = (v.astype("float64") for v in lengths_of(given))
    ranks = given if ranked else rankdata(given, axis=-1)
    if ranked:
        inside = all((ranks >= 1) & (ranks <= n))
        ranks = check_and_raise(
            ranks, inside, ValueError, "page_trend_test: ranks are from 1 to the number of columns"
        )
    places = arange(1, lengths_of(given)[1] + 1)
    if predicted_ranks is not None:
        wanted = as_tensor(predicted_ranks)
        message = "page_trend_test: predicted_ranks has each of the ranks of the columns once"
        places = check_and_raise(wanted, all(eq(sort(wanted, -1), places)), ValueError, message)
    statistic = sum(ranks * places, (-2, -1))
    if method == "asymptotic" or (method == "auto" and not _is_small(rows, columns)):
        middle = m * n * (n + 1) ** 2 / 4
        spread = m * n**2 * (n + 1) * (n**2 - 1) / 144
        chance: Any = norm.sf((statistic - middle) / sqrt(spread), check=False)
    else:
        if not isinstance(rows, int) or not isinstance(columns, int) or columns > _WIDE:
            need = f"page_trend_test: exact probabilities need at most {_WIDE} columns, and lengths"
            way = "that are known: give them by `specify_shape`, or method='asymptotic'"
            raise ValueError(f"{need} {way}{called()}")
        least = rows * columns * (columns + 1) * (columns + 2) // 6
        table = constant(_agreements(rows, columns))
        at = ceil(where(isnan(statistic), least, statistic)) - least
        chance = where(isnan(statistic), nan, take(table, at.astype("int64")))
    kind = given.dtype
    return SignificanceResult(statistic.astype(kind), as_tensor(chance).astype(kind))


def _is_small(rows: Any, columns: Any) -> bool:
    if not isinstance(rows, int) or not isinstance(columns, int):
        return True
    return columns <= _WIDE and rows <= (20 if columns == 3 else 12)


def _agreements(rows: int, columns: int) -> np.ndarray:
    """The probabilities of at least each sum of products of places and ranks, from the least on.

    One row after another; in a row, by which places have had a rank so far.
    """
    length = columns * (columns + 1) * (2 * columns + 1) // 6 + 1
    ways = {0: np.eye(1, length)[0]}
    for rank in range(1, columns + 1):
        more: dict[int, np.ndarray] = {}
        for taken, counts in ways.items():
            for place in range(columns):
                if not taken & 1 << place:
                    moved = np.roll(counts, rank * (place + 1))  # nothing falls off the end
                    both = taken | 1 << place
                    more[both] = more.get(both, 0) + moved
        ways = more
    one = ways[2**columns - 1][columns * (columns + 1) * (columns + 2) // 6 :]
    one = one / one.sum()
    total = np.ones(1)
    for _ in range(rows):
        total = np.convolve(total, one)
    return np.cumsum(total[::-1])[::-1]
