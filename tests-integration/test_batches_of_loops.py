"""Loops for whole batches, and jacobians and hessians of functions that have loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
a, x, m, v = wt.scalar("a"), wt.vector("x"), wt.matrix("m"), wt.vector("v")
ROWS = np.random.default_rng(3).normal(size=(4, 5))
SCALES = np.array([0.3, -0.7, 1.1, 0.5])


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def smoothed(row: Any, scale: Any) -> Any:
    """The last state, and all sines of states times elements."""
    return wt.loop.scan(lambda s, e: (s * scale + e, wt.sin(s) * e), 0.5, row)


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0), (1, 0)])
@pytest.mark.cases(3)
def test_loops_over_sequences(mode: str, in_axes: Any) -> None:
    rows = {0: m, None: m[0], 1: m.T}[in_axes[0]]
    scales = v if in_axes[1] == 0 else v[0]
    last, every = wt.vmap(smoothed, in_axes)(rows, scales)
    cost = (last**2).sum() + every.sum()
    forward = wt.pushforward(cost, v, wt.ones_like(v))
    f = wt.function([m, v], [last, every, *wt.grad(cost, [m, v]), forward], mode=mode)
    found = f(ROWS, SCALES)
    one = wt.function([x, a], [*smoothed(x, a)], mode="py")
    cost = smoothed(x, a)[0] ** 2 + smoothed(x, a)[1].sum()
    slopes = wt.function([x, a], wt.grad(cost, [x, a]), mode="py")
    by_rows, by_scales = np.zeros_like(ROWS), np.zeros_like(SCALES)
    for k in range(4):
        i = 0 if in_axes[0] is None else k
        j = 0 if in_axes[1] is None else k
        wanted_last, wanted = one(ROWS[i], SCALES[j])
        np.testing.assert_allclose(found[0][k], wanted_last)
        np.testing.assert_allclose(found[1][k], wanted)
        by_row, by_scale = slopes(ROWS[i], SCALES[j])
        by_rows[i] += by_row
        by_scales[j] += by_scale
    np.testing.assert_allclose(found[2], by_rows)
    np.testing.assert_allclose(found[3], by_scales)
    np.testing.assert_allclose(found[4], by_scales.sum())


@pytest.mark.cases(2)
def test_both_ways_with_states_that_are_kept(mode: str) -> None:
    """The derivative of one element, batched: its loops keep states, and go backwards."""

    def slope(row: Any, scale: Any) -> Any:
        last, every = wt.loop.scan(
            lambda s, e: (wt.tanh(s * scale + e), s * e), 0.5, row, reverse=True
        )
        return wt.grad(last + (every**2).sum(), [row, scale])

    by_row, by_scale = wt.vmap(slope)(m, v)
    f = wt.function([m, v], [by_row, by_scale], mode=mode)
    one = wt.function([x, a], slope(x, a), mode="py")
    found = f(ROWS, SCALES)
    for k in range(4):
        wanted = one(ROWS[k], SCALES[k])
        np.testing.assert_allclose(found[0][k], wanted[0])
        np.testing.assert_allclose(found[1][k], wanted[1])


def root(value: Any, start: Any = 1.0) -> Any:
    return wt.while_loop(
        lambda s: abs(s * s - value) > 1e-12, lambda s: 0.5 * (s + value / s), start
    )


@pytest.mark.cases("py", "jax")
def test_a_while_loop_runs_till_all_are_done(mode: str) -> None:
    values = np.array([1.0, 2.0, 1e6, 0.25])
    roots = wt.vmap(root)(x)
    forward = wt.pushforward(roots.sum(), x, wt.ones_like(x))
    f = wt.function([x], [roots, wt.grad(roots.sum(), x), forward], mode=mode)
    found, slope, total = f(values)
    np.testing.assert_allclose(found, values**0.5)
    wanted = 0.5 / values[1:] ** 0.5
    np.testing.assert_allclose(slope[1:], wanted, rtol=1e-5)
    np.testing.assert_allclose(total, wanted.sum(), rtol=1e-5)
    assert f([])[0].shape == (0,)
    both = wt.vmap(lambda start: root(a, start))(x)
    np.testing.assert_allclose(
        wt.function([x, a], both, mode=mode)([1.0, 30.0, 2.0], 4.0), [2.0] * 3
    )


@pytest.mark.cases(2)
def test_each_element_has_its_own_number_of_steps(mode: str) -> None:
    ks = wt.vector("ks", "int64")
    powers = wt.vmap(lambda k, b: wt.fori_loop(0, k, lambda i, s: s * b + i, 1.0))(ks, x)
    f = wt.function([ks, x], [powers, wt.grad(powers.sum(), x)], mode=mode)
    found, slope = f([0, 3, 1, -2], SCALES)

    def by_hand(k: int, b: float) -> float:
        s = 1.0
        for i in range(k):
            s = s * b + i
        return s

    for j, k in enumerate([0, 3, 1, -2]):
        np.testing.assert_allclose(found[j], by_hand(k, SCALES[j]))
        h = 1e-6
        wanted = (by_hand(k, SCALES[j] + h) - by_hand(k, SCALES[j] - h)) / (2 * h)
        np.testing.assert_allclose(slope[j], wanted, atol=1e-8)
    limited = wt.vmap(
        lambda start, most: wt.while_loop(lambda s: s < 10.0, lambda s: s + 1.0, start, most)
    )(x, ks)
    got = wt.function([x, ks], limited, mode=mode)([0.0, 9.5, 0.0, 20.0], [100, 5, 2, 3])
    np.testing.assert_allclose(got, [10.0, 10.5, 2.0, 20.0])


@pytest.mark.cases(2)
def test_jacobians_and_hessians(mode: str) -> None:
    last, every = smoothed(x, a)
    cost = last**2 + every.sum()
    square = wt.while_loop(lambda s: (s**2).sum() < 50.0, lambda s: s * a + x, x)
    f = wt.function(
        [x, a],
        [wt.jacobian(every, x), wt.hessian(cost, x), wt.jacobian(square, x), wt.grad(cost, x)],
        mode=mode,
    )
    both = wt.function([x, a], [every, wt.grad(cost, x), square], mode="py")
    rows, scale, h = ROWS[0], 1.7, 1e-6
    found = f(rows, scale)
    for k in range(5):
        d = h * np.eye(5)[k]
        columns = [
            (p - q) / (2 * h)
            for p, q in zip(both(rows + d, scale), both(rows - d, scale), strict=True)
        ]
        for got, wanted in zip(found, columns, strict=False):
            np.testing.assert_allclose(got[:, k], wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.cases(2)
def test_loops_in_loops_and_in_maps(mode: str) -> None:
    def total(row: Any) -> Any:
        return wt.fori_loop(0, 3, lambda i, s: smoothed(row, s)[0] / 4, a)

    batched, mapped = wt.vmap(total)(m), wt.map(total, m)
    f = wt.function([m, a], [batched, mapped, wt.grad(batched.sum(), m)], mode=mode)
    first, second, slope = f(ROWS, 0.4)
    np.testing.assert_allclose(first, second)
    g = wt.function([m, a], wt.grad(mapped.sum(), m), mode="py")
    np.testing.assert_allclose(slope, g(ROWS, 0.4))


def test_results_of_lengths_that_differ_are_refused() -> None:
    ks = wt.vector("ks", "int64")
    with pytest.raises(ValueError, match=r"can't be batched.*different lengths"):
        wt.vmap(lambda k: wt.loop.scan(lambda s, e: (s + 1.0, s), 0.0, length=k)[1])(ks)
    with pytest.raises(ValueError, match=r"can't be batched.*different lengths"):
        wt.vmap(lambda start: wt.scan(lambda s: (s * 2, wt.until(s > 9)), None, start, n_steps=9))(
            x
        )
    with pytest.raises(ValueError, match="the derivative of the batch in place of a batch"):
        wt.vmap(lambda p: wt.grad(root(p), p))(x)
