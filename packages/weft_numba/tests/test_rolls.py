"""What was rolled is read where it lies, in the pass that needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_numba import NumbaLinker
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse

X = wt.matrix("X")
N = wt.scalar("n", "int64")


def around(m: Any, x: Any, n: Any) -> Any:
    """A sum of neighbours on a torus, some of them at a distance `n`."""
    near = m.roll(x, 1, axis=0) + m.roll(x, n, axis=0) + m.roll(x, -1, axis=1)
    return near + m.roll(x, n, axis=1) - m.roll(m.roll(x, n, axis=0), 2, axis=1)


CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "neighbours": around,
    "one alone": lambda m, x, n: m.roll(x, n, axis=1),
    "columns, then rows": lambda m, x, n: m.roll(m.roll(x, n, axis=1), 1, axis=0),
    "sums of rows": lambda m, x, n: m.sum(m.exp(m.roll(x, n, axis=1)), axis=1),
    "all of them": lambda m, x, n: m.sum(m.roll(x, n) * x),
    "joined by hand": lambda m, x, n: m.concatenate([x[:, n:], x[:, :n]], axis=1) + 1.0,
    "none of it": lambda m, x, n: m.concatenate([x[n:], x[: n + 1]], axis=0) * 2.0,
}
ROLL: dict[str, Any] = {name: of(wt, X, N) for name, of in CASES.items()}
ORDERS: tuple[Callable[[Any], Any], ...] = (
    np.ascontiguousarray,
    np.asfortranarray,
    lambda x: np.repeat(x, 2, axis=1)[:, ::2],
)


@pytest.mark.parametrize("of_slope", [False, True])
def test_neighbours_are_read_in_one_pass(of_slope: bool) -> None:
    total = sum([wt.roll(X, s, axis=a) for s in (1, -1) for a in (0, 1)], X)
    result = grad(wt.sum(total * X), X) if of_slope else total
    graph = narrowed(function([X], result, mode="numba").graph, assume=True).graph
    steps = fuse(graph, assume=True)
    assert sum(isinstance(s, Fused) and s.kernel.ndim == 2 for s in steps) == 1
    assert not any("concatenate" in str(v.op) for v in graph.nodes)


@pytest.mark.cases(3)
@pytest.mark.parametrize("n", [0, 1, -1, 3, -9, 40, 2**62, -(2**62)])
def test_equal_to_numpy(n: int) -> None:
    slope = grad(wt.sum(wt.roll(X, N, axis=1) * X**2), X)
    f = function([X, N], [*ROLL.values(), slope], mode="numba")
    rng = np.random.default_rng(0)
    for shape in ((0, 3), (1, 1), (2, 5), (7, 1), (4, 37)):
        for order in ORDERS:
            x = order(rng.normal(size=shape))
            expected = [of(np, x, n) for of in CASES.values()]
            expected.append(2 * x * np.roll(x, n, axis=1) + np.roll(x**2, -n, axis=1))
            for one, other in zip(f(x, n), expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_slopes_of_two_axes(axes: tuple[int, int]) -> None:
    slope = grad(wt.sum(wt.roll(X, (1, N), axes) * X**2), X)
    x = np.arange(12.0).reshape(3, 4)
    expected = 2 * x * np.roll(x, (1, 2), axes) + np.roll(x**2, (-1, -2), axes)
    np.testing.assert_allclose(function([X, N], slope, mode="numba")(x, 2), expected)


def test_threads_go_from_seam_to_seam() -> None:
    x = np.arange(600_000.0).reshape(3, -1)
    f = function([X], wt.exp(wt.roll(X, 5, axis=1) * 1e-6), mode=Mode(NumbaLinker(parallel=True)))
    np.testing.assert_allclose(f(x), np.exp(np.roll(x, 5, axis=1) * 1e-6), rtol=1e-14)
