"""With Numba, checkpoints and given derivatives are what they are in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft_tensor as wt
from weft_graph import checkpoint, custom_pullback, grad
from weft_testing import compare_numba_and_py


def test_results_stay() -> None:
    x, a = wt.vector("x"), wt.scalar("a")

    @checkpoint
    def steps(x: Any, a: Any) -> Any:
        return wt.tanh(wt.tanh(x * a) * a)

    outputs = [steps(x, a), *grad(steps(steps(x, a), a).sum(), [x, a])]
    compare_numba_and_py([x, a], outputs, [np.linspace(-1, 1, 7), np.array(1.25)])


def test_custom_pullbacks_are_used() -> None:
    @custom_pullback(pullback=lambda inputs, outputs, cotangents: [3.0 * cotangents[0]])
    def step(x: Any) -> Any:
        return wt.rint(x)

    x = wt.vector("x")
    _, (_, by_x) = compare_numba_and_py([x], [step(x), grad(step(x).sum(), x)], [[0.2, 0.7]])
    np.testing.assert_array_equal(by_x, [3.0, 3.0])
