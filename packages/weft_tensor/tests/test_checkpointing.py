"""Checkpoints lower the peak of memory, and change no result."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Function, Mode, checkpoint, custom_pullback, function, grad, inline

SEGMENTS, STEPS, SIZE = 8, 8, 100_000


def segment(x: Any, a: Any) -> Any:
    for _ in range(STEPS):
        x = wt.sin(x) * a
    return x


def compiled(step: Callable[..., Any], mode: Mode) -> Function:
    """The value and gradient of a long chain of large vectors."""
    x, a = wt.vector("x"), wt.scalar("a")
    v = x
    for _ in range(SEGMENTS):
        v = step(v, a)
    cost = v.sum()
    return function([x, a], [cost, *grad(cost, [x, a])], mode=mode)


def peak(run: Function, *values: Any) -> tuple[Any, float]:
    """The results of a call, and the most memory it held at once, in vectors."""
    tracemalloc.start()
    try:
        results = run(*values)
        return results, tracemalloc.get_traced_memory()[1] / (8 * SIZE)
    finally:
        tracemalloc.stop()


@pytest.mark.cases(1)
@pytest.mark.parametrize("mode", [Mode("py", books=[inline]), Mode("py")], ids=["plain", "all"])
def test_memory_is_lower_and_results_are_equal(mode: Mode) -> None:
    values = np.linspace(0, 1, SIZE), np.array(1.25)
    expected, stored = peak(compiled(segment, mode), *values)
    results, recomputed = peak(compiled(checkpoint(segment), mode), *values)
    for mine, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    assert stored > SEGMENTS * STEPS
    assert recomputed < SEGMENTS + 3 * STEPS + 5
    assert recomputed < stored / 2


def test_a_pullback_of_ones_own() -> None:
    @custom_pullback
    def clipped(x: Any) -> Any:
        return x

    @clipped.define
    def back(inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [wt.maximum(wt.minimum(cotangents[0], 1.0), -1.0)]

    x = wt.vector("x")
    run = function([x], grad((10.0 * clipped(x) ** 2).sum(), x), mode="py")
    np.testing.assert_array_equal(run([0.01, -5.0, 5.0]), [0.2, -1.0, 1.0])
