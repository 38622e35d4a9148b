"""Splines by older names, polynomials, scattered points, surfaces, smooth curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, quietly

import weft.tensor as wt
from weft_graph import Constant, ancestors

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
RANDOM = np.random.default_rng(12)
X = np.array([-1.0, 0.0, 0.5, 2.0, 2.25, 3.5, 5.0])
Y, VALUES = np.sin(2 * X), RANDOM.normal(size=(7, 2))
AT, OUT = np.array([[-0.9, 0.3, 2.1], [0.7, 4.9, 3.2]]), np.array([-2.0, -0.3, 2.0, 7.0])
ORDER = RANDOM.permutation(7)
KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", "quadratic", "cubic", 3)
POINTS, HEIGHTS = RANDOM.normal(size=(9, 2)), RANDOM.normal(size=(9, 2))
PLACES = RANDOM.normal(size=(5, 2))
SOLID = RANDOM.normal(size=(30, 3))
SPREAD = np.concatenate([SOLID[:3], RANDOM.normal(size=(5, 3))])
KERNELS = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "gaussian",
           "inverse_multiquadric", "inverse_quadratic")  # fmt: skip
GRID = np.arange(6.0) ** 1.2
TABLE = RANDOM.normal(size=(7, 6))
COEFFICIENTS = RANDOM.normal(size=(7, 6, 2))


ENDS = [(-1.0,) * 4, (5.0,) * 4, (0.0,) * 3, (7.0,) * 3]
"""Knots of degree 3 and 2."""


def of_two_variables(m: Any, x: Any, y: Any, c: Any, places: Any) -> Any:
    """Tensor products of splines: values, derivatives, none outside, and on a grid."""
    xp: Any = np if m is THEIRS else wt
    t = (xp.concatenate([ENDS[0], x[1:4], ENDS[1]]), xp.concatenate([ENDS[2], y[1:4], ENDS[3]]))
    spline = m.NdBSpline(t, c, (3, 2))
    orders = ((0, 0), (1, 0), (2, 1), (0, 3))
    values = [spline(places, nu=nu) for nu in orders]
    inside = m.NdBSpline(t, c, (3, 2), extrapolate=False)(places)
    inside = xp.where(xp.isnan(inside), 0.0, inside)
    tck = (*t, xp.reshape(c[..., 0], (-1,)), 3, 2)
    across, up = x - 0.5, y * 1.1
    on_grid = [m.bisplev(across, up, tck, *order) for order in ((0, 0), (1, 1))]
    return [*values, inside, *on_grid, m.bisplev(across[2], up, tck), m.bisplev(0.3, up[1], tck)]


def knots(m: Any, x: Any, y: Any, at: Any) -> Any:
    """All that is made of (t, c, k)."""
    tck = m.splrep(x, y)
    return [
        *tck[:2],
        *(m.splev(at, tck, der, ext) for der, ext in ((0, 0), (1, 0), (2, 1), (0, 3))),
        m.splint(-0.5, 3.0, tck),
        m.splint(-5.0, 9.0, tck),
        m.splev(at, m.splder(tck, 2), ext=1),
        m.splev(at, m.splantider(tck)),
    ]


def near(m: Any, x: Any, y: Any, at: Any) -> Any:
    return m.splev(at, m.splrep(x, y, np.arange(1.0, 8.0), k=2, t=[1.0, 2.1]))


def of_kind(kind: Any) -> Callable[..., Any]:
    def call(m: Any, x: Any, y: Any, at: Any) -> Any:
        curve = m.interp1d(x, y, kind, 0, fill_value="extrapolate")
        ends = m.interp1d(x, y, kind, 0, bounds_error=False, fill_value=(1.0, 2.0))
        return [curve(at), ends(at), m.interp1d(x, y, kind, axis=0, bounds_error=False)(at)]

    return call


def radial(kernel: str, **how: Any) -> Callable[..., Any]:
    return lambda m, y, d, x: m.RBFInterpolator(y, d, kernel=kernel, epsilon=0.7, **how)(x)


def surface(m: Any, x: Any, y: Any, z: Any, at: Any) -> Any:
    made = m.RectBivariateSpline(x, y, z, kx=3, ky=2)
    line, other = at[0], at[1]
    return [
        made(line, [0.5, 1.5, 3.0]),
        made(line, [0.5, 1.5, 3.0], 1, 0),
        made.ev(line, other),
        made.ev(line, other, 1, 1),
        made(line, other, grid=False),
        made.integral(0.0, 3.0, 1.0, 9.0),
    ]


def older(m: Any, x: Any, y: Any, at: Any) -> Any:
    """All that is asked of splines by the older classes."""
    near = m.LSQUnivariateSpline(x, y, [0.4, 2.2], np.arange(1.0, 8.0), (-1.5, 5.5), 2, "const")
    through = m.InterpolatedUnivariateSpline(x, y, bbox=[None, 6.0], ext=1)
    line, moved = m.UnivariateSpline(x, y, k=1, s=0, ext=3), near.derivative()
    return [
        *(s.get_knots() for s in (near, through, line, moved)),
        *(s.get_coeffs() for s in (near, through, line)),
        *(s(at) for s in (near, through, line, moved, through.antiderivative(2))),
        *(near(at, 1), through(at, ext="extrapolate")),
        *(through.derivatives(0.7), through.integral(-0.5, 9.0), near.get_residual()),
    ]


def fractions(m: Any, an: Any) -> Any:
    """As coefficients, which SciPy's are the objects of."""
    parts = [part for orders in ((2,), (2, 3), (0,)) for part in quietly(m.pade, an, *orders)]
    return parts if m is OURS else [v.coeffs for v in parts]


def smooth(**how: Any) -> Callable[..., Any]:
    def call(m: Any, x: Any, y: Any, at: Any) -> Any:
        curve = m.make_smoothing_spline(x, y, **how)
        return [curve.t, curve.c, curve(at), curve(at, 1)]

    return call


ROWS = {
    "splines": Row(knots, [[X, Y, AT], [X, Y, OUT]]),
    "splines near points": Row(near, [[X, Y, AT]]),
    **{f"interp1d, {k}": Row(of_kind(k), [[X, VALUES, AT], [X[ORDER], Y[ORDER], OUT]],
                             k not in ("nearest", "nearest-up", "next", "previous", "zero"))
       for k in KINDS},
    "interp1d of columns": Row(lambda m, x, y, at: m.interp1d(x, y)(at), [[X, VALUES.T, AT]]),
    "pchip_interpolate": Row(
        lambda m, x, y, at: [
            m.pchip_interpolate(x, y, at, 2), *m.pchip_interpolate(x, y, at, [0, 1])],
        [[X, VALUES, AT]]),
    "barycentric_interpolate": Row(
        lambda m, x, y, at: m.barycentric_interpolate(x, y, at), [[X, VALUES, AT], [X, Y, X]]),
    "barycentric_interpolate along": Row(
        lambda m, x, y, at: m.barycentric_interpolate(x, y, at, axis=1), [[X, VALUES.T, AT]]),
    "older classes": Row(older, [[X, Y, AT], [X, Y, OUT]]),
    "lagrange": Row(lambda m, x, y: m.lagrange(x, y) if m is OURS else m.lagrange(x, y).coeffs,
                    [[X, Y]], True, 1e-8),
    **{f"RBFInterpolator, {k}": Row(radial(k), [[POINTS, HEIGHTS, PLACES]], True, 1e-8)
       for k in KERNELS},
    "RBFInterpolator, smooth": Row(
        radial("cubic", smoothing=0.4, degree=2), [[POINTS, HEIGHTS[:, 0], PLACES]], True, 1e-8),
    "RBFInterpolator, without a polynomial": Row(
        radial("gaussian", degree=-1), [[POINTS, HEIGHTS, PLACES]], True, 1e-8),
    **{f"RBFInterpolator, of neighbors, {k}": Row(
        radial(k, neighbors=count, smoothing=0.1),
        [[POINTS, HEIGHTS, PLACES], [POINTS, HEIGHTS[:, 0], PLACES[:0]]], True, 1e-8)
       for k, count in (("thin_plate_spline", 6), ("linear", 3), ("gaussian", 50))},
    "NearestNDInterpolator": Row(
        lambda m, x, y, at: m.NearestNDInterpolator(x, y)(at), [[POINTS, HEIGHTS, PLACES]], False),
    "griddata, rescaled": Row(
        lambda m, x, y, at: m.griddata(x, y, at, "nearest", rescale=True),
        [[POINTS * [1, 50], HEIGHTS, PLACES * [1, 50]]], False),
    "griddata of a vector": Row(
        lambda m, y, at: [m.griddata(POINTS, y, at[0], how) for how in ("nearest", "linear")],
        [[HEIGHTS, POINTS[2:] / 2]], False),
    "griddata of a column": Row(
        lambda m, y, at: [m.griddata(X[:, None], y, at, how) for how in ("nearest", "linear")],
        [[Y, AT]], False),
    "griddata": Row(lambda m, x, y, at: m.griddata(x, y, at, "nearest"),
                    [[POINTS, HEIGHTS[:, 0], PLACES], [X, Y, AT]], False),
    "LinearNDInterpolator": Row(
        lambda m, y, at: m.LinearNDInterpolator(POINTS, y)(at),
        [[HEIGHTS, PLACES], [HEIGHTS[:, 0] + 1j, POINTS], [HEIGHTS, PLACES[:0]]], False),
    "LinearNDInterpolator, of coordinates": Row(
        lambda m, y, at: m.LinearNDInterpolator(tuple(POINTS.T), y, 0.5, True)(at[0], at[1, 0]),
        [[HEIGHTS, PLACES[:2]]]),
    "LinearNDInterpolator, of solids": Row(
        lambda m, y, at: m.griddata(SOLID, y, at, fill_value=-1.0),
        [[SOLID[:, 0] ** 2, SPREAD[3:]], [SOLID[:, 0], SPREAD]]),
    "CloughTocher2DInterpolator": Row(
        lambda m, y, at: m.CloughTocher2DInterpolator(POINTS, y, tol=1e-15, maxiter=10**5)(at),
        [[HEIGHTS, PLACES], [HEIGHTS[:, 0] + 1j * HEIGHTS[:, 1] ** 2, SPREAD[:, :2]],
         [HEIGHTS, PLACES[:0]]], False),
    "CloughTocher2DInterpolator, of coordinates": Row(
        lambda m, y, at: m.CloughTocher2DInterpolator(tuple(POINTS.T * [[1], [9]]), y, 0.5, 1e-15,
                                                      10**5, rescale=True)(at[0], at[1, 0]),
        [[HEIGHTS, PLACES[:2] * [1, 9]]]),
    "RectBivariateSpline": Row(surface, [[X, GRID, TABLE, AT]]),
    "NdBSpline": Row(of_two_variables, [[X, GRID, COEFFICIENTS, SPREAD[:, :2] * 2 + 1]]),
    "make_smoothing_spline": Row(smooth(lam=0.3), [[X, Y, AT], [X, VALUES, AT]]),
    "make_smoothing_spline, weighted": Row(
        smooth(lam=2.0, w=np.arange(1.0, 8.0)), [[X, Y, AT]]),
}  # fmt: skip


def known(m: Any, call: Any, arrays: Any) -> Any:
    """Points of a known number of coordinates; grids in order, as SciPy's surfaces want them."""
    if m is not OURS:
        return call(m, *[np.asarray(x) for x in arrays])
    return call(m, *[wt.specify_shape(x, (None, 2)) if x.ndim == 2 else x for x in arrays])


def called(name: str) -> Callable[..., Any]:
    call = ROWS[name].call
    return (lambda m, *a: known(m, call, a)) if "RBF" in name else call


@pytest.mark.cases(16)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    row = ROWS[name]
    for arrays in row.arrays:
        if "Rect" in name:
            arrays = [*arrays[:3], np.sort(arrays[3], -1)]
        assert_as_scipy(OURS, THEIRS, called(name), arrays, row.tolerance)


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    row = ROWS[name]._replace(call=called(name))
    if "Rect" in name:
        row = row._replace(arrays=[[*row.arrays[0][:3], np.sort(AT, -1)]])
    assert_slopes(OURS, row)


def test_steps_at_no_number() -> None:
    at = np.array([np.nan, 0.3, np.inf, -np.inf])
    for kind in ("zero", "previous", "next", "nearest", "nearest-up"):
        for fill in (7.0, "extrapolate"):
            made = [m.interp1d(X, np.arange(len(X)), kind, bounds_error=False, fill_value=fill)(at)
                    for m in (OURS, scipy.interpolate)]  # fmt: skip
            np.testing.assert_array_equal(made[0].eval(), made[1])


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, x: Any, y: Any, at: Any, points: Any, heights: Any, places: Any) -> Any:
        radii = called("RBFInterpolator, thin_plate_spline")(m, points, heights, places)
        nearest = [m.interp1d(x, y, "nearest", fill_value="extrapolate")(at),
                   m.NearestNDInterpolator(points, heights)(places),
                   m.LinearNDInterpolator(POINTS, heights)(places)]  # fmt: skip
        nearest.append(m.CloughTocher2DInterpolator(POINTS, heights)(places))
        smooth = m.make_smoothing_spline(x, y, lam=0.3).c
        older = m.InterpolatedUnivariateSpline(x, y)(at)
        product = m.NdBSpline((x, x), wt.outer(heights[:5, 0], heights[:5, 1]), 1)(places)
        return few(
            [radii, *nearest, smooth, older, product, m.barycentric_interpolate(x, y, at)], 1
        )

    assert_as_on_python(OURS, Row(everything, [[X, Y, AT, POINTS, HEIGHTS, PLACES]]), mode)


def test_triangles_between_points_of_which_most_are_near_each_other() -> None:
    """Few of them are looked through for a place: in cells of one size it would be most."""
    random = np.random.default_rng(1)
    points = np.exp(2 * random.normal(size=(1000, 2)))
    places = np.exp(random.normal(size=(50, 2)))
    curve = OURS.LinearNDInterpolator(points, np.sin(points[:, 0]))
    expected = THEIRS.LinearNDInterpolator(points, np.sin(points[:, 0]))(places)
    np.testing.assert_allclose(curve(places).eval(), expected, rtol=1e-9, atol=1e-12)
    tables: list[Any] = [v for v in ancestors([curve(places)]) if isinstance(v.op, Constant)]
    assert max(math.prod(v.type.shape) for v in tables) < 200_000


@pytest.mark.cases(0)
def test_cubic_surfaces_are_smooth_and_their_slopes_those_of_many_values() -> None:
    random = np.random.default_rng(2)
    points, places = random.normal(size=(300, 2)), random.normal(size=(50, 2))
    v, at, way = wt.vector("v"), wt.matrix("at"), wt.vector("way")
    values = OURS.griddata(points, v, at, "cubic", fill_value=0.0)
    slopes = wt.grad(values.sum(), [v, at])
    f = wt.function([v, at, way], [values, *slopes, wt.pushforward(values, v, way)], mode="py")
    heights, change = np.sin(points[:, 0]) * points[:, 1], random.normal(size=300)
    exact = THEIRS.CloughTocher2DInterpolator(points, heights, 0.0, tol=1e-15, maxiter=10**5)
    actual, by_value, by_place, ahead = f(heights, places, change)
    np.testing.assert_allclose(actual, exact(places), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(ahead.sum(), by_value @ change, rtol=1e-10)
    linear = THEIRS.CloughTocher2DInterpolator(points, change, 0.0, tol=1e-15, maxiter=10**5)
    np.testing.assert_allclose(ahead, linear(places), rtol=1e-10, atol=1e-12)
    h = 1e-6 * np.array([1.0, 0.0])
    near = (exact(places + h) - exact(places - h)) / 2e-6
    np.testing.assert_allclose(by_place[:, 0], near, rtol=1e-6, atol=1e-7)
    heights[7] = np.nan
    assert np.isnan(f(heights, points[:5], change)[0]).all()


@pytest.mark.cases(0)
def test_how_smooth_by_the_others() -> None:
    """As far as SciPy's search goes, which ends within 1e-5."""
    x = np.linspace(0, 3, 20)
    y = wt.vector("y")
    values = np.sin(2 * x) + 0.3 * np.random.default_rng(0).normal(size=20)
    curve = OURS.make_smoothing_spline(x, y)(1.234)
    f = wt.function([y], [curve, wt.grad(curve, y)], mode="py")
    actual, slopes = f(values)
    np.testing.assert_allclose(actual, THEIRS.make_smoothing_spline(x, values)(1.234), rtol=1e-4)
    steps = 1e-3 * np.eye(20)[[3, 8]]
    near = [(f(values + h)[0] - f(values - h)[0]) / 2e-3 for h in steps]
    np.testing.assert_allclose(slopes[[3, 8]], near, rtol=1e-3, atol=1e-5)


def test_fractions_by_series() -> None:
    an = wt.vector("an", shape=(6,))
    terms = np.array([1.0, 0.7, 0.3, -0.2, 0.4, 0.9])
    values = wt.function([an], fractions(OURS, an), mode="py")(terms)
    for value, reference in zip(values, fractions(THEIRS, terms), strict=True):
        np.testing.assert_allclose(value, reference, rtol=1e-10)
    with pytest.raises(ValueError, match="not 4 and 2 of 6 terms"):
        OURS.pade(an, 2, 4)
    with pytest.raises(ValueError, match="known number of terms"):
        OURS.pade(wt.vector("an"), 2)


def test_slopes_at_the_points() -> None:
    x = wt.vector("x")
    value = OURS.barycentric_interpolate([0.0, 1.0, 3.0], [0.0, 1.0, 9.0], x)
    np.testing.assert_allclose(wt.grad(value.sum(), x).eval({x: [0.0, 1.0, 3.0]}), [0.0, 2.0, 6.0])


LINE = ([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
ERRORS: dict[str, Callable[[], Any]] = {
    "kind is": lambda: OURS.interp1d(*LINE, "best"),
    "strictly increasing": lambda: OURS.interp1d([0.0, 0.0], [1.0, 2.0])(0.0).eval(),
    "outside of x": lambda: OURS.interp1d(*LINE)(3.0).eval(),
    "place is outside of x": lambda: OURS.interp1d(*LINE, "previous")(-3.0).eval(),
    "a spline: ext is": lambda: OURS.UnivariateSpline(*LINE, k=1, s=0, ext="never"),
    "bbox is a pair": lambda: OURS.LSQUnivariateSpline(*LINE, [1.0], bbox=[0.0], k=1),
    "outside the knots": lambda: OURS.splev(9.0, OURS.splrep(*LINE, k=1), ext=2).eval(),
    "splev: ext is": lambda: OURS.splev(9.0, OURS.splrep(*LINE, k=1), ext=5),
    "kernel is": lambda: OURS.RBFInterpolator(POINTS, HEIGHTS, kernel="best"),
    "needs an epsilon": lambda: OURS.RBFInterpolator(POINTS, HEIGHTS, kernel="gaussian"),
    "degree is": lambda: OURS.RBFInterpolator(POINTS, HEIGHTS, degree=-2),
    "how many columns": lambda: OURS.RBFInterpolator(wt.matrix("x"), HEIGHTS),
    "a row for each point": lambda: OURS.RBFInterpolator(X, Y),
    "points have two": lambda: OURS.griddata(SOLID, SOLID[:, 0], SPREAD, "cubic"),
    "points are numbers": lambda: OURS.griddata(wt.matrix("x"), HEIGHTS, PLACES),
    "places have 2 coordinates": lambda: OURS.LinearNDInterpolator(POINTS, HEIGHTS)([[1.0, 2, 3]]),
    "NdBSpline: there are": lambda: OURS.NdBSpline((X, X), Y, 1),
    "NdBSpline: nu are": lambda: OURS.NdBSpline((X,), Y, 1)([[0.5]], nu=(-1,)),
    "bisplev: places": lambda: OURS.bisplev(TABLE, 0.5, (X, X, Y, 1, 1)),
    "z is a real matrix": lambda: OURS.RectBivariateSpline(X, X, Y),
    "5 points or more": lambda: OURS.make_smoothing_spline(*LINE, lam=1.0),
    "lam must be 0": lambda: OURS.make_smoothing_spline(X, Y, lam=-1.0),
    "w must be positive": lambda: OURS.make_smoothing_spline(X, Y, 0 * X, 1.0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
