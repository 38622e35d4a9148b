"""Nothing recurses over a graph: a long chain does what a short one does."""

from __future__ import annotations

import gc
import pickle
import sys
from typing import Any

import pytest

from weft_graph import (
    DisconnectedInputError,
    FunctionGraph,
    Mode,
    Rule,
    RuleBook,
    function,
    grad,
    pushforward,
    replace,
    rewrite,
    toposort,
    value_and_grad,
)
from weft_graph.text.dprint import text_of

LENGTH = 100_000


@pytest.fixture
def length(few: Any) -> int:
    return len(few(range(LENGTH), LENGTH // 5))


@pytest.fixture
def chain(x: Any, length: int) -> Any:
    """x + 1 + ..., with LENGTH nodes, or fewer in the quick run."""
    v = x
    for _ in range(length):
        v = v + 1
    return v


def test_it_is_longer_than_any_recursion() -> None:
    assert sys.getrecursionlimit() * 10 < LENGTH // 5


def test_building_and_walking(chain: Any, x: Any, length: int) -> None:
    assert len(toposort([chain])) == length + 2
    assert len(FunctionGraph([x], [chain])) == length


@pytest.mark.cases(0)
def test_building_the_same_again_makes_nothing(chain: Any, x: Any, living: Any) -> None:
    before = living()
    v = x
    for _ in range(LENGTH):
        v = v + 1
    assert v is chain
    assert living() == before


@pytest.mark.cases(0)
def test_dying(x: Any, living: Any) -> None:
    gc.freeze()  # what others left is not counted
    before = living()
    v = x
    for _ in range(LENGTH):
        v = -v
    assert living() == before + LENGTH
    del v
    assert living() == before


@pytest.mark.cases(0)
def test_differentiating(x: Any, calc: Any) -> None:
    v = x
    for _ in range(LENGTH):
        v = -v
    slope = grad(v, x)
    assert len(toposort([slope])) == LENGTH + 1
    assert function([], slope, mode=Mode("py", books=[]))() == 1.0


@pytest.mark.cases(0)
def test_differentiating_forward(x: Any, y: Any) -> None:
    v = x
    for _ in range(LENGTH):
        v = -v
    assert len(toposort([pushforward(v, x, y)])) == LENGTH + 1


@pytest.mark.cases(0)
def test_value_and_gradient(x: Any, calc: Any) -> None:
    v = x
    for _ in range(LENGTH // 2):
        v = calc.Power(1)(-v)
    cost, slope = value_and_grad(v, x)
    assert len(toposort([cost, slope])) == 6 * (LENGTH // 2) + 2


@pytest.mark.cases(0)
def test_what_cuts_a_long_way(chain: Any, y: Any) -> None:
    with pytest.raises(DisconnectedInputError, match=r"<y : Number>.* y is no part of it"):
        grad(chain, y)


@pytest.mark.cases(0)
def test_replacing(chain: Any, x: Any, y: Any) -> None:
    (new,) = replace([chain], {x: y})
    assert new is not chain
    assert replace([new], {y: x}) == [chain]


@pytest.mark.cases(0)
def test_rewriting(chain: Any, x: Any, calc: Any) -> None:
    by_two = Rule(calc.Add, lambda node: node.inputs[0] * 1, name="product")
    (new,) = rewrite([chain], RuleBook("products", [by_two]))
    order = toposort([new])
    assert len(order) == LENGTH + 2
    assert {v.op for v in order[2:]} == {calc.Mul()}


@pytest.mark.cases(0)
def test_rewriting_to_nothing(x: Any, calc: Any) -> None:
    v = x
    for _ in range(LENGTH):
        v = -v
    assert rewrite([v], RuleBook("drop", [Rule(calc.Neg, lambda node: node.inputs[0])])) == [x]


@pytest.mark.cases(0)
def test_printing(chain: Any) -> None:
    lines = text_of(chain).splitlines()
    assert len(lines) == 2 * LENGTH + 1
    assert max(map(len, lines)) < 300


@pytest.mark.cases(0)
def test_pickling(chain: Any) -> None:
    again = pickle.loads(pickle.dumps(chain))
    order = toposort([again])
    assert len(order) == LENGTH + 2
    assert again.made_at == chain.made_at


@pytest.mark.cases(0)
def test_compiling_and_running(chain: Any, x: Any) -> None:
    compiled = function([x], chain, mode=Mode("py", books=[]))
    assert compiled(5) == LENGTH + 5


@pytest.mark.cases(0)
def test_many_inputs_and_a_wide_node(calc: Any) -> None:
    inputs = [calc.Number()("x") for _ in range(5_000)]
    compiled = function(inputs, calc.OldSum()(*inputs), mode=Mode("py", books=[]))
    assert compiled(*range(5_000)) == sum(range(5_000))
