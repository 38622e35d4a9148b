from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import (
    DisconnectedInputError,
    FunctionGraph,
    Item,
    Mode,
    Op,
    OpFromGraph,
    ShapeUnknownError,
    Type,
    UndefinedGradientError,
    digest,
    function,
    grad,
    inline,
    pullback,
    pushforward,
    toposort,
)


def value(inputs: list[Any], output: Any, *values: float) -> Any:
    return function(inputs, output, mode="py")(*values)


@pytest.fixture
def cube_and_more(calc: Any) -> OpFromGraph:
    """(x, y) -> x**3 * y, y + y."""
    a, b = calc.Number()("a"), calc.Number()("b")
    return OpFromGraph([a, b], [calc.Power(3)(a) * b, b + b], name="cube_and_more")


def ops_of(*outputs: Any) -> set[type[Op]]:
    return {type(v.op) for v in toposort(outputs)}


def test_equal_graphs_are_one_op(x: Any, y: Any, calc: Any) -> None:
    op = OpFromGraph([x], [x * x])
    assert OpFromGraph([y], y * y) is op
    assert OpFromGraph([y], [y + y]) is not op
    assert OpFromGraph([y], [y * y], name="square") is not op
    assert pickle.loads(pickle.dumps(op)) is op
    assert digest(op(x)) == digest(op(y)) != digest(x * x)
    assert str(op) == "OpFromGraph"
    assert repr(OpFromGraph([x], [x], name="same")) == "OpFromGraph('same')"


def test_it_runs_as_one_node_and_inlined(x: Any, y: Any, cube_and_more: Any) -> None:
    outputs = cube_and_more(x, y)
    for mode in (Mode("py", books=[]), Mode("py")):
        assert function([x, y], outputs, mode=mode)(2.0, 5.0) == [40.0, 10.0]
    assert cube_and_more(x, 5.0)[1].owner.inputs[1].op.value == 5.0
    assert OpFromGraph not in ops_of(*inline(FunctionGraph([x, y], outputs)).outputs)


def test_graphs_within_graphs_are_inlined(x: Any, y: Any, cube_and_more: Any, calc: Any) -> None:
    outer = OpFromGraph([x, y], [-cube_and_more(x, y)[0], cube_and_more(y, x)[1]])
    graph = inline(FunctionGraph([x, y], outer(x, y)))
    assert graph.outputs == (-(calc.Power(3)(x) * y), x + x)
    kept = OpFromGraph([x], [-x], inline=False)
    graph = inline(FunctionGraph([x], [kept(x)]))
    assert graph.outputs == (kept(x),)


def test_arguments_are_checked(x: Any, calc: Any, cube_and_more: Any) -> None:
    with pytest.raises(TypeError, match="cube_and_more takes 2 inputs, got 1"):
        cube_and_more(x)
    with pytest.raises(TypeError, match=r"input 1 must be Number, not Bag\(None\)"):
        cube_and_more(x, calc.Bag()("bag"))
    with pytest.raises(TypeError, match="needs at least one output"):
        OpFromGraph([x], [])


def test_derivatives_are_those_of_the_graph(x: Any, y: Any, cube_and_more: Any, calc: Any) -> None:
    first, second = cube_and_more(x, y)
    plain = calc.Power(3)(x) * y + (y + y)
    t, u = calc.Number()("t"), calc.Number()("u")
    for mine, other in (
        (grad(first + second, x), grad(plain, x)),
        (grad(first + second, y), grad(plain, y)),
        (grad(grad(first + second, x), x), grad(grad(plain, x), x)),
        (pushforward(first + second, [x, y], [t, u]), pushforward(plain, [x, y], [t, u])),
        (grad(pushforward(first, x, t), y), grad(pushforward(plain, x, t), y)),
    ):
        point = (2.0, 5.0, 0.5, 3.0)
        assert value([x, y, t, u], mine, *point) == value([x, y, t, u], other, *point)
    assert str(grad(first, x)) == "Item(index=0)"
    assert str(grad(first, x).owner.op) == "cube_and_more_pullback"
    assert pushforward(second, y, u).owner.op.name == "cube_and_more_pushforward"
    assert grad(second, x, disconnected_inputs="ignore") is calc.number(0.0)


def test_the_derivative_is_made_once(x: Any, y: Any, cube_and_more: Any) -> None:
    first = grad(cube_and_more(x, y)[0], x).owner.op
    assert grad(cube_and_more(y, x)[0], y).owner.op is first


def test_only_the_input_that_is_wanted_needs_a_derivative(x: Any, y: Any, calc: Any) -> None:
    op = OpFromGraph([x, y], [x * calc.Round()(y)], name="step")
    assert value([x, y], grad(op(x, y), x), 3.0, 2.2) == 2.0
    with pytest.raises(UndefinedGradientError, match="Round has no derivative: define") as caught:
        grad(op(x, y), y)
    assert "while differentiating <step : Number>" in caught.value.__notes__[0]
    t = calc.Number()("t")
    assert value([x, y, t], pushforward(op(x, y), x, t), 0.5, 2.2, 5.0) == 10.0
    with pytest.raises(UndefinedGradientError, match="Round has no derivative"):
        pushforward(op(x, y), y, t)


def test_what_does_not_depend_at_all(x: Any, y: Any, calc: Any) -> None:
    op = OpFromGraph([x, y], [-x, calc.number(3.0)])
    for output, target in ((0, y), (1, x), (1, y)):
        with pytest.raises(DisconnectedInputError, match=r"is cut at <(Item|OpFromGraph|Neither)"):
            grad(op(x, y)[output], target)
    assert pushforward(op(x, y), x, y, disconnected_outputs="ignore")[1] is calc.number(0.0)


def twice(inputs: Any, outputs: Any, slopes: Any) -> Any:
    return [slopes[0] + slopes[0]]


def test_derivatives_may_be_given(x: Any, calc: Any) -> None:
    t = calc.Number()("t")
    op = OpFromGraph([x], [calc.Round()(x)], pullback=twice)
    assert value([x], grad(op(x), x), 0.5) == 2.0
    assert value([x, t], pushforward(op(x), x, t), 0.5, 5.0) == 10.0
    forward = OpFromGraph([x], [-x], pushforward=twice)
    assert value([x, t], pushforward(forward(x), x, t), 0.5, 5.0) == 10.0
    assert value([x], grad(forward(x), x), 0.5) == -1.0
    assert pickle.loads(pickle.dumps(op)) is op
    assert digest(op(x)) == digest(op(t)) != digest(forward(x))


def test_shapes_follow_from_the_graph(x: Any) -> None:
    class Same(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

        def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
            return input_shapes

    op = OpFromGraph([x], [Same()(Same()(x)), x])
    assert op.infer_shape(None, op.make_node(x), ["n"]) == ["n", "n"]
    unknown = OpFromGraph([x], [-Same()(x)], name="unknown")
    with pytest.raises(ShapeUnknownError, match="the shapes of unknown do not follow"):
        unknown.infer_shape(None, unknown.make_node(x), ["n"])


def test_a_whole_tuple_of_results_can_stay(x: Any, y: Any, cube_and_more: Any) -> None:
    whole = cube_and_more(x, y)[0].owner.node
    assert type(cube_and_more(x, y)[0].op) is Item
    graph = FunctionGraph([x, y], [whole])
    assert inline(graph).outputs == (whole,)


@pytest.mark.cases(0)
def test_many_in_a_row(x: Any) -> None:
    op = OpFromGraph([x], [-x])
    v = x
    for _ in range(10_000):
        v = op(v)
    (by_x,) = pullback(v, x, x)
    assert value([x], by_x, 2.0) == 2.0
