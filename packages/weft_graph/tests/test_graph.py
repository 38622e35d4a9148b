from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from weft_graph import FunctionGraph, MissingInputError, function


def test_inputs_are_found(x: Any, y: Any) -> None:
    graph = FunctionGraph(outputs=[y * x + 1])
    assert graph.inputs == (y, x)
    assert graph.outputs == (y * x + 1,)


def test_order_nodes_and_length(x: Any, y: Any, calc: Any) -> None:
    one, product = calc.number(1), x * y
    graph = FunctionGraph([x, y], [product + 1])
    assert graph.order == (x, y, product, one, product + 1)
    assert graph.nodes == (product, product + 1)
    assert len(graph) == 2
    assert repr(graph) == "FunctionGraph([x, y] -> [Add], 2 nodes)"


def test_users(x: Any, y: Any) -> None:
    square, total = x * x, x * x + y
    graph = FunctionGraph([x, y], [total])
    assert graph.users[x] == ((square, 0), (square, 1))
    assert graph.users[square] == ((total, 0),)
    assert graph.users[total] == ()


def test_apply_nodes_count_an_op_with_several_results_once(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, y)
    graph = FunctionGraph([x, y], [total + product])
    assert graph.apply_nodes == [total.owner, (total + product).owner]
    assert graph.toposort() == graph.apply_nodes
    assert len(graph) == 4


def test_equal_graphs_are_equal_values(x: Any, y: Any) -> None:
    assert FunctionGraph([x, y], [x + y]) == FunctionGraph([x, y], [x + y])
    assert FunctionGraph([x, y], [x + y]) != FunctionGraph([y, x], [x + y])
    assert len({FunctionGraph([x, y], [x + y]), FunctionGraph([x, y], [x + y])}) == 1
    assert FunctionGraph([x], [x]) != (x, x)


def test_a_graph_is_immutable(x: Any, y: Any) -> None:
    graph = FunctionGraph([x, y], [x + y])
    with pytest.raises(AttributeError, match="a FunctionGraph is immutable: `replace"):
        graph.outputs = (x,)
    assert graph.replace({x + y: x * y}) == FunctionGraph([x, y], [x * y])
    assert graph.outputs == (x + y,)


def test_a_missing_input_is_named_with_its_line_and_its_user(x: Any, y: Any, calc: Any) -> None:
    total = calc.Add()(x, y)
    with pytest.raises(MissingInputError) as caught:
        FunctionGraph([x], [total])
    message = str(caught.value)
    assert "the outputs depend on <y : Number>, made at line" in message
    assert "not among the inputs (<x : Number>)" in message
    assert "Add uses it at" in message
    assert "total = calc.Add()(x, y). Add it to the inputs." in message
    with pytest.raises(MissingInputError, match=r"inputs \(none\)"):
        FunctionGraph([], [y])


def test_an_input_may_be_a_result_which_cuts_the_graph(x: Any, y: Any) -> None:
    middle = (x * y).named("middle")
    graph = FunctionGraph([middle, y], [-middle + y])
    assert graph.order == (middle, -middle, y, -middle + y)
    assert function([middle, y], -middle + y, mode="py")(3, 5) == 2
    with pytest.raises(MissingInputError, match="<y : Number>"):
        FunctionGraph([middle], [-middle + y])


def test_replacing_leaves_what_is_behind_a_cut(x: Any, y: Any) -> None:
    middle = x * y
    graph = FunctionGraph([middle, x, y], [middle + x])
    assert graph.replace({x: y}) == FunctionGraph([middle, x, y], [middle + y])
    assert graph.replace({middle: x}).outputs == (x + x,)


@pytest.mark.parametrize(
    ("inputs", "outputs", "error", "message"),
    [
        (["x"], [], TypeError, "input 'x' of a FunctionGraph is a str, not a Variable"),
        ([], [3], TypeError, "output 3 of a FunctionGraph is a int"),
    ],
)
def test_what_is_no_variable(inputs: Any, outputs: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        FunctionGraph(inputs, outputs)


def test_an_input_listed_twice(x: Any) -> None:
    with pytest.raises(ValueError, match="input <x : Number> is listed twice"):
        FunctionGraph([x, x], [x])


def test_pickling(x: Any, y: Any, z: Any) -> None:
    middle = x + y
    graph = FunctionGraph([z, middle], [-middle, middle])
    again = pickle.loads(pickle.dumps(graph))
    assert [v.name for v in again.inputs] == ["z", None]
    assert again.outputs == (-again.inputs[1], again.inputs[1])
    assert again != graph


def test_a_copy_is_the_same_value(x: Any) -> None:
    graph = FunctionGraph([x], [x])
    assert copy.copy(graph) is graph
    assert copy.deepcopy({"graph": graph})["graph"] is graph
