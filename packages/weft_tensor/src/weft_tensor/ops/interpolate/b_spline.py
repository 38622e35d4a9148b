"""Splines as sums of B-splines."""

from __future__ import annotations

from functools import reduce
from operator import add
from operator import index as whole
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros, zeros_like
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.interpolate.basis import basis_at
from weft_tensor.ops.interpolate.conditions import (
    demand,
    demand_length,
    of_one_dtype,
    real_vector,
)
from weft_tensor.ops.interpolate.curve import Curve, Extrapolation, beside, extrapolation, within
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis

__all__ = ["BSpline", "checked_knots", "design", "inside", "known_spline", "spline_of"]


class BSpline(Curve):
    """The spline of degree `k` with knots `t`: the sum of B-splines, multiplied by `c`.

    See `scipy.interpolate.BSpline`.

    Parameters
    ----------
    t
        A vector of n + k + 1 knots, n > k, in order; between `t[k]` and `t[n]` the spline is
        defined.
    c
        Coefficients, real or complex, along `axis`: n, and what comes after has no influence.
    k
        The degree.
    extrapolate
        What is outside: the first and last piece go on (True), NaN (False), or the same again
        ("periodic").
    axis
        Which axis of `c` is that of the coefficients.

    Raises
    ------
    ValueError
        for other ranks, and for other lengths or knots out of order: at the call where these are
        unknown before.
    TypeError
        for complex knots.

    Examples
    --------
    >>> BSpline([0.0, 0.0, 1.0, 2.0, 2.0], [0.0, 1.0, 0.0], 1)([0.5, 1.25]).eval()
    array([0.5 , 0.75])
    """

    t: TensorVariable
    c: TensorVariable
    k: int

    def __init__(
        self,
        t: TensorLike,
        c: TensorLike,
        k: int,
        extrapolate: Extrapolation = True,
        axis: int = 0,
    ) -> None:
        knots, degree = checked_knots("BSpline", t, k)
        coefficients = as_floating(c)
        along = as_axis(axis, coefficients.ndim)
        coefficients = moveaxis(coefficients, along, 0)
        n = lengths_of(knots)[0] - degree - 1
        few = "BSpline: there must be a coefficient for each knot but the last k + 1"
        coefficients = index(demand_length(coefficients, n, few), slice(0, n))
        self.t, self.c, self.k = knots, coefficients, degree
        self.extrapolate, self.axis = extrapolation(extrapolate), along

    def derivative(self, nu: int = 1) -> BSpline:
        """The spline of derivatives of order `nu`, at most `k`; of integrals, if it is negative."""
        order = whole(nu)
        if order < 0:
            return self.antiderivative(-order)
        if order > self.k:
            raise ValueError(f"a spline of degree {self.k} has no derivative {nu}{called()}")
        t, c = self.t, self.c
        for k in range(self.k, self.k - order, -1):
            spans = beside(_spans(index(t, slice(1, -1)), k), c.ndim - 1)
            c = k * quotient(index(c, slice(1, None)) - index(c, slice(None, -1)), spans)
            t = index(t, slice(1, -1))
        return spline_of(t, c, self.k - order, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """The spline whose derivative of order `nu` this is.

        It does not repeat itself: that of a periodic spline is NaN outside.
        """
        order = whole(nu)
        if order < 0:
            return self.derivative(-order)
        t, c = self.t, self.c
        for k in range(self.k + 1, self.k + 1 + order):
            areas = cumsum(c * beside(_spans(t, k), c.ndim - 1), 0) / float(k)
            c = concatenate([zeros_like(index(areas, slice(0, 1))), areas])
            t = concatenate([index(t, slice(0, 1)), t, index(t, slice(-1, None))])
        how = False if self.extrapolate == "periodic" else self.extrapolate
        return spline_of(t, c, self.k + order, how, self.axis)

    def integrate(
        self, a: TensorLike, b: TensorLike, extrapolate: Extrapolation | None = None
    ) -> TensorVariable:
        """The integral from `a` to `b`; without extrapolation, of 0 outside the knots."""
        how = self.extrapolate if extrapolate is None else extrapolation(extrapolate)
        if how:
            return super().integrate(a, b, how)
        start, end = (clip(of_one_dtype(v, self.t)[0], *self._ends()) for v in (a, b))
        return super().integrate(start, end, True)

    @staticmethod
    def design_matrix(
        x: TensorLike, t: TensorLike, k: int, extrapolate: Extrapolation = False
    ) -> TensorVariable:
        """The values at `x` of each of the n B-splines: a row for each place.

        Raises ValueError as `BSpline`, and at the call for places outside of the knots, unless
        `extrapolate`. It is no sparse matrix.

        >>> BSpline.design_matrix([0.25, 1.5], [0.0, 0.0, 1.0, 2.0, 2.0], 1).eval()
        array([[0.75, 0.25, 0.  ],
               [0.  , 0.5 , 0.5 ]])
        """
        knots, degree = checked_knots("design_matrix", t, k)
        at, knots = of_one_dtype(real_vector(x, "design_matrix: x"), knots)
        how = extrapolation(extrapolate)
        if how == "periodic":
            at = within(at, *_inner(knots, degree))
        elif not how:
            at = inside("design_matrix", at, knots, degree)
        return design(at, knots, degree)

    def _ends(self) -> tuple[TensorVariable, TensorVariable]:
        return _inner(self.t, self.k)

    def _values(self, at: TensorVariable, order: int) -> TensorVariable:
        spline = self.derivative(min(order, self.k))
        first, values = basis_at(spline.t, spline.k, at)
        rank = spline.c.ndim - 1
        terms = [beside(v, rank) * index(spline.c, first + j) for j, v in enumerate(values)]
        total = reduce(add, terms)
        return zeros_like(total) if order > self.k else total


def spline_of(
    t: TensorVariable, c: TensorVariable, k: int, extrapolate: Extrapolation, axis: int
) -> BSpline:
    """The spline of parts that need no checks; the coefficients are along the first axis."""
    spline = BSpline.__new__(BSpline)
    spline.t, spline.c, spline.k = t, c, k
    spline.extrapolate, spline.axis = extrapolate, axis
    return spline


def known_spline(tck: Any) -> BSpline:
    """A spline by its parts (t, c, k), or one of SciPy's, by its numbers; TypeError for others.

    >>> known_spline(([0.0, 0.0, 1.0, 1.0], [0.0, 2.0], 1))(0.5).eval()
    array(1.)
    """
    if isinstance(tck, BSpline):
        return tck
    if isinstance(tck, (tuple, list)) and len(tck) == 3:
        return BSpline(*tck)
    theirs: Any = lazy_import("scipy.interpolate.BSpline")
    if not isinstance(tck, theirs):
        raise TypeError(f"a spline is (t, c, k) or a BSpline, not {tck!r}{called()}")
    return BSpline(tck.t, np.moveaxis(tck.c, 0, tck.axis), tck.k, tck.extrapolate, tck.axis)


def checked_knots(name: str, t: TensorLike, k: int) -> tuple[TensorVariable, int]:
    """Knots and degree, checked."""
    knots, degree = real_vector(t, f"{name}: t"), whole(k)
    if degree < 0:
        raise ValueError(f"{name}: the degree k must be 0 or more, not {k}{called()}")
    few = f"{name}: a degree of {degree} needs {2 * degree + 2} knots or more"
    knots = demand_length(knots, 2 * degree + 2, few)
    order = f"{name}: t must be in increasing order, and t[k] less than t[n]"
    ends = slice(degree, degree + 1), slice(-degree - 1, -degree or None)
    return demand(knots, lambda v: (v[1:] >= v[:-1]) & (v[ends[0]] < v[ends[1]]), order), degree


def _inner(t: TensorVariable, k: int) -> tuple[TensorVariable, TensorVariable]:
    """Between which places B-splines of degree k add up to 1."""
    return index(t, k), index(t, -k - 1)


def inside(name: str, x: TensorVariable, t: TensorVariable, k: int) -> TensorVariable:
    """`x`, if all of it lies between the inner knots; ValueError at the call if not."""
    low, high = _inner(t, k)
    text = f"{name}: x must lie between t[k] and t[n]"
    return check_and_raise(x, (x >= low) & (x <= high), ValueError, text)


def _spans(t: TensorVariable, k: int) -> TensorVariable:
    """The distances between each knot and the k-th after it."""
    return index(t, slice(k, None)) - index(t, slice(None, -k))


def design(at: TensorVariable, t: TensorVariable, k: int) -> TensorVariable:
    """The values of all B-splines at places: a row for each."""
    first, values = basis_at(t, k, at)
    rows = lengths_of(at)[0]
    columns = expand_dims(first, 1) + arange(k + 1)
    empty = zeros((rows, lengths_of(t)[0] - k - 1), at.dtype)
    return updated(index(empty, (expand_dims(arange(rows), 1), columns)), "set", stack(values, -1))
