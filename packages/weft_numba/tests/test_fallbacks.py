"""Code made for the usual call, and calls that are not usual: the general code takes them.

Arrays in other orders of memory: test_door; values that outgrow their room: test_rooms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_numba.analysis.specialise import narrowed

x, y, X = wt.vector("x"), wt.vector("y"), wt.matrix("X")
n = wt.lscalar("n")


def moving(u: Any) -> Any:
    """Slices of equal lengths, if there are so many elements."""
    return sum(u[j : u.shape[0] - 3 + j] for j in range(4))


def looped(start: Any) -> Any:
    """A loop, whose body meets lengths that nothing outside does."""
    return wt.fori_loop(0, 3, lambda i, s: wt.tanh(s * y + s), start)


def rows(start: Any) -> Any:
    """A loop over rows, and what it makes of each."""
    last, kept = wt.loop.scan(lambda s, row: (s + y, (s * row).sum()), start, X)
    return last.sum() + kept.sum()


CONDITIONS: dict[str, tuple[list[Any], Any, list[tuple[int, ...]], list[tuple[int, ...]]]] = {
    "equal lengths": ([x, y], x * y + x, [(5,), (5,)], [(5,), (1,)]),
    "equal lengths, slope": ([x, y], grad(wt.sum(wt.exp(x * y)), y), [(5,), (5,)], [(5,), (1,)]),
    "equal lengths, none": ([x, y], x * y + x, [(5,), (5,)], [(0,), (1,)]),
    "rows": ([X, y], wt.sum(X - y, axis=1), [(4, 3), (3,)], [(4, 3), (1,)]),
    "rows of one": ([X, y], wt.sum(X - y, axis=1), [(4, 3), (3,)], [(4, 1), (3,)]),
    "parts of equal lengths": ([x, y], x[1:-1] * 2 + y[2:], [(5,), (5,)], [(5,), (3,)]),
    "parts of others": ([x, y], x[1:-1] * 2 + y[2:], [(5,), (5,)], [(5,), (4,)]),
    "windows": ([x], moving(x), [(9,)], [(2,)]),
    "windows of none": ([x], moving(x), [(9,)], [(0,)]),
    "loop": ([x, y], looped(x), [(5,), (5,)], [(5,), (1,)]),
    "loop, slope": ([x, y], grad(wt.sum(looped(x)), y), [(5,), (5,)], [(5,), (1,)]),
    "loop, no such state": ([x, y], looped(x), [(5,), (5,)], [(1,), (5,)]),
    "loop in a loop": (
        [x, y],
        wt.fori_loop(0, 2, lambda i, s: looped(s) + 1, x),
        [(5,), (5,)],
        [(5,), (1,)],
    ),
    "loop over rows": ([X, x, y], rows(x), [(4, 3), (3,), (3,)], [(4, 3), (3,), (1,)]),
    "loop over rows, slope": (
        [X, x, y],
        grad(rows(x), X),
        [(4, 3), (3,), (3,)],
        [(4, 1), (3,), (3,)],
    ),
    "windows, slope": ([x], grad(wt.sum(moving(x) ** 2), x), [(9,)], [(2,)]),
}
"""Inputs, a result, shapes of the usual call, and shapes for which a condition fails."""


def drawn(shapes: list[tuple[int, ...]]) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_of_lengths_that_fails(name: str) -> None:
    inputs, result, *calls = CONDITIONS[name]
    conditions = narrowed(FunctionGraph(inputs, [result]), assume=True).conditions
    places = [f"values[{k}]" for k in range(len(inputs))]
    ours, reference = (function(inputs, result, mode=mode) for mode in ("numba", "py"))
    for shapes, is_usual in zip(calls, (True, False), strict=True):
        values = drawn(shapes)
        assert all(eval(c.format(*places), {"values": values}) for c in conditions) == is_usual
        try:
            of_python = reference(*values)
        except ValueError:
            with pytest.raises(ValueError, match="made at"):
                ours(*values)
        else:
            np.testing.assert_allclose(ours(*values), of_python, rtol=1e-13)


LOOPS = {
    "sum": wt.sum(X * y),
    "rows": wt.sum(wt.exp(X) * y, axis=1),
    "columns": wt.max(X - y, axis=0),
    "map": wt.tanh(X) + y,
    "softmax": wt.softmax(X + y, axis=1),
}
VIEWS: dict[str, Any] = {
    "together": lambda a: a,
    "apart": lambda a: a[..., ::2],
    "backwards": lambda a: a[..., ::-1],
    "repeated": lambda a: wt.broadcast_to(a[..., :1], a.shape),
    "one": lambda a: a[..., :1],
    "none": lambda a: a[..., :0],
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("of_x", VIEWS)
@pytest.mark.parametrize("of_y", VIEWS)
def test_loops_over_memory_of_each_layout(of_x: str, of_y: str) -> None:
    """There are versions for rows that lie together, that are repeated, of one element, others."""
    results = [r for name, r in LOOPS.items() if name != "columns" or "none" not in (of_x, of_y)]
    a, b = wt.matrix("a"), wt.vector("b")
    graph = function([X, y], results, mode="numba")
    views = function([a, b], [VIEWS[of_x](a), VIEWS[of_y](b)], mode="py")
    inside = FunctionGraph([X, y], results)
    whole = inside.replace({X: VIEWS[of_x](X), y: VIEWS[of_y](y)})
    f = function([X, y], list(whole.outputs), mode="numba")
    values = drawn([(7, 12), (12,)])
    try:
        expected = graph(*views(*values))
    except ValueError:
        with pytest.raises(ValueError, match="made at"):
            f(*values)
    else:
        for found, of in zip(f(*values), expected, strict=True):
            np.testing.assert_allclose(found, of, rtol=1e-12)
