"""Splines of two variables near points that lie anywhere."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient, wrap_py
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.creation.creation import arange, eye, ones_like, zeros
from weft_tensor.ops.creation.diagonals import kron
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.interpolate.chosen_knots import jumps_at_knots
from weft_tensor.ops.interpolate.conditions import (
    demand,
    demand_length,
    increasing,
    of_one_dtype,
    real_vector,
)
from weft_tensor.ops.interpolate.spline_fits import whole_knots
from weft_tensor.ops.interpolate.surfaces import Surface, weights_at
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.matrices.least_squares import lstsq
from weft_tensor.ops.optimize.scalar_root import root_scalar
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import min as smallest
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.tensor_type import TensorType

__all__ = ["LSQBivariateSpline", "SmoothBivariateSpline", "bisplrep"]

Ends = Sequence[TensorLike | None]
_ENOUGH: Final = 1 - 1e-3
"""Squares that are left are near enough to `s`, as in FITPACK."""
_TINY: Final = float(np.finfo("float64").tiny)


class _Points(NamedTuple):
    """Points, values and weights, in float64."""

    x: TensorVariable
    y: TensorVariable
    z: TensorVariable
    w: TensorVariable
    kind: str
    """The dtype that they had."""

    @classmethod
    def of(
        cls,
        x: TensorLike,
        y: TensorLike,
        z: TensorLike,
        w: TensorLike | None,
        degrees: tuple[int, int],
        name: str,
    ) -> _Points:
        parts = of_one_dtype(
            *[real_vector(v, f"{name}: {k}") for v, k in zip((x, y, z), "xyz", strict=True)]
        )
        if not all(1 <= k <= 5 for k in degrees):
            raise ValueError(f"{name}: degrees are 1 to 5, not {degrees}{called()}")
        least = (degrees[0] + 1) * (degrees[1] + 1)
        first = demand_length(parts[0], least, f"{name}: these degrees need {least} points or more")
        weights = ones_like(first) if w is None else real_vector(w, f"{name}: w")
        weights = demand(weights, lambda v: v > 0, f"{name}: w must be positive")
        rows = [
            specify_shape(v, lengths_of(first)).astype("float64") for v in (*parts[1:], weights)
        ]
        y_row, z_row, w_row = rows
        return cls(first.astype("float64"), y_row, z_row, w_row, first.dtype)

    def rows(self, knots: Sequence[TensorVariable], degrees: tuple[int, int]) -> TensorVariable:
        """What coefficients are multiplied by for each point, times its weight."""
        left, right = (
            weights_at(t, k, v, 0) for t, k, v in zip(knots, degrees, (self.x, self.y), strict=True)
        )
        both = left.expand_dims(2) * right.expand_dims(1) * self.w.expand_dims((1, 2))
        return reshape(both, (lengths_of(self.x)[0], -1))


class _Near(Surface):
    """A surface near points."""

    def __init__(
        self,
        points: _Points,
        knots: tuple[TensorVariable, TensorVariable],
        c: TensorVariable,
        degrees: tuple[int, int],
    ) -> None:
        lengths = [lengths_of(t)[0] - k - 1 for t, k in zip(knots, degrees, strict=True)]
        across, up = (t.astype(points.kind) for t in knots)
        super().__init__((across, up), reshape(c, tuple(lengths)).astype(points.kind), degrees)
        self._points = points

    def get_residual(self) -> TensorVariable:
        """The sum of the squares of weights times what is missed."""
        x, y, z, w, kind = self._points
        return sum((w * (z - self.ev(x, y))) ** 2).astype(kind)


class LSQBivariateSpline(_Near):
    """The surface with known knots that is nearest to points, in least squares.

    Where these do not tell all coefficients, they are the least ones. Derivatives are by all that
    is given. See `scipy.interpolate.LSQBivariateSpline`.

    Parameters
    ----------
    x, y, z
        Vectors: where the points are, and values there.
    tx, ty
        Inner knots along both axes: strictly increasing, inside `bbox`.
    w
        Weights, above 0: of distances, of which the squares are summed.
    bbox
        Both ends along both axes: by default the least and greatest of points and knots.
    kx, ky
        Degrees, from 1 to 5.
    eps
        Makes no difference.

    Raises
    ------
    ValueError
        for other ranks, lengths and degrees, and, when it is computed, for weights that are not
        above 0, knots that do not increase, and points or knots outside `bbox`.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> x, y = np.random.default_rng(1).uniform(size=(2, 30))
    >>> surface = LSQBivariateSpline(x, y, x**2 * y, [0.5], [0.5], bbox=(0, 1, 0, 1), kx=2, ky=1)
    >>> surface.ev([0.5, 0.2], 0.8).eval().round(6)
    array([0.2  , 0.032])
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        z: TensorLike,
        tx: TensorLike,
        ty: TensorLike,
        w: TensorLike | None = None,
        bbox: Ends = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        eps: float | None = None,
    ) -> None:
        name, degrees = "LSQBivariateSpline", (kx, ky)
        points = _Points.of(x, y, z, w, degrees, name)
        inner = [
            increasing(real_vector(t, f"{name}: {k}"), f"{name}: {k}").astype("float64")
            for t, k in ((tx, "tx"), (ty, "ty"))
        ]
        both = [concatenate(v) for v in zip((points.x, points.y), inner, strict=True)]
        ends = _ends(both, bbox, name)
        knots = [
            whole_knots(t, t, pair, k)[1] for t, pair, k in zip(inner, ends, degrees, strict=True)
        ]
        c = lstsq(points.rows(knots, degrees), points.w * points.z).x
        super().__init__(points, (knots[0], knots[1]), c, degrees)


class SmoothBivariateSpline(_Near):
    """The smoothest surface that leaves squares of the sum `s` at points.

    By P. Dierckx, An algorithm for surface fitting with spline functions, 1981: knots are added
    until the least squares are below `s`; with these, jumps of the highest derivatives are made as
    small as the squares allow. SciPy chooses the knots, on the host, on every backend; all else is
    in the graph. In derivatives, knots stay where they are, those at the border, too. See
    `scipy.interpolate.SmoothBivariateSpline`.

    Parameters
    ----------
    x, y, z, w, bbox, kx, ky, eps
        As for `LSQBivariateSpline`; `bbox` is by default that of the points.
    s
        The sum of squares, above 0: the number of points by default, which fits if weights are one
        over standard deviations. A surface through all points is that of `RBFInterpolator`.

    Raises
    ------
    ValueError
        as `LSQBivariateSpline`, and for an `s` that is not above 0.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> x, y = np.random.default_rng(1).uniform(size=(2, 60))
    >>> surface = SmoothBivariateSpline(x, y, np.sin(6 * x) * y, s=0.02)
    >>> surface.get_residual().eval().round(3), surface.ev(0.5, 0.5).eval().round(3)
    (np.float64(0.02), np.float64(0.066))
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        z: TensorLike,
        w: TensorLike | None = None,
        bbox: Ends = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: TensorLike | None = None,
        eps: float = 1e-16,
    ) -> None:
        degrees, name = (kx, ky), "SmoothBivariateSpline"
        points = _Points.of(x, y, z, w, degrees, name)
        number = lengths_of(points.x)[0] if s is None else s
        super().__init__(points, *_smooth(points, bbox, degrees, number, name), degrees)


def bisplrep(
    x: TensorLike,
    y: TensorLike,
    z: TensorLike,
    w: TensorLike | None = None,
    xb: TensorLike | None = None,
    xe: TensorLike | None = None,
    yb: TensorLike | None = None,
    ye: TensorLike | None = None,
    kx: int = 3,
    ky: int = 3,
    *,
    s: TensorLike | None = None,
    quiet: int = 1,
) -> list[Any]:
    """The smoothest surface that leaves squares of the sum `s` at points, for `bisplev`.

    Knots along both axes, coefficients and degrees: as `SmoothBivariateSpline` has them, whose
    arguments and errors these are; `s` is by default m - sqrt(2 m) of m points. `quiet` makes no
    difference. See `scipy.interpolate.bisplrep`.

    >>> x, y = np.random.default_rng(1).uniform(size=(2, 60))
    >>> tx, ty, c, kx, ky = bisplrep(x, y, x * y, s=0.01)
    >>> tx.eval().shape, c.eval().shape, (kx, ky)
    ((8,), (16,), (3, 3))
    """
    degrees, name = (kx, ky), "bisplrep"
    points = _Points.of(x, y, z, w, degrees, name)
    m = lengths_of(points.x)[0].astype("float64")
    number = m - sqrt(2 * m) if s is None else s
    surface = _Near(points, *_smooth(points, (xb, xe, yb, ye), degrees, number, name), degrees)
    return [*surface.tck, kx, ky]


def _ends(
    places: Sequence[TensorVariable], bbox: Ends, name: str
) -> list[tuple[TensorVariable, TensorVariable]]:
    """Both ends along both axes, inside of which places are."""
    if len(bbox) != 4:
        raise ValueError(f"{name}: bbox has 4 numbers, not {len(bbox)}{called()}")
    ends = []
    for v, pair in zip(places, (bbox[:2], bbox[2:]), strict=True):
        around = smallest(v), largest(v)
        low, high = (
            own if given is None else as_tensor(given).astype("float64")
            for own, given in zip(around, pair, strict=True)
        )
        inside = (low <= around[0]) & (high >= around[1])
        low = check_and_raise(low, inside, ValueError, f"{name}: bbox must be around all points")
        ends.append((low, high))
    return ends


def _smooth(
    points: _Points, bbox: Ends, degrees: tuple[int, int], s: TensorLike, name: str
) -> tuple[tuple[TensorVariable, TensorVariable], TensorVariable]:
    """Knots, and coefficients, of a surface that leaves squares of the sum `s`."""
    size = as_tensor(s)
    if size.ndim:
        raise ValueError(f"{name}: s must be a number, not {s!r}{called()}")
    size = demand(size, lambda v: v > 0, f"{name}: s must be above 0").astype("float64")
    ends = stack([end for pair in _ends((points.x, points.y), bbox, name) for end in pair])
    known = [stop_gradient(v) for v in (*points[:4], ends, size)]
    chosen = _choose(*known, np.array(degrees))
    tx, ty = (stop_gradient(t) for t in chosen)
    knots = (tx, ty)
    rows, right = points.rows(knots, degrees), points.w * points.z
    n = [lengths_of(t)[0] - k - 1 for t, k in zip(knots, degrees, strict=True)]
    bends = [_bend(t, k, count) for t, k, count in zip(knots, degrees, n, strict=True)]
    rough = concatenate([kron(bends[0], eye(n[1])), kron(eye(n[0]), bends[1])])
    total = sum(rough**2)
    scale = sqrt(sum(rows**2) / where(total > 0, total, 1.0))
    filled = concatenate([right, zeros((lengths_of(rough)[0],))])

    def fitted(power: TensorVariable) -> TensorVariable:
        q, r = qr(concatenate([rows, scale * exp(power) * rough]))
        return solve_triangular(r, matmul(q.T, filled))

    def left(c: TensorVariable) -> TensorVariable:
        return sum((right - matmul(rows, c)) ** 2)

    def spare(power: TensorVariable) -> TensorVariable:
        squares_left = left(fitted(power))
        return where(is_smooth, log(maximum(squares_left, _TINY)) - log(size), power)

    best = lstsq(rows, right).x
    is_smooth = (left(best) < _ENOUGH * size) & (lengths_of(rough)[0] > 0)
    smoothest = fitted(root_scalar(spare, bracket=(-15.0, 15.0)).root)
    return knots, ifelse(is_smooth, smoothest, best)


def _bend(t: TensorVariable, k: int, n: Any) -> TensorVariable:
    """By how much the highest derivatives jump at inner knots: a row for each knot."""
    count = n - k - 1
    places = arange(count).expand_dims(1), arange(count).expand_dims(1) + np.arange(k + 2)
    share = as_tensor(count + 1).astype("float64") ** -k
    jumps = jumps_at_knots(t, k, n).T * share
    return updated(index(zeros((count, n)), places), "set", jumps)


def _chosen(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    w: np.ndarray,
    ends: np.ndarray,
    s: np.ndarray,
    degrees: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Knots along both axes."""
    kx, ky = map(int, degrees)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = lazy_import("scipy.interpolate.SmoothBivariateSpline")(
            x, y, z, w=w, bbox=ends, kx=kx, ky=ky, s=float(s)
        )
    knots: tuple[np.ndarray, np.ndarray] = found.get_knots()
    return knots


_VECTOR: Final = TensorType("float64", (None,))
_choose: Final = wrap_py(
    _chosen,
    itypes=[
        *[_VECTOR] * 4,
        *(TensorType("float64", (4,)), TensorType("float64", ()), TensorType("int64", (2,))),
    ],
    otypes=[_VECTOR, _VECTOR],
)
