"""Loops over small arrays are loops over their numbers, and stay right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_numba.analysis.numbers import in_numbers
from weft_tensor import Recurrence

A = np.array([[0.6, 0.3], [-0.2, 0.7]])
x, ys = wt.vector("x"), wt.vector("ys")
START, SEEN = np.array([0.5, -1.0]), np.array([0.3, 1.2, -0.4])


def filtered(c: Any, y: Any) -> Any:
    """A step of a Kalman filter."""
    m, P = c
    m, P = A @ m, A @ P @ A.T + 0.1 * np.eye(2)
    s, e = P[0, 0] + 0.5, y - m[0]
    gain = P[:, 0] / s
    return (m + gain * e, P - wt.outer(gain, P[0])), wt.log(s) + e * e / s


def moved(c: Any, y: Any) -> Any:
    """Parts of a state, put together again, within a loop inside."""

    def inside(k: Any, s: Any) -> Any:
        return s + 0.1 * wt.concatenate([wt.stack([s[1] * y, s.sum()]), s[:1] - s[2:3], s[1:2]])

    later = wt.fori_loop(0, 2, inside, c)
    return later, later[2:]


def rearranged(c: Any, y: Any) -> Any:
    square = c.reshape(2, 2)
    square = wt.where(square > y, square.T, square.max(axis=0) - square[::-1])
    one = wt.squeeze(square[:1, :1] @ square[:, :1][:1])  # an array of one element
    return square[0].set(y * square[1] + one).ravel(), square[None, :, 1].sum(axis=1)


def until(c: Any, y: Any) -> Any:
    bent = wt.while_loop(lambda s: s @ s > 1.0, lambda s: wt.stack([s[1], s[0] * 0.5]), c)
    return bent + y, bent.prod()


CASES: dict[str, tuple[Any, Any]] = {
    "filter": (filtered, lambda b: (b, wt.outer(b, b) + np.eye(2))),
    "loop inside": (moved, lambda b: wt.concatenate([b, b * 2])),
    "rearranged": (rearranged, lambda b: wt.concatenate([b, -b])),
    "until": (until, lambda b: b * 3),
}


@pytest.mark.parametrize("case", CASES)
def test_loops(case: str) -> None:
    step, first = CASES[case]
    last, results = wt.loop.scan(step, first(x), ys)
    last = last[1] if isinstance(last, tuple) else last
    outputs = [last, results]
    if case != "until":
        outputs += grad(wt.sum(wt.sin(last)) + wt.sum(results**2), [x, ys])
    want = function([x, ys], outputs, mode="py")(START, SEEN)
    run = function([x, ys], outputs, mode="numba")
    for value, expected in zip(run(START, SEEN), want, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-12)
    for value, expected in zip(run(START, SEEN[:0]), outputs, strict=False):
        assert value.shape[1:] == expected.eval({x: START, ys: SEEN[:0]}).shape[1:]


def test_a_step_is_one_call() -> None:
    run = function([ys], wt.loop.scan(filtered, (wt.zeros(2), wt.eye(2)), ys)[1], mode="numba")
    inside = run.source.partition("for ")[2].partition("return")[0]
    steps = [line for line in inside.splitlines() if line.startswith("        ")]
    calls = [line for line in steps if " = f" in line and "(x0, " not in line]  # but the element
    assert len(calls) == 1, run.source


def test_a_state_of_another_length() -> None:
    last = wt.fori_loop(0, 3, lambda k, s: A @ s, x)
    with pytest.raises(ValueError, match="matmul: Input operand 1"):
        function([x], last, mode="numba")(np.ones(3))
    np.testing.assert_allclose(function([x], last, mode="numba")(START), A @ A @ A @ START)


def test_what_stays_whole() -> None:
    large = wt.vector("large", shape=(40,))
    v = wt.vector("v", shape=(3,))
    k = wt.scalar("k", "int64")
    for last in (
        wt.fori_loop(0, 3, lambda j, s: wt.concatenate([s[1:], s[:1]]), large),
        wt.fori_loop(0, 3, lambda j, s: s * 2, v),
        wt.fori_loop(0, 3, lambda j, s: wt.stack([s[k], s[1], s[2]]), v),
        wt.fori_loop(0, 3, lambda j, s: wt.exp(s) / s.sum(), v),
    ):
        (loop,) = last.inputs
        assert isinstance(loop.op, Recurrence)
        assert in_numbers(loop) is None
