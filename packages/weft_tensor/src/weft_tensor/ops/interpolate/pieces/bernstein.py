"""Polynomials between knots by Bernstein's: each is between the coefficients of its piece."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import comb, perm
from operator import add
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.curve import Extrapolation, beside
from weft_tensor.ops.interpolate.pieces.power_basis import Pieces, PPoly, rows_of
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate, stack

__all__ = ["BPoly"]


class BPoly(Pieces):
    """Polynomials between knots, by coefficients of Bernstein's polynomials.

    Between `x[i]` and `x[i + 1]`, with t from 0 to 1, the curve is the sum of
    `c[j, i] * comb(k, j) * t**j * (1 - t)**(k - j)`. See `scipy.interpolate.BPoly`.

    Parameters
    ----------
    c
        Coefficients, of shape (k + 1, m, ...): of each piece. The number k is part of its type.
    x
        The m + 1 knots: a vector, in increasing order.
    extrapolate
        What is outside: the first and last piece go on (True, the default), NaN (False), or the
        same again ("periodic").
    axis
        Which axis of values the knots belong to: `c` is then of shape (..., k + 1, m, ...).

    Raises
    ------
    ValueError
        for other ranks, and for other lengths or knots out of order: at the call where these are
        unknown before.
    TypeError
        for complex knots.

    Examples
    --------
    >>> curve = BPoly([[0.0], [2.0], [0.0]], [0.0, 1.0])
    >>> curve([0.25, 0.5]).eval(), curve.integrate(0.0, 1.0).eval().round(6).item()
    (array([0.75, 1.  ]), 0.666667)
    """

    @classmethod
    def from_power_basis(cls, pp: PPoly, extrapolate: Extrapolation | None = None) -> BPoly:
        """The same curve as a `PPoly`. Raises TypeError for another.

        >>> BPoly.from_power_basis(PPoly([[1.0], [0.0], [0.0]], [0.0, 2.0])).c.eval().ravel()
        array([0., 0., 4.])
        """
        if not isinstance(pp, PPoly):
            raise TypeError(f"from_power_basis takes a PPoly, not {pp!r}{called()}")
        widths, rows = pp._widths(), rows_of(pp.c)
        k = len(rows) - 1
        parts = [row * widths ** (k - a) / comb(k, k - a) for a, row in enumerate(rows)]
        sums = [[comb(j, k - a) * parts[a] for a in range(k - j, k + 1)] for j in range(k + 1)]
        how = pp.extrapolate if extrapolate is None else extrapolate
        return _made(stack([reduce(add, row) for row in sums]), pp.x, how, pp.axis)

    @classmethod
    def from_derivatives(
        cls,
        xi: TensorLike,
        yi: Any,
        orders: int | Sequence[int | None] | None = None,
        extrapolate: Extrapolation | None = None,
    ) -> BPoly:
        """The curve with these values and derivatives at knots.

        Parameters
        ----------
        xi
            The knots: a vector.
        yi
            For each knot, its value, first derivative, and so on: a list of lists, which may be
            of different lengths, or a tensor with a row for each.
        orders
            The degree of each piece, by default the highest that derivatives tell.
        extrapolate
            As for `BPoly`.

        Raises
        ------
        ValueError
            for another number of knots, numbers that are not known, and orders that are too high.

        Examples
        --------
        >>> curve = BPoly.from_derivatives([0.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
        >>> curve([0.0, 0.5, 1.0]).eval(), curve.derivative()(0.0).eval()
        (array([0.   , 0.625, 1.   ]), array(1.))
        """
        knots = as_floating(xi)
        points = [_entries(row) for row in _entries(yi)]
        m = len(points) - 1
        if m < 1 or knots.type.shape not in ((None,), (m + 1,)):
            raise ValueError(f"from_derivatives: {m + 1} rows for the knots {knots!r}{called()}")
        degrees = orders if isinstance(orders, Sequence) else [orders] * m
        if len(degrees) != m or any(n is not None and n < 1 for n in degrees):
            raise ValueError(f"from_derivatives: {m} orders, 1 or more, not {orders}{called()}")
        pieces = [_taken(points[i], points[i + 1], degrees[i]) for i in range(m)]
        widths = index(knots, slice(1, None)) - index(knots, slice(None, -1))
        top = max(len(points[i]) + len(points[i + 1]) for i in range(m))
        sizes = {(len(ya), len(yb)) for ya, yb in pieces}
        if len(sizes) == 1:  # all at once
            ends = [[stack([p[e][q] for p in pieces]) for q in range(len(pieces[0][e]))]
                    for e in (0, 1)]  # fmt: skip
            rows = _from_ends(beside(widths, ends[0][0].ndim - 1), *ends)
            return cls(stack(_raised(rows, top)), knots, extrapolate)
        every = [_raised(_from_ends(index(widths, i), *p), top) for i, p in enumerate(pieces)]
        return cls(stack([stack(rows) for rows in every], 1), knots, extrapolate)

    def _like(self, c: TensorVariable, extrapolate: Extrapolation) -> BPoly:
        return _made(c, self.x, extrapolate, self.axis)

    def _derived(self, order: int) -> TensorVariable:
        c, k = self.c, len(rows_of(self.c)) - 1
        if order > k:
            return zeros_like(index(c, slice(0, 1)))
        for _ in range(order):
            c = index(c, slice(1, None)) - index(c, slice(None, -1))
        return perm(k, order) * c / self._widths() ** order if order else c

    def _area(self) -> TensorVariable:
        sums = cumsum(self.c, 0) * (self._widths() / len(rows_of(self.c)))
        ends = cumsum(index(sums, -1), 0)
        before = index(ends, slice(None, -1))
        starts = concatenate([zeros_like(index(ends, slice(0, 1))), before], 0)
        return concatenate([starts.expand_dims(0), sums + starts], 0)

    def _sum(
        self, rows: list[TensorVariable], since: TensorVariable, piece: TensorVariable
    ) -> TensorVariable:
        k = len(rows) - 1
        t = since / index(self._widths(), piece)
        parts = [comb(k, j) * t**j * (1 - t) ** (k - j) * row for j, row in enumerate(rows)]
        return reduce(add, parts)


def _made(c: TensorVariable, x: TensorVariable, how: Extrapolation, axis: int) -> BPoly:
    return BPoly.__new__(BPoly)._set(c, x, how, axis)


def _entries(values: Any) -> list[Any]:
    """Along the first axis, of which it is known how many there are."""
    if isinstance(values, (list, tuple)):
        return list(values)
    rows = as_floating(values)
    if not rows.ndim or not isinstance(rows.type.shape[0], int):
        raise ValueError(
            f"from_derivatives takes known numbers of points and derivatives, not {rows!r}: write "
            f"reshape(-1, 1) for values alone{called()}"
        )
    return rows_of(rows)


def _taken(ya: list[Any], yb: list[Any], degree: int | None) -> tuple[list[Any], list[Any]]:
    """As many derivatives at both ends as a piece of a degree asks for."""
    ahead, behind = ([as_floating(v) for v in end] for end in (ya, yb))
    if degree is None:
        return ahead, behind
    n = degree + 1
    first = min(n // 2, len(ahead))
    second = min(n - first, len(behind))
    first = min(n - second, len(ahead))
    if first + second != n:
        raise ValueError(
            f"from_derivatives: points of {len(ahead)} and {len(behind)} derivatives, and the "
            f"order {degree}{called()}"
        )
    return ahead[:first], behind[:second]


def _from_ends(width: TensorVariable, ya: list[Any], yb: list[Any]) -> list[TensorVariable]:
    """The coefficients of a piece by what it is at both ends, from these to the middle."""
    n = len(ya) + len(yb)
    ahead: list[Any] = []
    for q, y in enumerate(ya):
        known = [(-1) ** (j + q) * comb(q, j) * c for j, c in enumerate(ahead)]
        ahead.append(reduce(lambda a, b: a - b, known, y * width**q / perm(n - 1, q)))
    behind: list[Any] = []
    for q, y in enumerate(yb):
        known = [(-1) ** (j + q) * comb(q, j) * c for j, c in enumerate(behind)]
        start = y * (-width) ** q / perm(n - 1, q)
        behind.append(reduce(lambda a, b: a - b, known, start))
    return [*ahead, *behind[::-1]]


def _raised(rows: list[Any], count: int) -> list[Any]:
    """The same polynomial by so many coefficients."""
    k, more = len(rows) - 1, count - len(rows)
    if not more:
        return rows
    sums: list[Any] = [0] * count
    for a, row in enumerate(rows):
        for j in range(more + 1):
            sums[a + j] += row * (comb(k, a) * comb(more, j) / comb(k + more, a + j))
    return sums
