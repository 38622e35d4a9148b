"""Splines near points whose knots are chosen: as few as leave no more than `s` of squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient, wrap_py
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones_like, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.interpolate.b_spline import BSpline, spline_of
from weft_tensor.ops.interpolate.basis import basis_at
from weft_tensor.ops.interpolate.conditions import (
    demand,
    demand_length,
    real_vector,
    with_values,
)
from weft_tensor.ops.interpolate.spline_fits import closed_knots, whole_knots
from weft_tensor.ops.matrices.hermitian_bands import solveh_banded
from weft_tensor.ops.matrices.systems import solve
from weft_tensor.ops.optimize.scalar_root import root_scalar
from weft_tensor.ops.reduction.standard import prod, sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.tensor_type import TensorType

__all__ = ["is_zero", "jumps_at_knots", "smooth_spline"]

_ENOUGH: Final = 1 - 1e-3
"""Squares that are left are near enough to `s`, as in FITPACK."""
_TINY: Final = float(np.finfo("float64").tiny)


def is_zero(s: Any) -> bool:
    """Whether a spline goes through all points: `s` is the number 0, and no variable."""
    return isinstance(s, (int, float, np.number)) and s == 0


def smooth_spline(
    x: TensorVariable,
    y: TensorLike,
    w: TensorLike | None,
    ends: Sequence[TensorLike | None],
    k: int,
    s: TensorLike,
    name: str,
    *,
    per: bool = False,
) -> BSpline:
    """The smoothest spline that leaves squares of the sum `s` at points, between two ends.

    By P. Dierckx, Algorithms for smoothing data with periodic and parametric splines, 1982: knots
    are added among the points until the least squares are below `s`; with these, jumps of the
    derivative of order `k` are made as small as the squares allow. SciPy chooses the knots, on the
    host, on every backend; all else is in the graph, in float64. In derivatives, knots move with
    their points, and stay between the same. With `per` the curve is closed, the last point is not
    looked at, the jump where it closes is left out, as in FITPACK, and the equations are dense ones
    of as many unknowns as there are pieces.
    """
    if not 1 <= k <= 5:
        raise ValueError(f"{name}: the degree k must be 1 to 5, not {k}{called()}")
    x = demand_length(x, k + 1, f"{name}: a degree of {k} needs {k + 1} points or more")
    x = demand(x, lambda v: v[1:] >= v[:-1], f"{name}: x must be in increasing order")
    places, targets, _ = with_values(x, y, 0)
    if targets.is_complex or targets.ndim > 2:
        raise ValueError(f"{name}: y must be real, a vector or rows, not {targets!r}{called()}")
    kind = targets.dtype
    weights = ones_like(places) if w is None else real_vector(w, f"{name}: w")
    weights = specify_shape(weights, lengths_of(places)[0])
    weights = demand(weights, lambda v: v > 0, f"{name}: w must be positive")
    edges = [
        index(places, at) if end is None else end for at, end in zip((0, -1), ends, strict=True)
    ]
    places, weights, size, first, last = (
        as_tensor(v).astype("float64") for v in (places, weights, _number(s, name), *edges)
    )
    values = (targets if targets.ndim == 2 else expand_dims(targets, 1)).astype("float64")
    known = [stop_gradient(v) for v in (places, values, weights, stack([first, last]), size)]
    between = index(places, _choose(*known, k, name == "UnivariateSpline", per))
    inner = index(between, 0) / 2 + index(between, 1) / 2
    if per:
        t = closed_knots(concatenate([places[:1], inner, places[-1:]]), k)
        places, values, weights = (index(v, slice(None, -1)) for v in (places, values, weights))
    else:
        _, t = whole_knots(places, inner, (first, last), k)
    c = _coefficients(t, k, places, values, weights, size, per)
    c = c if targets.ndim == 2 else index(c, (slice(None), 0))
    return spline_of(t.astype(x.dtype), c.astype(kind), k, "periodic" if per else True, 0)


def _number(s: TensorLike, name: str) -> TensorVariable:
    size = as_tensor(s)
    if size.ndim:
        raise ValueError(f"{name}: s must be a number, not {s!r}{called()}")
    return demand(
        size, lambda v: v > 0, f"{name}: s must not be negative, nor a variable that is 0"
    )


def _coefficients(
    t: TensorVariable,
    k: int,
    places: TensorVariable,
    values: TensorVariable,
    weights: TensorVariable,
    size: TensorVariable,
    per: bool,
) -> TensorVariable:
    """What B-splines are multiplied by, for each column of values."""
    count = lengths_of(t)[0] - k - 1
    n = count - k if per else count
    start, several = basis_at(t, k, places)
    shares, squares = stack(several), weights**2
    rows = start + arange(k + 1).expand_dims(1)
    rows = rows % n if per else rows
    right = expand_dims(shares * squares, 2) * values
    right = updated(index(zeros((n, lengths_of(values)[1])), rows), "inc", right)
    jumps = jumps_at_knots(t, k, count)
    products = _matrix if per else _bands
    ones, knots = ones_like(index(jumps, 0)), arange(lengths_of(jumps)[1])
    near, bend = products(k, n, start, shares, squares), products(k, n, knots, jumps, ones)
    rough = sum(jumps**2)
    scale = sum(shares**2 * squares) / where(rough > 0, rough, 1.0)

    def fitted(weight: TensorVariable) -> TensorVariable:
        sums = near + weight * bend
        if per:
            return solve(sums, right, assume_a="pos")
        return solveh_banded(sums, right, lower=True)

    def left(c: TensorVariable) -> TensorVariable:
        curve = sum(expand_dims(shares, 2) * index(c, rows), 0)
        return sum(expand_dims(squares, 1) * (values - curve) ** 2)

    is_smooth = (left(fitted(0 * scale)) < _ENOUGH * size) & (count > k + 1)

    def spare(power: TensorVariable) -> TensorVariable:
        squares_left = left(fitted(scale * exp(power)))
        return where(is_smooth, log(maximum(squares_left, _TINY)) - log(size), power)

    power = root_scalar(spare, bracket=(-80.0, 30.0)).root
    c = fitted(where(is_smooth, scale * exp(power), 0.0))
    return index(c, arange(count) % n) if per else c


def _bands(
    k: int, n: Any, start: TensorVariable, parts: TensorVariable, weights: TensorVariable
) -> TensorVariable:
    """The diagonals, from the main one down, of a sum of products of a few neighbours each."""
    count: Any = parts.type.shape[0]
    rows, columns = np.tril_indices(count)
    products = index(parts, rows) * index(parts, columns) * weights
    places = (rows - columns)[:, None] + 0 * start, columns[:, None] + start
    return updated(index(zeros((k + 2, n)), places), "inc", products)


def _matrix(
    k: int, n: Any, start: TensorVariable, parts: TensorVariable, weights: TensorVariable
) -> TensorVariable:
    """The sum of products of a few neighbours each, of n in a circle."""
    count: Any = parts.type.shape[0]
    rows = (np.arange(count)[:, None] + start) % n
    products = expand_dims(parts, 1) * parts * weights
    places = expand_dims(rows, 1), expand_dims(rows, 0)
    return updated(index(zeros((n, n)), places), "inc", products)


def jumps_at_knots(t: TensorVariable, k: int, n: Any) -> TensorVariable:
    """By how much derivatives of order k of B-splines jump at inner knots, but for a factor."""
    knot, order = arange(k + 1, n), np.arange(k + 2)
    near = index(t, knot + np.arange(-k - 1, k + 2)[:, None])
    apart = index(t, knot) - near
    others = order[:, None] + np.array([[j for j in order if j + q != k + 1] for q in order])
    spans = index(near, k + 1 + order) - index(near, order)
    width = index(t, -1) - index(t, 0)
    return spans / prod(index(apart, others), 1) * width**k


def _chosen(
    x: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    ends: np.ndarray,
    s: np.ndarray,
    k: np.ndarray,
    of_class: np.ndarray,
    per: np.ndarray,
) -> np.ndarray:
    """Between which points inner knots are, two of the same where they are at one."""
    (first, last), options = ends, {"w": w, "k": int(k), "s": float(s)}
    more: dict[str, Any] = {**options, "quiet": 1, "per": int(per)}
    if per:
        y = np.append(y[:-1], y[:1], 0)  # else SciPy does so, and warns
    if of_class:  # its knots differ from those of splrep where there are many
        inner = lazy_import("scipy.interpolate.UnivariateSpline")(
            x, y[:, 0], bbox=ends, **options
        ).get_knots()[1:-1]
    elif y.shape[1] == 1:
        splrep = lazy_import("scipy.interpolate.splrep")
        inner = splrep(x, y[:, 0], xb=first, xe=last, **more)[0][k + 1 : -k - 1]
    else:
        splprep = lazy_import("scipy.interpolate.splprep")
        inner = splprep([*y.T], u=x, ub=first, ue=last, **more)[0][0][k + 1 : -k - 1]
    above = np.searchsorted(x, inner)
    return np.stack([above - (x[above] > inner), above])


_VECTOR: Final = TensorType("float64", (None,))
_NUMBER: Final = TensorType("float64", ())
_choose: Final = wrap_py(
    _chosen,
    itypes=[
        *(_VECTOR, TensorType("float64", (None, None)), _VECTOR),
        *(
            TensorType("float64", (2,)),
            _NUMBER,
            TensorType("int64", ()),
            *[TensorType("bool", ())] * 2,
        ),
    ],
    otypes=[TensorType("int64", (2, None))],
)
