"""Polynomials, each between two knots."""

from __future__ import annotations

from abc import abstractmethod
from math import factorial, perm
from operator import index as whole
from typing import Any, Self

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.interpolate.b_spline import known_spline
from weft_tensor.ops.interpolate.conditions import demand, demand_length, real_vector
from weft_tensor.ops.interpolate.curve import Curve, Extrapolation, beside, extrapolation
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis

__all__ = ["PPoly", "Pieces", "rows_of"]


class Pieces(Curve):
    """Polynomials between knots, by coefficients of any form."""

    c: TensorVariable
    x: TensorVariable

    def __init__(
        self,
        c: TensorLike,
        x: TensorLike,
        extrapolate: Extrapolation | None = None,
        axis: int = 0,
    ) -> None:
        name = type(self).__name__
        coefficients, knots = as_floating(c), real_vector(x, f"{name}: x")
        if coefficients.ndim < 2:
            raise ValueError(
                f"{name}: c must have two or more axes, not {coefficients!r}{called()}"
            )
        along = as_axis(axis, coefficients.ndim - 1)
        coefficients = moveaxis(coefficients, (along, along + 1), (0, 1))
        if not isinstance(coefficients.type.shape[0], int) or not coefficients.type.shape[0]:
            raise ValueError(
                f"{name}: the type of c must say how many powers there are, 1 or more: "
                f"write specify_shape(c, ...) for {coefficients!r}{called()}"
            )
        knots = demand(knots, lambda v: v[1:] >= v[:-1], f"{name}: x must be in increasing order")
        knots = demand_length(knots, 2, f"{name}: there must be 2 knots or more")
        others = [None] * (coefficients.ndim - 2)
        coefficients = specify_shape(coefficients, (None, lengths_of(knots)[0] - 1, *others))
        how: Extrapolation = True if extrapolate is None else extrapolation(extrapolate)
        self._set(coefficients, knots, how, along)

    def _set(
        self, c: TensorVariable, x: TensorVariable, extrapolate: Extrapolation, axis: int
    ) -> Self:
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis
        return self

    def derivative(self, nu: int = 1) -> Pieces:
        """The curve of derivatives of order `nu`; of integrals, if that is negative."""
        order = whole(nu)
        if order < 0:
            return self.antiderivative(-order)
        return self._like(self._derived(order), self.extrapolate)

    def antiderivative(self, nu: int = 1) -> Pieces:
        """The curve whose derivative of order `nu` this is; it begins with 0, and has no jumps.

        It does not repeat itself: that of a periodic curve is NaN outside.
        """
        order = whole(nu)
        if order < 0:
            return self.derivative(-order)
        curve: Pieces = self
        how = False if self.extrapolate == "periodic" else self.extrapolate
        for _ in range(order):
            curve = curve._like(curve._area(), how)
        return curve if order else self._like(self.c, how)

    def _ends(self) -> tuple[TensorVariable, TensorVariable]:
        return index(self.x, 0), index(self.x, -1)

    def _widths(self) -> TensorVariable:
        """Of pieces, beside their coefficients."""
        widths = index(self.x, slice(1, None)) - index(self.x, slice(None, -1))
        return beside(widths, self.c.ndim - 2)

    def _values(self, at: TensorVariable, order: int) -> TensorVariable:
        last = lengths_of(self.x)[0] - 2
        piece = clip(searchsorted(self.x, at, "right") - 1, 0, last)
        since = beside(at - index(self.x, piece), self.c.ndim - 2)
        rows = [index(row, piece) for row in rows_of(self._derived(order))]
        return self._sum(rows, since, piece)

    @abstractmethod
    def _like(self, c: TensorVariable, extrapolate: Extrapolation) -> Pieces:
        """A curve of this form, with other coefficients."""

    @abstractmethod
    def _derived(self, order: int) -> TensorVariable:
        """The coefficients of derivatives: 0 alone where no power is left."""

    @abstractmethod
    def _area(self) -> TensorVariable:
        """The coefficients of integrals from the first knot."""

    @abstractmethod
    def _sum(
        self, rows: list[TensorVariable], since: TensorVariable, piece: TensorVariable
    ) -> TensorVariable:
        """The value of pieces with these coefficients, so far after their knots."""


class PPoly(Pieces):
    """Polynomials between knots, by their coefficients.

    Between `x[i]` and `x[i + 1]` the curve is the sum of `c[j, i] * (s - x[i]) ** (k - 1 - j)`.
    See `scipy.interpolate.PPoly`.

    Parameters
    ----------
    c
        Coefficients, of shape (k, m, ...): from the highest power to the constant one, for each
        piece. The number `k` is part of its type.
    x
        The m + 1 knots: a vector, in increasing order.
    extrapolate
        What is outside: the first and last piece go on (True, the default), NaN (False), or the
        same again ("periodic").
    axis
        Which axis of values the knots belong to: `c` is then of shape (..., k, m, ...).

    Raises
    ------
    ValueError
        for other ranks, and for other lengths or knots out of order: at the call where these are
        unknown before.
    TypeError
        for complex knots.

    Examples
    --------
    >>> roof = PPoly([[1.0, -1.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> roof([0.5, 1.25]).eval(), roof.integrate(0.0, 2.0).eval().item()
    (array([0.5 , 0.75]), 1.0)
    """

    @classmethod
    def from_spline(cls, tck: Any, extrapolate: Extrapolation | None = None) -> PPoly:
        """The same curve as a spline: (t, c, k), or a BSpline, SciPy's too.

        Of a spline with further axes, these come after the knots'. Raises TypeError for others.

        >>> PPoly.from_spline(([0.0, 0.0, 1.0, 1.0], [0.0, 2.0], 1))(0.5).eval()
        array(1.)
        """
        spline = known_spline(tck)
        at, k = index(spline.t, slice(None, -1)), spline.k
        values = [spline._values(at, order) / float(factorial(order)) for order in range(k, -1, -1)]
        how = spline.extrapolate if extrapolate is None else extrapolation(extrapolate)
        return PPoly.__new__(PPoly)._set(stack(values), spline.t, how, spline.axis)

    def _like(self, c: TensorVariable, extrapolate: Extrapolation) -> PPoly:
        return PPoly.__new__(PPoly)._set(c, self.x, extrapolate, self.axis)

    def _derived(self, order: int) -> TensorVariable:
        return _derived(self.c, order)

    def _area(self) -> TensorVariable:
        return _area(self.c, self._widths())

    def _sum(
        self, rows: list[TensorVariable], since: TensorVariable, piece: TensorVariable
    ) -> TensorVariable:
        return _horner(rows, since)


def rows_of(c: TensorVariable) -> list[TensorVariable]:
    """Along the first axis, of which it is known how many there are.

    >>> [row.eval().item() for row in rows_of(as_floating([1.0, 2.0]))]
    [1.0, 2.0]
    """
    count: Any = c.type.shape[0]
    return [index(c, j) for j in range(count)]


def _horner(rows: list[TensorVariable], s: TensorVariable) -> TensorVariable:
    total = rows[0] + zeros_like(s)
    for row in rows[1:]:
        total = total * s + row
    return total


def _derived(c: TensorVariable, order: int) -> TensorVariable:
    """The coefficients of derivatives: 0 alone where no power is left."""
    count: Any = c.type.shape[0]
    if order >= count:
        return zeros_like(index(c, slice(0, 1)))
    factors = [float(perm(power, order)) for power in range(count - 1, order - 1, -1)]
    upper = index(c, slice(0, count - order))
    return upper * _column(factors, upper) if order else c


def _area(c: TensorVariable, widths: TensorVariable) -> TensorVariable:
    """The coefficients of integrals from the first knot."""
    count: Any = c.type.shape[0]
    powers = c / _column([float(power) for power in range(count, 0, -1)], c)
    zero = zeros_like(index(c, 0))
    areas = _horner([*rows_of(powers), zero], widths)
    before = cumsum(index(areas, slice(None, -1)), 0)
    first = index(zero, slice(0, 1)).astype(before.dtype)
    starts = concatenate([first, before])
    return concatenate([powers.astype(starts.dtype), index(starts, None)])


def _column(numbers: list[float], c: TensorVariable) -> np.ndarray:
    """Numbers for the rows of `c`, in its precision."""
    return np.array(numbers, c.real.dtype).reshape(-1, *[1] * (c.ndim - 1))
