from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import (
    Checkpoint,
    FunctionGraph,
    Mode,
    checkpoint,
    digest,
    function,
    grad,
    inline,
    pushforward,
    toposort,
)
from weft_graph.extend import Barrier


def value(inputs: list[Any], output: Any, *values: float) -> Any:
    return function(inputs, output, mode="py")(*values)


def test_values_and_derivatives_stay(x: Any, y: Any, calc: Any) -> None:
    def step(x: Any, y: Any) -> Any:
        return calc.Power(3)(x) * y + x

    t = calc.Number()("t")
    plain = step(step(x, y), x)
    kept = checkpoint(step)(checkpoint(step)(x, y), x)
    for mine, other in (
        (kept, plain),
        (grad(kept, x), grad(plain, x)),
        (grad(kept, y), grad(plain, y)),
        (pushforward(kept, x, t), pushforward(plain, x, t)),
        (grad(grad(kept, x), x), grad(grad(plain, x), x)),
        (grad(pushforward(kept, x, t), y), grad(pushforward(plain, x, t), y)),
    ):
        for mode in (Mode("py", books=[]), Mode("py")):
            run = function([x, y, t], [mine, other], mode=mode)
            first, second = run(0.5, 2.0, 3.0)
            assert first == second


def test_the_graph_is_computed_again_behind_the_cotangent(x: Any, calc: Any) -> None:
    square = calc.Power(2)
    step = checkpoint(lambda v: square(-v))
    cost = step(step(x))
    graph = inline(FunctionGraph([x], [cost, grad(cost, x)]))
    assert graph.outputs[0] is square(-square(-x))
    barriers = [v for v in graph.nodes if v.op is Barrier()]
    assert {b.inputs[0] for b in barriers} == {x, square(-x)}
    negated = {v.inputs[0] for v in graph.nodes if v.op is calc.Neg()}
    assert negated > {x, square(-x), *barriers}


def test_variables_from_around_are_kept_not_computed_again(x: Any, y: Any, calc: Any) -> None:
    outer = calc.Power(2)(y)

    @checkpoint
    def scaled(x: Any) -> Any:
        return x * outer * calc.Power(3)(y) + calc.number(1.0)

    (node,) = [v for v in toposort([scaled(x)]) if isinstance(v.op, Checkpoint)]
    assert set(node.inputs) == {x, outer, calc.Power(3)(y)}
    by_x, by_y = grad(scaled(x), [x, y])
    assert value([x, y], by_x, 3.0, 2.0) == 32.0
    assert value([x, y], by_y, 3.0, 2.0) == 3.0 * 5 * 16.0


def test_several_results_and_other_arguments(x: Any, y: Any, calc: Any) -> None:
    @checkpoint
    def two(x: Any, exponent: int, *, y: Any) -> list[Any]:
        """Two results."""
        return [calc.Power(exponent)(x), x * y]

    power, prod = two(x, 2, y=y)
    assert two.__doc__ == "Two results."
    assert value([x, y], grad(power * prod, x), 3.0, 5.0) == 3 * 9.0 * 5.0
    assert value([x, y], grad(prod, y), 3.0, 5.0) == 3.0
    with pytest.raises(TypeError, match=r"<lambda> must return a Variable, .* not None"):
        checkpoint(lambda x: None)(x)


def test_within_each_other(x: Any, calc: Any) -> None:
    @checkpoint
    def inner(v: Any) -> Any:
        return calc.Power(3)(calc.Power(2)(v))

    @checkpoint
    def outer(v: Any) -> Any:
        return -inner(-inner(v))

    plain = -calc.Power(3)(calc.Power(2)(-calc.Power(3)(calc.Power(2)(x))))
    assert value([x], grad(outer(x), x), 0.5) == value([x], grad(plain, x), 0.5)


def test_it_pickles_and_has_a_digest(x: Any, y: Any, calc: Any) -> None:
    op = checkpoint(calc.Power(3))(x).op
    assert pickle.loads(pickle.dumps(op)) is op
    assert digest(op(x)) == digest(op(y))
    assert checkpoint(calc.Power(3))(y).op is op


def test_what_has_no_derivative_is_not_held_back(x: Any, calc: Any) -> None:
    class Scaled(calc.NumberOp):  # type: ignore[misc]  # made by the fixture
        def infer(self, *types: Any) -> Any:
            return types[0]

        def impl(self, *values: Any) -> Any:
            return values[0] * len(values[1])

        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return [Scaled()(cotangents[0], inputs[1]), None]

    bag = calc.Bag()("bag")
    graph = inline(FunctionGraph([x, bag], [grad(checkpoint(Scaled())(x, bag), x)]))
    assert [v.inputs[1] for v in graph.nodes if v.op is Scaled()] == [bag]
    assert function([x, bag], grad(checkpoint(Scaled())(x, bag), x), mode="py")(1.0, [0, 0]) == 2.0
