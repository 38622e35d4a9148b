"""Vectors of a few numbers: read by their numbers, where arrays would be made for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from packages.weft_numba.tests.test_fusion import kernels
from weft_graph import function, grad

x, y = wt.vector("x"), wt.vector("y", shape=(3,))


@pytest.mark.cases(2)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int8", "bool"])
def test_numbers_in_a_row(dtype: str) -> None:
    v = wt.tensor("v", dtype, (None,))
    numbers = [wt.sum(v[k:]).astype(dtype) for k in range(9)]
    outputs = [wt.stack(numbers[:k]) for k in (1, 2, 3, 8, 9)]
    outputs += [
        wt.stack([v[0], 1, v[1]]) * y,
        wt.stack([v[0] > 0, v[1]]),
        wt.stack(numbers[:3])[1:],
    ]
    fast, slow = (function([v, y], outputs, mode=mode) for mode in ("numba", "py"))
    for value in (np.arange(-4, 6).astype(dtype), np.array([0, np.nan, -0.0]).astype(dtype)):
        for found, right in zip(fast(value, np.ones(3)), slow(value, np.ones(3)), strict=True):
            assert found.dtype == right.dtype
            np.testing.assert_allclose(found, right, rtol=1e-6)


def rates(s: Any) -> Any:
    """Lorenz's."""
    a, b, c = s[0], s[1], s[2]
    return wt.stack([10 * (b - a), a * (28 - c) - b, a * b - 2.5 * c])


@pytest.mark.parametrize("state", [x, y], ids=["unknown", "known"])
def test_steps_of_states_that_are_taken_apart(state: Any) -> None:
    def step(s: Any, e: Any) -> tuple[Any, Any]:
        half = s + 0.005 * rates(s)
        new = s + 0.01 * rates(half) + e
        return new, wt.sum(new)

    last, sums = wt.loop.scan(step, state, wt.arange(7.0) / 100)
    outputs = [last, sums, grad(wt.sum(last**2), state)]
    fast, slow = (function([state], outputs, mode=mode) for mode in ("numba", "py"))
    for found, right in zip(fast(np.arange(3.0)), slow(np.arange(3.0)), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)
    assert kernels([state], [state + 0.01 * rates(state)]) == (1, 0)
    with pytest.raises((ValueError, TypeError)):
        fast(np.arange(4.0))
