from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft_graph import (
    DisconnectedInputError,
    Op,
    Type,
    UndefinedGradientError,
    constant,
    function,
    grad,
    pullback,
    pushforward,
    stop_gradient,
)


def value(inputs: list[Any], output: Any, *values: float) -> Any:
    return function(inputs, output, mode="py")(*values)


@pytest.fixture
def t(calc: Any) -> Any:
    return calc.Number()("t")


@pytest.fixture
def u(calc: Any) -> Any:
    return calc.Number()("u")


def test_by_two_pullbacks(x: Any, y: Any, t: Any, u: Any, calc: Any) -> None:
    result = calc.Power(3)(x) * y + x
    moved = pushforward(result, [x, y], [t, u])
    assert value([x, y, t, u], moved, 2.0, 5.0, 10.0, 1.0) == (3 * 4.0 * 5.0 + 1) * 10.0 + 8.0
    assert pushforward(x, x, t) is t


def test_one_or_several_outputs(x: Any, y: Any, t: Any, calc: Any) -> None:
    results = calc.SumAndProduct()(x, y)
    moved = pushforward(results, [x], [t])
    assert [value([x, y, t], m, 3.0, 7.0, 2.0) for m in moved] == [2.0, 14.0]
    assert value([x, y, t], pushforward(results[1], x, t), 3.0, 7.0, 2.0) == 14.0


def test_a_result_that_moves_by_itself_and_by_what_it_is_made_of(x: Any, t: Any, u: Any) -> None:
    middle = x * x
    moved = pushforward(middle * x, [x, middle], [t, u])
    assert value([x, t, u], moved, 2.0, 1.0, 10.0) == 3 * 4.0 + 10.0 * 2.0


def test_tangents_of_one_variable_add_up(x: Any, t: Any, u: Any) -> None:
    assert pushforward(x, [x, x], [t, u]) is t + u


def test_names_are_seen_through_and_stops_are_not(x: Any, t: Any) -> None:
    named = (x * x).named("square")
    assert value([x, t], pushforward(named, x, t), 3.0, 1.0) == 6.0
    half = x * stop_gradient(x)
    assert value([x, t], pushforward(half, x, t), 3.0, 1.0) == 3.0


def test_what_does_not_depend(x: Any, y: Any, t: Any, calc: Any) -> None:
    with pytest.raises(DisconnectedInputError, match="output <Neg : Number>, made at line"):
        pushforward(-y, x, t)
    with pytest.raises(DisconnectedInputError):
        pushforward(stop_gradient(x), x, t)
    assert pushforward(-y, x, t, disconnected_outputs="ignore") is calc.number(0.0)
    moved = pushforward([x, -y], x, t, disconnected_outputs="ignore")
    assert moved == [t, calc.number(0.0)]


def test_arguments_are_checked(x: Any, y: Any, t: Any) -> None:
    with pytest.raises(TypeError, match="the tangent <s : Type> does not have the type of <x"):
        pushforward(-x, x, Type()("s"))
    with pytest.raises(ValueError, match="zip"):
        pushforward(-x, [x, y], [t])
    with pytest.raises(ValueError, match="must be 'raise' or 'ignore', not 'warn'"):
        pushforward(-x, x, t, disconnected_outputs="warn")  # type: ignore[call-overload]  # what is tested
    with pytest.raises(TypeError, match=r"outputs must be variables, not 3\.0"):
        pushforward(3.0, x, t)  # type: ignore[call-overload]  # what is tested
    with pytest.raises(TypeError, match=r"tangents must be variables, not 1\.0"):
        pushforward(-x, x, 1.0)  # type: ignore[call-overload]  # what is tested


def test_an_op_without_derivative(x: Any, y: Any, t: Any, calc: Any) -> None:
    rounded = calc.Round()(x)
    with pytest.raises(UndefinedGradientError, match="Round has no derivative: define") as caught:
        pushforward(rounded * y, x, t)
    (where,) = caught.value.__notes__
    assert where.startswith("while differentiating <Round : Number>, made at line")
    assert pushforward(rounded * y, y, t) is t * rounded


class Scaled(Op):
    """Has the tradition's derivatives."""

    __props__ = ("factor",)

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] * self.factor

    def R_op(self, inputs: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return [None if t is None else Scaled(self.factor)(t) for t in tangents]


class LOnly(Scaled):
    R_op = None  # type: ignore[assignment]  # as if it were not there

    def L_op(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [LOnly(self.factor)(cotangents[0])]


class GradOnly(Scaled):
    R_op = None  # type: ignore[assignment]  # as if it were not there

    def grad(self, inputs: Any, cotangents: Any) -> Any:
        return [LOnly(self.factor)(cotangents[0])]


def test_the_traditions_derivatives(x: Any, t: Any) -> None:
    assert pushforward(Scaled(3.0)(x), x, t) is Scaled(3.0)(t)
    assert grad(LOnly(3.0)(x), x) is LOnly(3.0)(constant(x.type, 1.0))
    assert value([t], pushforward(GradOnly(3.0)(x), x, t), 2.0) == 6.0
    with pytest.raises(UndefinedGradientError, match="Scaled has no derivative"):
        grad(Scaled(3.0)(x), x)


class Linear(Op):
    """The first input times the last; linear in the first."""

    linear = slice(1)

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] * values[-1]


class Both(Linear):
    """Linear in both: their difference, and their sum."""

    linear = slice(None)

    def infer(self, *types: Type) -> Any:
        return types

    def impl(self, *values: Any) -> Any:
        return values[0] - values[1], values[0] + values[1]


def test_linear_ops_are_their_own_pushforward(x: Any, y: Any, t: Any, u: Any, calc: Any) -> None:
    zero = calc.number(0.0)
    assert pushforward(Linear()(x, y), x, t) is Linear()(t, y)
    assert pushforward(Linear()(x, y), y, t, disconnected_outputs="ignore") is zero
    assert pushforward(Both()(x, y), [x, y], [t, u]) == Both()(t, u)
    assert pushforward(Both()(x, y), y, u) == Both()(zero, u)


class Answers(Op):
    """Whose pushforward is what a test wants it to be."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def infer(self, *types: Type) -> Type:
        return types[0]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        return self.answer

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [cotangents[0] + cotangents[0]]


def test_a_pushforward_must_fit_its_outputs(x: Any, t: Any, calc: Any) -> None:
    with pytest.raises(TypeError, match=r"Answers.pushforward returned 0 tangents for 1 outputs"):
        pushforward(Answers([])(x), x, t)
    with pytest.raises(TypeError, match="returned <text : Type> as tangent of output 0, <Answers"):
        pushforward(Answers([Type()("text")])(x), x, t)
    with pytest.raises(TypeError, match=r"returned 1\.0 as tangent of output 0"):
        pushforward(Answers([1.0])(x), x, t)
    ignored = pushforward(Answers([None])(x), x, t, disconnected_outputs="ignore")
    assert ignored is calc.number(0.0)


def test_a_pushforward_may_leave_it_to_the_pullback(x: Any, t: Any) -> None:
    assert pushforward(Answers(NotImplemented)(x), x, t) is t + t


def test_results_without_derivatives_stay(x: Any, t: Any, calc: Any) -> None:
    class Boxed(Op):
        def infer(self, *types: Type) -> Type:
            return calc.Bag()  # type: ignore[no-any-return]  # made by the fixture

    class WordLength(Op):
        def infer(self, *types: Type) -> Type:
            return calc.Number()  # type: ignore[no-any-return]  # made by the fixture

    cost = x * WordLength()(Boxed()(x))
    assert pushforward(cost, x, t) is t * WordLength()(Boxed()(x))
    with pytest.raises(TypeError, match=r"Bag\(None\) has no zeros_like"):
        pushforward(Boxed()(x), x, t, disconnected_outputs="ignore")


def test_second_derivatives_in_every_order(x: Any, t: Any, calc: Any) -> None:
    fourth = calc.Power(4)(x)
    one = calc.number(1.0)
    expected = 12 * 3.0**2
    for second in (
        pushforward(pushforward(fourth, x, one), x, one),
        pushforward(grad(fourth, x), x, one),
        grad(pushforward(fourth, x, one), x),
    ):
        assert value([x], second, 3.0) == expected


class TwoWays(Scaled):
    """Both of the tradition's."""

    def L_op(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [TwoWays(self.factor)(cotangents[0])]


def drawn(seed: int, x: Any, y: Any, calc: Any) -> list[Any]:
    """The last few of a row of random expressions, each of earlier ones."""
    steps: list[Any] = [
        lambda a, b: [a + b],
        lambda a, b: [-a],
        lambda a, b: [a * b],
        lambda a, b: [TwoWays(-0.5)(a) + LOnly(0.5)(b)],
        lambda a, b: calc.SumAndProduct()(a, b),
        lambda a, b: [stop_gradient(a) * b],
        lambda a, b: [calc.Power(2)(a).named("square")],
    ]
    random = Random(seed)
    made = [x, y, TwoWays(0.5)(x) + y]
    for _ in range(random.randint(1, 20)):
        a, b = random.choices(made[-6:], k=2)
        made += random.choice(steps)(a, b)
    return made[-3:]


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_both_modes_agree(seed: int, calc: Any) -> None:
    """The weighted sum of the outputs' tangents is that of the inputs' by cotangents."""
    x, y, t, u = (calc.Number()(name) for name in "xytu")
    weights = [calc.Number()(f"w{k}") for k in range(3)]
    outputs = drawn(seed, x, y, calc)
    forward = pushforward(outputs, [x, y], [t, u], disconnected_outputs="ignore")
    back = pullback(outputs, [x, y], weights, disconnected_inputs="ignore")
    inputs = [x, y, t, u, *weights]
    point = [0.75, -0.5, 1.25, -2.0, 0.5, 1.5, -1.0]
    *moved, by_x, by_y = function(inputs, [*forward, *back], mode="py")(*point)
    ahead = sum(w * m for w, m in zip(point[4:], moved, strict=True))
    scale = max(1.0, *map(abs, moved), abs(by_x), abs(by_y))
    assert abs(ahead - (1.25 * by_x - 2.0 * by_y)) < 1e-9 * scale
