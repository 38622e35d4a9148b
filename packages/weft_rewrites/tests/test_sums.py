"""The pass that takes scalars out of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad, graph_inputs, rewrite_graph
from weft_rewrites import books, factor_sums

x, y = wt.vector("x", shape=(5,)), wt.vector("y", shape=(5,))
X = wt.matrix("X")
s, t = wt.scalar("s"), wt.scalar("t")
k = wt.lscalar("k")


def factored(*outputs: Any) -> tuple[Any, ...]:
    return factor_sums(FunctionGraph(outputs=outputs)).outputs


def test_scalars_come_in_after_the_sum() -> None:
    assert factored((x * s).sum()) == (x.sum() * s,)
    assert factored((wt.exp(x) * (s * y)).sum()) == ((wt.exp(x) * y).sum() * s,)
    assert factored((-(x / s) * (y * t)).sum()) == ((-x * y).sum() * t / s,)


def test_factors_that_are_made_of_each_other() -> None:
    """There are more ways through them than there is time for."""
    a, b, v = s, t, wt.vector("v")
    for _ in range(60):
        a, b = a * b, a
    (total,) = factored((a * v).sum())
    found = function([s, t, v], total, mode=Mode("py", books=[]))(1.0, 1.0, [1.0, 2.0])
    assert found == 3.0


def test_an_integer_is_converted_before_it_is_multiplied() -> None:
    big = np.array(2**40)
    (total,) = factored((x * k * k).sum())
    f = function([x, k], total, mode=Mode("py", books=[]))
    assert f(np.ones(5), big) == 5.0 * 2.0**80


def test_sums_of_sums() -> None:
    rows = wt.matrix("rows", shape=(5, 3))
    (total,) = factored(((rows * s).sum(1) * (t * y)).sum())
    assert total is (rows.sum(1) * y).sum() * (s * t)


def test_a_product_that_is_needed_elsewhere_stays() -> None:
    scaled = x * s
    for outputs in (
        [(scaled * y).sum(), scaled],
        [(scaled * y).sum(), wt.exp(scaled)],
        [scaled.sum(), scaled.max()],
    ):
        graph = FunctionGraph(outputs=outputs)
        assert factor_sums(graph) is graph


def test_a_product_that_sums_alone_need_goes() -> None:
    scaled = x * s
    sums = factored((scaled * y).sum(), (scaled * wt.exp(y)).sum())
    assert sums == ((x * y).sum() * s, (x * wt.exp(y)).sum() * s)


def test_whatever_else_is_no_part_of_a_sum() -> None:
    for output in (
        (y / (x * s)).sum(),
        (x * s + y).sum(),
        (x.astype("float32") * s.astype("float32")).astype("float64").sum(),
        (wt.lvector("n") * k).sum(),
        wt.max(x * s),
    ):
        graph = FunctionGraph(outputs=[output])
        assert factor_sums(graph) is graph


def test_what_is_made_points_at_the_users_line() -> None:
    (total,) = factored((x * s * t / (s + 1)).sum())
    assert total.op is wt.Elemwise("true_div")
    for v in (total, total.inputs[0], total.inputs[0].inputs[1]):
        assert "x * s * t / (s + 1)" in (v.made_at or "")


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("number", [0.5, np.inf, np.nan])
def test_a_sum_of_nothing_is_zero(rows: int, number: float) -> None:
    outputs = [(X * s).sum(0), (X / s).sum(), (wt.exp(X) * s).sum(1)]
    values = np.ones((rows, 2)), np.array(number)
    plain = function([X, s], outputs, mode=Mode("py", books=[]))(*values)
    f = function([X, s], outputs, mode=Mode("py", books=[factor_sums]))
    for found, expected in zip(f(*values), plain, strict=True):
        np.testing.assert_allclose(found, expected)


@pytest.mark.cases(0)
def test_the_gradient_of_a_long_chain() -> None:
    v: Any = x
    for _ in range(5_000):
        v = v * s * 0.5
    graph = FunctionGraph(outputs=[v.sum(), grad(v.sum(), s)])
    assert len(factor_sums(graph)) <= len(graph)


COSTS: list[Any] = [
    (wt.sin(x * s) * t / 3).sum(),
    (wt.square((X - s) / t)).sum() * -0.5 - X.shape[0] * wt.log(t),
    ((X * s).mean(0) / t).sum(),
    ((x * s) @ (y * t)) * (wt.exp(x) * s).sum(),
]


VALUES = {
    "x": np.linspace(0.5, 1.5, 5),
    "y": np.linspace(-1.0, 2.0, 5),
    "X": np.linspace(0.2, 2.0, 6).reshape(3, 2),
    "s": np.array(0.7),
    "t": np.array(1.3),
}


def arrays(graph: FunctionGraph) -> int:
    return sum(v.type.ndim > 0 for v in graph.nodes if isinstance(v, wt.TensorVariable))


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_no_array_is_added_and_no_value_changes(cost: Any) -> None:
    given = graph_inputs([cost])
    graph = FunctionGraph(given, [cost, *grad(cost, given)])
    found = rewrite_graph(graph, books)
    assert rewrite_graph(found, books) == found
    assert arrays(found) <= arrays(rewrite_graph(graph, [b for b in books if b is not factor_sums]))
    values = [VALUES[str(v.name)] for v in given]
    run = Mode("py", books=[])
    plain = function(given, list(graph.outputs), mode=run)(*values)
    results = function(given, list(found.outputs), mode=run)(*values)
    for one, other in zip(results, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_scaled_squares_are_left_for_their_squares() -> None:
    scaled = wt.square(x - s) / t
    y1 = wt.exp(scaled).sum()
    y2 = (wt.sin(x) * scaled).sum()
    graph = factor_sums(FunctionGraph(outputs=[y1, y2]))
    assert graph.outputs[0] is y1
    assert "true_div" in str(graph.outputs[1].op)
    total = graph.outputs[1].inputs[0]
    assert wt.square(x - s) in total.inputs[0].inputs


@pytest.mark.parametrize("grows", [wt.exp, wt.sinh, wt.tanh], ids=lambda f: f.__name__)
def test_the_largest_complex_number_is_not_that_of_the_largest(grows: Any) -> None:
    z = wt.vector("z", dtype="complex128")
    values = np.array([0.3 + 2.0j, 0.2 - 0.1j, -1.0 + 3.0j])
    for found in (wt.max(grows(z)), wt.min(grows(z))):
        plain = function([z], found, mode=Mode("py", books=[]))(values)
        np.testing.assert_allclose(function([z], found, mode="py")(values), plain, rtol=1e-14)
