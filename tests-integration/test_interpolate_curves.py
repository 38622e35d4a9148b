"""Curves through points of a plane, and splines through values: SciPy's, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.interpolate

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
TURNS: Final = np.array([0.0, 0.4, 1.1, 2.0, 2.2, 3.0, 3.9])
X, Y = np.cos(TURNS), np.sin(TURNS) + 0.3 * TURNS
AT: Final = np.linspace(0.0, 1.0, 5)


def curves(m: Any, x: Any, y: Any) -> list[Any]:
    found: list[Any] = []
    for options in ({}, {"k": 2}, {"k": 1}, {"u": TURNS}):
        tck, u = m.splprep([x, y], s=0, **options)
        found += [u, tck[0], *tck[1], *m.splev(AT, tck), *m.splev(AT, tck, der=1)]
        found += [*m.splint(0.0, 0.5, tck)] if not options else []
    for degree in (1, 3):
        curve, u = m.make_splprep([x, y], s=0, k=degree)
        found += [u, curve(AT), curve(AT, 1)]
        found += [m.make_splrep(TURNS, y, s=0, k=degree)(AT)]
    return found


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_as_scipys(mode: str) -> None:
    x, y = wt.vector("x", shape=7), wt.vector("y", shape=7)
    found = wt.function([x, y], curves(OURS, x, y), mode=mode)(X, Y)
    for value, reference in zip(found, curves(THEIRS, X, Y), strict=True):
        np.testing.assert_allclose(value, reference, 1e-9, 1e-9)


def test_three_axes_in_one_matrix_and_inner_knots() -> None:
    points = np.stack([X, Y, TURNS])
    ours, theirs = (m.make_splprep(points, s=0)[0](AT) for m in (OURS, THEIRS))
    np.testing.assert_allclose(ours.eval(), theirs, 1e-9)
    one, other = (m.splrep(TURNS, Y, t=[1.5, 2.1]) for m in (OURS, THEIRS))
    values = OURS.make_splrep(TURNS, Y, t=[1.5, 2.1])(AT).eval()
    np.testing.assert_allclose(values, THEIRS.splev(AT, other), 1e-9)
    np.testing.assert_allclose(OURS.splev(AT, one).eval(), values, 1e-9)


@pytest.mark.cases(0)
def test_slopes() -> None:
    def way(x: Any, y: Any) -> Any:
        (first, second), (curve, _) = (
            OURS.splev(AT, OURS.splprep([x, y], s=0)[0]),
            (OURS.make_splprep([x, y], k=2)),
        )
        return first + second**2 + curve(0.3).sum()

    check_grad(way, [X, Y])


ERRORS: Final[dict[str, Callable[[], Any]]] = {
    "a vector for each axis": lambda: OURS.splprep(X, s=0),
    "how many axes x has": lambda: OURS.splprep(wt.matrix("x"), s=0),
    "no meaning for closed": lambda: OURS.splrep(TURNS, X, t=[1.0], per=True),
    "last y of a periodic": lambda: OURS.make_interp_spline(TURNS, X, bc_type="periodic").c.eval(),
    "degree of 3 needs 4": lambda: OURS.splrep(TURNS[:3], X[:3], s=0, per=True),
    "leave t out": lambda: OURS.make_interp_spline(TURNS, X, 3, TURNS, "periodic"),
    "bc_type": lambda: OURS.make_splrep(TURNS, X, bc_type="natural"),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


CLOSED: Final[list[tuple[int, float]]] = [
    (3, 0.0),
    (2, 0.0),
    (1, 0.0),
    (5, 0.0),
    (3, 0.3),
    (2, 50.0),
]
"""The degree, and what is left of squares."""


@pytest.mark.parametrize(
    ("k", "s", "mode"),
    [
        *[(*case, "py") for case in CLOSED],
        *[(*CLOSED[i], mode) for i in (0, 4) for mode in ("numba", "jax")],
    ],
)
def test_closed_curves(k: int, s: float, mode: str) -> None:
    rng = np.random.default_rng(k)
    places = np.sort(rng.uniform(0.0, 6.0, 24))
    values = np.stack([np.cos(places), np.sin(places)]) + 0.1 * rng.normal(size=(2, 24))
    values[:, -1] = values[:, 0]
    (theirs, left, *_), ((t, c, _), u), *_ = (
        THEIRS.splrep(places, values[1], np.ones(24), k=k, s=s, per=1, full_output=1),
        THEIRS.splprep(values, k=k, s=0, per=1),
    )
    x, y = wt.vector("x"), wt.matrix("y", shape=(2, None))
    size = float(left) if s else s  # theirs leaves `s` to a thousandth
    ours = OURS.splrep(x, y[1], np.ones(24), k=k, s=size, per=True)
    curve, by = OURS.splprep(y, k=k, s=0, per=True)
    at = np.linspace(places[0], places[-1], 30)
    found = [ours[0], OURS.splev(at, ours), curve[0], by, *OURS.splev(AT, curve)]
    expected = [theirs[0], THEIRS.splev(at, theirs), t, u, *THEIRS.splev(AT, (t, c, k))]
    for v, w in zip(wt.function([x, y], found, mode=mode)(places, values), expected, strict=True):
        np.testing.assert_allclose(v, w, 1e-9, 1e-9)


def test_closed_curves_repeat_themselves() -> None:
    x, y = np.append(TURNS, 4.5), np.append(X, X[0])
    for k in (2, 3, 5):
        curves = [m.make_interp_spline(x, y, k, bc_type="periodic") for m in (OURS, THEIRS)]
        ours, theirs = (curve(np.linspace(-9.0, 9.0, 50)) for curve in curves)
        np.testing.assert_allclose(ours.eval(), theirs, 1e-10, 1e-10)
    ours = OURS.make_splrep(x, y, s=0.1, bc_type="periodic")
    np.testing.assert_allclose((ours(0.3) - ours(4.8)).eval(), 0.0, atol=1e-12)
    curve = OURS.make_splprep([x, y], s=0, bc_type="periodic")[0]
    np.testing.assert_allclose(curve(1.2).eval(), curve(0.2).eval(), 1e-12)


@pytest.mark.cases(0)
@pytest.mark.parametrize("s", [0, 0.2])
def test_slopes_of_closed_curves(s: float) -> None:
    def height(x: Any, y: Any) -> Any:
        return OURS.splev([0.2, 1.5, 3.3], OURS.splrep(x, y, s=s, per=True)).sum()

    check_grad(height, [TURNS, np.array([*Y[:6], Y[0]])])


def test_splines_of_scipys() -> None:
    spline = THEIRS.make_interp_spline(TURNS, np.stack([X, Y]), axis=1)
    plain = THEIRS.make_interp_spline(TURNS, Y, 2)
    at = np.linspace(-0.5, 4.5, 21)
    found = [
        OURS.splev(at, plain),
        OURS.splder(plain)(at),
        OURS.splantider(plain)(at),
        OURS.splint(0.3, 2.0, plain),
        OURS.PPoly.from_spline(spline)(at),
        OURS.PPoly.from_spline((plain.t, plain.c, 2)).c,
    ]
    expected = [
        THEIRS.splev(at, plain),
        THEIRS.splder(plain)(at),
        THEIRS.splantider(plain)(at),
        THEIRS.splint(0.3, 2.0, plain),
        spline(at),
        THEIRS.PPoly.from_spline(plain).c,
    ]
    for v, w in zip(found, expected, strict=True):
        np.testing.assert_allclose(v.eval(), w, 1e-9, 1e-9)
    with pytest.raises(TypeError, match=r"a spline is \(t, c, k\) or a BSpline"):
        OURS.splev(at, THEIRS.PPoly.from_spline(plain))
