"""Splines by their knots and coefficients, and curves through points, by SciPy's older names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.interpolate.b_spline import BSpline, known_spline, spline_of
from weft_tensor.ops.interpolate.chosen_knots import is_zero, smooth_spline
from weft_tensor.ops.interpolate.conditions import (
    increasing,
    of_one_dtype,
    real_vector,
    with_values,
)
from weft_tensor.ops.interpolate.cubic import PchipInterpolator
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.spline_fits import (
    closed_spline,
    make_interp_spline,
    make_lsq_spline,
    whole_knots,
)
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all, sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = [
    "interp1d",
    "make_splprep",
    "make_splrep",
    "pchip_interpolate",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splprep",
    "splrep",
]

Points = TensorLike | Sequence[TensorLike]
Knots = tuple[TensorVariable, TensorVariable, int]
"""The knots, the coefficients and the degree of a spline."""


def splrep(
    x: TensorLike,
    y: TensorLike,
    w: TensorLike | None = None,
    xb: TensorLike | None = None,
    xe: TensorLike | None = None,
    k: int = 3,
    *,
    s: TensorLike | None = None,
    t: TensorLike | None = None,
    per: bool = False,
) -> Knots:
    """The spline through points, near them, or the nearest one with inner knots `t`: (t, c, k).

    `s` is as for `UnivariateSpline`; by default it is 0, or with weights `w` and m points,
    m - sqrt(2 m). `xb` and `xe` are where the first and the last piece end. With `per` the curve is
    closed from the first to the last place, whose value and weight are not looked at. Zeros stand
    after the coefficients, as many as there are knots. See `scipy.interpolate.splrep`. Raises
    ValueError as `UnivariateSpline` and `make_lsq_spline` do, and for `per` with knots or ends.

    >>> t, c, k = splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])
    >>> splev(1.5, (t, c, k)).eval().round(6)
    np.float64(2.25)
    """
    places, ends = real_vector(x, "splrep: x"), (xb, xe)
    if per and any(v is not None for v in (t, xb, xe)):
        raise ValueError(f"splrep: t, xb and xe have no meaning for closed curves{called()}")
    through = t is None and (is_zero(s) or (s is None and w is None))
    if t is None and not through:
        size = _as_many(places) if s is None else s
        return _parts(smooth_spline(places, y, w, ends, k, size, "splrep", per=per))
    if per:
        return _parts(closed_spline("splrep", places, y, k, 0))
    inner = None if t is None else real_vector(t, "splrep: t")
    places, knots = whole_knots(places, inner, ends, k)
    if through:
        return _parts(make_interp_spline(places, y, k, knots))
    return _parts(make_lsq_spline(places, y, knots, k, w))


def _as_many(places: TensorVariable) -> TensorVariable:
    """The least sum of squares that SciPy advises for as many points."""
    count = lengths_of(places)[0].astype("float64")
    return count - sqrt(2 * count)


def _parts(spline: BSpline) -> Knots:
    none = zeros((spline.k + 1, *lengths_of(spline.c)[1:]), spline.c.dtype)
    return spline.t, concatenate([spline.c, none], 0), spline.k


def _is_curve(tck: Any) -> bool:
    """Whether there are several vectors of coefficients."""
    several = isinstance(tck, (tuple, list)) and isinstance(tck[1], (tuple, list)) and tck[1]
    return bool(several) and as_tensor(tck[1][0]).ndim > 0


def splev(x: TensorLike, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """The values of a spline, (t, c, k) or a BSpline, or its derivatives of an order, at places.

    Outside the knots the outer pieces go on (`ext` 0), it is 0 (1), an error (2), or what it is at
    the end (3; derivatives go on, as in SciPy). Of a curve, whose c is a list of vectors, as
    `splprep` makes them, a list for each axis. See `scipy.interpolate.splev`. Raises ValueError for
    another `ext`, and outside.

    >>> splev([0.5, 3.0], ([0.0, 0.0, 1.0, 1.0], [0.0, 2.0], 1), ext=3).eval()
    array([1., 2.])
    """
    one_of("splev", "ext", ext, (0, 1, 2, 3))
    if _is_curve(tck):
        return [splev(x, (tck[0], c, tck[2]), der, ext) for c in tck[1]]
    spline = known_spline(tck)
    at, low, high = of_one_dtype(x, index(spline.t, spline.k), index(spline.t, -spline.k - 1))
    inside = (at >= low) & (at <= high)
    if ext == 2:
        at = check_and_raise(at, all(inside), ValueError, "splev: a place is outside the knots")
    values = spline(clip(at, low, high) if ext == 3 and not der else at, der, True)
    return where(beside(inside, values.ndim - at.ndim), values, 0) if ext == 1 else values


def splint(a: TensorLike, b: TensorLike, tck: Any) -> Any:
    """The integral of a spline from `a` to `b`, of 0 outside the knots.

    Of a curve, a list for each axis. See `scipy.interpolate.splint`.

    >>> splint(0.0, 0.5, ([0.0, 0.0, 1.0, 1.0], [0.0, 2.0], 1)).eval()
    array(0.25)
    """
    if _is_curve(tck):
        return [splint(a, b, (tck[0], c, tck[2])) for c in tck[1]]
    return known_spline(tck).integrate(a, b, False)


def splder(tck: Any, n: int = 1) -> Any:
    """The spline of derivatives of order `n`: (t, c, k), or a BSpline of such a one.

    See `scipy.interpolate.splder`.

    >>> splev(0.5, splder(([0.0, 0.0, 1.0, 1.0], [0.0, 2.0], 1))).eval()
    array(2.)
    """
    spline = known_spline(tck).derivative(n)
    return _parts(spline) if isinstance(tck, (tuple, list)) else spline


def splantider(tck: Any, n: int = 1) -> Any:
    """The spline whose derivative of order `n` this is. See `scipy.interpolate.splantider`.

    >>> splev(0.5, splantider(([0.0, 0.0, 1.0, 1.0], [0.0, 2.0], 1))).eval()
    array(0.25)
    """
    return splder(tck, -n)


def pchip_interpolate(
    xi: TensorLike, yi: TensorLike, x: TensorLike, der: int | Sequence[int] = 0, axis: int = 0
) -> Any:
    """The values of `PchipInterpolator`, or its derivatives of an order, at places.

    Of a list of orders, a list of these. See `scipy.interpolate.pchip_interpolate`.

    >>> pchip_interpolate([0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [0.5, 2.0]).eval()
    array([0., 1.])
    """
    curve = PchipInterpolator(xi, yi, axis)
    return [curve(x, k) for k in der] if isinstance(der, Sequence) else curve(x, der)


_ORDERS: Final = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}
_STEPS: Final = ("nearest", "nearest-up", "previous", "next", "zero")


class interp1d:  # SciPy's name
    """A curve through points: steps, lines or splines, that stand in any order.

    See `scipy.interpolate.interp1d`.

    Parameters
    ----------
    x
        A vector of different numbers.
    y
        Values along `axis`.
    kind
        "linear", "quadratic", "cubic" or the degree of a spline; "nearest" of the points, of two
        as near the lower or ("nearest-up") the upper, "previous" or "next".
    axis
        Which axis of `y` belongs to `x`.
    bounds_error
        Whether places outside are an error: by default, if there is no `fill_value`.
    fill_value
        What is outside: a number, a pair for below and above, or "extrapolate".
    assume_sorted
        Whether `x` increases.

    Raises
    ------
    ValueError
        for another kind, other ranks and lengths; at the call for equal `x` and places outside.

    Examples
    --------
    >>> interp1d([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])([0.5, 1.5]).eval()
    array([0.5, 2.5])
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        kind: str | int = "linear",
        axis: int = -1,
        *,
        bounds_error: bool | None = None,
        fill_value: Any = None,
        assume_sorted: bool = False,
    ) -> None:
        degree = _ORDERS.get(kind) if isinstance(kind, str) else kind
        if degree is None and kind not in _STEPS:
            names = ", ".join(map(repr, (*_ORDERS, *_STEPS)))
            raise ValueError(f"kind is {names} or a degree, not {kind!r}{called()}")
        places, values, self.axis = with_values(real_vector(x, "interp1d: x"), y, axis)
        if not assume_sorted:
            order = argsort(places)
            places, values = index(places, order), index(values, order)
        self.x, self.y = increasing(places, "interp1d: x"), values
        self.kind, self.fill_value = kind, fill_value
        self.bounds_error = fill_value is None if bounds_error is None else bounds_error
        self._curve: Callable[[TensorVariable], TensorVariable]
        if degree is None or not degree:
            self._curve = lambda at: index(self.y, self._step(at))
        else:
            spline = make_interp_spline(self.x, values, degree)
            self._curve = lambda at: spline(at, 0, True)

    def _step(self, at: TensorVariable) -> TensorVariable:
        """Which point a place belongs to."""
        last = lengths_of(self.x)[0] - 1
        middles = (index(self.x, slice(1, None)) + index(self.x, slice(None, -1))) / 2
        places: dict[str, Callable[[], TensorVariable]] = {
            "nearest": lambda: searchsorted(middles, at),
            "nearest-up": lambda: searchsorted(middles, at, side="right"),
            "next": lambda: searchsorted(self.x, at),
        }
        find = places.get(str(self.kind), lambda: searchsorted(self.x, at, side="right") - 1)
        return maximum(minimum(find(), last), 0)

    def __call__(self, x: TensorLike) -> TensorVariable:
        """The values at places, whose axes stand where `axis` was."""
        at, low, high = of_one_dtype(x, index(self.x, 0), index(self.x, -1))
        below, above = at < low, at > high
        values = self._curve(at)
        if self.bounds_error:
            message = "interp1d: a place is outside of x: give a fill_value"
            values = check_and_raise(values, ~(below | above).any(), ValueError, message)
        rank = values.ndim - at.ndim
        if str(self.kind) in ("zero", "0"):
            values = where(beside(isnan(at), rank), float("nan"), values)
        absent = {"previous": below, "next": above}.get(str(self.kind))
        if absent is not None and not self.bounds_error:
            values = where(beside(absent, rank), float("nan"), values)
        if not (self.bounds_error or isinstance(self.fill_value, str)):
            fill = float("nan") if self.fill_value is None else self.fill_value
            ends = fill if isinstance(fill, tuple) else (fill, fill)
            values = where(beside(below, rank), as_tensor(ends[0]), values)
            values = where(beside(above, rank), as_tensor(ends[1]), values)
        trailing = [*range(at.ndim)]
        return moveaxis(values, trailing, [self.axis + k for k in trailing])


def make_splrep(
    x: TensorLike,
    y: TensorLike,
    *,
    w: TensorLike | None = None,
    xb: TensorLike | None = None,
    xe: TensorLike | None = None,
    k: int = 3,
    s: TensorLike = 0,
    t: TensorLike | None = None,
    bc_type: str | None = None,
) -> BSpline:
    """The spline through points, near them, or the nearest one with inner knots `t`.

    As `splrep` has it, but a BSpline; a closed one repeats itself (`bc_type` "periodic"). See
    `scipy.interpolate.make_splrep`, whose knots may be others than those of `splrep`.

    >>> make_splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])(1.5).eval().round(6)
    np.float64(2.25)
    """
    per = _is_closed(bc_type)
    return BSpline(*splrep(x, y, w, xb, xe, k, s=s, t=t, per=per), "periodic" if per else True)


def make_splprep(
    x: Points,
    *,
    w: TensorLike | None = None,
    u: TensorLike | None = None,
    k: int = 3,
    s: TensorLike | None = 0,
    bc_type: str | None = None,
) -> tuple[BSpline, TensorVariable]:
    """The curve through points, or near them, as a spline of values from 0 to 1, and these.

    Parameters
    ----------
    x
        Points: a vector for each axis of space, or these as rows of a matrix.
    w
        What each distance is multiplied by: 1 by default.
    u
        The values at the points, in ascending order; by default the length of the way through the
        points before, as a share of the whole.
    k
        The degree.
    s
        The sum of squared distances that the curve leaves, as for `UnivariateSpline`; None for
        m - sqrt(2 m) of m points.
    bc_type
        "periodic" for a closed curve, whose last point is not looked at.

    Raises
    ------
    ValueError
        for what are no points, and as `UnivariateSpline`.

    Examples
    --------
    >>> curve, u = make_splprep([[0.0, 3.0, 3.0], [0.0, 0.0, 1.0]], k=1)
    >>> u.eval(), curve(0.5).eval()
    (array([0.  , 0.75, 1.  ]), array([2., 0.]))
    """
    points = as_floating(stack([*x]) if isinstance(x, (list, tuple)) else as_tensor(x))
    if points.ndim != 2:
        raise ValueError(f"splprep: x has a vector for each axis, not {points!r}{called()}")
    if u is None:
        steps = points[:, 1:] - points[:, :-1]
        way = cumsum(sqrt(sum(steps * steps, 0)))
        places = concatenate([0 * way[:1], way / way[-1]])
    else:
        places = as_floating(u)
    per = _is_closed(bc_type)
    if is_zero(s):
        if per:
            return closed_spline("splprep", places, points, k, 1), places
        return make_interp_spline(places, points, k, axis=1), places
    size = _as_many(places) if s is None else s
    near = smooth_spline(places, points.T, w, (None, None), k, size, "splprep", per=per)
    return spline_of(near.t, near.c, k, near.extrapolate, 1), places


def _is_closed(bc_type: str | None) -> bool:
    one_of("a spline near points", "bc_type", bc_type, (None, "not-a-knot", "periodic"))
    return bc_type == "periodic"


def splprep(
    x: Points,
    w: TensorLike | None = None,
    u: TensorLike | None = None,
    *,
    k: int = 3,
    s: TensorLike | None = None,
    per: bool = False,
) -> tuple[tuple[TensorVariable, list[TensorVariable], int], TensorVariable]:
    """The curve near points: (t, [a vector of coefficients for each axis], k), and values u.

    Arguments and errors are those of `make_splprep`, but that `s` is None by default, and `per` is
    "periodic"; `splev` takes the result. See `scipy.interpolate.splprep`. Raises ValueError for
    points of an unknown number of axes.

    >>> tck, u = splprep([[0.0, 3.0, 3.0], [0.0, 0.0, 1.0]], k=1, s=0)
    >>> [tck[1][0].eval(), tck[1][1].eval()]
    [array([0., 3., 3.]), array([0., 0., 1.])]
    """
    curve, places = make_splprep(x, w=w, u=u, k=k, s=s, bc_type="periodic" if per else None)
    count: Any = curve.c.type.shape[1]
    if not isinstance(count, int):
        raise ValueError(f"splprep: how many axes x has must be known{called()}")
    return (curve.t, [curve.c[:, axis] for axis in range(count)], curve.k), places
