"""Splines through points, and near them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as whole
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, eye, full, zeros
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.interpolate.b_spline import (
    BSpline,
    checked_knots,
    design,
    inside,
    spline_of,
)
from weft_tensor.ops.interpolate.basis import basis_at
from weft_tensor.ops.interpolate.conditions import (
    demand_length,
    increasing,
    of_one_dtype,
    real_vector,
    with_values,
)
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.systems import by_columns, solved
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.numbers.closeness import isclose
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape

__all__ = [
    "closed_knots",
    "closed_spline",
    "knots_through",
    "make_interp_spline",
    "make_lsq_spline",
    "whole_knots",
]

Derivatives = Sequence[tuple[int, TensorLike]]
"""Orders of derivatives at an end, with their values."""

_WORDS: dict[str, Derivatives | None] = {
    "not-a-knot": None,
    "natural": [(2, 0.0)],
    "clamped": [(1, 0.0)],
}


def make_interp_spline(
    x: TensorLike,
    y: TensorLike,
    k: int = 3,
    t: TensorLike | None = None,
    bc_type: Any = None,
    axis: int = 0,
) -> BSpline:
    """The spline of degree `k` through points (x, y).

    By a system of equations with 2 k + 1 diagonals. See `scipy.interpolate.make_interp_spline`.

    Parameters
    ----------
    x
        A vector, strictly increasing.
    y
        Values, real or complex, along `axis`.
    k
        The degree.
    t
        Knots; by default, as `bc_type` needs them.
    bc_type
        "not-a-knot" (None, the default), "natural", "clamped", or two of these or of lists of
        pairs (order, value) of derivatives, for each end; k - 1 derivatives in all. "periodic" for
        closed curves, whose last value must be the first.
    axis
        Which axis of `y` belongs to `x`.

    Raises
    ------
    ValueError
        for other ranks, lengths and numbers of derivatives, if `x` does not increase, or if the
        knots leave a B-spline without a point: at the call where it is unknown before.
    TypeError
        for complex `x`.

    Examples
    --------
    >>> make_interp_spline([0.0, 1.0, 3.0], [0.0, 1.0, 9.0], k=2)([0.5, 2.0]).eval().round(12)
    array([0.25, 4.  ])
    """
    name = "make_interp_spline"
    x = real_vector(x, f"{name}: x")
    if isinstance(bc_type, str) and bc_type == "periodic":
        if t is not None:
            raise ValueError(f"{name}: knots of closed curves are chosen: leave t out{called()}")
        return closed_spline(name, x, y, whole(k), axis, ends_meet=True)
    places, values, along = with_values(increasing(x, f"{name}: x"), y, axis)
    ends = _derivatives(bc_type)
    knots, degree = checked_knots(
        name, knots_through(places, whole(k), ends) if t is None else t, k
    )
    places, knots = of_one_dtype(places, knots)
    before, after = (list(end or ()) for end in ends)
    count = lengths_of(places)[0]
    n = count + (len(before) + len(after))
    knots = specify_shape(knots, (n + degree + 1,))
    first, shares = basis_at(knots, degree, inside(name, places, knots, degree))
    row = arange(count) + len(before)
    far = f"{name}: each B-spline must have a point of its own between its knots"
    first = check_and_raise(first, (first <= row) & (row <= first + degree), ValueError, far)
    few = 2 * degree + 2
    left = _end_rows(index(knots, slice(None, few)), degree, index(places, 0), before)
    right = _end_rows(index(knots, slice(-few, None)), degree, index(places, -1), after)
    starts = concatenate([zeros(len(before), "int64"), first, full(len(after), n - degree - 1)])
    rows = concatenate([*left, stack(shares, -1), *right])
    columns = expand_dims(starts, 1) + arange(degree + 1)
    diagonals = expand_dims(arange(n), 1) + degree - columns
    empty = zeros((2 * degree + 1, n), places.dtype)
    bands = updated(index(empty, (diagonals, columns)), "set", rows)
    first_rows, last_rows = ([_row_of(v, values) for _, v in end] for end in (before, after))
    coefficients = solved(degree, bands, concatenate([*first_rows, values, *last_rows]))
    return spline_of(knots, coefficients, degree, True, along)


def make_lsq_spline(
    x: TensorLike,
    y: TensorLike,
    t: TensorLike,
    k: int = 3,
    w: TensorLike | None = None,
    axis: int = 0,
) -> BSpline:
    """The spline of degree `k` with knots `t` that is nearest to points (x, y).

    The sum of the squares of `w * (y - spline(x))` is the least, by a QR decomposition. See
    `scipy.interpolate.make_lsq_spline`.

    Parameters
    ----------
    x
        A vector, between `t[k]` and `t[n]`, in any order.
    y
        Values, real or complex, along `axis`.
    t
        Knots, as for `BSpline`.
    k
        The degree.
    w
        How much each point counts: a vector; by default all the same.
    axis
        Which axis of `y` belongs to `x`.

    Raises
    ------
    ValueError
        for other ranks and lengths, knots out of order, or fewer points than B-splines: at the
        call where it is unknown before.
    TypeError
        for complex `x`, `t` or `w`.

    Examples
    --------
    >>> line = make_lsq_spline([0.0, 1.0, 2.0], [0.0, 3.0, 3.0], [0.0, 0.0, 2.0, 2.0], k=1)
    >>> line([0.0, 2.0]).eval().round(12)
    array([0.5, 3.5])
    """
    name = "make_lsq_spline"
    places, values, along = with_values(real_vector(x, f"{name}: x"), y, axis)
    knots, degree = checked_knots(name, t, k)
    places, knots = of_one_dtype(places, knots)
    n = lengths_of(knots)[0] - degree - 1
    few = f"{name}: there must be as many points as B-splines, or more"
    places = demand_length(inside(name, places, knots, degree), n, few)
    matrix = design(places, knots, degree)
    if w is not None:
        weights = specify_shape(real_vector(w, f"{name}: w"), lengths_of(places))
        matrix = expand_dims(weights, 1) * matrix
        values = beside(weights, values.ndim - 1) * values
    q, r = qr(matrix)
    coefficients = by_columns(lambda b: solve_triangular(r, matmul(q.T, b), lower=False), values)
    return spline_of(knots, coefficients, degree, True, along)


def closed_spline(
    name: str, x: TensorVariable, y: TensorLike, k: int, axis: int, *, ends_meet: bool = False
) -> BSpline:
    """The closed curve through points, whose last value is not looked at, or must be the first.

    Coefficients are those of as many B-splines as there are intervals, again and again. The
    equations, in which neighbours in a circle meet, are written so that both ways around go side by
    side: twice as many diagonals, and no corners.
    """
    if k < 1:
        raise ValueError(f"{name}: the degree k must be 1 or more, not {k}{called()}")
    x = demand_length(x, k + 1, f"{name}: a degree of {k} needs {k + 1} points or more")
    x, values, along = with_values(increasing(x, f"{name}: x"), y, axis)
    if ends_meet:
        equal = isclose(index(values, 0), index(values, -1), atol=1e-15)
        text = f"{name}: the last y of a periodic curve must be the first"
        values = check_and_raise(values, equal, ValueError, text)
    middles = (index(x, slice(None, -2)) + index(x, slice(1, -1))) / 2
    breaks = x if k % 2 else concatenate([x[:1], middles, x[-1:]])
    t, n, half = closed_knots(breaks, k), lengths_of(x)[0] - 1, k // 2
    _, shares = basis_at(t, k, index(x, slice(None, -1)))

    def place(number: TensorVariable) -> TensorVariable:
        at = number % n
        return where(2 * at < n, 2 * at, 2 * (n - 1 - at) + 1)

    row = arange(n)
    near = np.arange(2 * half + 1)[:, None] - half
    columns = place(row + near)
    empty = zeros((4 * half + 1, n), x.dtype)
    diagonals = 2 * half + place(row) - columns
    bands = updated(index(empty, (diagonals, columns)), "inc", stack(shares[: 2 * half + 1]))
    order = where((row % 2).eq(0), row // 2, n - 1 - row // 2)
    c = solved(2 * half, bands, index(values, order))
    return spline_of(t, index(c, place(arange(n + k) - half)), k, "periodic", along)


def closed_knots(breaks: TensorVariable, k: int) -> TensorVariable:
    """The knots of a closed spline between places where its pieces meet, and k at either end.

    >>> closed_knots(as_tensor([0.0, 1.0, 3.0]), 3).eval()
    array([-5., -3., -2.,  0.,  1.,  3.,  4.,  6.,  7.])
    """
    n = lengths_of(breaks)[0] - 1
    period = index(breaks, -1) - index(breaks, 0)
    before, after = (
        index(breaks, at % n) + (at // n).astype(breaks.dtype) * period
        for at in (arange(-k, 0), n + arange(1, k + 1))
    )
    return concatenate([before, breaks, after])


def _derivatives(bc_type: Any) -> list[Derivatives | None]:
    """Derivatives at both ends; None where there are none, and the next knots are left out."""
    both = [bc_type, bc_type] if bc_type is None or isinstance(bc_type, str) else list(bc_type)
    if len(both) != 2 or not all(e is None or not isinstance(e, str) or e in _WORDS for e in both):
        allowed = (
            f"{', '.join(map(repr, _WORDS))}, 'periodic', or two lists of pairs (order, value)"
        )
        raise ValueError(f"bc_type must be {allowed}, not {bc_type!r}{called()}")
    return [_WORDS[end] if isinstance(end, str) else end for end in both]


def knots_through(x: TensorVariable, k: int, ends: Sequence[Derivatives | None]) -> TensorVariable:
    """The knots of the spline of degree k through points at `x`, as the ends need them.

    >>> knots_through(as_tensor([0.0, 1.0, 2.0, 3.0]), 2, (None, None)).eval()
    array([0. , 0. , 0. , 1.5, 3. , 3. , 3. ])
    """
    conditions = sum(len(end or ()) for end in ends)
    first, last = index(x, slice(0, 1)), index(x, slice(-1, None))
    if not conditions:
        least = f"make_interp_spline: a degree of {k} needs {k + 1} points or more"
        inner = demand_length(x, k + 1, least)
        if k == 0:
            return concatenate([inner, last])
        if k % 2 == 0:
            inner = (index(inner, slice(1, None)) + index(inner, slice(None, -1))) / 2
        inner = index(inner, slice((k + 1) // 2, -((k + 1) // 2)))
        return concatenate([*[first] * (k + 1), inner, *[last] * (k + 1)])
    if conditions != k - 1:
        wanted = f"make_interp_spline: a degree of {k} needs {k - 1} derivatives at the ends"
        raise ValueError(f"{wanted}, not {conditions}{called()}")
    return concatenate([*[first] * k, x, *[last] * k])


def whole_knots(
    x: TensorVariable, inner: TensorVariable | None, ends: Sequence[TensorLike | None], k: int
) -> tuple[TensorVariable, TensorVariable]:
    """Places, and knots: inner ones, or those of a spline through the places, and k + 1 ends.

    >>> x = as_tensor([0.0, 1.0, 2.0, 3.0])
    >>> whole_knots(x, None, (None, 4.0), 2)[1].eval()
    array([0. , 0. , 0. , 1.5, 4. , 4. , 4. ])
    """
    if inner is None:
        inner = index(knots_through(x, k, (None, None)), slice(k + 1, -k - 1))
    places, between = of_one_dtype(x, inner)
    first, last = (
        reshape(of_one_dtype(index(places, at) if end is None else end, places)[0], (1,))
        for at, end in zip((0, -1), ends, strict=True)
    )
    return places, concatenate([*[first] * (k + 1), between, *[last] * (k + 1)])


def _end_rows(
    t: TensorVariable, k: int, at: TensorVariable, derivatives: Derivatives
) -> list[TensorVariable]:
    """The derivatives of the k + 1 B-splines at an end: a row for each order."""
    if not derivatives:
        return []
    each = spline_of(t, eye(k + 1, dtype=t.dtype), k, True, 0)
    return [stack([each(at, order) for order, _ in derivatives])]


def _row_of(value: TensorLike, y: TensorVariable) -> TensorVariable:
    return broadcast_to(as_tensor(value).astype(y.dtype), (1, *lengths_of(y)[1:]))
