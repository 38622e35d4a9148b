"""Sums of exponentials that are shifted: rules come to an end, and nothing overflows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import weft_tensor as wt
from weft_graph import ancestors, function, grad

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
@pytest.mark.parametrize("form", ["plain", "shifted", "called", "softmax", "product", "read"])
def test_every_exponent(name: str, form: str) -> None:
    z = EXPONENTS[name](V, W)
    wanted = logsumexp(EXPONENTS[name](*VALUES))
    if form == "plain":
        total = wt.log(wt.exp(z).sum())
    elif form == "shifted":
        total = wt.log(wt.exp(z - z.max()).sum()) + z.max()
    elif form == "called":
        total = wt.logsumexp(z)
    elif form in ("product", "read"):
        power, whole = wt.exp(z), wt.exp(z).sum()
        total = power[2] / whole if form == "read" else (power * (1 / whole))[2]
        wanted = np.exp(EXPONENTS[name](*VALUES)[2] - wanted)
    else:
        total, wanted = (wt.exp(z) / wt.exp(z).sum()).sum(), 1.0
    found, slope = function([V, W], [total, grad(total, V)], mode="py", on_unused_input="ignore")(
        *VALUES
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
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


MASK = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.5], [0.0, 1.0, 1.0]])


def of_rows(x: Any, axis: int, form: str) -> Any:
    """A logarithm of a sum, shares, or their logarithms, with a shift as NumPy's users write it."""
    top = x.max(axis=axis, keepdims=True)
    powers = wt.exp(x - top)
    if form == "total":
        return top + wt.log(powers.sum(axis=axis, keepdims=True))
    if form == "without":
        return wt.squeeze(top, axis) + wt.log(powers.sum(axis=axis))
    if form == "indexed":
        return wt.log(powers.sum(axis=axis)) + (top[0] if axis == 0 else top[:, 0])
    if form == "by brackets":
        top = x.max(axis=axis)
        return top + wt.log(wt.exp(x - (top[None] if axis == 0 else top[:, None])).sum(axis=axis))
    if form == "share":
        return powers / powers.sum(axis=axis, keepdims=True)
    if form == "masked":
        shown = powers * wt.constant(MASK)
        return shown / shown.sum(axis=axis, keepdims=True)
    if form == "logarithm, masked":
        return x - top - wt.log((wt.constant(MASK) * powers).sum(axis=axis, keepdims=True))
    if form == "logarithm":
        return x - top - wt.log(powers.sum(axis=axis, keepdims=True))
    if form == "other rows":  # no shares: another sum than its own divides
        return powers / powers.sum(axis=axis)
    if form == "other shifts":
        return wt.log(wt.exp(x - x.max(axis=axis)).sum(axis=axis)) + x.max(axis=axis)
    return top + wt.log(powers.sum(axis=axis))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("scale", [1.0, -0.7])
@pytest.mark.parametrize(
    "form",
    [
        *("total", "without", "indexed", "by brackets", "share", "logarithm", "masked"),
        *("logarithm, masked", "other rows", "other shifts", "outer"),
    ],
)
def test_slopes_of_what_users_shift(form: str, scale: float, axis: int) -> None:
    X = wt.matrix("X")
    y = of_rows(X / scale, axis, form)
    value = (y * wt.cos(y)).sum()
    slope = grad(value, X)
    twice = grad((slope * wt.sin(X)).sum(), X)
    own = form not in ("other rows", "other shifts", "outer") or (axis == 0 and form != "outer")
    reductions = [v for v in ancestors([slope]) if type(v.op) in (wt.Max, wt.Min)]
    equal = [v for v in ancestors([slope]) if v.op == wt.Elemwise("eq")]
    assert reductions
    assert own is not bool(equal)
    x, step = np.array([[0.3, -1.2, 0.4], [0.1, 2.0, 0.7], [1.1, -0.4, 0.2]]), 1e-6
    f = function([X], [value, slope, twice], mode="py")
    direction = np.array([[0.2, 0.5, -1.0], [0.3, 0.1, 0.8], [-0.6, 0.9, 0.4]])
    ahead, back = f(x + step * direction), f(x - step * direction)
    found, curved = (np.sum(v * direction) for v in f(x)[1:])
    np.testing.assert_allclose(found, (ahead[0] - back[0]) / (2 * step), rtol=1e-7)
    by_slope = [np.sum(v[1] * np.sin(at)) for v, at in ((ahead, x), (back, x))]
    moved = np.sum(f(x)[1] * np.cos(x) * direction)
    np.testing.assert_allclose(curved, (by_slope[0] - by_slope[1]) / (2 * step) + moved, rtol=1e-6)


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
