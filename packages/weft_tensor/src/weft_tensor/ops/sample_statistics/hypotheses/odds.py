"""Ratios of odds of two by two counts, and tables of how often levels meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.discrete_rows import log_taken
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.implicit.search import closed_in, line_step
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.take import bincount
from weft_tensor.ops.reduction.logsumexp_softmax import logsumexp
from weft_tensor.ops.reduction.standard import all, any, max, sum
from weft_tensor.ops.sample_statistics.resampling import ConfidenceInterval
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.sets.distinct import unique
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.special.normal import ndtri

__all__ = ["CrosstabResult", "OddsRatioResult", "crosstab", "odds_ratio"]

_SIDES = ("two-sided", "less", "greater")


class OddsRatioResult:
    """A ratio of odds, `statistic`, and intervals of it."""

    def __init__(self, counts: TensorVariable, kind: str) -> None:
        self._counts, self._kind = counts, kind
        margins = [sum(counts, axis) for axis in (0, 1)]
        self._empty: Any = any(margins[0].eq(0)) | any(margins[1].eq(0))
        a, b, c, d = (index(counts, (i, j)) for i in (0, 1) for j in (0, 1))
        ratio = where((b * c).eq(0), inf, a * d / maximum(b * c, 1))
        self._ratio = where((b * c).eq(0) & (a * d).eq(0), nan, ratio)
        found = self._ratio if kind == "sample" else self._likeliest()
        self.statistic: TensorVariable = where(self._empty, nan, found)
        """NaN where a row or a column has no counts."""

    def confidence_interval(
        self, confidence_level: float = 0.95, alternative: str = "two-sided"
    ) -> ConfidenceInterval:
        """Where the ratio is likely to be: by tables with the same margins, or for "sample" by
        the normal law of its logarithm.

        Raises ValueError for a level that is not from 0 to 1, and another alternative.
        """
        one_of("confidence_interval", "alternative", alternative, _SIDES)
        if not 0 <= confidence_level <= 1:
            raise ValueError(f"confidence_level is from 0 to 1, not {confidence_level}{called()}")
        share = 1 - confidence_level
        share = share / 2 if alternative == "two-sided" else share
        low, high = self._ends(share) if self._kind == "conditional" else self._normal_ends(share)
        low = where(self._empty, 0.0, low) if alternative != "less" else as_tensor(0.0)
        high = where(self._empty, inf, high) if alternative != "greater" else as_tensor(inf)
        return ConfidenceInterval(low, high)

    def _normal_ends(self, share: float) -> tuple[TensorVariable, TensorVariable]:
        counts = self._counts.astype("float64")
        some = all(counts > 0)
        apart = -ndtri(share) * sqrt(sum(1 / where(some, counts, 1.0)))
        ratio = where(some, self._ratio, 1.0)
        low = where(self._ratio.eq(0), 0.0, where(some, ratio * exp(-apart), nan))
        return low, where(self._ratio.eq(inf), inf, where(some, ratio * exp(apart), nan))

    def _chances(self) -> tuple[TensorVariable, TensorVariable, Callable[..., TensorVariable]]:
        """The first count; all that it may be; their logarithmic weights for log-odds."""
        a, b, c, d = (index(self._counts, (i, j)) for i in (0, 1) for j in (0, 1))
        least = maximum(a - d, 0)
        support = least + arange(a + minimum(b, c) - least + 1)
        k, first, second, drawn = (v.astype("float64") for v in (support, a + b, c + d, a + c))
        ways = log_taken(first, k) + log_taken(second, drawn - k)
        return a, support, lambda theta: ways + theta * (k - a)

    def _likeliest(self) -> TensorVariable:
        """Where the mean of the first count is what it is."""
        own, support, logs = self._chances()

        def excess(theta: TensorVariable) -> TensorVariable:
            weights = exp(logs(theta) - max(logs(theta)))
            return sum(weights * (support - own)) / sum(weights)

        odds = exp(_root(excess))
        return where(own.eq(max(support)), inf, where(own.eq(index(support, 0)), 0.0, odds))

    def _ends(self, share: float) -> tuple[TensorVariable, TensorVariable]:
        """Where as many of the tables have so large a first count, or so small a one."""
        own, support, logs = self._chances()
        ends = []
        for is_far, way in ((support >= own, 1), (support <= own, -1)):

            def excess(theta: Any, is_far: Any = is_far, way: int = way) -> TensorVariable:
                every = logs(theta)
                tail = logsumexp(where(is_far, every, -inf)) - logsumexp(every)
                return way * (tail - log(constant(share)))

            ends.append(exp(_root(excess)))
        low, high = ends
        return (
            where(own.eq(index(support, 0)), 0.0, low),
            where(own.eq(max(support)), inf, high),
        )


def _root(excess: Callable[..., TensorVariable]) -> TensorVariable:
    found = closed_in(excess, constant(-700.0), constant(700.0), 0.8)
    root: TensorVariable = found.a + line_step(found)
    return root


def odds_ratio(table: TensorLike, *, kind: str = "conditional") -> OddsRatioResult:
    """The odds of the first row of a table of two by two counts over those of the second.

    Of `kind` "conditional" it is the likeliest ratio, of tables with the same margins; of
    "sample" that of the counts. The result has `statistic`, and `confidence_interval`. See
    `scipy.stats.contingency.odds_ratio`. Raises ValueError for another kind or shape, for what
    are no integers, and, at the call if it is not known before, for negative counts.

    >>> result = odds_ratio([[7, 15], [58, 472]])
    >>> result.statistic.eval().round(4), result.confidence_interval().low.eval().round(4)
    (np.float64(3.7837), np.float64(1.2515))
    """
    one_of("odds_ratio", "kind", kind, ("conditional", "sample"))
    counts = as_tensor(table)
    if counts.ndim != 2 or counts.dtype[0] not in "iu":
        raise ValueError(
            f"odds_ratio takes a table of two by two integers, not {counts!r}{called()}"
        )
    counts = specify_shape(counts, 2, 2).astype("int64")
    message = "odds_ratio: counts can't be negative"
    return OddsRatioResult(check_and_raise(counts, all(counts >= 0), ValueError, message), kind)


@dataclass(frozen=True)
class CrosstabResult:
    """The levels of each sequence, and how often they meet; it unpacks into both."""

    elements: tuple[Any, ...]
    count: TensorVariable

    def __iter__(self) -> Iterator[Any]:
        return iter((self.elements, self.count))


def crosstab(
    *args: Any, levels: Sequence[Any] | None = None, sparse: bool = False
) -> CrosstabResult:
    """How often each combination of levels is in sequences of one length.

    See `scipy.stats.contingency.crosstab`.

    Parameters
    ----------
    *args
        Sequences: tensors, or arrays and lists, which may have texts.
    levels
        For each sequence the levels that count, or None for all that it has, in order.
    sparse
        False.

    Raises
    ------
    ValueError
        for levels of another number of sequences, sequences that are no vectors, and where
        `sparse` is true.

    Examples
    --------
    >>> from weft_tensor import vector
    >>> g = vector("g")
    >>> crosstab(["a", "b", "a"], g, levels=(None, [1.0, 2.0, 3.0])).count.eval({g: [1, 2, 3]})
    array([[1, 0, 1],
           [0, 1, 0]])
    >>> crosstab(["a", "b", "a"], g).count.eval({g: [1, 5, 1]})
    array([[2, 0],
           [0, 1]])
    """
    if not args:
        raise TypeError(f"crosstab takes at least one sequence{called()}")
    if sparse:
        raise ValueError(f"crosstab: sparse tables are not here: write sparse=False{called()}")
    given = [None] * len(args) if levels is None else list(levels)
    if len(given) != len(args):
        raise ValueError(
            f"crosstab: levels are for {len(given)} sequences, and there are {len(args)}{called()}"
        )
    elements, place, counts = [], as_tensor(0), as_tensor(True)
    size: Any = 1
    for sequence, of in zip(args, given, strict=True):
        known, codes, fits = _coded(sequence, of)
        elements.append(known)
        length = len(known) if not isinstance(known, Variable) else lengths_of(known)[0]
        place, counts, size = place * length + codes, counts & fits, size * length
    table = bincount(where(counts, place, size), length=size)
    sizes = [len(v) if not isinstance(v, Variable) else lengths_of(v)[0] for v in elements]
    return CrosstabResult(tuple(elements), reshape(table, sizes))


def _coded(sequence: Any, levels: Any) -> tuple[Any, TensorVariable, TensorVariable]:
    """The levels; which of them each element is, and whether it is one."""
    if not isinstance(sequence, Variable) and not isinstance(levels, Variable):
        values = np.asarray(sequence)
        if values.ndim != 1:
            raise ValueError(
                f"crosstab takes vectors, not an array of rank {values.ndim}{called()}"
            )
        known = np.unique(values) if levels is None else np.asarray(levels)
        same: Any = values[:, None] == known
        codes = (same * np.arange(len(known))).max(1, initial=0)
        return known if levels is None else levels, constant(codes), constant(same.any(1))
    tensor = as_tensor(sequence)
    if levels is None and tensor.ndim == 1:
        own, codes = unique(tensor, return_inverse=True)
        return own, codes, as_tensor(True)
    among = as_tensor([] if levels is None else levels)
    if tensor.ndim != 1 or among.ndim != 1:
        raise ValueError(f"crosstab takes vectors, not {tensor!r} with levels {among!r}{called()}")
    equal = tensor[:, None].eq(among)
    places = max(where(equal, arange(lengths_of(among)[0]), 0), axis=1, initial=0)
    return levels, places, any(equal, axis=1)
