"""Surfaces near points that lie anywhere, against SciPy's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.interpolate
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, quietly

import weft.tensor as wt

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
RNG: Final = np.random.default_rng(3)
X, Y = RNG.uniform(size=(2, 70))
Z: Final = np.sin(5 * X) * np.cos(4 * Y) + 0.05 * RNG.normal(size=70)
W: Final = RNG.uniform(0.5, 1.5, 70)
AT: Final = RNG.uniform(0.1, 0.9, (2, 5))
TX, TY = np.array([0.4, 0.7]), np.array([0.5])


def least_squares(m: Any, x: Any, y: Any, z: Any, tx: Any, ty: Any, w: Any) -> list[Any]:
    square = m.LSQBivariateSpline(x, y, z, tx, ty, w, (0.0, 1.0, -0.1, 1.0), 2, 3)
    plain = m.LSQBivariateSpline(x, y, z, tx, ty, kx=1, ky=2)
    return [
        *(square.ev(*AT), square(np.sort(AT[0]), AT[1][:1], dx=1)),
        *(square.integral(0.1, 0.5, 0.0, 0.9), square.get_residual()),
        *(plain.ev(*AT, dy=1), square.get_coeffs(), *square.get_knots()),
    ]


def test_known_knots() -> None:
    arrays = [X, Y, Z, TX, TY, W]
    assert_as_scipy(OURS, THEIRS, least_squares, arrays)
    singles = [v.astype("float32") for v in arrays]
    found = OURS.LSQBivariateSpline(*singles).ev(*AT.astype("float32"))
    assert found.dtype == "float32"
    row = Row(lambda m, *a: least_squares(m, *a)[:-2], [arrays])
    assert_slopes(OURS, row)


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_known_knots_on_backends(mode: str) -> None:
    row = Row(lambda m, *a: least_squares(m, *a)[0], [[X, Y, Z, TX, TY, W]])
    assert_as_on_python(OURS, row, mode)


def test_coefficients_that_points_do_not_tell() -> None:
    """They are the least ones, as SciPy's."""
    inner = [0.3, 0.6]
    near = X[X < 0.3], Y[X < 0.3], Z[X < 0.3]
    how: dict[str, Any] = {"kx": 1, "ky": 1, "bbox": (0.0, 1.0, 0.0, 1.0)}
    ours = OURS.LSQBivariateSpline(*near, inner, inner, **how).get_coeffs().eval()
    theirs = quietly(lambda: THEIRS.LSQBivariateSpline(*near, inner, inner, **how)).get_coeffs()
    np.testing.assert_allclose(ours, theirs, 1e-9, 1e-9)


CASES: Final[list[dict[str, Any]]] = [
    {"s": 0.4},
    {"s": 0.25, "kx": 2, "ky": 4},
    {"s": 0.6, "w": W, "bbox": (-0.1, 1.0, 0.0, 1.2), "kx": 1},
    {"s": 500.0},
    {"s": 0.01},
]


@pytest.mark.parametrize(
    ("case", "mode"),
    [*[(k, "py") for k in range(5)], *[(k, m) for k in (1, 3) for m in ("numba", "jax")]],
)
def test_chosen_knots(case: int, mode: str) -> None:
    """SciPy's leaves `s` to a thousandth: ours leaves all of what that leaves."""
    how = CASES[case]
    theirs = quietly(lambda: THEIRS.SmoothBivariateSpline(X, Y, Z, **how))
    x, y, z, s = *wt.vectors("x", "y", "z"), wt.scalar("s")
    ours = OURS.SmoothBivariateSpline(x, y, z, **{**how, "s": s})
    found = [*ours.get_knots(), ours.ev(*AT), ours.get_residual()]
    f = wt.function([x, y, z, s], found, mode=mode)
    for v, w in zip(f(X, Y, Z, how["s"])[:2], theirs.get_knots(), strict=True):
        np.testing.assert_allclose(v, w, 1e-12)
    if (case, mode) == (4, "py"):
        return
    left = theirs.get_residual()
    values, own_left = f(X, Y, Z, left if case < 3 else how["s"])[2:]
    np.testing.assert_allclose(values, theirs.ev(*AT), 1e-7, 1e-7)
    np.testing.assert_allclose(own_left, left, 1e-9)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_of_surfaces_whose_knots_are_chosen(mode: str) -> None:
    z, s = wt.vector("z"), wt.scalar("s")
    value = OURS.SmoothBivariateSpline(X, Y, z, s=s).ev(*AT).sum()
    f = wt.function([z, s], [value, *wt.grad(value, [z, s])], mode=mode)
    _, by_z, by_s = f(Z, 0.25)
    step = np.zeros(70)
    step[::9] = 1e-6
    ahead, behind = (f(Z + k * step, 0.25)[0] for k in (1, -1))
    np.testing.assert_allclose((ahead - behind) / 2, by_z @ step, 1e-4)
    ahead, behind = (f(Z, 0.25 + k * 1e-6)[0] for k in (1, -1))
    np.testing.assert_allclose((ahead - behind) / 2e-6, by_s, 1e-4)


@pytest.mark.parametrize("s", [None, 4.0])
def test_surfaces_by_the_older_name(s: float | None) -> None:
    options: dict[str, Any] = {"w": 4 * W, "xb": 0.0, "xe": 1.0, "ky": 2, "s": s}
    values = []
    for m in (OURS, THEIRS):
        tck = quietly(lambda m=m: m.bisplrep(X, Y, Z, **options))
        values.append([m.bisplev([0.2, 0.5], [0.1, 0.8], tck), *tck[:2]])
    for v, w in zip(*values, strict=True):
        np.testing.assert_allclose(v.eval(), w, 0, 2e-3)
    assert [*OURS.bisplrep(X, Y, Z)[3:]] == [3, 3]


def test_what_surfaces_do_not_take() -> None:
    x, few = wt.vector("x"), [0.0, 1.0, 2.0]
    cases: list[tuple[Any, str]] = [
        (lambda: OURS.SmoothBivariateSpline(x, x, x, s=-1.0), "s must be above 0"),
        (lambda: OURS.SmoothBivariateSpline(x, x, x, s=[1.0]), "s must be a number"),
        (lambda: OURS.SmoothBivariateSpline(few, few, few), "need 16 points or more"),
        (lambda: OURS.SmoothBivariateSpline(x, x, x, kx=6), "degrees are 1 to 5"),
        (lambda: OURS.SmoothBivariateSpline(x, x, x, bbox=(0, 1)), "bbox has 4 numbers, not 2"),
        (lambda: OURS.LSQBivariateSpline(x, x, x, [1, 0], [0]), "tx must be strictly increasing"),
        (lambda: OURS.LSQBivariateSpline(x, x, x, [0], [0], [0.0] * 3), "w must be positive"),
        (
            lambda: OURS.LSQBivariateSpline(X, Y, Z, [2.0], [0.5], bbox=(0, 1, 0, 1))(x, x).eval(
                {x: few}
            ),
            "bbox must be around all points",
        ),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
