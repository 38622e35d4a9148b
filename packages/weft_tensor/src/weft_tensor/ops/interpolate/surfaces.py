"""Splines of two variables through values on a grid."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.conditions import of_one_dtype, real_vector
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel, reshape

__all__ = ["RectBivariateSpline"]


class RectBivariateSpline:
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
        self._splines = first, second
        self.degrees = kx, ky
        self.coefficients = second.c.T

    def _weights(self, x: TensorLike, axis: int, order: int) -> TensorVariable:
        """What coefficients are multiplied by for each of a vector of places."""
        spline = self._splines[axis]
        at, t = of_one_dtype(x, spline.t)
        at = clip(at, index(t, spline.k), index(t, -spline.k - 1))
        n = lengths_of(t)[0] - spline.k - 1
        return BSpline(t, eye(n, dtype=t.dtype), spline.k)(at, order)

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
        across, up = (real_vector(v, "RectBivariateSpline: places") for v in (x, y))
        left, right = self._weights(across, 0, dx), self._weights(up, 1, dy)
        return matmul(matmul(left, self.coefficients), right.T)

    def integral(self, xa: TensorLike, xb: TensorLike, ya: TensorLike, yb: TensorLike) -> Any:
        """The integral over a rectangle, of 0 outside the grid."""
        ends = ((xa, xb), (ya, yb))
        left, right = (
            BSpline(s.t, eye(lengths_of(s.t)[0] - s.k - 1, dtype=s.t.dtype), s.k).integrate(
                *part, extrapolate=False
            )
            for s, part in zip(self._splines, ends, strict=True)
        )
        return matmul(matmul(left, self.coefficients), right)
