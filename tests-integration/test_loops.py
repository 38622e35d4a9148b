"""Loops that carry a state, on three backends: values, both derivatives, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
r, a, b, w = wt.vector("r"), wt.scalar("a"), wt.scalar("b"), wt.scalar("w")
RETURNS = np.random.default_rng(0).normal(size=12)


def garch(returns: Any, start: Any, w: Any, a: Any, b: Any, log: Any) -> Any:
    """The density of a GARCH(1, 1) model, up to a constant, by a loop."""
    total, h = 0.0, start
    for x in returns:
        h = w + a * x * x + b * h
        total = total - 0.5 * (log(h) + x * x / h)
    return total


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def central(f: Any, values: list[Any], k: int, step: float = 1e-6) -> Any:
    """The derivative of `f` by its k-th argument, a number."""
    up, down = list(values), list(values)
    up[k], down[k] = up[k] + step, down[k] - step
    return (f(*up) - f(*down)) / (2 * step)


def test_a_density_with_its_gradient_and_hessian(mode: str) -> None:
    def step(h: Any, x: Any) -> Any:
        after = w + a * x * x + b * h
        return after, -0.5 * (wt.log(after) + x * x / after)

    _, terms = wt.loop.scan(step, 0.3, r)
    total = terms.sum()
    slopes = wt.grad(total, [a, b])
    second = wt.grad(slopes[0], b)
    forward = wt.pushforward(total, a, wt.as_tensor(1.0))
    f = wt.function([w, a, b, r], [total, *slopes, second, forward], mode=mode)
    values = [0.1, 0.2, 0.7]

    def expected(w: float, a: float, b: float) -> Any:
        return garch(RETURNS, 0.3, w, a, b, np.log)

    found = f(*values, RETURNS)
    np.testing.assert_allclose(found[0], expected(*values), rtol=1e-12)
    np.testing.assert_allclose(found[1], central(expected, values, 1), rtol=1e-6)
    np.testing.assert_allclose(found[2], central(expected, values, 2), rtol=1e-6)
    np.testing.assert_allclose(found[4], found[1], rtol=1e-12)
    by_a = [f(0.1, 0.2, 0.7 + h, RETURNS)[1] for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(found[3], (by_a[0] - by_a[1]) / 2e-6, rtol=1e-6)


@pytest.mark.cases("jax-False-4", "py-False-False", "py-False-sqrt", "py-True-1")
@pytest.mark.parametrize("checkpoint", [False, 1, 4, "sqrt"])
@pytest.mark.parametrize("reverse", [False, True])
def test_checkpoints_change_nothing(mode: str, checkpoint: Any, reverse: bool) -> None:
    def step(s: Any, x: Any) -> Any:
        return {"s": wt.sin(s["s"]) * a + x}, (s["s"] * x, x)

    last, (products, copies) = wt.loop.scan(
        step, {"s": 0.5}, r, reverse=reverse, checkpoint=checkpoint
    )
    cost = last["s"] + products.sum()
    f = wt.function([a, r], [last["s"], products, copies, *wt.grad(cost, [a, r])], mode=mode)
    found = f(1.3, RETURNS[:11])
    s, expected = 0.5, np.empty(11)
    order = range(11)
    for i in reversed(order) if reverse else order:
        expected[i] = s * RETURNS[i]
        s = np.sin(s) * 1.3 + RETURNS[i]
    np.testing.assert_allclose(found[0], s)
    np.testing.assert_allclose(found[1], expected)
    np.testing.assert_array_equal(found[2], RETURNS[:11])

    def of_a(value: float) -> Any:
        again = f(value, RETURNS[:11])
        return again[0] + again[1].sum()

    np.testing.assert_allclose(found[3], central(of_a, [1.3], 0), rtol=1e-6)
    plain_last, (plain, _) = wt.loop.scan(step, {"s": 0.5}, r, reverse=reverse)
    slopes = wt.grad(plain_last["s"] + plain.sum(), r)
    np.testing.assert_allclose(
        found[4], wt.function([a, r], slopes, mode=mode)(1.3, RETURNS[:11]), rtol=1e-10
    )


def test_matrices_as_states(mode: str) -> None:
    m, n = wt.matrix("m"), wt.scalar("n", dtype="int64")
    power = wt.fori_loop(0, n, lambda i, s: m @ s, wt.eye(2))
    slope = wt.grad(power.sum(), m)
    f = wt.function([m, n], [power, slope], mode=mode)
    value = np.array([[0.5, 0.2], [0.1, 0.4]])
    for steps in (0, 1, 4):
        found, slopes = f(value, steps)
        np.testing.assert_allclose(found, np.linalg.matrix_power(value, steps))
        for i in range(4):
            moved = value.copy()
            moved.flat[i] += 1e-6
            np.testing.assert_allclose(
                slopes.flat[i], (f(moved, steps)[0] - found).sum() / 1e-6, atol=1e-4
            )
    assert not f(value, -3)[1].any()


def test_newtons_method_as_a_while_loop(mode: str) -> None:
    x = wt.while_loop(lambda s: abs(s * s - a) > 1e-12, lambda s: 0.5 * (s + a / s), 1.0)
    f = wt.function([a], [x, wt.grad(x, a), wt.pushforward(x, a, wt.as_tensor(1.0))], mode=mode)
    for value in (1.0, 2.0, 9.0):
        root, slope, forward = f(value)
        np.testing.assert_allclose(root, value**0.5)
        if value > 1:
            np.testing.assert_allclose([slope, forward], 0.5 / value**0.5, rtol=1e-5)
    stopped = wt.while_loop(lambda s: s < a, lambda s: s + 1.0, 0.0, max_steps=3)
    assert wt.function([a], stopped, mode=mode)(100.0) == 3.0


def test_a_loop_within_a_loop(mode: str) -> None:
    def inner(row: Any, s: Any) -> Any:
        return wt.loop.scan(lambda t, x: (t * s + x, None), s, row)[0]

    m = wt.matrix("m")
    last, every = wt.loop.scan(lambda s, row: (inner(row, s), s), a, m)
    f = wt.function([a, m], [last, every, wt.grad(last, a)], mode=mode)
    rows = RETURNS.reshape(4, 3) / 3

    def expected(s: float) -> float:
        for row in rows:
            t = s
            for x in row:
                t = t * s + x
            s = t
        return s

    found = f(0.4, rows)
    np.testing.assert_allclose(found[0], expected(0.4))
    np.testing.assert_allclose(found[2], central(expected, [0.4], 0), rtol=1e-6)


def test_states_become_of_the_dtype_that_steps_give() -> None:
    i = wt.ivector("i")
    assert wt.loop.scan(lambda s, x: (s + x, None), 0, r)[0].dtype == "float64"
    assert wt.fori_loop(0, 3, lambda k, s: s + k, 0).dtype == "int64"
    with pytest.raises(TypeError, match=r"state init is .*int32.* at first and .*float64.*astype"):
        wt.loop.scan(lambda s, x: (s + 0.5, None), i[0], r)
    with pytest.raises(TypeError, match="a state keeps its rank"):
        wt.loop.scan(lambda s, x: (s + r, None), 0.0, r)
    with pytest.raises(ValueError, match="a state keeps its shape"):
        wt.fori_loop(0, 2, lambda k, s: wt.concatenate([s, s]), wt.ones(2))


def test_structures_and_lengths_that_do_not_fit() -> None:
    with pytest.raises(TypeError, match=r"the state that f returns must be a dict of \['s'\]"):
        wt.loop.scan(lambda s, x: (s["s"] + x, None), {"s": 0.0}, r)
    with pytest.raises(TypeError, match="must return a pair"):
        wt.loop.scan(lambda s, x: s + x, 0.0, r)
    with pytest.raises(TypeError, match="needs xs, or the number of steps"):
        wt.loop.scan(lambda s, x: (s, None), 0.0)
    with pytest.raises(TypeError, match="along the first axis"):
        wt.loop.scan(lambda s, x: (s, None), 0.0, a)
    with pytest.raises(ValueError, match="sequences of one length"):
        wt.loop.scan(lambda s, x: (s, None), 0.0, (wt.vector(shape=(2,)), wt.vector(shape=(3,))))
    with pytest.raises(TypeError, match="boolean scalar"):
        wt.while_loop(lambda s: s, lambda s: s, 1.0)


def test_lengths_that_differ_when_it_runs(mode: str) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    last, _ = wt.loop.scan(lambda s, both: (s + both[0] * both[1], None), 0.0, (x, y))
    f = wt.function([x, y], last, mode=mode)
    assert f([1.0, 2.0], [3.0, 4.0]) == 11.0
    assert f([], []) == 0.0
    with pytest.raises(ValueError, match=r"sequence 1 has"):
        f([1.0, 2.0], [3.0])
    grown = wt.fori_loop(0, 3, lambda k, s: s[1:], x)
    with pytest.raises(ValueError, match=r"state \d (changes its|has) shape"):
        wt.function([x], grown, mode=mode)([1.0, 2.0, 3.0])


def test_states_that_steps_do_not_wait_for(mode: str) -> None:
    """A state that follows a sequence, and what is computed of it."""
    before, curves = wt.loop.scan(lambda s, v: (v, (s, wt.tanh(s))), a, r)[1]
    f = wt.function([a, r], [before, curves, wt.grad(curves.sum(), r)], mode=mode)
    found = f(0.5, RETURNS)
    np.testing.assert_allclose(found[0], [0.5, *RETURNS[:-1]])
    np.testing.assert_allclose(found[1], np.tanh(found[0]))
    np.testing.assert_allclose(found[2], [*(1 - np.tanh(RETURNS[:-1]) ** 2), 0.0])


def test_derivatives_of_steps_that_forget_the_state(mode: str) -> None:
    """Without a step, the first state is the last; with one, nothing of it is left."""
    n = wt.scalar("n", dtype="int64")
    last = wt.fori_loop(0, n, lambda i, s: wt.sin(i * 1.0), a * a)
    final, before = wt.loop.scan(lambda s, _: (wt.as_tensor(2.0), s), a * a, length=n)
    costs = [last, final + before.sum()]
    one = wt.as_tensor(1.0)
    slopes = [wt.grad(c, a) for c in costs] + [wt.pushforward(c, a, one) for c in costs]
    f = wt.function([a, n], slopes, mode=mode)
    assert [float(v) for v in f(3.0, 0)] == [6.0, 6.0, 6.0, 6.0]
    assert [float(v) for v in f(3.0, 2)] == [0.0, 6.0, 0.0, 6.0]


def test_arrays_that_no_step_changes(mode: str) -> None:
    turned = wt.scan(lambda s: wt.sin(s[::-1]), outputs_info=r, n_steps=0)
    last, _ = wt.loop.scan(lambda s, v: (wt.sin(s[::-1]) * v, None), r, r[:0])
    f = wt.function([r], [turned, last, wt.grad(last.sum() + turned.sum(), r)], mode=mode)
    found = f(RETURNS)
    assert found[0].shape == (0, 12)
    np.testing.assert_array_equal(found[1], RETURNS)
    np.testing.assert_array_equal(found[2], np.ones(12))


def grown(s: Any, x: Any) -> Any:
    """A state after at most 5 steps, as long as it is small."""
    return wt.while_loop(lambda t: t < 3.0, lambda t: t * a + x * x + 0.1, s, max_steps=5)


def until_too_large(s: Any, x: Any) -> Any:
    """The sum of values up to one that is too large, and that one."""
    values = wt.scan(
        lambda t: (t * a + x * x, wt.until(t > 1.0)), outputs_info=wt.sin(s), n_steps=5
    )
    return values.sum() * values[-1]


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "jax"])
def test_derivatives_of_loops_with_a_condition_inside_others(mode: str) -> None:
    costs = [
        wt.loop.scan(lambda s, x: (wt.tanh(grown(s, x)), grown(s, x) * x), 0.5, r)[1].sum(),
        wt.while_loop(lambda s: s < 2.5, lambda s: grown(s * b, s) + 0.1, a, max_steps=4),
        wt.map(lambda x: until_too_large(x, x), r).sum(),
    ]
    slopes = [wt.grad(cost, a) for cost in costs]
    second = wt.grad(slopes[0], a)
    f = wt.function([r, a, b], [*costs, *slopes, second], mode=mode)
    values = [np.linspace(0.1, 1.0, 4), 1.1, 0.7]
    found = [float(v) for v in f(*values)]
    plain = wt.function([r, a, b], [*costs, slopes[0]], mode="py")
    for k, slope in enumerate(found[3:]):
        wanted = central(lambda *x, k=k: float(plain(*x)[k]), values, 1)
        np.testing.assert_allclose(slope, wanted, rtol=1e-5)


def test_what_tells_the_larger_is_kept_of_steps_and_not_both(mode: str) -> None:
    """Bools of each step, not the two arrays that they compare."""
    values, weights = wt.vector("values"), wt.lvector("weights")

    def packed(best: Any, thing: Any) -> Any:
        value, weight = thing
        place = wt.arange(9) - weight
        other = wt.where(place >= 0, best[wt.maximum(place, 0)] + value, -1.0)
        return wt.maximum(best, other), other > best

    best, taken = wt.loop.scan(packed, wt.zeros(9), (values, weights))
    f: Any = wt.function([values, weights], [best[-1], taken.sum(axis=1)], mode=mode)
    loop = next(v for v in f.graph.nodes if isinstance(v.op, wt.Recurrence))
    assert [v.type.dtype for v in loop.op.body.graph.outputs] == ["float64", "bool"]
    found, count = f([3.0, 4.0, 5.0, 6.0], [2, 3, 4, 5])
    assert found == 10.0
    np.testing.assert_array_equal(count, [7, 6, 4, 1])


def test_a_slope_makes_the_steps_of_loops_in_loops_once(mode: str) -> None:
    """What the value and the slope need of a step begins alike, and goes on alike."""

    def cell(left: Any, places: Any) -> Any:
        corner, up, score = places
        best = wt.maximum(wt.maximum(0.0, corner + score), wt.maximum(up - a, left - a))
        return best, best

    def row(before: Any, letter: Any) -> Any:
        scores = wt.where(wt.eq(r, letter), 2.0, -1.0)
        corners = wt.concatenate([wt.zeros(1), before[:-1]])
        _, now = wt.loop.scan(cell, 0.0, (corners, before, scores))
        return now, now.max()

    letters = wt.vector("letters")
    best = wt.loop.scan(row, wt.zeros(r.shape[0]), letters)[1].max()
    f: Any = wt.function([letters, r, a], [best, wt.grad(best, a)], mode=mode)
    forward, *_ = [v for v in f.graph.nodes if isinstance(v.op, wt.Recurrence)]
    inner = [v for v in forward.op.body.graph.nodes if isinstance(v.op, wt.Recurrence)]
    assert len(inner) == 1
    found, slope = f([1.0, 2.0, 3.0, 1.0], [1.0, 3.0, 1.0], 0.5)
    assert (found, slope) == (5.5, -1.0)
