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
