"""Functions through points that lie anywhere."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like, zeros
from weft_tensor.ops.creation.diagonals import diag
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.argmax import argmin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.interpolate.conditions import of_one_dtype
from weft_tensor.ops.interpolate.older_names import interp1d
from weft_tensor.ops.interpolate.scattered.cubic_triangles import CloughTocher2DInterpolator
from weft_tensor.ops.interpolate.scattered.places import places_of
from weft_tensor.ops.interpolate.scattered.triangles import LinearNDInterpolator
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.matrices.systems import solve
from weft_tensor.ops.reduction.standard import max, min, prod, sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import ravel, reshape

__all__ = ["NearestNDInterpolator", "RBFInterpolator", "griddata"]


def _log_square(square: TensorVariable) -> TensorVariable:
    away = square > 0
    return where(away, square * log(where(away, square, 1.0)) / 2, 0.0)


def _length(square: TensorVariable) -> TensorVariable:
    away = square > 0
    return where(away, sqrt(where(away, square, 1.0)), 0.0)


_KERNELS: Final[dict[str, tuple[Callable[[TensorVariable], Any], int]]] = {
    "linear": (lambda s: -_length(s), 0),
    "thin_plate_spline": (_log_square, 1),
    "cubic": (lambda s: _length(s) * s, 1),
    "quintic": (lambda s: -_length(s) * s**2, 2),
    "multiquadric": (lambda s: -sqrt(s + 1), 0),
    "inverse_multiquadric": (lambda s: 1 / sqrt(s + 1), -1),
    "inverse_quadratic": (lambda s: 1 / (s + 1), -1),
    "gaussian": (lambda s: exp(-s), -1),
}
"""Functions of squared distances, and the least degree of the polynomial that each needs."""
_WITHOUT_SCALE: Final = ("linear", "thin_plate_spline", "cubic", "quintic")


def _points(value: TensorLike, name: str) -> TensorVariable:
    x = as_floating(value)
    if x.ndim != 2 or x.is_complex:
        wanted = "a real matrix with a row for each point"
        raise ValueError(f"{name} must be {wanted}, not {x!r}{called()}")
    return x


class RBFInterpolator:
    """A sum of functions of the distances to points, and a polynomial, through values there.

    Distances are all computed, and a system of as many equations as points is solved, or of a few
    neighbors for each place. See `scipy.interpolate.RBFInterpolator`.

    Parameters
    ----------
    y
        The points: a matrix with a row for each, of a known number of columns if there is a
        polynomial of degree 1 or more.
    d
        Values along the first axis, real.
    neighbors
        How many of the nearest points count for each place; None: all.
    smoothing
        How far values may be missed: a number or a vector, 0 by default.
    kernel
        "thin_plate_spline", "linear", "cubic", "quintic", "multiquadric", "inverse_multiquadric",
        "inverse_quadratic" or "gaussian".
    epsilon
        What distances are multiplied by: needed for the last four kernels. It may be a variable.
    degree
        That of the polynomial, -1 for none: by default the least that the kernel needs, or 0.

    Raises
    ------
    ValueError
        for neighbors below 1, another kernel, a missing epsilon, a degree below -1, and other
        ranks.

    Examples
    --------
    >>> points = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> RBFInterpolator(points, [0.0, 1.0, 1.0, 2.0])([[0.5, 0.25]]).eval().round(6)
    array([0.75])
    """

    def __init__(
        self,
        y: TensorLike,
        d: TensorLike,
        neighbors: int | None = None,
        smoothing: TensorLike = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: TensorLike | None = None,
        degree: int | None = None,
    ) -> None:
        if neighbors is not None and neighbors < 1:
            raise ValueError(f"RBFInterpolator: neighbors is 1 or more, not {neighbors}{called()}")
        one_of("RBFInterpolator", "kernel", kernel, tuple(_KERNELS))
        if epsilon is None and kernel not in _WITHOUT_SCALE:
            raise ValueError(f"RBFInterpolator: kernel {kernel!r} needs an epsilon{called()}")
        self._kernel, least = _KERNELS[kernel]
        degree = builtins.max(least, 0) if degree is None else degree
        if degree < -1:
            raise ValueError(f"RBFInterpolator: degree is -1 or more, not {degree!r}{called()}")
        points, values = of_one_dtype(_points(y, "RBFInterpolator: y"), as_floating(d))
        n = lengths_of(points)[0]
        values = specify_shape(values, n, *[None] * (values.ndim - 1))
        self.y, self._shape = points, lengths_of(values)[1:]
        self._of_few: Callable[[TensorVariable], TensorVariable] | None = None
        if neighbors is not None:
            rough = broadcast_to(as_tensor(smoothing), (n,))
            of_all = points, values, rough

            def near(at: TensorVariable) -> TensorVariable:
                chosen = argsort(sum((points - at) ** 2, -1), stable=True)[:neighbors]
                y, d, smooth = (index(v, chosen) for v in of_all)
                few = RBFInterpolator(y, d, None, smooth, kernel, epsilon, degree)
                return index(few(at.expand_dims(0)), 0)

            self._of_few = near
            return
        self._scale = as_tensor(1.0 if epsilon is None else epsilon).astype(points.dtype)
        self._powers = _powers(points, degree)
        low, high = min(points, 0), max(points, 0)
        self._middle = (low + high) / 2
        self._width = where(high > low, (high - low) / 2, 1.0)
        rough = self._waves(points) + diag(broadcast_to(as_tensor(smoothing), (n,)))
        terms = self._terms(points)
        count = len(self._powers)
        none = zeros((count, count), points.dtype)
        above, below = concatenate([rough, terms], 1), concatenate([terms.T, none], 1)
        right = reshape(values, (n, -1))
        right = concatenate([right, zeros((count, lengths_of(right)[1]), points.dtype)], 0)
        self._weights = solve(concatenate([above, below], 0).astype(points.dtype), right)

    def _waves(self, x: TensorVariable) -> TensorVariable:
        apart = (x.expand_dims(1) - self.y) * self._scale
        waves: TensorVariable = self._kernel(sum(apart**2, -1))
        return waves

    def _terms(self, x: TensorVariable) -> TensorVariable:
        """The monomials of points, a column for each."""
        if not self._powers:
            return zeros((lengths_of(x)[0], 0), x.dtype)
        at = (x - self._middle) / self._width
        one = ones_like(index(at, (slice(None), 0)))
        columns = [prod(stack([one, *(at[:, k] for k in axes)], 0), 0) for axes in self._powers]
        return stack(columns, 1)

    def __call__(self, x: TensorLike) -> TensorVariable:
        """The values at points: a matrix with a row for each."""
        at, _ = of_one_dtype(_points(x, "RBFInterpolator: x"), self.y)
        if self._of_few is not None:
            return lazy_import("weft_tensor.batching.functions.vmap")(self._of_few)(at)
        values = matmul(concatenate([self._waves(at), self._terms(at)], 1), self._weights)
        return reshape(values, (lengths_of(at)[0], *self._shape))


def _powers(points: TensorVariable, degree: int) -> list[tuple[int, ...]]:
    """The axes whose coordinates are multiplied in each monomial up to a degree."""
    if degree < 1:
        return [()] * (degree + 1)
    axes = static_length(lengths_of(points)[1])
    if not isinstance(axes, int):
        raise ValueError(f"RBFInterpolator: how many columns y has must be known{called()}")
    return [
        each for k in range(degree + 1) for each in combinations_with_replacement(range(axes), k)
    ]


class NearestNDInterpolator:
    """The value of the nearest of points; of several as near the first. All distances are computed.

    `x` is a matrix with a row for each point, or a vector; `y` has values along its first axis.
    With `rescale`, each coordinate is divided by its range first. See
    `scipy.interpolate.NearestNDInterpolator`. Raises ValueError for other ranks.

    >>> NearestNDInterpolator([[0.0, 0.0], [1.0, 1.0]], [5.0, 7.0])([[0.2, 0.3], [0.9, 0.5]]).eval()
    array([5., 7.])
    """

    def __init__(self, x: Any, y: TensorLike, rescale: bool = False) -> None:
        points = places_of(x)
        self._is_line = points.ndim == 1
        self.points = _points(points.expand_dims(1) if self._is_line else points, "points")
        self.values = as_tensor(y)
        spread = max(self.points, 0) - min(self.points, 0)
        self._scale = where(spread > 0, spread, 1.0) if rescale else as_tensor(1.0)

    def __call__(self, *xi: Any) -> TensorVariable:
        """The values at places: their coordinates along the last axis, or one argument for each."""
        columns = None if self._is_line else lengths_of(self.points)[1]
        at, points = of_one_dtype(places_of(xi if len(xi) > 1 else xi[0], columns), self.points)
        at = at.expand_dims(-1) if self._is_line else at
        apart = sum(((at.expand_dims(-2) - points) / self._scale) ** 2, -1)
        return index(self.values, argmin(apart, -1))


def griddata(
    points: Any,
    values: TensorLike,
    xi: Any,
    method: str = "linear",
    fill_value: TensorLike = float("nan"),
    rescale: bool = False,
) -> TensorVariable:
    """The values at places between points: by `interp1d` of those on a line.

    Of others by `LinearNDInterpolator`, "cubic" by `CloughTocher2DInterpolator`, or the value of
    the nearest: `NearestNDInterpolator`. Points and places are matrices with a row for each, or
    tuples of coordinates. Outside, lines and cubic curves are `fill_value`. See
    `scipy.interpolate.griddata`. Raises ValueError for another method, by "cubic" for points of
    three or more coordinates, and for points that are variables where triangles are needed.

    >>> griddata([0.0, 1.0], [5.0, 7.0], [0.2, 0.75]).eval()
    array([5.4, 6.5])
    """
    one_of("griddata", "method", method, ("linear", "nearest", "cubic"))
    at = places_of(points)
    if at.ndim == 1 or at.type.shape[-1] == 1:
        outside = "extrapolate" if method == "nearest" else fill_value
        places = xi[0] if isinstance(xi, tuple) else xi
        return interp1d(ravel(at), values, method, axis=0, fill_value=outside)(places)
    if method == "nearest":
        return NearestNDInterpolator(at, values, rescale)(xi)
    if method == "cubic":
        return CloughTocher2DInterpolator(at, values, fill_value, rescale=rescale)(xi)
    return LinearNDInterpolator(at, values, fill_value, rescale)(xi)
