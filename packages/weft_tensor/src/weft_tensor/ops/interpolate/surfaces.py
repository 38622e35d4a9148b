"""Splines of several variables: of coefficients, and through values on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import nan
from operator import and_
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.b_spline import BSpline, spline_of
from weft_tensor.ops.interpolate.basis import basis_at
from weft_tensor.ops.interpolate.conditions import of_one_dtype, real_vector
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.grid import coordinates_of, read_between
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["NdBSpline", "RectBivariateSpline", "Surface", "bisplev", "weights_at"]


class Surface:
    """A spline of two variables over a rectangle; outside it is what it is at the border."""

    def __init__(
        self,
        knots: tuple[TensorVariable, TensorVariable],
        coefficients: TensorVariable,
        degrees: tuple[int, int],
    ) -> None:
        self._knots, self.coefficients, self.degrees = knots, coefficients, degrees

    @property
    def tck(self) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
        """Knots along both axes, and coefficients, as a vector."""
        return (*self._knots, ravel(self.coefficients))

    def get_knots(self) -> tuple[TensorVariable, TensorVariable]:
        """Those along both axes."""
        return self._knots

    def get_coeffs(self) -> TensorVariable:
        """The coefficients, as a vector."""
        return ravel(self.coefficients)

    def _weights(self, x: TensorLike, axis: int, order: int) -> TensorVariable:
        return weights_at(self._knots[axis], self.degrees[axis], x, order)

    def ev(self, x: TensorLike, y: TensorLike, dx: int = 0, dy: int = 0) -> TensorVariable:
        """The values at places, or their derivatives: `x` and `y` broadcast."""
        across, up = broadcast_arrays(*of_one_dtype(x, y))
        left, right = self._weights(ravel(across), 0, dx), self._weights(ravel(up), 1, dy)
        return reshape(sum(matmul(left, self.coefficients) * right, -1), lengths_of(across))

    def __call__(
        self, x: TensorLike, y: TensorLike, dx: int = 0, dy: int = 0, grid: bool = True
    ) -> TensorVariable:
        """The values on the grid of both vectors; without `grid`, `ev`."""
        if not grid:
            return self.ev(x, y, dx, dy)
        across, up = (real_vector(v, f"{type(self).__name__}: places") for v in (x, y))
        left, right = self._weights(across, 0, dx), self._weights(up, 1, dy)
        return matmul(matmul(left, self.coefficients), right.T)

    def integral(self, xa: TensorLike, xb: TensorLike, ya: TensorLike, yb: TensorLike) -> Any:
        """The integral over a rectangle, of 0 outside the knots."""
        ends = ((xa, xb), (ya, yb))
        left, right = (
            BSpline(t, eye(lengths_of(t)[0] - k - 1, dtype=t.dtype), k).integrate(
                *part, extrapolate=False
            )
            for t, k, part in zip(self._knots, self.degrees, ends, strict=True)
        )
        return matmul(matmul(left, self.coefficients), right)


class RectBivariateSpline(Surface):
    """The spline of two variables through values on a grid.

    Outside the grid it is what it is at the border. There is no smoothing. See
    `scipy.interpolate.RectBivariateSpline`.

    Parameters
    ----------
    x, y
        The places along both axes: vectors, strictly increasing.
    z
        Real values: a matrix.
    kx, ky
        The degrees along both axes.

    Raises
    ------
    ValueError
        for other ranks and lengths, and places that do not increase.

    Examples
    --------
    >>> import numpy as np
    >>> x = y = np.arange(4.0)
    >>> surface = RectBivariateSpline(x, y, np.multiply.outer(x**2, y))
    >>> surface.ev([1.5], [0.5]).eval().round(6)
    array([1.125])
    """

    def __init__(
        self, x: TensorLike, y: TensorLike, z: TensorLike, kx: int = 3, ky: int = 3
    ) -> None:
        values = as_floating(z)
        if values.ndim != 2 or values.is_complex:
            raise ValueError(f"RectBivariateSpline: z is a real matrix, not {values!r}{called()}")
        first = make_interp_spline(real_vector(x, "RectBivariateSpline: x"), values, kx)
        second = make_interp_spline(real_vector(y, "RectBivariateSpline: y"), first.c, ky, axis=1)
        super().__init__((first.t, second.t), second.c.T, (kx, ky))


class NdBSpline:
    """The sum of products of B-splines, one of each variable, multiplied by coefficients.

    See `scipy.interpolate.NdBSpline`.

    Parameters
    ----------
    t
        The knots of each variable: a tuple of vectors.
    c
        Coefficients, real or complex, one axis for each variable, and any others.
    k
        The degree; or a tuple, of that of each variable.
    extrapolate
        Whether the outer pieces go on; else it is NaN outside the knots.

    Raises
    ------
    ValueError
        as `BSpline`, and for other numbers of degrees and axes.

    Examples
    --------
    >>> ends = [0.0, 0.0, 1.0, 1.0]
    >>> NdBSpline((ends, ends), [[0.0, 1.0], [2.0, 3.0]], 1)([[0.5, 0.25]]).eval()
    array([1.25])
    """

    def __init__(
        self,
        t: Sequence[TensorLike],
        c: TensorLike,
        k: int | Sequence[int],
        *,
        extrapolate: bool | None = None,
    ) -> None:
        degrees = (k,) * len(t) if isinstance(k, int) else tuple(k)
        coefficients = as_floating(c)
        if not 0 < len(t) == len(degrees) <= coefficients.ndim:
            raise ValueError(
                f"NdBSpline: there are {len(t)} vectors of knots, {len(degrees)} degrees, and "
                f"coefficients of {coefficients.ndim} axes{called()}"
            )
        knots = []
        for axis, (v, degree) in enumerate(zip(t, degrees, strict=True)):
            spline = BSpline(v, coefficients, degree, axis=axis)
            knots.append(spline.t)
            coefficients = moveaxis(spline.c, 0, axis)
        self.t, self.c, self.k = tuple(knots), coefficients, degrees
        self.extrapolate = True if extrapolate is None else bool(extrapolate)

    def __call__(
        self, xi: Any, *, nu: Sequence[int] | None = None, extrapolate: bool | None = None
    ) -> TensorVariable:
        """The values at places, of derivatives of the orders `nu` along each axis.

        `xi` is a tensor whose last axis has the coordinates, or a tuple of them. Raises ValueError
        for another number of coordinates or of orders, and for negative orders.
        """
        rank = len(self.t)
        orders = (0,) * rank if nu is None else tuple(nu)
        if len(orders) != rank or min(orders) < 0:
            raise ValueError(f"NdBSpline: nu are {rank} orders, 0 or more, not {nu!r}{called()}")
        c, terms, inside = self.c, [], []
        for axis, (at, order) in enumerate(zip(coordinates_of(xi, rank), orders, strict=True)):
            spline = spline_of(self.t[axis], moveaxis(c, axis, 0), self.k[axis], True, axis)
            spline = spline.derivative(min(order, spline.k))
            c = moveaxis(spline.c, 0, axis)
            place, knots = of_one_dtype(at, spline.t)
            first, shares = basis_at(knots, spline.k, place)
            gone = 0.0 if order > self.k[axis] else 1.0
            terms.append([(first + j, gone * share) for j, share in enumerate(shares)])
            low, high = index(knots, spline.k), index(knots, -spline.k - 1)
            inside.append((place >= low) & (place <= high))
        values = read_between(c, terms)
        if self.extrapolate if extrapolate is None else extrapolate:
            return values
        return where(beside(reduce(and_, inside), c.ndim - rank), values, nan)


def bisplev(
    x: TensorLike, y: TensorLike, tck: Sequence[Any], dx: int = 0, dy: int = 0
) -> TensorVariable:
    """A spline of two variables, or its derivatives, on the grid of `x` and `y`.

    `tck` has the knots along both axes, the coefficients, as a vector, and both degrees: what
    `scipy.interpolate.bisplrep` returns. Outside the knots it is what it is at the border. A number
    for `x` or `y` leaves no axis. See `scipy.interpolate.bisplev`. Raises ValueError as `BSpline`,
    and for what is no vector and no number.

    >>> ends = [0.0, 0.0, 1.0, 1.0]
    >>> bisplev([0.0, 0.5], 0.25, (ends, ends, [0.0, 1.0, 2.0, 3.0], 1, 1)).eval()
    array([0.25, 1.25])
    """
    *knots, c, kx, ky = tck
    places = [as_tensor(v) for v in (x, y)]
    checked = [real_vector(t, "bisplev: knots") for t in knots]
    left, right = (
        weights_at(t, k, real_vector(ravel(v) if v.ndim == 0 else v, "bisplev: places"), order)
        for t, k, v, order in zip(checked, (kx, ky), places, (dx, dy), strict=True)
    )
    lengths = [lengths_of(t)[0] - k - 1 for t, k in zip(checked, (kx, ky), strict=True)]
    values = matmul(matmul(left, reshape(as_floating(c), tuple(lengths))), right.T)
    return index(values, tuple(slice(None) if v.ndim else 0 for v in places))


def weights_at(t: TensorVariable, k: int, x: TensorLike, order: int) -> TensorVariable:
    """What coefficients are multiplied by for each of a vector of places."""
    at, knots = of_one_dtype(x, t)
    at = clip(at, index(knots, k), index(knots, -k - 1))
    n = lengths_of(knots)[0] - k - 1
    return BSpline(knots, eye(n, dtype=knots.dtype), k)(at, order)
