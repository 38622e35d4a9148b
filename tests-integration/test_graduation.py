"""Smooth values by small differences: `whittaker_henderson`, which SciPy has since 1.18."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_slopes

import weft.tensor as wt

OURS: Any = wt.signal
RANDOM = np.random.default_rng(3)
Y = np.sin(np.arange(40.0) / 4) + 0.3 * RANDOM.normal(size=40)
WEIGHTS = np.tile([1.0, 0, 2, 1, 1, 3, 0.5, 1, 1, 0], 4)


def system(lamb: float, order: int, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    differences = np.diff(np.eye(len(w)), order, axis=0)
    return np.diag(w) + lamb * differences.T @ differences, differences


def unlikely(log_lamb: float, order: int, w: np.ndarray) -> float:
    """The criterion as it stands in the paper, with whole matrices."""
    lamb, free = np.exp(log_lamb), np.count_nonzero(w) - order
    a, differences = system(lamb, order, w)
    x = np.linalg.solve(a, w * Y)
    squares = w @ (Y - x) ** 2 + lamb * np.sum((differences @ x) ** 2)
    penalty = np.linalg.slogdet(lamb * differences @ differences.T)[1]
    return float(free * np.log(squares / free) - penalty + np.linalg.slogdet(a)[1])


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("w", [np.ones(40), WEIGHTS], ids=["all", "some"])
def test_values(order: int, w: np.ndarray) -> None:
    known = np.where(w == 0, np.nan, Y)
    y, lamb = wt.vector("y"), wt.scalar("lamb")
    smooth = OURS.whittaker_henderson(y, lamb, order, w).x
    for size in (0.01, 3.0, 1e4):
        expected = np.linalg.solve(system(size, order, w)[0], w * Y)
        actual = wt.function([y, lamb], smooth, mode="py")(known, size)
        np.testing.assert_allclose(actual, expected, rtol=1e-8)
    likeliest = OURS.whittaker_henderson(Y, order=order, weights=w).lamb.eval()
    best = scipy.optimize.minimize_scalar(unlikely, (-10, 10), args=(order, w))
    np.testing.assert_allclose(np.log(likeliest), best.x, atol=1e-5)


def test_as_scipy() -> None:
    """Where it has it; the values are those of its documentation else."""
    first = OURS.whittaker_henderson([1.0, 3.0, 2.0, 4.0], lamb=10.0)
    if theirs := getattr(scipy.signal, "whittaker_henderson", None):
        expected = theirs([1.0, 3.0, 2.0, 4.0], lamb=10.0).x
        np.testing.assert_allclose(first.x.eval(), expected, rtol=1e-12)
        found, known = OURS.whittaker_henderson(Y), theirs(Y)
        np.testing.assert_allclose(found.lamb.eval(), known.lamb, rtol=1e-5)
        np.testing.assert_allclose(found.x.eval(), known.x, rtol=1e-6)
    assert first.lamb.eval() == 10
    np.testing.assert_allclose(first.x.eval().sum(), 10, rtol=1e-12)


@pytest.mark.cases(0)
def test_slopes() -> None:
    def smooth(m: Any, y: Any, w: Any, lamb: Any) -> Any:
        return m.whittaker_henderson(y, lamb, 2, w).x

    assert_slopes(OURS, Row(smooth, [[Y[:9], WEIGHTS[:9] + 0.5, np.array(2.0)]]))
    y = wt.vector("y")
    f = wt.function([y], [(x := OURS.whittaker_henderson(y).x[3]), wt.grad(x, y)], mode="py")
    near = [(f(Y + h)[0] - f(Y - h)[0]) / 2e-3 for h in 1e-3 * np.eye(40)[[3, 30]]]
    np.testing.assert_allclose(f(Y)[1][[3, 30]], near, rtol=1e-3, atol=1e-5)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def both(m: Any, y: Any, w: Any) -> Any:
        found = m.whittaker_henderson(y)
        return [found.x, wt.log(found.lamb), m.whittaker_henderson(y, 5.0, 1, w).x]

    assert_as_on_python(OURS, Row(both, [[Y, WEIGHTS]], tolerance=1e-4), mode)


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("order must be 1", {"order": 0}),
        ("needs 41 values", {"order": 40}),
        ("lamb must be 0", {"lamb": -1.0}),
        ('a number or "reml"', {"lamb": "gcv"}),
        ("weights must not be", {"weights": -WEIGHTS}),
    ],
)
def test_errors(said: str, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=said):
        OURS.whittaker_henderson(Y, **given)
