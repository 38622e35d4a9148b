"""One polynomial through all points, and fractions by their series."""

from __future__ import annotations

import builtins
from operator import index as whole
from typing import Any, SupportsIndex

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye, ones_like, zeros
from weft_tensor.ops.creation.ranges import vander
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.conditions import of_one_dtype, real_vector, with_values
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.matrices.systems import solve, toeplitz
from weft_tensor.ops.reduction.cumulative import cumprod
from weft_tensor.ops.reduction.standard import max, min, prod
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["BarycentricInterpolator", "barycentric_interpolate", "lagrange", "pade"]


class BarycentricInterpolator:
    """The polynomial of least degree through points.

    Its values are products of distances, each with a weight: J.-P. Berrut and L. N. Trefethen,
    Barycentric Lagrange interpolation, 2004, equation 3.3, which has derivatives at the points,
    too. Few points, or such that are dense at the ends, allow it. See
    `scipy.interpolate.BarycentricInterpolator`.

    Parameters
    ----------
    xi
        A vector of different numbers.
    yi
        Values along `axis`.
    axis
        Which axis of `yi` belongs to `xi`.

    Raises
    ------
    ValueError
        for other ranks and lengths.
    TypeError
        for complex `xi`.

    Examples
    --------
    >>> BarycentricInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])([0.5, 3.0]).eval()
    array([0.25, 9.  ])
    """

    def __init__(self, xi: TensorLike, yi: TensorLike, axis: int = 0) -> None:
        name = "BarycentricInterpolator: xi"
        self.xi, self.yi, self.axis = with_values(real_vector(xi, name), yi, axis)
        self._scale = 4 / (max(self.xi) - min(self.xi))
        apart = (self.xi.expand_dims(-1) - self.xi) * self._scale
        itself = eye(lengths_of(self.xi)[0], dtype="bool")
        self.wi = 1 / prod(where(itself, 1.0, apart), -1)

    def __call__(self, x: TensorLike) -> TensorVariable:
        """The values at places, whose axes stand where `axis` was."""
        at, _ = of_one_dtype(x, self.xi)
        flat = ravel(at)
        apart = (flat.expand_dims(-1) - self.xi) * self._scale
        back = (..., slice(None, None, -1))
        before, behind = _products(apart), index(_products(index(apart, back)), back)
        weights = before * behind * self.wi
        rest: Any = lengths_of(self.yi)[1:]
        values = matmul(weights, reshape(self.yi, (lengths_of(self.yi)[0], -1)))
        values = reshape(values, [*lengths_of(at), *rest])
        axes = [*range(at.ndim)]
        return moveaxis(values, axes, [self.axis + k for k in axes])


def _products(x: TensorVariable) -> TensorVariable:
    """The products of what comes before each element along the last axis."""
    first = ones_like(index(x, (..., slice(0, 1))))
    return cumprod(concatenate([first, index(x, (..., slice(None, -1)))], -1), -1)


def barycentric_interpolate(
    xi: TensorLike, yi: TensorLike, x: TensorLike, axis: int = 0
) -> TensorVariable:
    """The values of `BarycentricInterpolator` at places.

    See `scipy.interpolate.barycentric_interpolate`.

    >>> barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], 1.5).eval()
    array(2.25)
    """
    return BarycentricInterpolator(xi, yi, axis)(x)


def lagrange(x: TensorLike, w: TensorLike) -> TensorVariable:
    """The coefficients, the highest first, of the polynomial of least degree through points.

    By a system of equations, which loses digits where there are many points: to have values, take
    `BarycentricInterpolator`. See `scipy.interpolate.lagrange`.

    >>> lagrange([0.0, 1.0, 2.0], [0.0, 1.0, 4.0]).eval().round(12)
    array([1., 0., 0.])
    """
    places, values, _ = with_values(real_vector(x, "lagrange: x"), w, 0)
    return solve(vander(places), values)


def pade(
    an: TensorLike, m: SupportsIndex, n: SupportsIndex | None = None
) -> tuple[TensorVariable, TensorVariable]:
    """The fraction of polynomials of degrees `n` and `m` whose series begins as `an`.

    Both by their coefficients, the highest first, of which the denominator ends in 1; `n` is by
    default what makes all of `an` count, whose number is known. See `scipy.interpolate.pade`.
    Raises ValueError for negative degrees, and for more terms than there are.

    >>> p, q = pade([1.0, 1.0, 1 / 2, 1 / 6, 1 / 24], 2)
    >>> p.eval().round(6), q.eval().round(6)
    (array([0.083333, 0.5     , 1.      ]), array([ 0.083333, -0.5     ,  1.      ]))
    """
    terms = as_floating(an)
    size: Any = terms.type.shape[0] if terms.ndim == 1 else None
    if size is None:
        raise ValueError(f"pade takes a vector of a known number of terms, not {terms!r}{called()}")
    below = whole(m)
    above = size - 1 - below if n is None else whole(n)
    if builtins.min(above, below) < 0 or above + below >= size:
        raise ValueError(
            f"pade: degrees are 0 or more, and there is a term for each and one: not {above} and "
            f"{below} of {size} terms{called()}"
        )
    terms = terms[: above + below + 1]
    none = zeros((1,), terms.dtype)
    behind = toeplitz(concatenate([none, -terms[:-1]]), zeros((below,), terms.dtype))
    ahead = eye(above + below + 1, above + 1, dtype=terms.dtype)
    parts = solve(concatenate([ahead, behind], 1), terms)
    return parts[: above + 1][::-1], concatenate([parts[above + 1 :][::-1], none + 1])
