"""Sums of products of matrices are matrix products, whatever a call repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

SUMS: dict[int, Callable[[Any, Any], Any]] = {
    0: lambda a, b: (a[:, :, None] * b[:, None]).sum(0),
    1: lambda a, b: (a[:, :, None] * b).sum(1),
    2: lambda a, b: (a[:, None] * b).sum(2),
}


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("axis", SUMS)
def test_lengths_that_a_call_repeats(axis: int, mode: str) -> None:
    a, b = wt.matrix("a"), wt.matrix("b")
    total = SUMS[axis](a, b)
    slopes = wt.grad((total**2).sum(), [a, b])
    f = wt.function([a, b], [total, *slopes], mode=mode)
    assert any(isinstance(v.op, wt.Matmul) for v in f.graph.nodes)
    rng = np.random.default_rng(0)
    place = {0: (0, 0), 1: (1, 0), 2: (1, 1)}[axis]
    for n, m in ((6, 6), (1, 6), (6, 1), (1, 1), (0, 0), (1, 0)):
        shapes = [[3, 3], [2, 2]]
        shapes[0][place[0]], shapes[1][place[1]] = n, m
        x, y = rng.standard_normal(shapes[0]), rng.standard_normal(shapes[1])
        result, *found = f(x, y)
        expected = SUMS[axis](x, y)
        np.testing.assert_allclose(result, expected, rtol=1e-10)
        assert [g.shape for g in found] == [x.shape, y.shape]
        step = 1e-6 * rng.standard_normal(x.shape)
        ahead, behind = (float((SUMS[axis](v, y) ** 2).sum()) for v in (x + step, x - step))
        slope = float((found[0] * step).sum()) * 2
        np.testing.assert_allclose(ahead - behind, slope, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_lengths_that_differ_are_refused(mode: str) -> None:
    a, b = wt.matrix("a"), wt.matrix("b")
    for axis, of in SUMS.items():
        f = wt.function([a, b], of(a, b), mode=mode)
        shapes: dict[int, Any] = {0: ((2, 3), (5, 3)), 1: ((3, 2), (5, 3)), 2: ((3, 2), (3, 5))}
        with pytest.raises(ValueError, match="broadcast"):
            f(*map(np.ones, shapes[axis]))
