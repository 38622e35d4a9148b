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
