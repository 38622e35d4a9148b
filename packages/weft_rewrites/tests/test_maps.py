"""Maps after rewriting: fewer results and inputs, or no loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad, rewrite_graph

x, y, w = wt.matrix("x"), wt.matrix("y"), wt.vector("w")
rng = np.random.default_rng(0)
VALUES = {x: rng.normal(size=(4, 3)), y: rng.normal(size=(4, 3)), w: rng.normal(size=3)}


def maps(*outputs: Any) -> list[Any]:
    graph = rewrite_graph(FunctionGraph(outputs=outputs))
    return [v for v in graph.nodes if isinstance(v.op, wt.Map)]


def assert_same(*outputs: Any) -> None:
    """Rewritten or not, results are equal."""
    symbols = list(VALUES)
    plain = function(symbols, list(outputs), mode="py")
    unchanged = function(symbols, list(outputs), mode=Mode("py", books=[]))
    for a, b in zip(plain(*VALUES.values()), unchanged(*VALUES.values()), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)


def test_elementwise_functions_need_no_loop() -> None:
    found = wt.map(lambda row, number: wt.exp(row) * w + number, (x, x[:, 0]))
    assert not maps(found)
    total = grad(wt.map(lambda e: e * e * w[0], x[:, 0]).sum(), w)
    assert not maps(total)
    assert_same(total)
    assert_same(found, *grad((found**2).sum(), [x, w]))
    rows, weights = wt.tensor("rows", "float64", ("n", "p")), wt.vector("weights", shape=("p",))
    product = wt.map(lambda row: wt.exp(row) * weights, rows)
    assert not maps(product, *grad((product**2).sum(), [rows, weights]))


def test_a_loop_stays_where_lengths_may_differ() -> None:
    found = wt.map(lambda a, b: a * b, (x, y))
    assert len(maps(found)) == 1
    f = function([x, y], found, mode="py")
    with pytest.raises(ValueError, match="map"):
        f(np.ones((1, 3)), np.ones((2, 3)))
    m, n = (wt.tensor(name, "float64", ("n", None)) for name in "mn")
    assert not maps(wt.map(lambda a, b: a * b, (m, n)))


def test_what_does_not_depend_on_an_element_stays() -> None:
    assert_same(wt.map(lambda row: (w * w, row), x)[0], wt.map(lambda e: e + w, x[:, 0]))


def test_maps_in_maps_lose_their_loops_too() -> None:
    found = wt.map(lambda row: wt.map(lambda e: wt.sin(e) * row[0], row), x)
    assert not maps(found)
    assert_same(found, grad(found.sum(), x))
    sorting = wt.map(lambda row: wt.map(lambda e: wt.sin(e) * row[0], wt.sort(row)), x)
    (outer,) = maps(sorting)
    assert not any(isinstance(v.op, wt.Map) for v in outer.op.body.graph.nodes)
    assert_same(sorting, grad(sorting.sum(), x))


def test_reductions_indexing_and_products_are_of_whole_arrays() -> None:
    """What has a kind, and what works on stacks; not what takes more axes than there are."""
    m = wt.matrix("m", shape=(3, 3))
    for body in (
        lambda row: wt.cumsum(row * w)[::-1] / row.sum(),
        lambda row: wt.max(row) + row[0] * (m @ row),
        lambda row: wt.concatenate([row, wt.zeros(1)]).reshape((2, -1)),
    ):
        assert not maps(wt.map(body, x))
    for large in (lambda row: wt.exp(row.expand_dims(1) * w).sum(0), lambda row: (m * row).sum(0)):
        found = wt.map(large, x)
        assert maps(found)


def test_results_that_nobody_uses_are_not_computed() -> None:
    both = wt.map(lambda row, other: (wt.cumsum(row), wt.sort(other)), (x, x * w))
    (only,) = maps(both[1].sum())
    assert len(only.op.summed) == 1
    assert len(only.inputs) == 1
    assert_same(both[1].sum())


def test_gradients_do_not_need_other_gradients() -> None:
    slope = grad(wt.map(lambda row: wt.sort(row * w)[1], x).sum(), w)
    (only,) = maps(slope)
    assert only.op.summed == (True,)
    assert "wt.map(" in only.made_at
    assert_same(slope)


def test_a_sequence_stays_that_says_how_many_elements_there_are() -> None:
    assert_same(wt.map(lambda row: wt.cumsum(w), x))
    pair = wt.map(lambda a, b: wt.cumsum(a), (x, y))
    with pytest.raises(ValueError, match="map"):
        function([x, y], pair, mode="py")(np.ones((1, 3)), np.ones((2, 3)))


def test_systems_with_one_matrix_are_solved_at_once() -> None:
    matrix = wt.diag(w) + 9.0 * wt.eye(3)
    found = wt.map(lambda row: wt.tanh(wt.solve(matrix, row)), x)
    assert not maps(found)
    assert_same(found)
    assert maps(wt.map(lambda row: wt.solve(matrix + row, row), x))
