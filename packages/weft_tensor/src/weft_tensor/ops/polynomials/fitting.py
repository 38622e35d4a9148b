"""Polynomials through points, and the zeros of polynomials: by least squares and eigenvalues."""

from __future__ import annotations

from operator import index as whole
from typing import Any

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.creation.ranges import vander
from weft_tensor.ops.elementwise.comparison import gt
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.linalg.matmul import matmul, outer
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.polynomials.least_squares import nearest
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims

__all__ = ["polyfit", "roots"]


def polyfit(
    x: TensorLike,
    y: TensorLike,
    deg: int,
    rcond: TensorLike | None = None,
    full: bool = False,
    w: TensorLike | None = None,
    cov: bool | str = False,
) -> Any:
    """The coefficients of the polynomial of degree `deg` that is nearest to points (x, y).

    Of a matrix `y`, for each column; `w` says how much each point counts. With `full`, followed by
    the residuals, the rank, the singular values and `rcond`; with `cov`, by the covariances. See
    `numpy.polyfit`. Raises ValueError for a negative degree, TypeError for what are no vectors;
    ValueError at the call if there are too few points for covariances.

    >>> print(polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).eval().round(12))
    [2. 1.]
    """
    fit = nearest(lambda at: vander(at, whole(deg) + 1), x, y, deg, rcond, w, "polyfit")
    if full:
        return fit.coefficients, *fit.rest
    if not cov:
        return fit.coefficients
    values, order = as_floating(y), whole(deg) + 1
    spread = inv(matmul(fit.left.T, fit.left)) / outer(fit.scale, fit.scale)
    spread = expand_dims(spread, 2) if values.ndim == 2 else spread
    if cov == "unscaled":
        return fit.coefficients, spread
    n = lengths_of(values)[0]
    n = check_and_raise(
        n, gt(n, order), ValueError, f"polyfit needs more than {order} points for covariances"
    )
    each = fit.rest[0] / (n - order).astype(fit.rest[0].dtype)
    return fit.coefficients, spread * each


def roots(p: TensorLike) -> TensorVariable:
    """The zeros of the polynomial with coefficients `p`, complex, in no order.

    The first coefficient must not be 0: how many zeros there are would depend on it. See
    `numpy.roots`, which gives real numbers where all zeros are. Raises ValueError for what is no
    vector.

    >>> print(roots([1.0, 0.0, 1.0]).eval().round(12) + 0)
    [0.+1.j 0.-1.j]
    """
    coefficients = as_floating(atleast_1d(as_tensor(p)))
    if coefficients.ndim != 1:
        raise ValueError(f"roots takes coefficients in a vector, not {coefficients!r}")
    n = lengths_of(coefficients)[0] - 1
    below = eye(n, k=-1, dtype=coefficients.dtype)
    row = -index(coefficients, slice(1, None)) / index(coefficients, 0)
    return eigvals(updated(index(below, slice(0, 1)), "set", row))
