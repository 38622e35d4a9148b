"""`wt.scan` as PyTensor's users know it, on three backends, against a loop in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_tensor.ops.control.scan import Until

MODES = ["py", "numba", "jax"]
x, y, a = wt.vector("x"), wt.vector("y"), wt.scalar("a")
X, Y = np.random.default_rng(1).normal(size=(2, 7)) / 2


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def expected(
    fn: Callable[..., Any],
    sequences: list[tuple[Any, list[int]]],
    infos: list[tuple[Any, list[int]] | None],
    same: list[Any],
    steps: int | None = None,
    backwards: bool = False,
) -> list[np.ndarray]:
    """What a scan of `fn` gives, whose values are NumPy's."""
    before = [-min(0, *taps, 0) for _, taps in sequences]
    lengths = [
        len(v) - b - max(0, *taps, 0) for (v, taps), b in zip(sequences, before, strict=True)
    ]
    n = min(lengths) if steps is None else steps
    past = [None if info is None else list(info[0]) for info in infos]
    rows: list[list[Any]] = [[] for _ in infos]
    for i in range(n):
        taken: list[Any] = []
        for (v, taps), b, length in zip(sequences, before, lengths, strict=True):
            at = length - 1 - i if backwards else i
            taken += [v[at + b + tap] for tap in taps]
        for info, values in zip(infos, past, strict=True):
            if info is not None and values is not None:
                taken += [values[tap] for tap in info[1]]
        found = fn(*taken, *same)
        parts = list(found) if isinstance(found, (list, tuple)) else [found]
        stop = isinstance(parts[-1], Until) and bool(parts.pop().condition.eval())
        for row, values, part in zip(rows, past, parts, strict=True):
            row.append(part)
            if values is not None:
                values.append(part)
        if stop:
            break
    return [np.array(row) for row in rows]


def second_order(now: Any, before: Any, last: Any, a: Any) -> Any:
    return a * last - 0.3 * before + now


def two(now: Any, state: Any, a: Any) -> Any:
    return [state * a + now, state * now]


def stopped(now: Any, state: Any, a: Any) -> Any:
    after = state + abs(now) * a
    return after, wt.until(after > 1.0)


CASES: dict[str, Any] = {
    "an output's taps": (second_order, [("x", [0])], [([0.5, 1.0], [-2, -1])]),
    "taps in another order": (second_order, [("x", [0])], [([0.5, 1.0], [-1, -2])]),
    "a tap far back": (lambda v, s, a: s * a + v, [("x", [0])], [([0.1, 0.2, 0.3], [-3])]),
    "a sequence's taps": (
        lambda u, v, w, s, a: s * a + u * v - w,
        [("x", [-2, 0, 1])],
        [([0.2], [-1])],
    ),
    "several results": (two, [("x", [0])], [([0.5], [-1]), None]),
    "no state": (lambda v, w, a: v * w + a, [("x", [0]), ("y", [0])], [None]),
    "until": (stopped, [("x", [0])], [([0.1], [-1])]),
}


@pytest.mark.cases(5)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_against_a_loop_in_python(mode: str, name: str, backwards: bool) -> None:
    fn, sequences, infos = CASES[name]
    values = {"x": X, "y": Y}
    outputs_info = [
        info and (info[0][0] if info[1] == [-1] else {"initial": info[0], "taps": info[1]})
        for info in infos
    ]
    symbols = {"x": x, "y": y}
    results = wt.scan(
        fn,
        [{"input": symbols[k], "taps": taps} for k, taps in sequences],
        outputs_info,
        a,
        go_backwards=backwards,
        return_list=True,
    )
    cost = wt.stack([((k + 1) * wt.sin(v)).sum() for k, v in enumerate(results)]).sum()
    slopes = wt.grad(cost, [x, a])
    forward = wt.pushforward(cost, a, wt.as_tensor(1.0))
    f = wt.function([x, y, a], [*results, *slopes, forward], mode=mode, on_unused_input="ignore")

    def by_hand(values: dict[str, Any], a: float) -> list[np.ndarray]:
        given = [(values[k], taps) for k, taps in sequences]
        return expected(fn, given, infos, [a], backwards=backwards)

    def total(values: dict[str, Any], a: float) -> Any:
        found = by_hand(values, a)
        return sum(((k + 1) * np.sin(v)).sum() for k, v in enumerate(found))

    *found, by_x, by_a, forward_by_a = f(X, Y, 0.7)
    for got, wanted in zip(found, by_hand(values, 0.7), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    h = 1e-6
    wanted = (total(values, 0.7 + h) - total(values, 0.7 - h)) / (2 * h)
    np.testing.assert_allclose([by_a, forward_by_a], wanted, rtol=1e-6)
    for i in range(len(X)):
        moved = [values | {"x": X + s * np.eye(len(X))[i]} for s in (h, -h)]
        wanted = (total(moved[0], 0.7) - total(moved[1], 0.7)) / (2 * h)
        np.testing.assert_allclose(by_x[i], wanted, rtol=1e-5, atol=1e-8)


def test_steps_lengths_and_the_shortest(mode: str) -> None:
    n = wt.scalar("n", "int64")
    powers = wt.scan(lambda s: s * a, outputs_info=1.0, n_steps=n)
    cut = wt.scan(lambda v, s: s + v, x, 0.0, n_steps=3)
    short = wt.scan(lambda v, w: v * w, [x, y], strict=False)
    f = wt.function([x, y, a, n], [powers, cut, short], mode=mode)
    found = f(X, Y[:4], 2.0, 3)
    np.testing.assert_allclose(found[0], [2.0, 4.0, 8.0])
    np.testing.assert_allclose(found[1], np.cumsum(X)[:3])
    np.testing.assert_allclose(found[2], X[:4] * Y[:4])
    assert [len(v) for v in f(X, Y[:0], 2.0, 0)] == [0, 3, 0]
    both = wt.function([x, y], wt.scan(lambda v, w: v * w, [x, y]), mode=mode)
    with pytest.raises(ValueError, match="sequence 1 has"):
        both(X, Y[:4])
    with pytest.raises(ValueError, match="negative"):
        f(X, Y, 2.0, -1)
    with pytest.raises(ValueError, match="sequence 0 has"):
        f(X[:2], Y, 2.0, 3)


@pytest.mark.cases("py", "jax")
def test_derivatives_through_the_last_steps(mode: str) -> None:
    for last in (1, 3, 7, 20):
        sums = wt.scan(lambda v, s: s * a + v, x, a, truncate_gradient=last)
        cost = (sums**2).sum()
        f = wt.function([x, a], [sums, *wt.grad(cost, [x, a])], mode=mode)
        found, by_x, by_a = f(X, 0.7)
        s, slope, wanted = 0.7, 1.0 if last >= 7 else 0.0, 0.0
        for i, v in enumerate(X):
            if i >= 7 - last:
                slope = s + 0.7 * slope
            s = s * 0.7 + v
            np.testing.assert_allclose(found[i], s)
            if i >= 7 - last:
                wanted += 2 * s * slope
        np.testing.assert_allclose(by_a, wanted)
        assert (by_x != 0).tolist() == [i >= 7 - last for i in range(7)]
    stops = wt.scan(stopped, x, 0.1, a, truncate_gradient=1)
    assert len(wt.function([x, a], stops, mode=mode)(X, 0.7)) == len(
        expected(stopped, [(X, [0])], [([0.1], [-1])], [0.7])[0]
    )


@pytest.mark.cases("py", "jax")
def test_checkpoints_and_matrices(mode: str) -> None:
    m = wt.matrix("m")
    plain = wt.scan(lambda v, s: wt.tanh(m @ s + v), x, wt.ones(2))
    kept = wt.scan(lambda v, s: wt.tanh(m @ s + v), x, wt.ones(2), checkpoint="sqrt")
    f = wt.function([x, m], [plain, kept, *[wt.grad(v.sum(), m) for v in (plain, kept)]], mode=mode)
    first, second, slope, again = f(X, np.array([[0.3, -0.2], [0.1, 0.8]]))
    np.testing.assert_allclose(first, second, rtol=1e-12)
    np.testing.assert_allclose(slope, again, rtol=1e-10)


def test_reduce_gives_what_the_last_step_gives(mode: str) -> None:
    total = wt.reduce(lambda v, s: s * a + v, x, 1.0)
    pair = wt.reduce(lambda v, s: (s - v, v * v), x, [0.0, None], go_backwards=True)
    f = wt.function([x, a], [total, *pair, wt.grad(total, a)], mode=mode)
    found = f(X, 0.7)
    np.testing.assert_allclose(found[0], np.polyval([1.0, *X], 0.7))
    np.testing.assert_allclose(found[1:3], [-X.sum(), X[0] ** 2])
    np.testing.assert_allclose(found[3], np.polyval(np.polyder([1.0, *X]), 0.7))
    assert wt.function([x, a], total, mode=mode)([], 2.0) == 1.0


def test_what_it_refuses() -> None:
    def add(*values: Any) -> Any:
        return sum(values)

    with pytest.raises(ValueError, match=r"no side effects.*with return_updates=False"):
        wt.scan(add, x, return_updates=True)
    with pytest.raises(TypeError, match="needs sequences, or the number of steps"):
        wt.scan(add, outputs_info=0.0)
    with pytest.raises(ValueError, match=r"n_steps is -2"):
        wt.scan(add, outputs_info=0.0, n_steps=-2)
    with pytest.raises(ValueError, match=r"taps \[-3, -1\].* 3 values.* has 2"):
        wt.scan(add, x, {"initial": [1.0, 2.0], "taps": [-3, -1]})
    with pytest.raises(ValueError, match=r"3 values.* has no axis"):
        wt.scan(add, x, {"initial": 1.0, "taps": [-3, -1]})
    with pytest.raises(ValueError, match="taps of results are below zero"):
        wt.scan(add, x, {"initial": 1.0, "taps": [0]})
    with pytest.raises(ValueError, match="has taps, and so needs an initial state"):
        wt.scan(add, x, {"taps": [-1]})
    with pytest.raises(TypeError, match=r"taps of sequences\[0\] must be integers"):
        wt.scan(add, {"input": x, "taps": [0.5]})
    with pytest.raises(ValueError, match=r"a dict of 'input' and 'taps'.*\['inputs'\]"):
        wt.scan(add, {"inputs": x})
    with pytest.raises(TypeError, match=r"sequences\[0\].* has no axis"):
        wt.scan(add, a)
    with pytest.raises(ValueError, match="returns 2 results, but outputs_info has 1"):
        wt.scan(lambda v, s: (v, s), x, 0.0)
    with pytest.raises(TypeError, match="returns no result"):
        wt.scan(lambda v: None, x)
    with pytest.raises(TypeError, match="no side effects"):
        wt.scan(lambda v: (v, {a: v}), x)
    with pytest.raises(TypeError, match="until takes a boolean scalar"):
        wt.scan(lambda v: (v, wt.until(v)), x)
    with pytest.raises(ValueError, match="truncate_gradient must be"):
        wt.scan(add, x, truncate_gradient=0)
    with pytest.raises(TypeError, match=r"outputs_info\[0\].*keeps its rank"):
        wt.scan(lambda v, s: s + x, x, 0.0)
    with pytest.raises(ValueError, match="reduce takes no until"):
        wt.reduce(lambda v, s: (s + v, wt.until(s > 1)), x, 0.0)


def test_an_initial_state_that_turns_out_too_short(mode: str) -> None:
    sums = wt.scan(lambda v, s: s + v, x, {"initial": y, "taps": [-3]})
    f = wt.function([x, y], sums, mode=mode)
    np.testing.assert_allclose(f(X[:2], [1.0, 2.0, 3.0]), X[:2] + np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"taps \[-3\], so its initial state must have 3 values"):
        f(X, [1.0, 2.0])
