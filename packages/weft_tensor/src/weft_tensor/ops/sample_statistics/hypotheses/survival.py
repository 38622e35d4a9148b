"""Whether two samples of lifetimes, of which some are only known to be longer, are alike."""

from __future__ import annotations

from typing import NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import (
    SignificanceResult,
    numbers,
    one_of,
    probability,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["CensoredData", "logrank"]


class CensoredData(NamedTuple):
    """Observations that are known, and those of which only a number is that they are above."""

    uncensored: TensorLike = ()
    right: TensorLike = ()


class _Lives(NamedTuple):
    ends: TensorVariable
    """The known ones."""
    all: TensorVariable
    """All, in order."""

    def at_risk(self, times: TensorVariable) -> TensorVariable:
        """How many have not ended before each time."""
        size = lengths_of(self.all)[0]
        return (size - searchsorted(self.all, times, side="left")).astype("float64")


def _lives(name: str, sample: TensorLike | CensoredData) -> _Lives:
    of = sample if isinstance(sample, CensoredData) else CensoredData(sample)
    ends, right = (
        constant([0.0])[:0] if isinstance(v, tuple) and not v else numbers(v) for v in of
    )
    if ends.ndim != 1 or right.ndim != 1:
        raise ValueError(f"{name} takes vectors, not {ends!r} and {right!r}{called()}")
    return _Lives(ends, sort(concatenate([ends, right], 0), -1))


def logrank(
    x: TensorLike | CensoredData, y: TensorLike | CensoredData, alternative: str = "two-sided"
) -> SignificanceResult:
    """Whether two samples of lifetimes may have one distribution, by the logrank test.

    Samples are vectors, or `CensoredData(uncensored=, right=)`. With "greater" those of x end
    sooner, which a positive statistic says. By N. Mantel, Evaluation of survival data and two new
    rank order statistics arising in its consideration, 1966. See `scipy.stats.logrank`. Raises
    ValueError for another alternative, and what is no vector.

    >>> x = CensoredData(uncensored=[6.0, 13.0, 21.0], right=[31.0])
    >>> logrank(x, [10.0, 10.0, 12.0, 13.0]).statistic.eval().round(4)
    np.float64(-1.3599)
    """
    one_of("logrank", "alternative", alternative, ("two-sided", "less", "greater"))
    first, second = _lives("logrank", x), _lives("logrank", y)
    times = sort(concatenate([first.ends, second.ends], 0), -1)
    before = searchsorted(times, times, side="left")
    deaths = (searchsorted(times, times, side="right") - before).astype("float64")
    # Each time stands once for each of its deaths, and has that share of them.
    own, other = first.at_risk(times), second.at_risk(times)
    both = own + other
    expected = sum(own / both)
    several = both > 1
    rest = own * other * (both - deaths) / (both**2 * where(several, both - 1, 1.0))
    spread = sqrt(sum(where(several, rest, 0.0)))
    count = lengths_of(first.ends)[0].astype("float64")
    statistic = (count - expected) / spread
    return SignificanceResult(statistic, probability(norm, statistic, alternative))
