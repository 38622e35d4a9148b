"""Verification: the first rule, pass or Op that is wrong is named, and nothing else is."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from weft_graph import (
    FunctionGraph,
    Mode,
    Op,
    Rule,
    RuleBook,
    Type,
    Verification,
    VerificationError,
    function,
    rewrite,
    rewrite_graph,
    shared,
    wildcard,
)


@pytest.fixture
def a(calc: Any) -> Any:
    return wildcard("a", calc.NumberVariable)


@pytest.fixture
def right(calc: Any, a: Any) -> Rule:
    return Rule(a * a, calc.Power(2)(a), name="square")


@pytest.fixture
def wrong(calc: Any, a: Any) -> Rule:
    return Rule(calc.Power(2)(a), a + a, name="confuse square and double")


@pytest.fixture
def draws(calc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(self: Type, random: Random, lengths: dict[str, int]) -> float:
        return random.uniform(-3, 3)

    monkeypatch.setattr(calc.Number, "draw", draw)


def test_the_first_rule_that_is_wrong_is_named(
    x: Any, y: Any, calc: Any, right: Rule, wrong: Rule
) -> None:
    graph = FunctionGraph([x, y], [calc.Mul()(calc.Add()(x, y), calc.Add()(x, y))])
    with Verification({x: 1.0, y: 4}), pytest.raises(VerificationError) as caught:
        rewrite_graph(graph, [RuleBook("algebra", [right, wrong])])
    lines = str(caught.value).splitlines()
    assert lines[:4] == [
        "rule confuse square and double (in algebra) changed a result:",
        "  before  Power(exponent=2)(Add(x, y)) = 25.0",
        "  after   Add(Add(x, y), Add(x, y)) = 10.0",
        "  where   x = 1.0, y = 4",
    ]
    assert lines[4].startswith("  made at line ")
    assert "graph = FunctionGraph([x, y], [calc.Mul()(" in lines[4]


def test_a_rule_that_is_right_by_chance(x: Any, calc: Any, wrong: Rule, draws: None) -> None:
    book = RuleBook("algebra", [wrong])
    square = FunctionGraph([x], [calc.Power(2)(x)])
    with Verification({x: 2}):
        rewrite_graph(square, [book])
    with Verification(), pytest.raises(VerificationError, match="rule confuse"):
        rewrite_graph(square, [book])


def test_right_rules_pass(x: Any, y: Any, calc: Any, right: Rule, draws: None) -> None:
    total, product = calc.SumAndProduct()((x * y).named("p"), x * x)
    with Verification():
        graph = rewrite_graph(FunctionGraph([x, y], [total, product]), [RuleBook("b", [right])])
    assert "Power" in str(graph.outputs[0].inputs[0].inputs[1])


def test_rounding_is_no_change_but_more_is(x: Any, calc: Any, a: Any) -> None:
    def scaled(factor: float) -> RuleBook:
        return RuleBook("scale", [Rule(calc.Neg, lambda node: node.inputs[0] * factor)])

    with Verification({x: 3.0}):
        rewrite([-x], scaled(-1 - 1e-14))
    with Verification({x: 3.0}), pytest.raises(VerificationError):
        rewrite([-x], scaled(-1 - 1e-6))


def test_a_pass_that_is_wrong_is_named(x: Any, calc: Any) -> None:
    def upside_down(graph: FunctionGraph) -> FunctionGraph:
        return FunctionGraph(graph.inputs, map(calc.Neg(), graph.outputs))

    with Verification({x: 3.0}), pytest.raises(VerificationError, match=r"^upside_down changed"):
        rewrite_graph(FunctionGraph([x], [x + x]), [upside_down])


def test_a_rule_that_makes_what_fails(x: Any, calc: Any) -> None:
    bad = Rule(calc.Neg, lambda node: calc.Reciprocal()(node.inputs[0]), name="bad")
    book = RuleBook("b", [bad])
    with (
        Verification({x: 0}),
        pytest.raises(
            VerificationError, match=r"rule bad .* can't be computed: division"
        ) as caught,
    ):
        rewrite([-x], book)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_type_that_draws_nothing(x: Any, right: Rule) -> None:
    message = r"Number draws no values: give them as verify=\{x: value\}, or define `Number.draw"
    with Verification(), pytest.raises(TypeError, match=message):
        rewrite([x * x], RuleBook("b", [right]))


def test_values_are_drawn_until_no_op_refuses(
    x: Any, calc: Any, draws: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def picky(self: Op, *values: Any) -> Any:
        if values[0] < 1:
            raise ValueError("too small")
        return values[0]

    monkeypatch.setattr(calc.Round, "impl", picky)
    with Verification():
        rewrite([calc.Round()(x)], RuleBook("none", []))
    with (
        Verification(),
        pytest.raises(ValueError, match=r"drawn for x suit .* verify=\{x: value\}"),
    ):
        rewrite([calc.Round()(calc.Neg()(calc.Round()(x)))], RuleBook("none", []))
    with Verification({x: 0}), pytest.raises(ValueError, match="too small"):
        rewrite([calc.Round()(x)], RuleBook("none", []))


class Measured(Op):
    """Says that it returns a number, and does not."""

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return [len(values)]


class Untrue(Op):
    """Returns one result less than it says."""

    def infer(self, *types: Type) -> tuple[Type, ...]:
        return (*types, *types)

    def impl(self, *values: Any) -> Any:
        return values


def test_an_op_that_returns_another_type_is_named(x: Any) -> None:
    with Verification({x: 1}), pytest.raises(VerificationError) as caught:
        rewrite([Measured()(x)], RuleBook("none", []))
    text = str(caught.value)
    assert text.startswith(
        "Measured returned what is not of its declared type: [1] is not a number"
    )
    assert "made at line" in text
    with (
        Verification({x: 1}),
        pytest.raises(VerificationError, match=r"Untrue returned .*: expected 2 results, got 1"),
    ):
        rewrite([Untrue()(x)[0]], RuleBook("none", []))


class Sorted(Op):
    """Sorts the very list that it gets."""

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        values[0].sort()
        return values[0]


def test_an_op_that_changes_its_input_is_named(calc: Any) -> None:
    xs = calc.Bag()("xs")
    rewrite_graph(FunctionGraph([xs], [Sorted()(xs)]), [], verify={xs: [1, 2]})
    with (
        Verification({xs: [2, 1]}),
        pytest.raises(VerificationError, match="Sorted changed the value of its input <xs"),
    ):
        rewrite([Sorted()(xs)], RuleBook("none", []))


def test_an_op_that_breaks_its_declared_lengths_is_named(calc: Any) -> None:
    xs = calc.Bag("n")("xs")
    with (
        Verification({xs: [1, 2]}),
        pytest.raises(VerificationError, match="has length 4 where its type says n, which is 2"),
    ):
        rewrite([calc.Doubled()(xs)], RuleBook("none", []))


def test_shared_variables_have_their_values(x: Any, calc: Any, wrong: Rule) -> None:
    three = shared(calc.Number(), 3, "three")
    mode = Mode("py", books=[RuleBook("b", [wrong])])
    with Verification(), pytest.raises(VerificationError, match="three = 3"):
        function([], calc.Power(2)(three), mode=mode)


def test_inputs_that_are_results(x: Any, calc: Any, right: Rule, wrong: Rule) -> None:
    middle = -x
    graph = FunctionGraph([middle], [middle * middle])
    with Verification({middle: 3}):
        rewrite_graph(graph, [RuleBook("b", [right])])
    with Verification({middle: 3}), pytest.raises(VerificationError, match="= 9"):
        rewrite_graph(graph, [RuleBook("b", [right, wrong])])


@pytest.mark.cases(0)
def test_long_chains(x: Any, calc: Any, a: Any) -> None:
    long = x
    for _ in range(100_000):
        long = calc.Add()(long, 1)
    with Verification({x: 1}):
        rewrite([long], RuleBook("b", [Rule(a + 0, a)]))
