from __future__ import annotations

from typing import Any

import pytest

from weft_graph import (
    Apply,
    DisconnectedInputError,
    Op,
    OpFromGraph,
    Type,
    UndefinedGradientError,
    check_and_raise,
    constant,
    function,
    grad,
    grad_not_implemented,
    grad_undefined,
    pullback,
    pushforward,
    stop_gradient,
    value_and_grad,
)
from weft_graph.extend import DisconnectedType


def value(inputs: list[Any], output: Any, *values: float) -> Any:
    return function(inputs, output, mode="py")(*values)


def test_sums_products_and_powers(x: Any, y: Any, calc: Any) -> None:
    cost = calc.Power(3)(x) * y + x
    by_x, by_y = grad(cost, [x, y])
    assert value([x, y], by_x, 2.0, 5.0) == 3 * 2.0**2 * 5.0 + 1
    assert value([x], by_y, 2.0) == 8.0
    assert grad(x, x) is calc.number(1.0)


def test_a_variable_used_often_gathers_all(x: Any) -> None:
    cost = x * x + -x + x
    assert value([x], grad(cost, x), 3.0) == 6.0


def test_with_respect_to_a_result(x: Any, y: Any) -> None:
    middle = x + y
    cost = middle * middle * x
    by_middle, by_x = grad(cost, [middle, x])
    assert value([x, y], by_middle, 2.0, 3.0) == 2 * 5.0 * 2.0
    assert value([x, y], by_x, 2.0, 3.0) == 20.0 + 25.0


def test_by_structures(x: Any, y: Any) -> None:
    slopes = grad(x * x * y, {"x": x, "rest": (y, None)})
    assert list(slopes) == ["x", "rest"]
    assert slopes["rest"][1] is None
    assert value([x, y], [slopes["x"], slopes["rest"][0]], 2.0, 5.0) == [20.0, 4.0]
    _, (pair,) = value_and_grad(x * y, [{"y": y}])
    assert value([x], pair["y"], 3.0) == 3.0
    assert isinstance(grad(x * y, (x, y)), list)
    with pytest.raises(TypeError, match=r"wrt\['x'\] is 1, a int: it must be a Variable"):
        grad(x * y, {"x": 1})


def test_second_derivatives(x: Any, calc: Any) -> None:
    cost = calc.Power(4)(x)
    assert value([x], grad(grad(cost, x), x), 3.0) == 12 * 3.0**2


def test_names_are_seen_through(x: Any) -> None:
    mu = (x * x).named("mu")
    assert value([x], grad(mu * x, x), 2.0) == 12.0


@pytest.mark.parametrize(("which", "expected"), [((0,), 1.0), ((1,), 7.0), ((0, 1), 8.0)])
def test_several_results(x: Any, y: Any, calc: Any, which: Any, expected: float) -> None:
    results = calc.SumAndProduct()(x, y)
    cost = results[which[0]]
    for i in which[1:]:
        cost = cost + results[i]
    assert value([x, y], grad(cost, x), 3.0, 7.0) == expected
    assert grad(cost, results[which[0]]) is calc.number(1.0)


def test_known_gradients_are_carried_on(x: Any, y: Any, calc: Any) -> None:
    middle = x * y
    ten = calc.number(10.0)
    by_x = grad(None, x, known_grads={middle: ten})
    assert value([y], by_x, 3.0) == 30.0
    with_cost = grad(middle + x, [x, middle], known_grads={middle: ten})
    assert value([x, y], with_cost[0], 2.0, 3.0) == 31.0
    assert with_cost[1] is ten


def test_without_a_cost_there_must_be_known_gradients(x: Any, y: Any, calc: Any) -> None:
    with pytest.raises(TypeError, match="grad needs a cost, or known_grads"):
        grad(None, x)
    with pytest.raises(DisconnectedInputError, match="what `known_grads` lists does not depend"):
        grad(None, x, known_grads={y: calc.number(1.0)})


def test_what_the_cost_does_not_depend_on(x: Any, y: Any, calc: Any) -> None:
    with pytest.raises(DisconnectedInputError, match=r"the cost <Neg : Number> .* on <y : Number>"):
        grad(-x, y)
    assert grad(-x, y, disconnected_inputs="ignore") is calc.number(0.0)
    with pytest.warns(UserWarning, match="does not depend differentiably") as caught:
        assert grad(-x, [y], disconnected_inputs="warn") == [calc.number(0.0)]
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="must be 'raise', 'warn' or 'ignore', not 'maybe'"):
        grad(-x, y, disconnected_inputs="maybe")  # type: ignore[call-overload]  # what is tested


def test_an_op_without_derivative(x: Any, y: Any, calc: Any) -> None:
    rounded = calc.Round()(x)
    with pytest.raises(UndefinedGradientError, match="Round has no derivative: define") as caught:
        grad(rounded * y, x)
    where, way = caught.value.__notes__
    assert where.startswith("while differentiating <Round : Number>, made at line")
    assert where.endswith("rounded = calc.Round()(x)")
    assert way == "the way from the cost: Mul <- Round <- x"
    assert grad(rounded * y, y) is calc.number(1.0) * rounded


def test_stop_gradient(x: Any) -> None:
    cost = x * stop_gradient(x)
    assert value([x], cost, 3.0) == 9.0
    assert value([x], grad(cost, x), 3.0) == 3.0
    with pytest.raises(DisconnectedInputError):
        grad(stop_gradient(x), x)


def test_pullback_of_several_outputs(x: Any, y: Any, calc: Any) -> None:
    a, b = calc.Number()("a"), calc.Number()("b")
    back = pullback([x * y, x], [x, y], [a, b])
    assert value([y, a, b], back[0], 3.0, 10.0, 1.0) == 31.0
    assert value([x, a], back[1], 2.0, 10.0) == 20.0
    (twice,) = pullback([x, x], [x], [a, b])
    assert twice is a + b
    assert pullback(-x, [x], a) == [-a]


def test_pullback_checks_what_it_gets(x: Any, y: Any) -> None:
    with pytest.raises(TypeError, match="the cotangent <t : Type> does not have the type of"):
        pullback(-x, [x], Type()("t"))
    with pytest.raises(DisconnectedInputError, match="the outputs <Neg : Number> do"):
        pullback(-x, [y], x)
    with pytest.raises(ValueError, match="zip"):
        pullback([x, y], [x], [x])


def test_costs_that_have_no_gradient(x: Any, calc: Any) -> None:
    with pytest.raises(TypeError, match=r"Bag\(None\) has no seed: it can't be the type of a cost"):
        grad(calc.Bag()("bag"), x)
    uncalled: Any = abs
    with pytest.raises(TypeError, match=r"not <built-in .*>: call it, as in grad\(f\(x\), x\)"):
        grad(uncalled, [])
    with pytest.raises(TypeError, match=r"the cost must be a Variable, not 3\.0"):
        grad(3.0, x)  # type: ignore[call-overload]  # what is tested


def test_a_pullback_must_fit_its_inputs(x: Any, y: Any, calc: Any) -> None:
    class Wrong(Op):
        answer: str

        def infer(self, *types: Type) -> Type:
            return types[0]

        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return {"few": [None], "text": [Type()("text"), None], "float": [1.0, 1.0]}[self.answer]

    with pytest.raises(TypeError, match=r"Wrong.pullback returned 1 cotangents for 2 inputs"):
        grad(Wrong("few")(x, y), x)
    with pytest.raises(TypeError, match="returned <text : Type> as cotangent of input 0, <x"):
        grad(Wrong("text")(x, y), x)
    with pytest.raises(TypeError, match=r"returned 1\.0 as cotangent of input 0"):
        grad(Wrong("float")(x, y), x)


def test_inputs_of_types_without_derivative_are_passed_by(x: Any, calc: Any) -> None:
    class Pick(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return [cotangents[0], cotangents[0]]

    bag = calc.Bag()("bag")
    cost = Pick()(x, bag)
    assert grad(cost, x) is calc.number(1.0)
    with pytest.raises(DisconnectedInputError):
        grad(cost, bag)


def test_what_only_passes_through_a_stop_gets_nothing(x: Any, y: Any, calc: Any) -> None:
    hidden = x * x
    cost = stop_gradient(hidden) * x + y
    assert value([x], grad(cost, x), 3.0) == 9.0
    with pytest.raises(DisconnectedInputError):
        grad(cost, hidden)
    total, product = calc.SumAndProduct()(x, y)
    assert value([x, y], grad(product + stop_gradient(total), x), 3.0, 7.0) == 7.0
    assert str(stop_gradient(x)) == "StopGradient"
    assert stop_gradient(x).op.infer_shape(None, stop_gradient(x).owner, ["n"]) == ["n"]


def test_nothing_goes_past_constants(x: Any, y: Any) -> None:
    middle = x * y
    cost = middle * x
    assert value([x, y], grad(cost, x, consider_constant=[middle]), 2.0, 5.0) == 10.0
    by_middle = grad(cost, middle, consider_constant=[middle])
    assert value([x], by_middle, 2.0) == 2.0
    with pytest.raises(DisconnectedInputError, match="is cut at <Mul : Number>"):
        grad(cost, y, consider_constant=[middle])
    with pytest.raises(TypeError, match=r"consider_constant must be variables, not 1\.0"):
        grad(cost, x, consider_constant=[1.0])  # type: ignore[list-item]  # what is tested


def test_one_of_several_results_may_be_constant(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, y)
    cost = total * product
    by_x = grad(cost, x, consider_constant=[total])
    assert value([x, y], by_x, 3.0, 7.0) == 10.0 * 7.0


def test_known_gradients_of_results_and_of_the_cost(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, y)
    two, five = calc.number(2.0), calc.number(5.0)
    by_x = grad(None, x, known_grads={total: two, product: five})
    assert value([y], by_x, 7.0) == 2.0 + 5.0 * 7.0
    cost = -total
    assert value([y], grad(cost, x, known_grads={cost: five}), 7.0) == -5.0
    with pytest.raises(TypeError, match="the known gradient <b : Type> does not have the type"):
        grad(None, x, known_grads={total: Type()("b")})


def test_the_message_shows_the_way_and_where_it_is_cut(x: Any, y: Any, calc: Any) -> None:
    stopped = stop_gradient(x * y)
    below = -stopped
    cost = -below
    with pytest.raises(DisconnectedInputError) as caught:
        grad(cost, x)
    text = str(caught.value)
    assert "the way Neg <- Neg <- StopGradient <- Mul <- x is cut at <StopGradient" in text
    assert "stopped = stop_gradient(x * y)" in text
    assert "`disconnected_inputs='ignore'` gives zeros instead" in text
    with pytest.raises(DisconnectedInputError, match="y is no part of it"):
        grad(-x, y)


def test_a_type_without_derivatives_is_named_as_the_reason(x: Any, calc: Any) -> None:
    class Pick(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return [cotangents[0], None]

    bag = calc.Bag()("bag")
    with pytest.raises(DisconnectedInputError, match=r"its type, Bag\(None\), has no derivatives"):
        grad(Pick()(x, bag), bag)


def test_a_long_way_is_shortened(x: Any) -> None:
    cost = stop_gradient(x)
    for _ in range(20):
        cost = -cost
    with pytest.raises(DisconnectedInputError, match=r"Neg <- Neg <- \(14 more\) <- Neg <- Neg"):
        grad(cost, x)


def test_undefined_and_unwritten_derivatives(x: Any, y: Any) -> None:
    class Half(Op):
        undefined: bool

        def infer(self, *types: Type) -> Type:
            return types[0]

        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            reason = grad_undefined if self.undefined else grad_not_implemented
            return [cotangents[0], reason(self, 1, inputs[1], "it jumps")]

    with pytest.raises(UndefinedGradientError, match=r"no derivative by input 1, <y .*: it jumps"):
        grad(Half(True)(x, y), y)
    with pytest.raises(
        UndefinedGradientError, match="by input 1, <y : Number>, is not implemented"
    ):
        grad(Half(False)(x, y) + y, y)
    assert str(grad(Half(True)(x, y), x)) == "1.0"


def test_what_means_no_dependence(x: Any, y: Any) -> None:
    class First(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

        def L_op(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return [cotangents[0], DisconnectedType()()]

    assert str(grad(First()(x, y), x)) == "1.0"
    with pytest.raises(DisconnectedInputError, match="is cut at <First"):
        grad(First()(x, y), y)


def test_value_and_gradient(x: Any, y: Any) -> None:
    cost = x * x
    assert value_and_grad(cost, x) == (cost, grad(cost, x))
    assert value_and_grad(cost, [x, y], disconnected_inputs="ignore")[1][0] is grad(cost, x)
    run = function([x], value_and_grad(cost, x), mode="py")
    assert run(3.0) == (9.0, 6.0)


def test_new_nodes_stand_where_those_stand_that_they_differentiate(x: Any, calc: Any) -> None:
    cost = calc.Power(3)(x)
    slope = grad(cost, x)
    assert slope.made_at == cost.made_at


class Floor(Op):
    """A step: its derivative is zero where there is one."""

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return float(values[0] // 1)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [None]


class Whole(Type):
    """Whole numbers, which have a zero and no derivatives."""

    def zeros_like(self, x: Any) -> Any:
        return constant(self, 0)


class Below(Op):
    """The whole number below; or, back again, the number that it is."""

    kind: Type

    def infer(self, *types: Type) -> Type:
        return self.kind


def test_steps_have_derivative_zero(x: Any, calc: Any) -> None:
    zero = calc.number(0.0)
    whole = Below(Whole())(x)
    back = Below(calc.Number())(whole)
    for cost in (Floor()(x), -Floor()(x * x), back, stop_gradient(x) * Floor()(x)):
        assert grad(cost, x) is zero
        assert pullback(cost, x, x) == [zero]
        assert pushforward(cost, x, x) is zero
        assert grad(cost, x, disconnected_inputs="warn") is zero
    assert grad(Floor()(x) * x, x) is calc.number(1.0) * Floor()(x)
    assert grad(back, whole) is pushforward(whole, x, x) is constant(Whole(), 0)


def test_what_has_no_derivatives_stands_still(x: Any, calc: Any) -> None:
    n, step = Whole()("n"), Whole()("step")
    moving = Below(calc.Number())(n) * x
    assert grad(moving, n) is constant(Whole(), 0)
    assert pushforward(moving, n, step) is calc.number(0.0)
    assert pushforward(moving, [n, x], [step, x]) is pushforward(moving, x, x)
    assert pushforward(n, n, step) is step


def test_an_op_without_derivative_need_not_have_one_by_what_stands_still(calc: Any) -> None:
    n = Whole()("n")
    assert grad(Below(calc.Number())(n), n) is constant(Whole(), 0)


def test_a_type_without_zeros_is_no_step(x: Any, calc: Any) -> None:
    class Ajar(Op):
        kind: Type

        def infer(self, *types: Type) -> Type:
            return self.kind

    bag = Ajar(calc.Bag())(x)
    with pytest.raises(DisconnectedInputError, match=r"its type, Bag\(None\), has no derivatives"):
        grad(Ajar(calc.Number())(bag), x)
    with pytest.raises(DisconnectedInputError):
        pushforward(Ajar(calc.Number())(bag), x, x)


def test_an_op_says_what_its_results_do_not_depend_on(x: Any, y: Any, calc: Any) -> None:
    class Sized(Op):
        """The first input, however many others there are."""

        def infer(self, *types: Type) -> Any:
            return types[0], types[1]

        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return [None, None]

        def connection_pattern(self, node: Apply) -> Any:
            return [[True, False], [False, True]]

    first, second = Sized()(x, y)
    zero = calc.number(0.0)
    assert grad(first, x) is grad(second, y) is zero
    for output, target in ((first, y), (second, x)):
        with pytest.raises(DisconnectedInputError, match="is cut at <Item"):
            grad(output, target)
        with pytest.raises(DisconnectedInputError):
            pushforward(output, target, x)
    inner = OpFromGraph([x, y], Sized()(x, y))
    assert grad(inner(x, y)[0], x) is zero
    with pytest.raises(DisconnectedInputError):
        grad(inner(x, y)[0], y)
    checked = check_and_raise(x, Below(Type())(y))
    with pytest.raises(DisconnectedInputError):
        grad(checked, y)
