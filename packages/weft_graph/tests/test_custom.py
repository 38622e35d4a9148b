from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import (
    Mode,
    custom_pullback,
    digest,
    function,
    grad,
    pullback,
    pushforward,
    stop_gradient,
)


def value(inputs: list[Any], output: Any, *values: float) -> Any:
    return function(inputs, output, mode="py")(*values)


def tenfold(inputs: Any, outputs: Any, slopes: Any) -> Any:
    """Ten times what it should be, so that one sees who was asked."""
    x, y = inputs
    return [slopes[0] * y * 10.0, slopes[0] * x * 10.0]


def thousandfold(inputs: Any, outputs: Any, tangents: Any) -> Any:
    (x, y), (t, u) = inputs, tangents
    return [t * y * 1000.0 if u is None else t * y * 1000.0 + u * x * 1000.0]


@custom_pullback(pullback=tenfold)
def product(x: Any, y: Any) -> Any:
    """The product."""
    return x * y


def test_the_pullback_that_was_given_is_used(x: Any, y: Any) -> None:
    by_x, by_y = grad(product(x, y) + x, [x, y])
    for mode in (Mode("py", books=[]), Mode("py")):
        run = function([x, y], [product(x, y), by_x, by_y], mode=mode)
        assert run(3.0, 5.0) == [15.0, 51.0, 30.0]


def test_forward_mode_transposes_it_or_takes_the_one_given(x: Any, y: Any, calc: Any) -> None:
    t = calc.Number()("t")
    assert value([x, y, t], pushforward(product(x, y), y, t), 3.0, 5.0, 2.0) == 60.0
    both = custom_pullback(lambda x, y: x * y, pullback=tenfold, pushforward=thousandfold)
    assert value([x, y, t], pushforward(both(x, y), x, t), 3.0, 5.0, 2.0) == 10000.0
    assert value([x, y], grad(both(x, y), x), 3.0, 5.0) == 50.0


def test_derivatives_of_the_derivative(x: Any, y: Any) -> None:
    assert value([], grad(grad(product(x, y), x), y)) == 10.0


def test_it_can_be_defined_later(x: Any, calc: Any) -> None:
    @custom_pullback
    def step(x: Any) -> Any:
        return calc.Round()(x)

    with pytest.raises(TypeError, match=r"step has no derivative yet: give it .* `step.define\("):
        step(x)
    answer = step.define(lambda inputs, outputs, cotangents: cotangents)
    assert grad(step(x), x) is calc.number(1.0)
    step.define_pushforward(lambda inputs, outputs, tangents: [None])
    assert step.pullback is answer
    assert pushforward(step(x), x, x, disconnected_outputs="ignore") is calc.number(0.0)


def test_it_looks_like_the_function(x: Any, y: Any) -> None:
    assert product(x, y).op.name == "product"
    assert product.__doc__ == "The product."
    assert repr(product).startswith("custom_pullback(<function product")


def test_several_results_and_other_arguments(x: Any, y: Any, calc: Any) -> None:
    @custom_pullback
    def both(x: Any, exponent: int, *, y: Any) -> Any:
        return calc.Power(exponent)(x), x + y

    seen = []

    @both.define
    def back(inputs: Any, outputs: Any, cotangents: Any) -> Any:
        seen.append((len(inputs), len(outputs), len(cotangents)))
        return [cotangents[0], cotangents[1]]

    power, total = both(x, 3, y=y)
    assert value([x, y], power, 2.0, 1.0) == 8.0
    assert isinstance(both(x, 3, y=y), tuple)
    by_x, by_y = grad(power + total + total, [x, y])
    assert (value([], by_x), value([], by_y)) == (1.0, 2.0)
    assert seen == [(2, 2, 2)]
    assert value([x], both(x, 2, y=x)[1], 4.0) == 8.0


def test_what_it_must_not_do(x: Any, y: Any) -> None:
    with pytest.raises(ValueError, match="<lambda> uses <y : Number>, which the derivative that"):
        custom_pullback(lambda x: x * y, pullback=tenfold)(x)
    with pytest.raises(TypeError, match=r"must return a Variable, or a list .*, not 3\.0"):
        custom_pullback(lambda x: 3.0, pullback=tenfold)(x)
    with pytest.raises(TypeError, match=r"not \[\]"):
        custom_pullback(lambda x: [], pullback=tenfold)(x)
    with pytest.raises(TypeError, match="returned 1 cotangents for 2 inputs") as caught:
        grad(custom_pullback(lambda x, y: x, pullback=lambda i, o, c: c)(x, y), x)
    assert caught.value.__notes__[0].startswith("while differentiating <<lambda> : Number>")


def test_it_may_stop_and_be_stopped(x: Any, y: Any) -> None:
    cost = product(stop_gradient(x), y)
    assert value([x], grad(cost, y), 3.0) == 30.0
    with pytest.raises(ValueError, match="is cut at <StopGradient"):
        grad(cost, x)


def test_equal_calls_are_one_node_and_pickle(x: Any, y: Any) -> None:
    cost = product(x, y)
    assert product(x, y) is cost
    assert digest(product(y, x)) == digest(cost)
    again_x, again = pickle.loads(pickle.dumps((x, cost)))
    assert again.op is cost.op
    (by_x,) = pullback(again, again_x, again_x)
    assert "Mul" in str(by_x)
