"""What is sorted, and its derivative, from one sort, on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import Mode, function
from weft_tensor import ArgSort, Sort
from weft_testing import compare_jax_and_py, compare_numba_and_py

X = wt.matrix("X")
VALUES = np.array([[3.0, 1.0, 1.0, -np.inf], [np.nan, 2.0, np.inf, 0.0], [0.5, 0.5, 0.5, 0.5]])


def weighted(axis: int) -> list[Any]:
    """The sum of squares with weights, by place in the order, and its slope."""
    ordered = wt.sort(X, axis=axis)
    weights = wt.arange(X.shape[axis]) + 1.0
    weights = weights[:, None] if axis == 0 else weights
    total = wt.sum(wt.tanh(ordered) * weights)
    return [ordered, total, wt.grad(total, X)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("values", [VALUES, VALUES[:1], VALUES[:, :1], VALUES[:0], VALUES[:, :0]])
@pytest.mark.parametrize("compare", [compare_numba_and_py, compare_jax_and_py])
def test_equal_on_all_backends(axis: int, values: Any, compare: Any) -> None:
    outputs = weighted(axis)
    compare([X], outputs, [values])
    plain = function([X], outputs, mode=Mode("py", books=[]))
    for one, other in zip(function([X], outputs)(values), plain(values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_sorted_once() -> None:
    graph = function([X], weighted(1)).graph
    assert [type(v.op) for v in graph.nodes if isinstance(v.op, (Sort, ArgSort))] == [ArgSort]
    ordered = wt.sort(X, axis=1)
    graph = function([X], [ordered, wt.argsort(X, axis=0)]).graph
    assert Sort in graph.op_classes


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_descending_order_keeps_that_of_equal_elements(mode: str) -> None:
    values = np.array([[3.0, 1.0, 3.0], [2.0, 5.0, 3.0], [2.0, 1.0, 4.0]])
    outputs: list[Any] = [wt.sort(X, descending=True), wt.argsort(X, descending=True)]
    outputs += [wt.argsort(X, 0, descending=True), wt.sort(X, None, descending=True)]
    cost = (wt.sort(X, 0, descending=True) * np.arange(3.0)[:, None]).sum()
    found = function([X], [*outputs, wt.grad(cost, X)], mode=mode)(values)
    np.testing.assert_array_equal(found[0], -np.sort(-values))
    np.testing.assert_array_equal(found[1], np.argsort(-values, kind="stable"))
    np.testing.assert_array_equal(found[2], np.argsort(-values, 0, kind="stable"))
    np.testing.assert_array_equal(found[3], -np.sort(-values, None))
    assert found[4].sum() == 9
    few = [wt.argsort([], descending=True), wt.argsort([[7]], descending=True)]
    assert [v.eval().tolist() for v in few] == [[], [[0]]]
