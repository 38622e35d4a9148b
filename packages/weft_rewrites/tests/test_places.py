"""Vectors that are read and derived place by place: no vector is left between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad, rewrite_graph
from weft_tensor import ArgSort, Index, IndexUpdate, OrderStatistics

X = wt.vector("x", shape=(2,))
H = wt.scalar("h")
OPEN = Mode("py", books=[])
VALUES = np.array([0.3, -0.7]), 0.1


def rate(u: Any) -> Any:
    return wt.stack([u[0] * 2 - u[0] * u[1], u[0] * u[1] - u[1] ** 2])


def steps(u: Any) -> Any:
    first = rate(u)
    second = rate(u + H * first)
    return u + H * (first + rate(u + H * (first / 2 + second)))


def indexed(outputs: list[Any], op: type) -> set[Any]:
    """What is read, or written, by place once rules have been applied."""
    nodes = rewrite_graph(FunctionGraph(outputs=outputs), Mode("py").books).nodes
    return {v.inputs[0] for v in nodes if type(v.op) is op}


def agree(outputs: list[Any]) -> None:
    f, reference = (function([X, H], outputs, mode=mode) for mode in ("py", OPEN))
    for value, expected in zip(f(*VALUES), reference(*VALUES), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-12)


def test_places_are_computed_one_by_one_where_all_that_need_them_take_them_so() -> None:
    y = steps(X)
    assert indexed([y], Index) == {X}
    agree([y])


def test_a_result_that_is_needed_whole_is_computed_whole() -> None:
    y = wt.exp(X)
    z = [y[0], wt.sort(y), wt.exp(X[:1])[0] + y[1]]
    assert y in indexed(z, Index)
    agree(z)


def test_increments_of_zeros_at_all_places_are_a_stack() -> None:
    slope = grad(rate(rate(X)).sum(), X)
    assert not indexed([slope], IndexUpdate)
    agree([slope, grad(steps(X)[0], X)])


@pytest.mark.parametrize("axis", [0, 1])
def test_increments_at_the_same_indices_of_all_columns_are_one(axis: int) -> None:
    shape, k = (4, 2) if axis else (2, 4), np.array([[3, 0], [-1, 1]])
    effects = wt.matrix("effects", shape=shape)
    columns = [effects[k, i] if axis else effects[i, k] for i in range(2)]
    slope = grad((wt.exp(columns[0]) * wt.sin(columns[1])).sum(), effects)
    nodes = rewrite_graph(FunctionGraph(outputs=[slope]), Mode("py").books).nodes
    assert len([v for v in nodes if type(v.op) is IndexUpdate]) == 1
    value = np.random.default_rng(0).normal(size=shape)
    f, reference = (function([effects], slope, mode=mode) for mode in ("py", OPEN))
    np.testing.assert_allclose(f(value), reference(value), rtol=1e-14)


def test_increments_at_some_places_stay() -> None:
    slope = grad(X[1] ** 2 + 3 * X[1], X)
    assert indexed([slope], IndexUpdate)
    agree([slope])


def test_places_of_matrices() -> None:
    matrix = wt.matrix("m", shape=(2, 3))
    rows = wt.exp(matrix)
    total = (rows[0] * rows[1]).sum() + (rows[:, 2] * rows[:, -3] * rows[:, 1]).sum()
    outputs = [total, grad(total, matrix)]
    value = np.arange(6.0).reshape(2, 3) / 7
    f, reference = (function([matrix], outputs, mode=mode) for mode in ("py", OPEN))
    for got, expected in zip(f(value), reference(value), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_chosen_places_of_what_is_sorted_come_with_the_slope_from_one_sort() -> None:
    y = wt.percentile(X, np.array([10.0, 90.0]))
    kinds = rewrite_graph(FunctionGraph(outputs=[y, grad(y.sum(), X)]), Mode("py").books)
    assert ArgSort in kinds.op_classes
    assert OrderStatistics not in kinds.op_classes
    agree([y, grad(y.sum(), X)])


def test_slices_of_what_is_cheap_are_computed_from_slices() -> None:
    x = wt.matrix("x")
    across = x[:, 2:] - x[:, :-2]
    smooth = across[:-2] + 2 * across[1:-1] + across[2:]
    f = function([x], smooth, mode="py")
    assert not any(type(v.op) is Index and v.inputs[0].inputs for v in f.graph.nodes)
    value = np.arange(35.0).reshape(5, 7) ** 2
    expected = value[:, 2:] - value[:, :-2]
    expected = expected[:-2] + 2 * expected[1:-1] + expected[2:]
    np.testing.assert_allclose(f(value), expected)


def test_differences_of_differences_are_of_slices_of_one_tensor() -> None:
    x, m = wt.vector("x"), wt.matrix("m")
    f = function([x, m], [wt.diff(x, n=3), wt.diff(m, n=2, axis=0)], mode="py")
    parts = [v for v in f.graph.nodes if type(v.op) is Index]
    assert len(parts) == 4 + 3
    assert {v.inputs[0] for v in parts} == {x, m}
    for n in range(6):
        value = np.arange(float(n)) ** 3
        third, second = f(value, value[:, None] * value)
        np.testing.assert_array_equal(third, np.diff(value, n=3))
        np.testing.assert_array_equal(second, np.diff(value[:, None] * value, n=2, axis=0))


@pytest.mark.parametrize("shape", [(None,), ("n",)], ids=str)
def test_chains_of_slices_grow_with_their_length(shape: tuple[Any, ...]) -> None:
    x = wt.vector("x", shape=shape)

    def count(steps: int) -> int:
        y = x
        for _ in range(steps):
            y = y[1:] * y[:-1]
        return len(function([x], y, mode="py").graph.nodes)

    assert count(40) < 2.2 * count(20)


def test_slices_of_what_is_costly_or_needed_whole_stay() -> None:
    x = wt.matrix("x")
    for whole in (wt.exp(x), wt.exp(x).sum(0) - 1, wt.sqrt(x)):
        needed = [whole] if whole is wt.sqrt(x) else []
        f = function([x], [whole[1:] + whole[:-1], *needed], mode="py")
        names = [str(v.op) for v in f.graph.nodes]
        assert sum(name in ("exp", "sqrt") for name in names) == 1


def test_parts_of_what_many_steps_gave() -> None:
    """One after the other, without a call within a call for each."""
    x = wt.vector("x")
    y = x
    for _ in range(1_100):
        sine = wt.sin(y)
        y = sine + H
    double = 2 * y
    assert indexed([double[1:] * double[:-1]], Index) == {sine}


P, Q = wt.matrix("p"), wt.tensor("q", "float64", (None, 3, None))
T = wt.matrix("t", dtype="int64")
EDGES = P[T[:, 0]] - 2 * P[T[:, 1]]
BOTH, SUMS = P[T] * 2, Q[T[:, 0]] + Q[T[:, 2]]
COLUMNS: dict[str, Any] = {
    "columns": EDGES[:, 0] * EDGES[:, 2] + EDGES[:, -1],
    "rows of columns": EDGES[0, 1] * EDGES[1, 1] + EDGES[0, 2],
    "whole as well": EDGES[:, 0] + EDGES.sum(1),
    "of a matrix of rows": BOTH[:, :, 1] + BOTH[:, :, 0],
    "not columns": BOTH[:, 0] + BOTH[:, 1],
    "of three axes": SUMS[:, 0] * SUMS[:, 2],
    "the last of three axes": SUMS[:, :, 1] + SUMS[:, :, 3],
    "of two axes": SUMS[:, 1, 1] + SUMS[:, 1, 3],
    "checked": wt.cross(EDGES, EDGES[:, ::-1])[:, 1],
    "broadcast": (P[:1] + EDGES)[:, 0] * (P[:1] + EDGES)[:, 1],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_rows_that_are_looked_up(name: str) -> None:
    output = COLUMNS[name]
    rng = np.random.default_rng(0)
    values = {P: rng.normal(size=(7, 3)), Q: rng.normal(size=(7, 3, 4)), T: [[0, 1, -1], [3, 4, 5]]}
    inputs = [v for v in values if v in FunctionGraph(outputs=[output]).inputs]
    f, reference = (function(inputs, output, mode=mode) for mode in ("py", OPEN))
    arguments = [values[v] for v in inputs]
    np.testing.assert_allclose(f(*arguments), reference(*arguments), rtol=1e-12)


def test_only_columns_are_looked_up_of_rows_of_which_nothing_else_is_needed() -> None:
    normal = wt.cross(EDGES, EDGES * EDGES)
    assert all(v in (P, T) or v.inputs[0] is P for v in indexed([normal], Index))
    for v in (EDGES[:, 0] + EDGES.sum(1), BOTH[:, 0] + BOTH[:, 1]):
        assert len(indexed([v], Index) - {P, T}) == 1


def test_what_is_checked_of_rows_is_said_before_a_column_is_missing() -> None:
    f = function([P, T], wt.cross(EDGES, EDGES + 1).sum(), mode="py")
    with pytest.raises(ValueError, match="cross takes vectors of length 3"):
        f(np.ones((4, 2)), [[0, 1]])


def test_what_is_checked_and_needed_whole_is_computed_once() -> None:
    y = wt.exp(P)
    column = wt.check_and_raise(y, wt.gt(P.shape[0], 1), ValueError, "few")[:, 0]
    assert indexed([column, y.sum()], Index) == {column.inputs[0]}
