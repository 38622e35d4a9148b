"""Splines that choose their knots: what SciPy leaves of squares, and the same curve for that."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.interpolate

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
AT: Final = np.linspace(0.2, 9.8, 14)


def noisy(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    x = np.sort(rng.uniform(0.0, 10.0, count))
    return x, np.sin(x) + 0.1 * rng.normal(size=count)


CASES: Final[list[tuple[int, dict[str, Any]]]] = [
    (50, {}),
    (12, {"s": 100.0, "k": 1}),
    (30, {"s": 0.5, "w": np.linspace(0.5, 1.5, 30)}),
    (200, {"s": 2.0, "bbox": (-1.0, 10.5)}),
    (40, {"s": 0.3, "k": 5}),
    (60, {"s": 0.6, "k": 2}),
    (50, {"s": 1e-2}),
    (12, {"s": 1e-9, "k": 2}),
]


@pytest.mark.parametrize(
    ("count", "how", "mode"),
    [
        *[(*case, "py") for case in CASES],
        *[(*CASES[k], mode) for k in (2, 5) for mode in ("numba", "jax")],
    ],
)
def test_as_scipys(count: int, how: dict[str, Any], mode: str) -> None:
    """SciPy's leaves `s` to a thousandth: ours leaves all of what that leaves."""
    x, y = noisy(count)
    theirs = THEIRS.UnivariateSpline(x, y, **how)
    places, values, s = wt.vector("x"), wt.vector("y"), wt.scalar("s")
    ours = OURS.UnivariateSpline(places, values, **{**how, "s": s})
    found = [ours.get_knots(), ours(AT), ours(AT, 1), ours.get_residual()]
    left = theirs.get_residual()
    knots, *others = wt.function([places, values, s], found, mode=mode)(x, y, left)
    np.testing.assert_allclose(knots, theirs.get_knots(), 1e-14)
    for v, w in zip(others, (theirs(AT), theirs(AT, 1), left), strict=True):
        np.testing.assert_allclose(v, w, rtol=2e-6, atol=2e-7 * np.abs(w).max())


@pytest.mark.parametrize("s", [0.0, 0.4, None])
def test_older_names(s: float | None) -> None:
    x, y = noisy(40)
    w, points = np.full(40, 9.0), [y, np.cos(x)]
    for m in (OURS, THEIRS):
        tck = m.splrep(x, y, w, -1.0, 11.0, s=s)
        curve, u = m.splprep(points, s=s)
        found = [tck[0], m.splev(AT, tck), curve[0], u, *m.splev([0.2, 0.7], curve)]
        if m is OURS:
            ours = [v.eval() for v in found]
            size = 40 - 80**0.5 if s is None else s
            left = (81 * (OURS.make_splrep(x, y, w=w, s=size)(x) - y) ** 2).sum()
            np.testing.assert_allclose(left.eval(), size, 1e-9, 1e-20)
    for v, reference in zip(ours, found, strict=True):
        np.testing.assert_allclose(v, reference, 0, 4e-3 * max(1.0, np.abs(reference).max()))


def test_curves_near_points_of_three_axes() -> None:
    x, y = noisy(40)
    curve, u = OURS.make_splprep([x, y, x * y], s=2.0)
    left = ((curve(u) - np.stack([x, y, x * y])) ** 2).sum()
    np.testing.assert_allclose(left.eval(), 2.0, 1e-9)


@pytest.mark.cases(0)
@pytest.mark.parametrize("k", [2, 3])
def test_slopes(k: int) -> None:
    """Knots follow their points; by `s` as well."""
    x, y = noisy(15)

    def values(x: Any, y: Any, w: Any, s: Any) -> Any:
        curve = OURS.UnivariateSpline(x, y, w, k=k, s=s)
        return (curve([1.0, 4.3, 9.0]) ** 2).sum() + curve.integral(2.0, 7.0)

    check_grad(values, [x, y, np.linspace(0.8, 1.2, 15), np.array(0.5)])


def test_float32() -> None:
    x, y = (v.astype("float32") for v in noisy(40))
    value = OURS.UnivariateSpline(x, y, s=0.5)(x)
    assert value.dtype == "float32"
    np.testing.assert_allclose(((value - y) ** 2).sum().eval(), 0.5, 1e-4)


LINE: Final = ([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
ERRORS: Final[dict[str, Any]] = {
    "s must not be negative": lambda: OURS.UnivariateSpline(*LINE, k=1, s=-1.0),
    "s must be a number": lambda: OURS.splrep(*LINE, k=1, s=[1.0]),
    "k must be 1 to 5": lambda: OURS.UnivariateSpline(*LINE, k=6),
    "needs 4 points or more": lambda: OURS.UnivariateSpline(*LINE),
    "in increasing order": lambda: OURS.splrep([0.0, 2.0, 1.0], LINE[1], k=1, s=1.0),
    "must be real, a vector": lambda: OURS.UnivariateSpline(LINE[0], np.zeros((3, 1, 1)), k=1),
    "near no points": lambda: OURS.UnivariateSpline(*LINE, k=1).derivative().get_residual(),
    "w must be positive": lambda: OURS.splrep(*LINE, [1.0, -1.0, 1.0], k=1, s=1.0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
