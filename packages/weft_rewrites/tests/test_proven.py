"""What provably does nothing goes: broadcasting, and checks of what holds."""

from __future__ import annotations

import weft_tensor as wt
from weft_graph import FunctionGraph, rewrite
from weft_rewrites import drop_proven_broadcasts, simplify
from weft_tensor.extend import broadcast_length

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


def test_repeated_elements_are_seen_through_a_sum_to_the_shape_that_they_have() -> None:
    ones = wt.broadcast_to(1.0, x.shape)
    graph = FunctionGraph([x], [summed_to(ones, x) / wt.exp(x)])
    (result,) = drop_proven_broadcasts(graph).outputs
    assert result is 1.0 / wt.exp(x)
    graph = FunctionGraph([x, y], [summed_to(ones, y) / wt.exp(y)])
    assert drop_proven_broadcasts(graph) is graph


def test_what_an_input_was_computed_from_does_not_matter() -> None:
    cut = x + y
    graph = FunctionGraph([cut], [wt.tanh(summed_to(wt.exp(cut), cut))])
    (result,) = drop_proven_broadcasts(graph).outputs
    assert result is wt.tanh(wt.exp(cut))


def test_lengths_are_followed_through_functions_of_several_shapes() -> None:
    both = wt.exp(x) * y
    longest = broadcast_length(x.shape[0], y.shape[0])
    summed = wt.SumTo()(wt.tanh(both + x), longest)
    graph = FunctionGraph([x, y], [summed, summed_to(both, y)])
    dropped, kept = drop_proven_broadcasts(graph).outputs
    assert dropped is wt.tanh(both + x)
    assert kept is graph.outputs[1]


def test_a_graph_without_broadcasting_is_left_alone() -> None:
    graph = FunctionGraph([x], [wt.exp(x)])
    assert drop_proven_broadcasts(graph) is graph


def test_checks_keep_the_conditions_that_are_not_known_to_hold() -> None:
    checked = wt.assert_op(x, wt.broadcast_to(True, x.shape), (x > 0).all(), True)
    (result,) = rewrite([checked], simplify)
    assert result is wt.assert_op(x, (x > 0).all())
    never = wt.assert_op(x, wt.broadcast_to(False, x.shape))
    assert rewrite([never], simplify) == [never]


def test_repeated_numbers_beside_arrays_of_one_are_computed_once() -> None:
    one, many = wt.vector("one", shape=(1,)), wt.broadcast_to(2.0, (60,))
    (share,) = rewrite([wt.special.betainc(wt.exp(one), many, 0.5 * one)], simplify)
    assert share is wt.broadcast_to(wt.special.betainc(wt.exp(one), 2.0, 0.5 * one), (60,))
    (row,) = rewrite([many + wt.matrix("column", shape=(3, 1))], simplify)
    assert type(row.op) is wt.Elemwise
