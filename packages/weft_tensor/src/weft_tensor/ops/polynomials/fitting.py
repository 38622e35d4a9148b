"""Polynomials through points, and the zeros of polynomials: by least squares and eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.creation.ranges import vander
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, gt, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.linalg.matmul import matmul, outer
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.matrices.least_squares import lstsq
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims

__all__ = ["nearest", "polyfit", "roots"]


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


class Fit(NamedTuple):
    """Coefficients by least squares."""

    coefficients: TensorVariable
    rest: tuple[TensorVariable, ...]
    """Residuals, the rank, singular values, and which of these are small."""
    left: TensorVariable
    """The values of each term, a column each, divided by `scale`."""
    scale: TensorVariable


def nearest(
    design: Callable[[TensorVariable], TensorVariable],
    x: TensorLike,
    y: TensorLike,
    deg: int,
    rcond: TensorLike | None,
    w: TensorLike | None,
    name: str,
) -> Fit:
    """The sum of the terms of `design(x)` that is nearest to values y.

    Raises ValueError for a negative degree, TypeError for what are no vectors.
    """
    at, values = (as_floating(v) for v in (x, y))
    if whole(deg) < 0:
        raise ValueError(f"{name} takes a degree of 0 or more, not {deg}")
    if at.ndim != 1 or values.ndim not in (1, 2):
        raise TypeError(
            f"{name} takes places in a vector, and values in columns: {at!r}, {values!r}"
        )
    (n,) = lengths_of(at)
    values = specify_shape(values, (n, *[None] * (values.ndim - 1)))
    if rcond is None:
        rcond = n.astype(at.real.dtype) * float(np.finfo(at.dtype).eps)
    left, right = design(at), values
    if w is not None:
        weights = as_floating(w)
        if weights.ndim != 1:
            raise TypeError(f"{name} takes weights in a vector, not {weights!r}")
        weights = specify_shape(weights, (n,))
        left = left * expand_dims(weights, 1)
        right = right * (expand_dims(weights, 1) if right.ndim == 2 else weights)
    scale = sqrt(sum(abs(left) ** 2, 0))
    scale = where(eq(scale, 0), 1.0, scale)
    left = left / scale
    solution, *rest = lstsq(left, right, rcond)
    coefficients = solution / (expand_dims(scale, 1) if solution.ndim == 2 else scale)
    return Fit(coefficients, (*rest, as_tensor(rcond)), left, scale)


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
