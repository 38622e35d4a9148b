"""Sums of exponentials that are shifted: rules come to an end, and nothing overflows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import weft_tensor as wt
from weft_graph import function, grad

V, W = wt.vector("V"), wt.vector("W")
EXPONENTS: dict[str, Any] = {
    "x": lambda v, w: v,
    "-x": lambda v, w: -v,
    "-x²": lambda v, w: -(v**2),
    "-x / 2": lambda v, w: -v / 2,
    "-|x|": lambda v, w: -abs(v),
    "-x - y": lambda v, w: -v - w,
    "y - x": lambda v, w: w - v,
    "1 - x": lambda v, w: 1 - v,
    "-(x - y)² / 2": lambda v, w: -((v - w) ** 2) / 2,
    "-2 x": lambda v, w: -2 * v,
    "-exp(-x²)": lambda v, w: -np.exp(-(v**2)) if isinstance(v, np.ndarray) else -wt.exp(-(v**2)),
}
VALUES = np.array([1.0, -2.0, 900.0, 40.0]), np.array([0.5, 3.0, -4.0, 7.0])


@pytest.mark.parametrize("name", EXPONENTS)
@pytest.mark.parametrize("form", ["plain", "shifted", "called", "softmax"])
def test_every_exponent(name: str, form: str) -> None:
    z = EXPONENTS[name](V, W)
    wanted = logsumexp(EXPONENTS[name](*VALUES))
    if form == "plain":
        total = wt.log(wt.exp(z).sum())
    elif form == "shifted":
        total = wt.log(wt.exp(z - z.max()).sum()) + z.max()
    elif form == "called":
        total = wt.logsumexp(z)
    else:
        total, wanted = (wt.exp(z) / wt.exp(z).sum()).sum(), 1.0
    found, slope = function([V, W], [total, grad(total, V)], mode="py", on_unused_input="ignore")(
        *VALUES
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert np.isfinite(slope).all()


OWN_SHIFTS: dict[str, Any] = {
    "x": lambda x, y: x,
    "-x": lambda x, y: -x,
    "x / 0.1": lambda x, y: x / 0.1,
    "3 x": lambda x, y: 3 * x,
    "-x / 2": lambda x, y: -x / 2,
    "1 - x": lambda x, y: 1 - x,
    "1 - x / 0.1": lambda x, y: 1 - x / 0.1,
    "2 x y - 1": lambda x, y: (x @ y) * 2 - 1,
    "-(x - y)² / 0.2": lambda x, y: -((x - y) ** 2) / 0.2,
}


@pytest.mark.parametrize("name", OWN_SHIFTS)
@pytest.mark.parametrize("axis", [0, 1])
def test_what_users_shift_is_not_shifted_again(name: str, axis: int) -> None:
    X, Y = wt.matrix("X"), wt.matrix("Y")
    z = OWN_SHIFTS[name](X, Y)
    top = z.max(axis=axis, keepdims=True)
    total = wt.log(wt.exp(z - top).sum(axis=axis)) + wt.squeeze(top, axis)
    share = wt.exp(z - top) / wt.exp(z - top).sum(axis=axis, keepdims=True)
    x = np.array([[1.0, -2.0], [300.0, 4.0]])
    y = np.array([[2.0, 5.0], [-1.0, 1.0]])
    for found in (total, share):
        f: Any = function([X, Y], found, mode="py", on_unused_input="ignore")
        assert sum(type(v.op) in (wt.Max, wt.Min) for v in f.graph.nodes) == 1
        at = OWN_SHIFTS[name](x, y)
        expected = logsumexp(at, axis=axis, keepdims=found is share)
        expected = np.exp(at - expected) if found is share else expected
        np.testing.assert_allclose(f(x, y), expected, rtol=1e-12, atol=1e-12)


def test_mixtures_of_densities() -> None:
    """Far from both means, and where one of them has no weight."""
    s = wt.scalar("s")
    density = wt.log(s * wt.exp(-(V**2)) + (1 - s) * wt.exp(-((V - W) ** 2)) / 2)
    f = function([V, W, s], [density, grad(density.sum(), V)], mode="py")
    v, w = VALUES
    for weight in (0.0, 0.3, 1.0):
        with np.errstate(divide="ignore"):
            parts = np.log(weight) - v**2, np.log(1 - weight) - (v - w) ** 2 - np.log(2)
        value, slope = f(v, w, weight)
        np.testing.assert_allclose(value, np.logaddexp(*parts), rtol=1e-14)
        share = np.exp(parts[0] - np.logaddexp(*parts))
        np.testing.assert_allclose(slope, -2 * share * v - 2 * (1 - share) * (v - w), rtol=1e-12)


def test_sums_of_weighted_exponentials_over_their_sum() -> None:
    mean = (W * wt.exp(V)).sum() / wt.exp(V).sum()
    value, slope = function([V, W], [mean, grad(mean, V)], mode="py")(*VALUES)
    np.testing.assert_allclose(value, VALUES[1][2])
    np.testing.assert_array_equal(slope, 0)
