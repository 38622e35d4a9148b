"""Tables of values on a rectangular grid, read between its points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from operator import add, and_, mul, or_
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.interpolate.basis import basis_at
from weft_tensor.ops.interpolate.conditions import increasing, of_one_dtype, real_vector
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.spline_fits import knots_through, make_interp_spline
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["RegularGridInterpolator", "coordinates_of", "interpn", "read_between"]

_DEGREES: Final = {"slinear": 1, "cubic": 3, "quintic": 5}
Term = tuple[TensorVariable, TensorVariable]
_METHODS: Final = ("linear", "nearest", *_DEGREES)


class RegularGridInterpolator:
    """A table of values on a rectangular grid, read between its points.

    See `scipy.interpolate.RegularGridInterpolator`.

    Parameters
    ----------
    points
        The places along each axis: vectors, strictly increasing.
    values
        The table, real or complex: the first axes are those of the grid.
    method
        "linear", "nearest", or splines along each axis through all values: "slinear", "cubic" or
        "quintic".
    bounds_error
        Whether places outside of the grid, and NaN, are a ValueError at the call; else what is
        outside is `fill_value`, and NaN gives NaN.
    fill_value
        A number, or None to go on from the outermost pieces.

    Raises
    ------
    ValueError
        for another method, other ranks and lengths, or points that do not increase: at the call
        where it is unknown before.
    TypeError
        for complex points.

    Examples
    --------
    >>> table = RegularGridInterpolator(([0.0, 1.0], [0.0, 2.0]), [[0.0, 2.0], [10.0, 12.0]])
    >>> table([[0.5, 1.0], [1.0, 0.5]]).eval()
    array([ 6. , 10.5])
    """

    def __init__(
        self,
        points: Sequence[TensorLike],
        values: TensorLike,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: TensorLike | None = float("nan"),
    ) -> None:
        self.method = _method(method)
        table = as_floating(values)
        if not 0 < len(points) <= table.ndim:
            raise ValueError(
                f"there are {len(points)} vectors of points for values of {table.ndim} axes"
                f"{called()}"
            )
        names = [f"points in dimension {i}" for i in range(len(points))]
        vectors = [
            increasing(real_vector(p, name), name) for p, name in zip(points, names, strict=True)
        ]
        lengths = [lengths_of(p)[0] for p in vectors]
        self.values = specify_shape(table, (*lengths, *[None] * (table.ndim - len(points))))
        self.grid = tuple(vectors)
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any, method: str | None = None) -> TensorVariable:
        """The values at places: a tensor whose last axis has the coordinates, or a tuple of them.

        A vector is as a matrix of as many rows as it has places. Raises ValueError for another
        number of coordinates.
        """
        way = self.method if method is None else _method(method)
        coordinates = coordinates_of(xi, len(self.grid))
        pairs = [of_one_dtype(v, p) for v, p in zip(coordinates, self.grid, strict=True)]
        inside = [(v >= index(p, 0)) & (v <= index(p, -1)) for v, p in pairs]
        if self.bounds_error:
            pairs = [
                (check_and_raise(v, fits, ValueError, f"xi is out of bounds in dimension {i}"), p)
                for i, ((v, p), fits) in enumerate(zip(pairs, inside, strict=True))
            ]
        table = self.values
        if way in _DEGREES:
            for axis, p in enumerate(self.grid):
                table = make_interp_spline(p, table, _DEGREES[way], axis=axis).c
                table = moveaxis(table, 0, axis)
        values = read_between(table, [_terms(way, v, p) for v, p in pairs])
        rank = table.ndim - len(self.grid)
        if self.fill_value is not None and not self.bounds_error:
            other = as_tensor(self.fill_value).astype(values.dtype)
            values = where(beside(reduce(and_, inside), rank), values, other)
        absent = reduce(or_, [isnan(v) for v in coordinates])
        return where(beside(absent, rank), float("nan"), values)


def interpn(
    points: Sequence[TensorLike],
    values: TensorLike,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: TensorLike | None = float("nan"),
) -> TensorVariable:
    """The values at `xi` of a table on a rectangular grid, as of `RegularGridInterpolator`.

    >>> interpn([[0.0, 1.0, 3.0]], [0.0, 10.0, 30.0], [[0.5], [2.0]]).eval()
    array([ 5., 20.])
    """
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


def _method(method: str) -> str:
    if method not in _METHODS:
        allowed = ", ".join(map(repr, _METHODS))
        raise ValueError(f"the method must be one of {allowed}, not {method!r}{called()}")
    return method


def coordinates_of(xi: Any, rank: int) -> Sequence[TensorVariable]:
    """The places along each axis, of a tuple of them, or of a tensor whose last axis has them."""
    if isinstance(xi, tuple):
        if len(xi) != rank:
            raise ValueError(f"xi must have {rank} coordinates, not {len(xi)}{called()}")
        return broadcast_arrays(*(as_floating(v) for v in xi))
    places = as_floating(xi)
    if places.ndim < 2:
        places = reshape(places, (-1, rank))
    places = specify_shape(places, (*[None] * (places.ndim - 1), rank))
    return [index(places, (..., i)) for i in range(rank)]


def read_between(table: TensorVariable, terms: Sequence[Sequence[Term]]) -> TensorVariable:
    """The sum over all combinations of one term of each axis."""
    rank = table.ndim - len(terms)
    products = [
        beside(reduce(mul, [share for _, share in corner]), rank)
        * index(table, tuple(place for place, _ in corner))
        for corner in product(*terms)
    ]
    return reduce(add, products)


def _terms(method: str, at: TensorVariable, points: TensorVariable) -> list[Term]:
    """The places along an axis that matter, and by how much."""
    if method in _DEGREES:
        degree = _DEGREES[method]
        first, shares = basis_at(knots_through(points, degree, (None, None)), degree, at)
        return [(first + j, share) for j, share in enumerate(shares)]
    last = lengths_of(points)[0] - 1
    low = clip(searchsorted(points, at, "right") - 1, 0, clip(last - 1, 0, None))
    high = clip(low + 1, None, last)
    start = index(points, low)
    share = quotient(at - start, index(points, high) - start)
    if method == "nearest":
        return [(where(share <= 0.5, low, high), ones_like(share))]
    return [(low, 1 - share), (high, share)]
