"""Exact tests of two shares whose common value is not known: of tables of two by two counts."""

from __future__ import annotations

from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.discrete_rows import binom, hypergeom
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.trigonometric import sin
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.standard import all, max, sum
from weft_tensor.ops.sample_statistics.samples import SignificanceResult, one_of
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["barnard_exact", "boschloo_exact"]

_SIDES: Final = ("two-sided", "less", "greater")
_RIGHT_ANGLE: Final = 1.5707963267948966
_ZOOMS: Final = 6
_NEAR: Final = 16
_INFINITE: Final = 1e300
_EQUAL: Final = 1e-13
"""Statistics that differ by a smaller part of themselves are equal."""


def _counts(name: str, table: TensorLike, alternative: str, n: int) -> TensorVariable:
    one_of(name, "alternative", alternative, _SIDES)
    counts = as_tensor(table)
    if counts.ndim != 2:
        raise ValueError(f"{name} takes a table of two by two, not {counts!r}{called()}")
    if n < 1:
        raise ValueError(f"{name}: n is a number of places, 1 or more, not {n!r}{called()}")
    counts = specify_shape(counts, 2, 2).astype("int64")
    message = f"{name}: counts must not be negative"
    return check_and_raise(counts, all(counts >= 0), ValueError, message)


def _likeliest(rare: TensorVariable, n: int) -> TensorVariable:
    """The largest probability of what is `rare`, among all shares that both columns may have.

    Over the share's arcsine, of which peaks are about as wide as 1 / sqrt(observations) anywhere:
    among even places, and six times among places between the two beside the best.
    """
    first, second = (rare.shape[k] - 1 for k in (0, 1))
    part = rare.astype("float64")

    def chances(angle: TensorVariable) -> TensorVariable:
        share = expand_dims(sin(angle) ** 2, 1)
        ones = binom.pmf(arange(first + 1), first, share, check=False)
        twos = binom.pmf(arange(second + 1), second, share, check=False)
        return sum(matmul(ones, part) * twos, -1)

    count = n + (8 * sqrt((first + second).astype("float64"))).astype("int64")
    step = _RIGHT_ANGLE / count
    angles = (arange(count) + 0.5) * step
    start = chances(angles)

    def zoom(k: Any, state: Any) -> Any:
        best, width, highest = state
        near = best + width * (arange(2 * _NEAR + 1) / _NEAR - 1)
        found = chances(near)
        return index(near, argmax(found)), width / _NEAR, maximum(highest, max(found))

    first_state = (index(angles, argmax(start)), step, max(start))
    return minimum(fori_loop(0, _ZOOMS, zoom, first_state)[2], 1.0)


def barnard_exact(
    table: TensorLike, alternative: str = "two-sided", pooled: bool = True, n: int = 32
) -> SignificanceResult:
    """Whether both columns of a table of two by two counts may have one share, by Barnard's test.

    The statistic is the difference of shares over its standard error, that of the `pooled` share
    or of both; the probability the largest among all shares, looked for at `n` places and more.
    NaN and 1 where a column is empty. See `scipy.stats.barnard_exact`. Raises ValueError for
    another shape or alternative, n below 1, and, when it is computed, negative counts.

    >>> [v.eval().round(4).item() for v in barnard_exact([[7, 12], [8, 3]], "less")]
    [-1.8943, 0.0341]
    """
    counts = _counts("barnard_exact", table, alternative, n)
    empty = eq(sum(counts, 0), 0).any()
    totals = where(empty, 1, sum(counts, 0))
    first, second = index(totals, 0), index(totals, 1)
    one, two = expand_dims(arange(first + 1), 1), arange(second + 1)
    shares = one / first, two / second
    if pooled:
        share = (one + two) / (first + second)
        square = share * (1 - share) * (1 / first + 1 / second)
    else:
        square = shares[0] * (1 - shares[0]) / first + shares[1] * (1 - shares[1]) / second
    apart = shares[0] - shares[1]
    exact = eq(one * second, two * first)
    beyond = where(apart > 0, _INFINITE, -_INFINITE)
    some = square > 0
    score = where(exact, 0.0, where(some, apart / sqrt(where(some, square, 1.0)), beyond))
    own = index(score, tuple([where(empty, 0, index(counts, (0, k))) for k in (0, 1)]))
    ways = {"less": (-score, -own), "greater": (score, own), "two-sided": (abs(score), abs(own))}
    values, least = ways[alternative]
    chance = _likeliest(values >= least - _EQUAL * abs(least), n)
    own = where(eq(abs(own), _INFINITE), own * float("inf"), own)
    return SignificanceResult(where(empty, float("nan"), own), where(empty, 1.0, chance))


def boschloo_exact(
    table: TensorLike, alternative: str = "two-sided", n: int = 32
) -> SignificanceResult:
    """Whether both columns of a table of two by two counts may have one share, by Boschloo's test.

    The statistic is the probability of `fisher_exact`, of the rarer side; what is rare is a small
    one. The probability is as for `barnard_exact`, of two sides twice that of the rarer one. NaN
    where a column is empty. See `scipy.stats.boschloo_exact`. Raises ValueError for another shape
    or alternative, n below 1, and, when it is computed, negative counts.

    >>> [v.eval().round(4).item() for v in boschloo_exact([[74, 31], [43, 32]], "greater")]
    [0.0483, 0.0356]
    """
    counts = _counts("boschloo_exact", table, alternative, n)
    empty = eq(sum(counts, 0), 0).any()
    totals = where(empty, 1, sum(counts, 0))
    first, second = index(totals, 0), index(totals, 1)
    one, two = expand_dims(arange(first + 1), 1), arange(second + 1)
    place = [where(empty, 0, index(counts, (0, k))) for k in (0, 1)]

    def of_side(side: str) -> tuple[TensorVariable, TensorVariable]:
        k, size = (one, first) if side == "less" else (two, second)
        values = hypergeom.cdf(k, first + second, one + two, size, check=False)
        own = index(values, tuple(place))
        return own, _likeliest(values <= own * (1 + _EQUAL), n)

    if alternative != "two-sided":
        own, chance = of_side(alternative)
    else:
        (less, at_most), (greater, at_least) = (of_side(side) for side in _SIDES[1:])
        own = where(at_most < at_least, less, greater)
        chance = minimum(2 * minimum(at_most, at_least), 1.0)
    return SignificanceResult(*[where(empty, float("nan"), v) for v in (own, chance)])
