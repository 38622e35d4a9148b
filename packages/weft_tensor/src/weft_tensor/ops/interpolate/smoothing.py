"""Smooth curves near points: a penalty on their bend."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye, ones_like, zeros_like
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.conditions import (
    demand,
    demand_length,
    increasing,
    real_vector,
    with_values,
)
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline
from weft_tensor.ops.interpolate.systems import solved
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.statistics.differences import diff

__all__ = ["make_smoothing_spline"]


def make_smoothing_spline(
    x: TensorLike,
    y: TensorLike,
    w: TensorLike | None = None,
    lam: TensorLike | None = None,
    axis: int = 0,
) -> BSpline:
    """The natural cubic spline with the least squares to points and `lam` times squared bend.

    It solves a system with five diagonals: C. H. Reinsch, Smoothing by spline functions, 1967. See
    `scipy.interpolate.make_smoothing_spline`.

    Parameters
    ----------
    x
        A vector of 5 places or more, strictly increasing.
    y
        Real values along `axis`.
    w
        Weights of squares: positive, 1 by default.
    lam
        The weight of the bend, the integral of the squared second derivative: 0 or more. It may be
        a variable. By default it is that for which each value is foretold best by the others, by
        generalised cross-validation: the minimum that `minimize_scalar` finds from 0 to the number
        of points.
    axis
        Which axis of `y` belongs to `x`.

    Raises
    ------
    ValueError
        for other ranks and lengths; at the call, where unknown before, for places that do not
        increase and weights that are not positive.

    Examples
    --------
    >>> curve = make_smoothing_spline([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0, 0.0], lam=1.0)
    >>> curve([1.0, 2.0]).eval().round(4)
    array([0.4783, 0.5217])
    """
    places = increasing(real_vector(x, "make_smoothing_spline: x"), "make_smoothing_spline: x")
    places = demand_length(places, 5, "make_smoothing_spline needs 5 points or more")
    places, values, along = with_values(places, y, axis)
    weights = ones_like(places)
    if w is not None:
        weights = real_vector(w, "make_smoothing_spline: w").astype(places.dtype)
        weights = specify_shape(weights, lengths_of(places)[0])
        weights = demand(weights, lambda v: v > 0, "make_smoothing_spline: w must be positive")
    if lam is None:
        n = lengths_of(places)[0].astype(places.dtype)
        guess = minimize_scalar(lambda v: _foretold(places, values, weights, v), bounds=(0 * n, n))
        bend: TensorVariable = guess.x
    else:
        text = "make_smoothing_spline: lam must be 0 or more"
        bend = demand(as_tensor(lam), lambda v: v >= 0, text)
    missed = bend * _missed(places, values, weights, bend)
    smooth = values - missed.astype(values.dtype)
    return make_interp_spline(places, moveaxis(smooth, 0, along), bc_type="natural", axis=along)


def _bands(x: TensorVariable, spreads: TensorVariable, lam: TensorVariable) -> TensorVariable:
    """The five diagonals of the system whose solution is the second derivatives inside."""
    h = diff(x)
    a = 1 / h
    first, second = index(a, slice(None, -1)), index(a, slice(1, None))
    both = first + second
    v = [index(spreads, slice(k, lengths_of(spreads)[0] - 2 + k)) for k in range(3)]
    middle = first**2 * v[0] + both**2 * v[1] + second**2 * v[2]
    middle = lam * middle + (index(h, slice(None, -1)) + index(h, slice(1, None))) / 3
    inner = slice(None, -1), slice(1, None)
    next_v = index(v[2], inner[0])
    beside_it = -index(both, inner[0]) * index(second, inner[0]) * index(v[1], inner[0])
    beside_it = beside_it - index(second, inner[0]) * index(both, inner[1]) * next_v
    beside_it = lam * beside_it + index(h, slice(1, -1)) / 6
    far = (
        lam * index(second, slice(None, -2)) * index(a, slice(2, -1)) * index(v[2], slice(None, -2))
    )
    one = zeros_like(index(middle, slice(0, 1)))
    rows = [
        concatenate([one, one, far]),
        concatenate([one, beside_it]),
        middle,
        concatenate([beside_it, one]),
        concatenate([far, one, one]),
    ]
    return stack(rows, 0)


def _bends(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """How slopes between neighbours change at the inner points."""
    return diff(diff(y, axis=0) / beside(diff(x), y.ndim - 1), axis=0)


def _missed(
    x: TensorVariable, y: TensorVariable, weights: TensorVariable, lam: TensorVariable
) -> TensorVariable:
    """How far values are from the smooth curve, divided by `lam`."""
    spreads = 1 / weights
    inner = solved(2, _bands(x, spreads, lam), _bends(x, y))
    none = zeros_like(index(y, slice(0, 1)))
    slopes = diff(concatenate([none, inner, none]), axis=0) / beside(diff(x), y.ndim - 1)
    change = diff(concatenate([none, slopes, none]), axis=0)
    return beside(spreads, y.ndim - 1) * change


def _foretold(
    x: TensorVariable, y: TensorVariable, weights: TensorVariable, lam: Any
) -> TensorVariable:
    """The mean square of what values miss that the others foretell.

    By P. Craven and G. Wahba, Smoothing noisy data with spline functions, 1979; a factor of `lam`
    is left out on both sides of the fraction.
    """
    n = lengths_of(x)[0]
    rest = _missed(x, y, weights, lam)
    spreads = 1 / weights
    each = _bends(x, eye(n, dtype=x.dtype))
    share = solved(2, _bands(x, spreads, lam), matmul(each * spreads, each.T))
    free = sum(share.diagonal()) / n
    return sum(beside(weights, y.ndim - 1) * rest**2) / n / free**2
