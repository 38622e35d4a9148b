"""Curves and tables through points on all backends: values against SciPy's, derivatives, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
MODES = ["py", "numba", "jax"]
RANDOM = np.random.default_rng(11)
X = np.array([-1.0, 0.0, 0.5, 2.0, 2.25, 3.5, 5.0])
Y = np.sin(2 * X)[:, None] + np.array([0.0, 0.3, 1.0]) * X[:, None] ** 2
Y[2:4, 0] = 0.25
AT = np.array([[-1.5, -1.0, -0.2, 0.0], [2.1, 5.0, 7.25, np.nan]])
KNOTS = np.array([-1.0, -1.0, -1.0, -1.0, 0.2, 1.0, 2.5, 5.0, 5.0, 5.0, 5.0])

Make = Callable[[Any, Any, Any], Any]
CURVES: dict[str, Make] = {
    "not-a-knot": lambda m, x, y: m.CubicSpline(x, y),
    "natural": lambda m, x, y: m.CubicSpline(x, y, bc_type="natural", extrapolate=False),
    "values": lambda m, x, y: m.CubicSpline(
        x, y, bc_type=((1, np.array([0.5, 0.0, 1.0])), (2, np.array([1.0, 0.0, -1.0])))
    ),
    "mixed": lambda m, x, y: m.CubicSpline(x, y, bc_type=("clamped", "not-a-knot")),
    "hermite": lambda m, x, y: m.CubicHermiteSpline(x, y, y * 0.5),
    "pchip": lambda m, x, y: m.PchipInterpolator(x, y),
    "akima": lambda m, x, y: m.Akima1DInterpolator(x, y),
    "makima": lambda m, x, y: m.Akima1DInterpolator(x, y, method="makima", extrapolate=True),
    "b-spline": lambda m, x, y: m.BSpline(KNOTS, y, 3),
    "parabolas": lambda m, x, y: m.make_interp_spline(x, y, k=2),
    "quintic": lambda m, x, y: m.make_interp_spline(x, y, k=5),
    "slopes": lambda m, x, y: m.make_interp_spline(
        x, y, bc_type=([(1, np.array([0.5, 0.0, 1.0]))], [(2, np.zeros(3))])
    ),
    "least squares": lambda m, x, y: m.make_lsq_spline(
        x, y, [-1.0, -1.0, -1.0, 1.0, 5.0, 5.0, 5.0], k=2, w=np.arange(1.0, 8.0)
    ),
}


def values_of(curve: Any) -> list[Any]:
    return [
        curve(AT),
        curve(AT, 1),
        curve(AT, 2),
        curve(AT[:1], 6),
        curve(AT, extrapolate=False),
        curve(AT, extrapolate="periodic"),
        curve(np.array([])),
        curve(1.25),
        curve.derivative()(AT),
        curve.antiderivative(2)(AT),
        curve.integrate(-0.3, 3.1),
        curve.integrate(3.1, -1.0),
        curve.integrate(-4.0, 13.0, extrapolate="periodic"),
    ]


def assert_alike(found: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.shape == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, tolerance, tolerance)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", CURVES)
def test_values_of_curves(name: str) -> None:
    """The lengths known, and in Python; axes and backends below."""
    make = CURVES[name]
    x, y = wt.tensor("x", shape=(7,)), wt.tensor("y", shape=(7, 3))
    f = wt.function([x, y], values_of(make(OURS, x, y)), mode="py")
    assert_alike(f(X, Y), values_of(make(THEIRS, X, Y)))


COMPILED = ["makima"]  # others are compiled by the tests of closed curves, batches and tables


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_curves_of_unknown_lengths(mode: str) -> None:
    inputs = [wt.vector("x"), wt.matrix("y"), wt.matrix("at")]
    makes = [CURVES[name] for name in (CURVES if mode == "py" else COMPILED)]
    curves = [make(OURS, *inputs[:2])(inputs[2]) for make in makes]
    f = wt.function(inputs, curves, mode=mode)
    assert_alike(f(X, Y, AT), [make(THEIRS, X, Y)(AT) for make in makes])
    for values in f(X, Y, np.zeros((0, 2))):
        assert values.shape == (0, 2, 3)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_derivatives_on_backends(mode: str) -> None:
    inputs = [wt.vector("x"), wt.matrix("y"), wt.vector("at")]
    total = wt.exp(CURVES["mixed"](OURS, *inputs[:2])(inputs[2])).sum()
    directions = [v.type() for v in inputs]
    outputs = [*wt.grad(total, inputs), wt.pushforward(total, inputs, directions)]
    at = [X, Y, np.array([0.7, 4.0])]
    ways = [RANDOM.normal(size=v.shape) for v in at]
    found, wanted = (
        wt.function([*inputs, *directions], outputs, mode=m)(*at, *ways) for m in (mode, "py")
    )
    assert_alike(found, wanted)


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", [*CURVES, "periodic"])
def test_derivatives_by_knots_values_and_places(name: str) -> None:
    make = (CURVES | {"periodic": closed})[name]
    places = np.array([-0.7, 1.1, 3.0])

    def outputs(x: Any, y: Any, at: Any) -> list[Any]:
        if name == "least squares":  # the places must stay between the knots
            x = wt.concatenate([X[:1], x[1:-1], X[-1:]])
        curve = make(OURS, x, y)
        return [curve(at), curve(at, 1), curve.integrate(at[0], at[1:])]

    check_grad(outputs, [X, RANDOM.normal(size=Y.shape), places])


def closed(m: Any, x: Any, y: Any) -> Any:
    concatenate = wt.concatenate if m is OURS else np.concatenate
    return m.CubicSpline(x, concatenate([y[:-1], y[:1]]), bc_type="periodic")


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_closed_curves(mode: str, few: Any) -> None:
    x, y = wt.vector("x"), wt.matrix("y")
    curve = closed(OURS, x, y)
    outputs = [curve(AT), curve.integrate(-3.0, 9.5)]
    f = wt.function([x, y], outputs, mode=mode)
    for n in few((2, 3, 4, 7), 2):
        wanted = closed(THEIRS, X[:n], Y[:n])
        assert_alike(f(X[:n], Y[:n]), [wanted(AT), wanted.integrate(-3.0, 9.5)])


@pytest.mark.cases(2)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_few_points(n: int) -> None:
    x, y = X[:n], np.stack([Y[:n, 0], X[:n] ** 2], 1)
    ends = ["not-a-knot", "natural", ("not-a-knot", (1, np.ones(2)))]
    makes: list[Callable[[Any], Any]] = [
        *(lambda m, end=end: m.CubicSpline(x, y, bc_type=end) for end in ends),
        lambda m: m.PchipInterpolator(x, y),
        lambda m: m.Akima1DInterpolator(x, y),
        lambda m: m.make_interp_spline(x, y, k=n - 1),
        lambda m: m.make_interp_spline(x, y, k=0),
        lambda m: m.make_interp_spline(x, y, bc_type="natural"),
        lambda m: m.make_interp_spline(x, y, k=4, bc_type=([(1, [0, 1]), (2, [0, 0])], "natural")),
    ]
    f = wt.function([], [make(OURS)(AT) for make in makes], mode="py")
    assert_alike(f(), [make(THEIRS)(AT) for make in makes])


@pytest.mark.cases(0)
def test_axes_and_complex_values() -> None:
    values = np.stack([Y.T, np.cos(Y.T)], 2) * (1 + 0.5j) + 1j
    at = np.array([[0.1, 0.2], [3.0, 6.0], [1.0, 1.5]])
    t = np.concatenate([[X[0]] * 3, X[1:-3], [X[-1]] * 3])
    makes: list[Callable[[Any], Any]] = [
        lambda m: m.CubicSpline(X, values, axis=1),
        lambda m: m.CubicSpline(X, values * 0 + 1, 1, "periodic"),
        lambda m: m.make_interp_spline(X, values, axis=1, bc_type="clamped"),
        lambda m: m.make_lsq_spline(X, values, t, k=2, axis=1),
        lambda m: m.BSpline(t, values, 2, axis=1),
        lambda m: m.CubicHermiteSpline(X, values.real, values.imag, axis=-2),
        lambda m: m.PPoly(np.ones((2, 3, 6, 4)) * np.arange(4), X, axis=1),
    ]
    pieces = [makes[k] for k in (0, 1, 5, 6)]  # SciPy cannot integrate the others
    outputs, wanted = (
        [*(make(m)(at) for make in makes), *(make(m).integrate(0.0, 2.0) for make in pieces)]
        for m in (OURS, THEIRS)
    )
    assert_alike(wt.function([], outputs, mode="py")(), wanted)


def test_polynomials_by_their_coefficients() -> None:
    c, x = wt.tensor("c", shape=(3, None, 2)), wt.vector("x")
    ours, theirs = OURS.PPoly(c, x), THEIRS.PPoly(RANDOM.normal(size=(3, 6, 2)), X)
    f = wt.function([c, x], values_of(ours), mode="py")
    assert_alike(f(theirs.c, X), values_of(theirs))
    first = OURS.PPoly(theirs.c, X).antiderivative().derivative()
    np.testing.assert_allclose(first.c.eval(), theirs.c)
    np.testing.assert_allclose(first.derivative(-2).c.eval(), theirs.antiderivative(2).c)

    def cubic(c: Any, x: Any, at: Any) -> Any:
        return OURS.PPoly(wt.specify_shape(c, (3, None, None)), x)(at)

    check_grad(cubic, [theirs.c, X, np.array([0.3, 2.1])])
    assert np.isnan(OURS.PPoly(theirs.c, X, extrapolate=False).integrate(0, 9).eval()).all()


def test_design_matrices_and_splines_outside() -> None:
    at = np.array([-1.0, 0.7, 5.0, 2.5])
    for k in (0, 1, 3):
        t = KNOTS[3 - k : len(KNOTS) - 3 + k]
        wanted = THEIRS.BSpline.design_matrix(at, t, k).toarray()
        np.testing.assert_allclose(OURS.BSpline.design_matrix(at, t, k).eval(), wanted, atol=1e-15)
    check_grad(lambda t, x: OURS.BSpline.design_matrix(x, t, 2), [X, np.array([0.7, 2.1])])
    for how in (True, "periodic"):
        wanted = THEIRS.BSpline.design_matrix(AT[0], KNOTS, 3, how).toarray()
        assert_alike([OURS.BSpline.design_matrix(AT[0], KNOTS, 3, how).eval()], [wanted])
    c = RANDOM.normal(size=9)  # two of which have no influence
    spline = OURS.BSpline(KNOTS, c, 3, extrapolate=False)
    theirs = THEIRS.BSpline(KNOTS, c, 3, extrapolate=False)
    outputs = [spline(AT), spline.integrate(-9, 2.0), spline.integrate(9, 2.0)]
    wanted = [theirs(AT), theirs.integrate(-9, 2.0), theirs.integrate(9, 2.0)]
    assert_alike(wt.function([], outputs, mode="py")(), wanted)


@pytest.mark.cases("py", "jax")
@pytest.mark.parametrize("mode", MODES)
def test_batches(mode: str) -> None:
    """Of values, of knots, and of places."""
    x, y, at = wt.vector("x"), wt.matrix("y"), wt.vector("at")

    def read(y: Any) -> Any:
        curves = [OURS.CubicSpline(x, y), OURS.PchipInterpolator(x, y)]
        return wt.stack([curve(at) for curve in curves])

    def moved(shift: Any) -> Any:
        return OURS.make_lsq_spline(x + shift, y[0], KNOTS + shift)(at)

    xs = np.linspace(-1, 5, 30)
    ys = np.sin(xs + np.arange(3)[:, None])
    shifts, places = np.array([0.0, 0.5]), np.array([0.3, 7.0])
    f = wt.function([x, y, at], [wt.vmap(read)(y), wt.vmap(moved)(shifts)], mode=mode)
    kinds = THEIRS.CubicSpline, THEIRS.PchipInterpolator
    curves = [[kind(xs, v)(places) for kind in kinds] for v in ys]
    splines = [THEIRS.make_lsq_spline(xs + s, ys[0], KNOTS + s)(places) for s in shifts]
    assert_alike(f(xs, ys, places), [np.array(curves), np.array(splines)])


def test_dtypes() -> None:
    x, y = wt.vector("x", dtype="float32"), wt.matrix("y", dtype="float32")
    for name, make in (CURVES | {"periodic": closed}).items():
        if name not in ("values", "slopes", "b-spline", "least squares"):
            curve = make(OURS, x, y)
            assert curve(x).dtype == curve.integrate(x[0], 1.0).dtype == "float32"
    single = OURS.CubicSpline(x, y, bc_type="natural")(1.25)
    assert single.dtype == "float32"
    wanted = THEIRS.CubicSpline(X, Y, bc_type="natural")(1.25)
    np.testing.assert_allclose(single.eval({x: X.astype("f4"), y: Y.astype("f4")}), wanted, 1e-4)
    for method in ("linear", "nearest", "cubic"):
        table = OURS.RegularGridInterpolator((x,), y, method, False)
        assert table(x).dtype == table(x[:, None] + 1).dtype == "float32"
    whole = OURS.CubicSpline([0, 1, 2, 4], [0, 1, 4, 16])
    assert whole([3]).dtype == "float64"
    np.testing.assert_allclose(whole([3]).eval(), 9.0)


def test_nan_and_nothing() -> None:
    y = Y[:, 1].copy()
    y[3] = np.nan
    for kind, far in (("pchip", [0, 5, 6]), ("hermite", [0, 5, 6]), ("akima", [])):
        values = CURVES[kind](OURS, X, y)(X).eval()
        assert np.isnan(values[3])
        np.testing.assert_allclose(values[far], y[far])
    makes = [make for name, make in CURVES.items() if name not in ("values", "slopes")]
    empty = wt.function([], [make(OURS, X, Y[:, :0])(AT) for make in makes], mode="py")
    assert {v.shape for v in empty()} == {(2, 4, 0)}
    assert np.isnan(OURS.PPoly([[1.0, 2.0]], [0.0, 1.0, 2.0])(np.nan).eval())


TABLE = RANDOM.normal(size=(4, 5, 6, 2))
GRID = (np.array([0.0, 1.0, 1.5, 4.0]), np.arange(5.0), np.linspace(-1, 1, 6))
INSIDE = np.array([[0.0, 4.0, -1.0], [1.2, 0.5, 0.3], [4.0, 3.9, 1.0]])
OUTSIDE = np.array([[-0.5, 4.5, 0.0], [1.2, np.nan, 0.3], [1.2, 1.0, 0.3]])


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_tables(mode: str) -> None:
    def outputs(m: Any, points: Any, values: Any, inside: Any, outside: Any) -> list[Any]:
        linear = m.RegularGridInterpolator(points, values)
        free = m.RegularGridInterpolator(points, values, "linear", False, None)
        filled = m.RegularGridInterpolator(points, values, "nearest", False, -7.0)
        slow = m.RegularGridInterpolator(points[:2], values, "cubic", False)
        return [
            linear(inside[:, None]),
            linear(inside, "nearest"),
            free(outside),
            filled(outside),
            slow(outside[:, :2]),
            m.interpn(points[:1], values, inside[:, :1], bounds_error=False),
        ]

    points, values = [wt.vector() for _ in GRID], wt.tensor4()
    inside, outside = wt.matrix(), wt.tensor("outside", shape=(None, 3))
    made = outputs(OURS, points, values, wt.specify_shape(inside, (None, 3)), outside)
    f = wt.function([*points, values, inside, outside], made, mode=mode)
    assert_alike(f(*GRID, TABLE, INSIDE, OUTSIDE), outputs(THEIRS, GRID, TABLE, INSIDE, OUTSIDE))
    with pytest.raises(ValueError, match="out of bounds in dimension 0"):
        f(*GRID, TABLE, INSIDE - 0.1, OUTSIDE)


@pytest.mark.cases("linear")
@pytest.mark.parametrize("method", ["linear", "nearest", "cubic"])
def test_derivatives_of_tables(method: str) -> None:
    check_grad(
        lambda p, q, values, xi: OURS.interpn((p, q), values, xi, method),
        [*GRID[:2], TABLE[:, :, 0, 0], INSIDE[1:2, ::2]],
    )


def test_tables_of_one_axis() -> None:
    line = OURS.RegularGridInterpolator((X,), Y, "quintic")
    theirs = THEIRS.RegularGridInterpolator((X,), Y, "quintic")
    for xi in (np.array([0.3, 1.0]), np.array([[0.3], [1.0]])):
        assert_alike([line(xi).eval()], [theirs(xi)])
    plane, other = (m.RegularGridInterpolator(GRID[:2], TABLE) for m in (OURS, THEIRS))
    for flat in ([1.2, 0.3], [1.2, 0.3, 1.0, 2.5], (1.2, 0.3), (1.2, np.array([0.3, 2.5]))):
        assert_alike([plane(flat).eval()], [other(flat)])


def test_bad_input() -> None:
    v, m = wt.vector("v"), wt.matrix("m")
    four = wt.tensor("four", shape=(4,))
    spline, table, fit = OURS.CubicSpline, OURS.RegularGridInterpolator, OURS.make_interp_spline
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: spline(m, v), ValueError, "CubicSpline: x must be a vector"),
        (lambda: spline(1j * v, v), TypeError, "x must be real"),
        (lambda: spline([0, 2, 1], v), ValueError, "x must be strictly increasing"),
        (lambda: spline([0, 1, np.nan], v), ValueError, "x must be strictly increasing"),
        (lambda: spline([0], v), ValueError, "there must be 2 points or more"),
        (lambda: spline([0, 1], [1, 2, 3]), ValueError, "length"),
        (lambda: spline(v, v, bc_type="free"), ValueError, "not 'free'"),
        (lambda: spline(v, v, bc_type=((3, 0), "natural")), ValueError, r"not \(3, 0\)"),
        (lambda: spline(v, v, bc_type=["natural"]), ValueError, "must have 2 conditions"),
        (lambda: spline(v, v, bc_type=("natural", "periodic")), ValueError, "for both ends"),
        (lambda: spline(v, v, extrapolate="no"), ValueError, "True, False or 'periodic'"),
        (lambda: spline([0, 1, 2], [1, 2, 3], 0, "periodic"), ValueError, "must be equal"),
        (lambda: spline(v, v)(v, -1), ValueError, "0 or more, not -1"),
        (lambda: spline(v, v)(1j * v), TypeError, "real places"),
        (lambda: OURS.PchipInterpolator(v, 1j * v), TypeError, "y must be real"),
        (lambda: OURS.Akima1DInterpolator(v, v, method="other"), ValueError, "not 'other'"),
        (lambda: OURS.CubicHermiteSpline(v, v, m), ValueError, "dydx must be of the rank of y"),
        (lambda: OURS.PPoly(m, v), ValueError, "how many powers"),
        (lambda: OURS.PPoly(v, v), ValueError, "two or more axes"),
        (lambda: OURS.PPoly(np.ones((2, 2)), [0, 2, 1]), ValueError, "in increasing order"),
        (lambda: OURS.PPoly(np.ones((2, 2)), [0, 1]), ValueError, "length"),
        (lambda: OURS.BSpline(four, v, 3), ValueError, "needs 8 knots or more"),
        (lambda: OURS.BSpline([0, 0, 1, 0.5], v, 1), ValueError, "in increasing order"),
        (lambda: OURS.BSpline([0, 0, 0, 0], v, 1), ValueError, "less than"),
        (lambda: OURS.BSpline([0, 0, 1, 1], [1], 1), ValueError, "a coefficient for each"),
        (lambda: OURS.BSpline(v, v, -1), ValueError, "0 or more, not -1"),
        (lambda: OURS.BSpline(v, v, 1).derivative(2), ValueError, "has no derivative 2"),
        (lambda: fit(four[:3], four[:3]), ValueError, "needs 4 points or more"),
        (lambda: fit(v, v, bc_type="closed"), ValueError, "not 'closed'"),
        (lambda: fit(v, v, k=5, bc_type="natural"), ValueError, "needs 4 derivatives"),
        (lambda: OURS.make_lsq_spline(four, four, KNOTS), ValueError, "as many points"),
        (lambda: table((v,), v, "best"), ValueError, "not 'best'"),
        (lambda: table((v, v), v), ValueError, "2 vectors of points for values of 1 axes"),
        (lambda: table(([0, 1, 1],), v), ValueError, "dimension 0 must be strictly increasing"),
        (lambda: table((v, v), m)((v,)), ValueError, "2 coordinates, not 1"),
        (lambda: table((v, v), m)(np.ones((4, 3))), ValueError, "length 2, not 3"),
        (lambda: OURS.sproot, AttributeError, r"scipy\.interpolate\.sproot is not in Weft"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


def test_bad_input_at_the_call() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    cases: list[tuple[Any, Any, Any, str]] = [
        (OURS.CubicSpline(x, y), [0, 2, 1, 3], [1, 2, 3, 4], "strictly increasing"),
        (OURS.CubicSpline(x, y), [0, 1, 3], [1, 2, 3], "must be 4 points or more"),
        (OURS.CubicSpline(x, y), [0, 1, 2, 3], [1, 2, 3], "length"),
        (OURS.CubicSpline(x, y, 0, "periodic"), [0, 1, 2, 3], [1, 2, 3, 4], "must be equal"),
        (OURS.PchipInterpolator(x, y), [0, 1], [1, 2], "must be 3 points or more"),
        (OURS.BSpline(x, y, 1), [0, 0, 2, 1, 1], [1, 2, 3], "in increasing order"),
        (OURS.BSpline(x, y, 1), [0, 0, 1, 2, 2], [1, 2], "a coefficient for each"),
        (OURS.make_interp_spline(x, y), [0, 1, 2], [0, 1, 2], "needs 4 points or more"),
        (OURS.make_interp_spline(x, y, t=KNOTS), np.arange(7) / 50, X, "a point of its own"),
        (OURS.make_lsq_spline(x, y, KNOTS), X + 1, X, "must lie between"),
        (OURS.make_lsq_spline(x, y, KNOTS), X[:4], X[:4], "as many points"),
    ]
    for curve, places, values, message in cases:
        f = wt.function([x, y], curve(0.5), mode="py")
        with pytest.raises(ValueError, match=message):
            f(np.asarray(places, "float64"), np.asarray(values, "float64"))
