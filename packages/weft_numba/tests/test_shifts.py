"""Delay lines: states of loops whose rows move on where they lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, wrap_py

x = wt.scalar("x")
START = np.arange(6.0)
SQUARE = np.arange(12.0).reshape(4, 3)
Body = Callable[[Any, Any], Any]

IN_PLACE: dict[str, tuple[Body, Any]] = {
    "back": (lambda k, b: wt.concatenate([b[1:], (b[0] + x * k)[None]]), START),
    "front": (lambda k, b: wt.concatenate([wt.stack([b[-1] - x]), b[:-1]]), START),
    "appended": (lambda k, b: wt.append(b[1:], b.sum() * x), START),
    "rows": (lambda k, b: wt.vstack([b[1:], b[0] * x + k]), SQUARE),
    "row before": (lambda k, b: wt.concatenate([(b[0] * x + k)[None], b[:-1]]), SQUARE),
    "column as a row": (lambda k, b: wt.concatenate([b[1:], (x * b[:3, 1])[None]]), SQUARE),
    "a row of a row": (lambda k, b: wt.concatenate([(b[1:2] * x), b[:-1]]), SQUARE),
    "one": (lambda k, b: wt.concatenate([b[1:], (b[0] + x)[None]]), START[:1]),
    "single": (lambda k, b: wt.append(b[1:], wt.cast(x * k, "float32")), np.float32(START)),
    "changed first": (lambda k, b: wt.append(b[2].set(x)[1:], b[0]), START),
    "then a loop": (
        lambda k, b: wt.fori_loop(0, k, lambda j, c: c[j].inc(x), wt.append(b[1:], b[0] * k)),
        START,
    ),
}
APART: dict[str, tuple[Body, Any]] = {
    "its own row": (lambda k, b: wt.concatenate([b[1:], b[:1]]), SQUARE),
    "its own view": (lambda k, b: wt.concatenate([b[1], b[:-1, :].ravel()]).reshape(4, 3), SQUARE),
    "two rows": (lambda k, b: wt.concatenate([b[2:], wt.stack([x, b[0]])]), START),
    "another axis": (lambda k, b: wt.concatenate([b[:, 1:], b[:, :1] * x], axis=1), SQUARE),
}


@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
@pytest.mark.parametrize("case", [*IN_PLACE, *APART])
def test_shifts(case: str, unknown: bool) -> None:
    body, start = (IN_PLACE | APART)[case]
    first: Any = wt.as_tensor(start).type()
    if unknown and case != "then a loop":
        first = wt.tensor("b", str(start.dtype), (None, *start.shape[1:]))
    last = wt.fori_loop(0, 4, body, first)
    read = wt.loop.scan(lambda b, k: ((c := body(k, b)), c[0] + b[-1]), first, wt.arange(3))[1]
    outputs = [last, read]
    if start.dtype == "float64":
        cost = wt.sum(last * np.cos(START[:1] + 1)) + wt.sum(read**2)
        outputs.append(grad(cost, x, disconnected_inputs="ignore"))
    want = function([first, x], outputs, mode="py")(start, 2.5)
    run = function([first, x], outputs, mode="numba")
    given = np.array(start)
    for _ in range(2):
        for value, expected in zip(run(given, 2.5), want, strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-6 if start.dtype == "f" else 1e-12)
    np.testing.assert_array_equal(given, start)


def test_steps_make_no_arrays() -> None:
    b, ys = wt.vector("b", shape=(20,)), wt.vector("ys")

    def step(c: Any, y: Any) -> Any:
        return wt.concatenate([c[1:], (y + 0.5 * c[0])[None]]), None

    run = function([b, ys], wt.loop.scan(step, b, ys)[0], mode="numba")
    inside = run.source.partition("for ")[2]
    assert inside.count(" = f") == 2, run.source  # element and number; the shift gives nothing
    start = np.arange(20.0)
    np.testing.assert_allclose(run(start, np.ones(2)), [*start[2:], 1, 1.5])


def test_the_row_may_be_held_by_others() -> None:
    row = wt.vector("r", shape=(3,)).type
    kept: list[Any] = []

    def held(v: Any) -> Any:
        kept.append(v)
        return v

    hold = wrap_py(held, itypes=[row], otypes=[row])
    b = wt.matrix("b", shape=(4, 3))
    last = wt.fori_loop(0, 3, lambda k, c: wt.concatenate([c[1:], hold(c[0] * x)[None]]), b)
    want = function([b, x], last, mode="py")(SQUARE, 0.5)
    np.testing.assert_allclose(function([b, x], last, mode="numba")(SQUARE, 0.5), want)
    np.testing.assert_allclose(kept, [*SQUARE[:3] * 0.5] * 2)


def test_no_row_at_all() -> None:
    b = wt.vector("b")
    last = wt.fori_loop(0, 3, lambda k, c: wt.append(c[1:], x), b)
    with pytest.raises(ValueError, match="keeps its shape"):
        function([b, x], last, mode="numba")(np.zeros(0), 1.0)
    np.testing.assert_allclose(function([b, x], last, mode="numba")(START[:2], 1.0), [1, 1])
