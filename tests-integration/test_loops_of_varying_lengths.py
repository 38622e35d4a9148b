"""Loops in whose steps lengths differ: slices, masks, and loops that end when a condition does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

first, ends, rows = wt.vector("first"), wt.vector("ends", dtype="int64"), wt.matrix("rows")
x, limit = wt.vector("x"), wt.scalar("limit", dtype="int64")

VALUES = [
    np.array([0.1, 0.2, 0.6, 0.9]),
    np.array([0, 2, 3, 1]),
    np.random.default_rng(0).uniform(size=(4, 4)),
]
WAYS = [np.array([0.3, -0.2, 0.5, 0.7]), np.random.default_rng(1).normal(size=(4, 4))]
"""In which directions these are changed."""


def over_rows(step: Callable[[Any, Any, Any], Any]) -> Any:
    """What `step` makes of a state, with the end and the row that are its elements."""
    return wt.loop.scan(lambda s, v: step(s, *v), first, (ends, rows))


LOOPS: dict[str, Callable[[], Any]] = {
    "arange": lambda: wt.fori_loop(
        0, 4, lambda i, s: s + wt.sin(s.sum() * wt.arange(i)).sum() / 3, first
    ),
    "slices of a state": lambda: wt.fori_loop(
        0, 4, lambda i, s: wt.sin(s) + wt.exp(s[:i]).sum() / 9, first
    ),
    "masks": lambda: wt.fori_loop(
        0, 4, lambda i, s: wt.sin(s) + wt.exp(s[s > 0.5] / 9).prod() / 9, first
    ),
    "slices of elements": lambda: over_rows(
        lambda s, k, row: (wt.sin(s) + wt.exp(row[:k]).sum() / 9, None)
    )[0],
    "results": lambda: over_rows(lambda s, k, row: (wt.sin(s), wt.exp(s[:k] * row[:k]).sum()))[1],
    "products": lambda: over_rows(
        lambda s, k, row: (s + wt.outer(s[:k], row[:k]).sum(1).sum() / 9, None)
    )[0],
}


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba"])
def test_lengths_that_differ_from_step_to_step(mode: str) -> None:
    inputs = [first, ends, rows]
    costs = [loop().sum() for loop in LOOPS.values()]
    slopes = [wt.grad(c, [first, rows], disconnected_inputs="ignore") for c in costs]
    f = wt.function(inputs, [*costs, *[g for both in slopes for g in both]], mode=mode)
    plain = wt.function(inputs, costs, mode=wt.Mode("py", books=[]))
    found, wanted = f(*VALUES), plain(*VALUES)
    up, down = [
        plain(VALUES[0] + e * WAYS[0], VALUES[1], VALUES[2] + e * WAYS[1]) for e in (1e-6, -1e-6)
    ]
    for k, name in enumerate(LOOPS):
        np.testing.assert_allclose(found[k], wanted[k], err_msg=name)
        both = found[len(costs) + 2 * k :][:2]
        along = sum(np.sum(g * way) for g, way in zip(both, WAYS, strict=True))
        np.testing.assert_allclose(along, (up[k] - down[k]) / 2e-6, rtol=1e-6, err_msg=name)


def root(most: Any, v: Any) -> Any:
    """The square root of a number, or of all of a vector, in steps that differ."""
    return wt.while_loop(
        lambda s: wt.max(abs(s * s - v)) > 1e-9,
        lambda s: (s + v / s) / 2,
        v * 0 + 1.0,
        max_steps=most,
    )


ROOTS: dict[str, Callable[[Any], Any]] = {
    "of a number": lambda most: wt.loop.scan(lambda s, v: (s * 0.5 + root(most, v), None), 0.0, x)[
        0
    ],
    "of an index": lambda most: wt.fori_loop(0, 3, lambda i, s: s * 0.5 + root(most, x[i]), 0.0),
    "of states": lambda most: wt.loop.scan(lambda s, v: (root(most, 1 + s * s + v), None), 0.5, x)[
        0
    ],
    "of vectors": lambda most: wt.loop.scan(
        lambda s, v: (s * 0.5 + root(most, v * x), None), wt.zeros(3), x
    )[0].sum(),
    "of a map": lambda most: wt.map(lambda v: root(most, v), x).sum(),
    "of a batch": lambda most: wt.loop.scan(
        lambda s, v: (s * 0.5 + wt.vmap(lambda u: root(most, u))(v * x), None), wt.zeros(3), x
    )[0].sum(),
}
"""Loops in loops."""


@pytest.mark.parametrize(
    ("mode", "most", "names"),
    [
        ("py", 40, ["of an index", "of a batch"]),
        ("jax", limit, ["of vectors"]),
    ],
)
def test_both_derivatives_of_loops_that_end_by_a_condition(
    mode: str, most: Any, names: list[str]
) -> None:
    check_derivatives(mode, most, names)


@pytest.mark.cases(0)
@pytest.mark.parametrize(("mode", "most"), [("py", 40), ("jax", 40), ("jax", limit), ("numba", 40)])
def test_both_derivatives_of_all_of_these(mode: str, most: Any) -> None:
    check_derivatives(mode, most, [k for k in ROOTS if most == 40 or k != "of a batch"])


def check_derivatives(mode: str, most: Any, names: list[str]) -> None:
    """Slopes are those of differences of values, and their derivatives of differences of slopes."""
    costs = [ROOTS[name](most) for name in names]
    slopes = [wt.grad(cost, x) for cost in costs]
    at, way = np.array([4.0, 1e3, 1.5]), np.array([0.5, -0.1, 0.7])
    curvatures = [wt.grad((slope * way).sum(), x) for slope in slopes]
    f = wt.function([x, limit], [*slopes, *curvatures], mode=mode, on_unused_input="ignore")
    plain = wt.function([x, limit], [*costs, *slopes], mode="py", on_unused_input="ignore")
    found = f(at, 40)
    up, down = [plain(at + e * way, 40) for e in (1e-4, -1e-4)]
    for k, name in enumerate(names):
        change, change_of_slope = [(up[i] - down[i]) / 2e-4 for i in (k, len(names) + k)]
        np.testing.assert_allclose(found[k] @ way, change, rtol=1e-6, err_msg=name)
        curvature = found[len(names) + k]
        np.testing.assert_allclose(curvature, change_of_slope, rtol=1e-5, atol=1e-9, err_msg=name)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_loops_of_no_steps_may_choose_from_nothing(mode: str) -> None:
    n = x.shape[0]

    def body(k: Any, s: Any) -> Any:
        return s[k].set(s[n - 1 - k] * x[wt.argsort(x)[k]])

    loop: Any = wt.fori_loop(0, n, body, 2 * x)
    f = wt.function([x, rows], [loop, wt.fori_loop(0, n, lambda k, s: s + rows[k, :], rows.sum(0))],
                    mode=mode)  # fmt: skip
    assert [v.tolist() for v in f([], np.zeros((0, 2)))] == [[], [0, 0]]
    assert f([3.0, 1.0], np.ones((2, 2)))[1].tolist() == [4, 4]


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_lengths_that_begin_alike_differ_later(mode: str) -> None:
    def step(i: Any, state: Any) -> Any:
        a, b, total = state
        return a + 1, b + 2, total + wt.ones(a).sum() + 10 * wt.ones(b).sum()

    result = wt.fori_loop(0, 3, step, (limit, limit, 0.0))
    f = wt.function([limit], result, mode=mode)
    assert list(map(int, f(2))) == [5, 8, 2 + 3 + 4 + 10 * (2 + 4 + 6)]
