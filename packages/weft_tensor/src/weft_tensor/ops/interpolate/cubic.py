"""Cubic curves through points, by their slopes there."""

from __future__ import annotations

from typing import Any, Literal

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.conditions import (
    demand_length,
    increasing,
    real_vector,
    with_values,
)
from weft_tensor.ops.interpolate.curve import Extrapolation, beside, extrapolation
from weft_tensor.ops.interpolate.pieces.power_basis import PPoly
from weft_tensor.ops.interpolate.spline_slopes import Ends, conditions_of, spline_slopes
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.statistics.differences import diff

__all__ = ["Akima1DInterpolator", "CubicHermiteSpline", "CubicSpline", "PchipInterpolator"]


class _Cubic(PPoly):
    """Cubic polynomials between points, of which the values and slopes are known."""

    def _join(self, x: Any, y: Any, slopes: Any, extrapolate: Extrapolation, axis: int) -> None:
        widths = beside(diff(x), y.ndim - 1)
        rise = diff(y, axis=0) / widths
        before, after = _neighbours(slopes)
        bend = (before + after - 2 * rise) / widths
        rows = [bend / widths, (rise - before) / widths - bend, before, index(y, slice(None, -1))]
        dtype = rows[0].dtype
        c = concatenate([index(row.astype(dtype), None) for row in rows])
        self._set(c, x, extrapolate, axis)


class CubicHermiteSpline(_Cubic):
    """The cubic curve through points (x, y) with slopes `dydx` there.

    See `scipy.interpolate.CubicHermiteSpline`; what the curve offers, `PPoly` says.

    Parameters
    ----------
    x
        A vector, strictly increasing, of length 2 or more.
    y, dydx
        Values and slopes, real or complex, along `axis`; of one shape.
    axis
        Which axis of `y` belongs to `x`.
    extrapolate
        As for `PPoly`.

    Raises
    ------
    ValueError
        for other ranks and lengths, or if `x` does not increase: at the call where it is unknown
        before.
    TypeError
        for complex `x`.

    Examples
    --------
    >>> CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])([0.25, 0.5]).eval()
    array([0.15625, 0.5    ])
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        dydx: TensorLike,
        axis: int = 0,
        extrapolate: Extrapolation | None = None,
    ) -> None:
        places, values, along = _points("CubicHermiteSpline", x, y, axis, 2)
        slopes = as_floating(dydx)
        if slopes.ndim != values.ndim:
            text = f"CubicHermiteSpline: dydx must be of the rank of y, not {slopes!r}"
            raise ValueError(f"{text}{called()}")
        slopes = specify_shape(moveaxis(slopes, along, 0), lengths_of(values))
        how: Extrapolation = True if extrapolate is None else extrapolation(extrapolate)
        self._join(places, values, slopes, how, along)


class CubicSpline(_Cubic):
    """The cubic curve through points (x, y) whose second derivative has no jumps.

    See `scipy.interpolate.CubicSpline`; what the curve offers, `PPoly` says. The slopes solve a
    system with three diagonals (de Boor, A Practical Guide to Splines, chapter IV).

    Parameters
    ----------
    x
        A vector, strictly increasing, of length 2 or more.
    y
        Values, real or complex, along `axis`.
    axis
        Which axis of `y` belongs to `x`.
    bc_type
        What holds at the ends: "not-a-knot" (the first two pieces are one polynomial, as are the
        last two), "natural" (no second derivative), "clamped" (no first derivative), a pair
        (order, value) with the derivative of order 1 or 2, or two of these, for each end;
        "periodic" for both.
    extrapolate
        As for `PPoly`; by default "periodic" for a periodic curve.

    Raises
    ------
    ValueError
        for other ranks, lengths and conditions, if `x` does not increase, or if the ends of
        periodic values differ: at the call where it is unknown before. A `x` of unknown length
        must have 4 points, if both ends are "not-a-knot", 3 if one is.
    TypeError
        for complex `x`.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import vector
    >>> y = vector("y", shape=(3,))
    >>> curve = CubicSpline([0.0, 1.0, 2.0], y, bc_type="natural")
    >>> [v.eval({y: [0.0, 1.0, 0.0]}).round(6).tolist() for v in (curve(0.5), grad(curve(0.5), y))]
    [0.6875, [0.40625, 0.6875, -0.09375]]
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        axis: int = 0,
        bc_type: Ends = "not-a-knot",
        extrapolate: Extrapolation | None = None,
    ) -> None:
        ends = conditions_of(bc_type)
        free = [end for end in ends if end == "not-a-knot"]
        places, values, along = _points("CubicSpline", x, y, axis, 2 + len(free))
        how: Extrapolation = "periodic" if "periodic" in ends else True
        if extrapolate is not None:
            how = extrapolation(extrapolate)
        values, slopes = spline_slopes(places, values, ends)
        self._join(places, values, slopes, how, along)


class PchipInterpolator(_Cubic):
    """The cubic curve through points (x, y) that rises and falls only as they do.

    Slopes are harmonic means of those of the lines to both neighbours, and 0 at extremes (Fritsch
    and Butland, 1984). See `scipy.interpolate.PchipInterpolator`; what the curve offers, `PPoly`
    says.

    Parameters
    ----------
    x
        A vector, strictly increasing, of length 2 or more; 3 or more where its length is unknown.
    y
        Real values along `axis`.
    axis
        Which axis of `y` belongs to `x`.
    extrapolate
        As for `PPoly`.

    Raises
    ------
    ValueError
        for other ranks and lengths, or if `x` does not increase: at the call where it is unknown
        before.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> PchipInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0])([0.5, 1.5, 2.5]).eval()
    array([0. , 0.5, 1. ])
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        axis: int = 0,
        extrapolate: Extrapolation | None = None,
    ) -> None:
        places, values, along = _points("PchipInterpolator", x, _real(y), axis, 3)
        widths = beside(diff(places), values.ndim - 1)
        rise = diff(values, axis=0) / widths
        if places.type.shape[0] == 2:
            slopes = concatenate([rise, rise])
        else:
            ends = [_gentle_end(*(_at(v, k) for v in (widths, rise) for k in p)) for p in _ENDS]
            slopes = concatenate([ends[0], _harmonic(widths, rise), ends[1]])
        how: Extrapolation = True if extrapolate is None else extrapolation(extrapolate)
        self._join(places, values, slopes, how, along)


class Akima1DInterpolator(_Cubic):
    """The cubic curve through points (x, y) on which far points have no influence.

    A slope is a mean of those of the lines to both neighbours, with weights by how much these
    differ from the next (Akima, 1970). See `scipy.interpolate.Akima1DInterpolator`; what the curve
    offers, `PPoly` says.

    Parameters
    ----------
    x
        A vector, strictly increasing, of length 2 or more; 3 or more where its length is unknown.
    y
        Real values along `axis`.
    axis
        Which axis of `y` belongs to `x`.
    method
        "akima", or "makima" for weights that keep it flatter where points are level.
    extrapolate
        As for `PPoly`; by default False: NaN outside.

    Raises
    ------
    ValueError
        for other ranks, lengths and methods, or if `x` does not increase: at the call where it is
        unknown before.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> Akima1DInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0])([0.5, 2.5, 4.0]).eval()
    array([0.    , 0.3125,    nan])
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        axis: int = 0,
        *,
        method: Literal["akima", "makima"] = "akima",
        extrapolate: Extrapolation | None = None,
    ) -> None:
        if method not in ("akima", "makima"):
            text = f"Akima1DInterpolator: method must be 'akima' or 'makima', not {method!r}"
            raise ValueError(f"{text}{called()}")
        places, values, along = _points("Akima1DInterpolator", x, _real(y), axis, 3)
        rise = diff(values, axis=0) / beside(diff(places), values.ndim - 1)
        if places.type.shape[0] == 2:
            slopes = concatenate([rise, rise])
        else:
            slopes = _akima(rise, method == "makima")
        self._join(places, values, slopes, extrapolation(extrapolate or False), along)


def _points(
    name: str, x: TensorLike, y: TensorLike, axis: int, least: int
) -> tuple[TensorVariable, TensorVariable, int]:
    """Places, values along the first axis, and which it was; `least` counts for unknown lengths."""
    places = increasing(real_vector(x, f"{name}: x"), f"{name}: x")
    places, values, along = with_values(places, y, axis)
    least = 2 if isinstance(places.type.shape[0], int) else least
    places = demand_length(places, least, f"{name}: there must be {least} points or more")
    return places, values, along


def _real(y: TensorLike) -> TensorVariable:
    values = as_tensor(y)
    if values.is_complex:
        raise TypeError(f"y must be real here, not {values!r}{called()}")
    return values


_ENDS = ((0, 1), (-1, -2))


def _at(v: TensorVariable, k: int) -> TensorVariable:
    """Element k, along the first axis, which stays."""
    return index(v, slice(k, k + 1 or None))


def _neighbours(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    return index(v, slice(None, -1)), index(v, slice(1, None))


def _harmonic(widths: TensorVariable, rise: TensorVariable) -> TensorVariable:
    """Slopes at inner points: 0 where the lines to both neighbours do not go the same way."""
    (h0, h1), (m0, m1) = _neighbours(widths), _neighbours(rise)
    alike = sign(m0) * sign(m1) > 0
    w0, w1 = h0 + 2 * h1, 2 * h0 + h1
    mean = (w0 + w1) / (w0 / where(alike, m0, 1) + w1 / where(alike, m1, 1))
    return where(alike, mean, m0 * 0 * m1)


def _gentle_end(h0: Any, h1: Any, m0: Any, m1: Any) -> TensorVariable:
    """The slope of the parabola through three points at the first, unless it overshoots.

    Moler, Numerical Computing with Matlab, 3.6.
    """
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turns = sign(m0).neq(sign(m1)) & (absolute(slope) > 3 * absolute(m0))
    return where(sign(slope).neq(sign(m0)), slope * 0, where(turns, 3 * m0, slope))


def _akima(rise: TensorVariable, modified: bool) -> TensorVariable:
    """Slopes at points, from those of the lines between, with two more lines at each end."""
    first, last = (2 * _at(rise, p) - _at(rise, q) for p, q in _ENDS)
    m = concatenate([2 * first - _at(rise, 0), first, rise, last, 2 * last - _at(rise, -1)])
    before, after = _neighbours(m)
    weight = absolute(after - before)
    if modified:
        weight = weight + absolute(after + before) / 2
    left, right = index(weight, slice(2, None)), index(weight, slice(None, -2))
    total = left + right
    inner = index(m, slice(1, -2)), index(m, slice(2, -1))
    outer = index(m, slice(None, -3)), index(m, slice(3, None))
    weighted = quotient(left * inner[0] + right * inner[1], total)
    level = total <= 1e-9 * largest(total, initial=0.0, where=~isnan(total))
    return where(level, (outer[0] + outer[1]) / 2, weighted)
