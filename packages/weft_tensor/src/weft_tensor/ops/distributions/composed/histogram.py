"""The distribution that a histogram shows: evenly spread in each of its bins."""

from __future__ import annotations

from math import nan
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import checked
from weft_tensor.ops.distributions.laws import Law
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, given_or_common
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.reduction.standard import sum as total
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.types.dtypes import promote

__all__ = ["rv_histogram"]


def rv_histogram(histogram: tuple[TensorLike, TensorLike], *, density: bool | None = None) -> Law:
    """The distribution with the density that a histogram shows: `histogram(x)` is one, for example.

    Slopes by heights and by edges go through all but places of draws. See
    `scipy.stats.rv_histogram`.

    Parameters
    ----------
    histogram
        The heights, or counts, of bins, and their edges, of which there is one more.
    density
        Whether heights are densities, up to a factor; with False, they are counts, and those of
        narrow bins are denser. With None they are densities, as in SciPy where widths differ.

    Raises
    ------
    ValueError
        for others than two vectors, for heights that are negative or all 0, and for edges that do
        not increase.

    Examples
    --------
    >>> law = rv_histogram(([1, 3], [0.0, 1.0, 2.0]))
    >>> law.pdf([0.5, 1.5, 2.5]).eval(), law.mean().eval().item()
    (array([0.25, 0.75, 0.  ]), 1.25)
    """
    heights, edges = map(as_tensor, histogram)
    if heights.ndim != 1 or edges.ndim != 1:
        raise ValueError(
            f"rv_histogram takes heights and edges, two vectors, not {heights!r} and {edges!r}"
            f"{called()}"
        )
    return _Histogram(heights, edges, density is not False)


class _Histogram(Law):
    name = "histogram"

    def __init__(self, heights: TensorVariable, edges: TensorVariable, is_density: bool) -> None:
        kind = promote([heights.dtype, edges.dtype, "float32"])
        kind = "float32" if kind == "float32" else "float64"
        heights, edges = heights.astype(kind), edges.astype(kind)
        ordered = all(diff(edges) > 0)
        self.edges = checked([edges], ordered, "rv_histogram", "edges", "increasing")
        widths = diff(self.edges)
        masses = heights * widths if is_density else heights
        valid = all(heights >= 0) & (total(masses) > 0)
        masses = checked([masses], valid, "rv_histogram", "heights", "0 or more, and not all 0")
        self.masses = masses / total(masses)
        self.heights = self.masses / widths
        none = self.masses[:1] * 0
        self.below = concatenate([none, cumsum(self.masses)])
        self.above = concatenate([none, cumsum(flip(self.masses))])
        """From the last bin on."""
        self.parts = (index(self.below, 0),)

    @uses_key
    def rvs(self, key: TensorLike, size: Size = None) -> TensorVariable:
        return self.ppf(Draws(key, given_or_common(size, self.parts), self.kind).uniform())

    def _value(self, name: str, x: TensorVariable) -> TensorVariable:
        if name in ("ppf", "isf"):
            return self._point(name, x)
        if name.startswith("log"):
            return log_of(self._value(name[3:], x))
        bins = lengths_of(self.heights)[0]
        k = clip(searchsorted(self.edges, x, side="right") - 1, 0, bins - 1)
        height, first, last = index(self.heights, k), self.edges[0], self.edges[-1]
        if name == "pdf":
            value, ends = height, (0.0, 0.0)
        elif name == "cdf":
            value, ends = index(self.below, k) + height * (x - index(self.edges, k)), (0.0, 1.0)
        else:
            rest = height * (index(self.edges, k + 1) - x)
            value, ends = index(self.above, bins - 1 - k) + rest, (1.0, 0.0)
        value = where(x < first, ends[0], where(x >= last, ends[1], value))
        return where(isnan(x), nan, value)

    def _point(self, name: str, q: TensorVariable) -> TensorVariable:
        masses = self.below if name == "ppf" else self.above
        bins = lengths_of(self.heights)[0]
        from_here = clip(searchsorted(masses[1:], q), 0, bins - 1)
        k = from_here if name == "ppf" else bins - 1 - from_here
        way = quotient(q - index(masses, from_here), index(self.heights, k))
        low, high = index(self.edges, k), index(self.edges, k + 1)
        place = clip(low + way if name == "ppf" else high - way, low, high)
        far = self.edges[-1] if name == "ppf" else self.edges[0]
        return where((q >= 0) & (q < 1), place, where(eq(q, 1), far, nan))

    def _moment(self, name: str) -> Any:
        if name == "support":
            return self.edges[0], self.edges[-1]
        if name == "entropy":
            return -total(xlogy(self.masses, self.heights))
        if name not in ("mean", "var"):
            raise self.missing(name)
        middles = (self.edges[1:] + self.edges[:-1]) / 2
        mean = total(self.masses * middles)
        if name == "mean":
            return mean
        return total(self.masses * ((middles - mean) ** 2 + diff(self.edges) ** 2 / 12))
