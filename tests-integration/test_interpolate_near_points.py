"""Splines that choose their knots: what SciPy leaves of squares, and the same curve for that."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.interpolate
import scipy.special
from against_scipy import inputs_for, quietly

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


@pytest.mark.cases(0)
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


SPAN: Final = np.linspace(-1.5, 1.5, 100)
SPIRAL: Final = np.exp(np.linspace(-0.5, 0.5 + 15j * np.pi, 300))
WITH_OTHERS: Final = np.where(np.arange(101) == 7, np.nan, np.exp(np.append(SPAN, SPAN[5])))
FRACTIONS: Final[list[tuple[np.ndarray, np.ndarray, dict[str, Any]]]] = [
    (SPAN, scipy.special.gamma(SPAN), {}),
    (SPAN, np.abs(np.sin(3 * SPAN)) + 0.1, {"rtol": 1e-3}),
    (np.append(SPAN, SPAN[5]), WITH_OTHERS, {}),
    (SPIRAL, np.tan(np.pi * SPIRAL / 2), {}),
    (SPAN, np.exp(1j * SPAN), {"max_terms": 4}),
    (SPIRAL, np.log(2 + SPIRAL**4) / (1 - 16 * SPIRAL**4), {"rtol": 0.0, "max_terms": 40}),
    (SPAN.astype("float32"), np.tanh(9 * SPAN).astype("float32"), {}),
]


@pytest.mark.parametrize(
    ("case", "mode"),
    [
        *[(k, "py") for k in range(len(FRACTIONS))],
        *[(k, m) for k in (1, 3) for m in ("numba", "jax")],
    ],
)
def test_fractions_near_points(case: int, mode: str) -> None:
    x, y, how = FRACTIONS[case]
    at = np.array([0.3, 1.02, -0.77, x[11], 0.45]).astype(x.dtype)
    theirs = quietly(lambda: THEIRS.AAA(x, y, **how))
    inputs = inputs_for([x, y, at])
    ours = OURS.AAA(*inputs[:2], **how)
    found = [ours(inputs[2]), ours.support_points, ours.support_values, ours.errors]
    value, *others = wt.function(inputs, found, mode=mode)(x, y, at)
    assert value.dtype == theirs(at).dtype
    if x.dtype == "float32":  # chosen in float64, where SciPy's are in float32
        np.testing.assert_allclose(value, np.tanh(9 * at), 1e-4)
        return
    np.testing.assert_allclose(value, theirs(at), 1e-9)
    for v, w in zip(others[:2], (theirs.support_points, theirs.support_values), strict=True):
        np.testing.assert_array_equal(v, w)
    np.testing.assert_allclose(others[2], theirs.errors, 1e-4, 1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_poles_roots_and_residues_of_fractions(mode: str) -> None:
    z, x, y = wt.vector("z", dtype="complex128"), *wt.vectors("x", "y")
    curve = OURS.AAA(z, wt.tan(np.pi * z / 2))
    found = [curve.poles(), curve.residues(), curve.roots()]
    poles, residues, roots = wt.function([z], found, mode=mode)(SPIRAL)
    for k in (1, -1, 3, -3):
        at = np.abs(poles - k).argmin()
        np.testing.assert_allclose([poles[at], residues[at]], [k, -2 / np.pi], 1e-4)
    np.testing.assert_allclose(np.sort_complex(roots)[len(roots) // 2].round(6), 0)
    cubic = OURS.AAA(x, y)
    ends = [cubic(np.array([np.inf, 5.0])), abs(cubic.poles())]
    fit = wt.function([x, y], ends, mode=mode)
    (_, far), sizes = fit(SPAN, SPAN**3)
    np.testing.assert_allclose(far, 125.0)
    assert len(sizes) == 3
    assert (sizes > 1e4).all()
    (end, _), _ = fit(SPAN, (SPAN + 3) / (2 * SPAN - 4))
    np.testing.assert_allclose(end, 0.5)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("x", [SPAN, SPIRAL])
def test_slopes_of_fractions(x: np.ndarray, mode: str) -> None:
    """Of a function that they meet, they are its own: at chosen points, too."""
    a = wt.scalar("a")
    at = np.append(x[[3, 50, 99]] * 0.98, x[[0, -1]])

    def curve(at: Any) -> Any:
        return wt.exp(a * at) / (at - 2.6 * a)

    z = wt.as_tensor(at)
    slopes = []
    for value in (OURS.AAA(x, curve(wt.as_tensor(x)))(z), curve(z)):
        total = (wt.real(value) * np.arange(1, 6)).sum()
        slopes += [wt.grad(total, a), wt.grad(total, z)]
    by, along, its_by, its_along = wt.function([a], slopes, mode=mode)(1.1)
    np.testing.assert_allclose(by, its_by, 1e-7)
    np.testing.assert_allclose(along, its_along, 1e-6, 1e-6)


def test_what_fractions_do_not_take() -> None:
    x = wt.vector("x")
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (x, wt.matrix("y"), {}, "x and y are vectors"),
        (x, x, {"max_terms": 0}, "1 or more, not 0"),
        ([0.0, np.inf], [1.0, 2.0], {}, "x must be finite"),
        ([0.0, 1.0], [1.0, 2.0, 3.0], {}, "length"),
    ]
    for places, values, how, message in cases:
        with pytest.raises(ValueError, match=message):
            OURS.AAA(places, values, **how)
