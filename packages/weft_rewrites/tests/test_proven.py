"""The pass that drops broadcasting which provably does nothing."""

from __future__ import annotations

import weft_tensor as wt
from weft_graph import FunctionGraph
from weft_rewrites import drop_proven_broadcasts

x, y = wt.vectors("x y")


def summed_to(tensor: wt.TensorVariable, like: wt.TensorVariable) -> wt.TensorVariable:
    return wt.SumTo()(tensor, *like.shape)


def test_a_sum_to_the_same_shape_goes_and_what_is_remade_keeps_its_place() -> None:
    graph = FunctionGraph([x], [wt.tanh(summed_to(wt.exp(x), x))])
    (result,) = drop_proven_broadcasts(graph).outputs
    assert result is wt.tanh(wt.exp(x))
    fresh = FunctionGraph([x], [wt.sinh(summed_to(wt.cosh(x), x))])
    (result,) = drop_proven_broadcasts(fresh).outputs
    assert result.made_at == fresh.outputs[0].made_at
    assert "fresh = FunctionGraph" in (result.made_at or "")


def test_a_sum_to_a_shape_that_may_be_another_stays() -> None:
    graph = FunctionGraph([x, y], [summed_to(x + y, x)])
    assert drop_proven_broadcasts(graph) is graph


def test_a_graph_without_broadcasting_is_left_alone() -> None:
    graph = FunctionGraph([x], [wt.exp(x)])
    assert drop_proven_broadcasts(graph) is graph
