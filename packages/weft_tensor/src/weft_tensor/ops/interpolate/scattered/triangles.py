"""Functions that are linear in triangles between scattered points, which are numbers."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from itertools import product
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.scattered.places import places_of
from weft_tensor.ops.shape.known_shape import specify_shape

__all__ = ["LinearNDInterpolator", "Located", "Triangles"]

_OUTSIDE: Final = -100 * float(np.finfo("float64").eps)
"""What shares of corners are not below, but for rounding, in a triangle."""


class Located(NamedTuple):
    """Where places are."""

    simplex: TensorVariable
    """In which triangle."""
    inside: TensorVariable
    """Whether they are in any."""
    weights: list[TensorVariable]
    """The share of each corner."""

    def filled(self, values: TensorVariable, fill_value: TensorLike) -> TensorVariable:
        """`values`, and in no triangle `fill_value`."""
        inside = beside(self.inside, values.ndim - self.inside.ndim)
        return where(inside, values, as_tensor(fill_value).astype(values.dtype))


class Triangles:
    """Delaunay's triangles between points, which are numbers, chosen by SciPy."""

    def __init__(self, name: str, points: Any, rescale: bool) -> None:
        at = places_of(points)
        columns: Any = at.type.shape[1] if at.ndim == 2 else 0
        if not isinstance(at.op, Constant) or columns < 2:
            raise ValueError(
                f"{name}: points are numbers, in rows of two or more coordinates, between which "
                f"triangles are chosen, not {at!r}{called()}"
            )
        self._name, self.points = name, at.op.value
        low, high = self.points.min(0), self.points.max(0)
        self._origin = low
        self.scale = np.where(high > low, high - low, 1.0) if rescale else np.ones_like(low)
        cut = lazy_import("scipy.spatial.Delaunay")((self.points - low) / self.scale)
        good = np.isfinite(cut.transform).all((1, 2))  # some have no area
        self.simplices, self.beside = cut.simplices[good].astype("int64"), cut.neighbors[good]
        self.cut = cut
        self._inverse, self._corner = np.split(cut.transform[good], [len(low)], 1)
        count = max(1, round(len(self.simplices) ** (1 / len(low))))
        inner = np.linspace(0, 1, count + 1)[1:-1]
        self._edges = [np.quantile(column, inner) for column in cut.points.T]
        self._near = self._by_cell(cut.points)

    def _by_cell(self, points: np.ndarray) -> np.ndarray:
        """The triangles whose boxes touch a cell; others fill the room that is left."""
        corners = points[self.simplices]
        low, high = (
            np.stack(
                [np.searchsorted(*pair, "right") for pair in zip(self._edges, v.T, strict=True)], -1
            )
            for v in (corners.min(1), corners.max(1))
        )
        size = [len(edges) + 1 for edges in self._edges]
        near = defaultdict[Any, list[int]](list)
        for k, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            for cell in product(*(range(a, b + 1) for a, b in zip(first, last, strict=True))):
                near[cell].append(k)
        table = np.zeros((*size, max(map(len, near.values()))), "int64")
        for cell, own in near.items():
            table[cell][: len(own)] = own
        return table

    def table(self, values: TensorLike) -> TensorVariable:
        """Values, along the first axis as many as there are points."""
        table = as_floating(values)
        return specify_shape(table, len(self.points), *[None] * (table.ndim - 1))

    def corners(self, at: Located) -> TensorVariable:
        """Which points the corners are, along a last axis."""
        return index(constant(self.simplices), at.simplex)

    def located(self, *xi: Any) -> Located:
        """In which triangle places are: their coordinates along the last axis, or one argument for
        each."""
        at = places_of(xi if len(xi) > 1 else xi[0], len(self._origin))
        if at.type.shape[-1] not in (None, len(self._origin)):
            raise ValueError(
                f"{self._name}: places have {len(self._origin)} coordinates, not {at!r}{called()}"
            )
        scaled = (at.astype("float64") - self._origin) / self.scale
        along = [scaled[..., k] for k in range(len(self._origin))]
        pairs = zip(self._edges, along, strict=True)
        cells = [searchsorted(constant(edges), v, side="right") for edges, v in pairs]
        near = index(constant(self._near), tuple(cells))
        shares = self._shares(near, [v.expand_dims(-1) for v in along])
        least = reduce(minimum, shares)
        best = argmax(least, -1).expand_dims(-1)
        pick = [take_along_axis(v, best, -1)[..., 0] for v in (near, least, *shares)]
        simplex, lowest, *weights = pick
        return Located(simplex, lowest >= _OUTSIDE, weights)

    def _shares(self, near: TensorVariable, at: list[TensorVariable]) -> list[TensorVariable]:
        """The share of each corner in places, by each triangle that may have them."""
        apart = [v - index(constant(self._corner[:, 0, k]), near) for k, v in enumerate(at)]
        rows = [
            reduce(
                add,
                [index(constant(column), near) * v for column, v in zip(row, apart, strict=True)],
            )
            for row in self._inverse.transpose(1, 2, 0)
        ]
        return [*rows, 1 - reduce(add, rows)]


class LinearNDInterpolator:
    """Values at points that lie anywhere, and between them what is linear in each triangle.

    Triangles (in three dimensions tetrahedra, and so on) are Delaunay's, chosen by SciPy when the
    graph is built; values and places may be variables. A place is looked for among the triangles
    that touch its cell of a grid, whose lines have as many points between them each. See
    `scipy.interpolate.LinearNDInterpolator`.

    Parameters
    ----------
    points
        Numbers: a row for each point, of two or more columns; or a tuple of coordinates.
    values
        Values along the first axis, real or complex.
    fill_value
        What is outside of all triangles.
    rescale
        Whether each coordinate is divided by its range before triangles are chosen.

    Raises
    ------
    ValueError
        for points that are variables, or a vector, and other lengths.

    Examples
    --------
    >>> corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> LinearNDInterpolator(corners, [0.0, 10.0, 20.0])([[0.5, 0.25], [1.0, 1.0]]).eval()
    array([10., nan])
    """

    def __init__(
        self,
        points: Any,
        values: TensorLike,
        fill_value: TensorLike = float("nan"),
        rescale: bool = False,
    ) -> None:
        self._triangles = Triangles("LinearNDInterpolator", points, rescale)
        self.points, self.fill_value = self._triangles.points, fill_value
        self.values = self._triangles.table(values)

    def __call__(self, *xi: Any) -> TensorVariable:
        """The values at places: their coordinates along the last axis, or one argument for each."""
        at = self._triangles.located(*xi)
        corners = self._triangles.corners(at)
        rank = self.values.ndim - 1
        terms = [
            beside(w.astype(self.values.real.dtype), rank) * index(self.values, corners[..., k])
            for k, w in enumerate(at.weights)
        ]
        return at.filled(reduce(add, terms), self.fill_value)
