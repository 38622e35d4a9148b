from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Each, FunctionGraph, Rule, RuleBook, any_constant, audit, wildcard


@pytest.fixture
def a(calc: Any) -> Any:
    return wildcard("a", calc.NumberVariable)


@pytest.fixture
def b(calc: Any) -> Any:
    return wildcard("b", calc.NumberVariable)


def test_nothing_is_wrong(a: Any, b: Any, calc: Any) -> None:
    negative = -a
    rules = [
        Rule(-negative, a, name="double"),
        Rule(negative * b, -(a * b), name="out"),
        Rule(a * 1, a, name="one"),
        Rule(a * a, calc.Power(2)(a), name="square"),
    ]
    assert audit(RuleBook("good", rules), of=calc.Number()) == []


def test_a_right_side_of_another_type(a: Any, calc: Any) -> None:
    bag = calc.Bag()("bag")
    wrong = Rule(-a, lambda a: bag, name="to a bag")
    assert audit(RuleBook("r", [wrong]), of=calc.Number()) == [
        "rule to a bag makes <bag : Bag(None)> of <Neg : Number>, which is of another type"
    ]


def test_no_variable_as_right_side(a: Any, calc: Any) -> None:
    wrong: Any = Rule(-a, lambda a: 3, name="to 3")  # type: ignore[arg-type, return-value]  # tested
    (found,) = audit(RuleBook("r", [wrong]), of=calc.Number())
    assert found == "rule to 3 makes 3 of <Neg : Number>, which is of another type"


@pytest.mark.parametrize("kind", ["swap", "wrap", "grow"])
def test_rules_that_loop_by_themselves(kind: str, a: Any, b: Any, x: Any, calc: Any) -> None:
    def grow(node: Any) -> Any:
        return calc.Power(node.op.exponent + 1)(node.inputs[0])

    r = {
        "swap": Rule(a * b, b * a, name="swap"),
        "wrap": Rule(-a, calc.Round()(-a), name="wrap"),
        "grow": Rule(calc.Power, grow, name="grow"),
    }[kind]
    examples = {"grow": [calc.Power(2)(x)]} if kind == "grow" else {}
    (found,) = audit(RuleBook("r", [r]), of=calc.Number(), examples=examples)
    made = {
        "swap": "of Mul(a, b) it makes Mul(b, a)",
        "wrap": "of Neg(a) it makes Round(Neg(a))",
        "grow": "of Power(exponent=2)(x) it makes Power(exponent=3)(x)",
    }[kind]
    assert found == f"rule {kind} comes to no end: {made}"


def test_rules_that_undo_each_other_by_way_of_a_third(a: Any, calc: Any) -> None:
    rules = [
        Rule(a * 1, -a, name="start"),
        Rule(-a, calc.Round()(a), name="there"),
        Rule(calc.Round()(a), calc.Power(1)(a), name="on"),
        Rule(calc.Power(1)(a), -a, name="back"),
    ]
    found = audit(RuleBook("circle", rules), of=calc.Number())
    assert found[0] == (
        "rules there and on and back undo each other: from Mul(a, 1), book circle comes to no end"
    )


def test_a_rule_that_undoes_what_an_earlier_phase_did_is_no_circle(a: Any, calc: Any) -> None:
    there = RuleBook("there", [Rule(-a, calc.Round()(a), name="there")])
    back = RuleBook("back", [Rule(calc.Round()(a), -a, name="back")])
    assert audit(back, of=calc.Number(), earlier=[there]) == []


def test_a_shadowed_rule(a: Any, b: Any, calc: Any) -> None:
    general = Rule(a * b, calc.Round()(a), name="general")
    special = Rule(a * 1, a, name="special")
    assert audit(RuleBook("r", [special, general]), of=calc.Number()) == []
    assert audit(RuleBook("r", [general, special]), of=calc.Number()) == [
        "rule special never applies: general of r comes first at Mul(a, 1)"
    ]


def test_a_rule_whose_left_side_an_earlier_phase_destroys(a: Any, calc: Any) -> None:
    early = RuleBook("early", [Rule(-a, a * -1, name="sign")])
    late = RuleBook("late", [Rule(calc.Round()(-a), -calc.Round()(a), name="round")])
    assert audit(late, of=calc.Number()) == []
    assert audit(late, of=calc.Number(), earlier=[early]) == [
        "rule round never applies: early makes Round(Mul(a, -1)) of Round(Neg(a)) before (by sign)"
    ]


def test_a_rule_whose_left_side_its_own_book_destroys(a: Any, calc: Any) -> None:
    inner = Rule(-a, calc.Power(1)(a), name="inner")
    outer = Rule(calc.Round()(-a), a, name="outer")
    (found,) = audit(RuleBook("r", [outer, inner]), of=calc.Number())
    assert found.startswith("rule outer never applies: r makes Round(Power(exponent=1)(a)) of")


def test_a_pass_that_destroys_a_left_side(a: Any, x: Any, y: Any, calc: Any) -> None:
    def without_products(graph: FunctionGraph) -> FunctionGraph:
        return graph.replace({v: v.inputs[0] for v in graph.nodes if type(v.op) is calc.Mul})

    square = RuleBook("late", [Rule(a * a, calc.Power(2)(a), name="square")])
    assert audit(square, of=calc.Number(), earlier=[without_products]) == [
        "rule square never applies: without_products makes a of Mul(a, a) before"
    ]


def test_one_example_is_enough_to_show_that_a_rule_applies(a: Any, x: Any, calc: Any) -> None:
    low = Rule(
        calc.Power, lambda node: node.inputs[0], when=lambda node: node.op.exponent < 3, name="low"
    )
    few = Rule(
        calc.Power, lambda node: -node.inputs[0], when=lambda node: node.op.exponent < 9, name="few"
    )
    powers = {n: calc.Power(n)(x) for n in (2, 5)}
    examples = {"low": [powers[2]], "few": [powers[2], powers[5]]}
    assert audit(RuleBook("r", [low, few]), examples=examples) == []
    examples["few"] = [powers[2]]
    (found,) = audit(RuleBook("r", [low, few]), examples=examples)
    assert found == "rule few never applies: low of r comes first at Power(exponent=2)(x)"


def test_names_are_unique(a: Any, calc: Any) -> None:
    rules = [Rule(-a, a, name="n"), Rule(a * 1, a, name="n")]
    assert audit(RuleBook("r", rules), of=calc.Number()) == ["2 rules are called n"]


def test_rules_without_example(a: Any, x: Any, calc: Any) -> None:
    c = any_constant("c", calc.NumberVariable)
    rules = [
        Rule(calc.Power, lambda node: None, name="function"),
        Rule(Each(calc.Power, "p")(a), a, name="class"),
        Rule(a * c, a, name="constant"),
    ]
    found = audit(RuleBook("r", rules), of=calc.Number())
    assert [text.split(": ")[0] for text in found] == [
        "rule function has no example",
        "rule class has no example",
        "rule constant has no example",
    ]
    assert "give some as examples={'constant': ...}" in found[2]
    examples = {"class": [calc.Power(2)(x)], "constant": [x * 3]}
    assert audit(RuleBook("r", rules[1:]), examples=examples) == []
    assert len(audit(RuleBook("r", [Rule(-a, a, name="no type")]))) == 1


def test_examples_that_do_not_fit(a: Any, x: Any) -> None:
    r = Rule(-a, a, name="r")
    assert audit(RuleBook("b", [r]), examples={"r": [x * x], "s": [x]}) == [
        "there are examples for s, but b has no rule of that name",
        "rule r does not apply to its example Mul(x, x)",
    ]


def test_long_examples_are_cut(a: Any, x: Any) -> None:
    for _ in range(60):
        x = x * x
    (found,) = audit(RuleBook("b", [Rule(-a, a, name="r")]), examples={"r": [x]})
    assert len(found) < 160
    assert found.endswith("...")


def test_may_change_is_declared_with_known_words(a: Any, calc: Any) -> None:
    assert Rule(-a, a, may_change="nan").may_change == {"nan"}
    assert Rule(-a, a, may_change=("nan", "inf")).may_change == {"nan", "inf"}
    with pytest.raises(ValueError, match="no rule can change 'speed'; it may change 'rounding', "):
        Rule(-a, a, may_change="speed")
