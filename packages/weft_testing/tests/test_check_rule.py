"""`check_rule` finds rules that are wrong, and says where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Rule, RuleBook, any_constant, wildcard
from weft_testing import check_book, check_rule, contract_table

x: Any = wildcard("x", kind=wt.TensorVariable)
y: Any = wildcard("y", kind=wt.TensorVariable)
c: Any = any_constant("c", kind=wt.TensorVariable)
X, V = wt.matrix("X"), wt.vector("V")


def is_float(x: Any) -> bool:
    return x.type.dtype.startswith("float")  # type: ignore[no-any-return]  # a str


def floats(left: Any, right: Any, **options: Any) -> Rule:
    when = options.pop("when", is_float)
    return Rule(left, right, when=when, name=options.pop("name", "r"), **options)


def problems(r: Rule, *examples: Any) -> list[str]:
    with pytest.raises(AssertionError) as caught:
        check_rule(r, examples)
    return str(caught.value).split("\n")


def test_equal_to_the_last_bit() -> None:
    assert check_rule(floats(wt.neg(-x), x)) == frozenset()
    assert check_rule(Rule(x + y, y + x, when=lambda x, y: x.name == "x")) == frozenset()


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (x + 0.0, x, {"zero sign"}),
        (wt.exp(wt.log(wt.exp(x))), wt.exp(x), {"rounding"}),
        (wt.log(1 + x), wt.log1p(x), {"rounding", "digits", "zero sign"}),
        (wt.sqrt(wt.square(x)), wt.abs(x), {"rounding", "digits", "overflow"}),
        (wt.exp(x) / (1 + wt.exp(x)), wt.sigmoid(x), {"rounding", "domain", "inf"}),
        (wt.where(wt.isnan(x), 0.0, x), x, {"nan"}),
        (wt.where(wt.isinf(x), 0.0, x), x, {"inf"}),
        (wt.log(wt.abs(x)), wt.log(wt.square(wt.sqrt(x))), {"smaller domain", "rounding", "inf"}),
    ],
)
def test_what_rules_change(left: Any, right: Any, expected: set[str]) -> None:
    assert check_rule(floats(left, right, may_change=expected)) == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (x * x, wt.abs(x) * 1.5),
        (wt.log1p(x), wt.log(1 + x)),  # loses digits
        (wt.expm1(x), wt.exp(x) - 1),
        (wt.sin(x), x),
        (1 / x, wt.reciprocal(wt.abs(x))),
    ],
)
def test_another_value(left: Any, right: Any) -> None:
    everything = ("rounding", "digits", "overflow", "domain", "zero sign", "inf", "nan")
    found = problems(floats(left, right, may_change=everything))
    assert any("rule r changes the value: for " in text for text in found)
    assert any("the left side is np.float" in text for text in found)


def test_what_is_not_declared() -> None:
    (found,) = problems(floats(x + 0.0, x, may_change="rounding"))
    assert found == (
        "rule r changes more than it declares, 'zero sign': for np.float32(-0.0) the left side "
        "is np.float32(0.0), the right side np.float32(-0.0)"
    )


def test_integers_may_not_change_at_all() -> None:
    (found,) = problems(Rule(abs(x), x, when=lambda x: x.type.dtype == "int64", name="r"))
    assert found.startswith(
        "rule r changes the value: for np.int64(-1) the left side is np.int64(1)"
    )


def test_complex_numbers() -> None:
    def is_complex(x: Any) -> bool:
        return x.type.dtype.startswith("complex")  # type: ignore[no-any-return]  # a str

    times_one = floats(x * 1, x, when=is_complex, may_change="complex")
    assert check_rule(times_one) == {"complex"}
    (found,) = problems(floats(wt.conj(x), x, when=is_complex))
    assert "changes the value" in found


def test_a_right_side_of_another_type() -> None:
    (found, *_) = problems(floats(wt.exp(x), wt.cast(wt.sin(x), "float32")))
    assert found == (
        "rule r makes <cast[float32] : float32[?]> of <exp : float64[?]>, which is of another type"
    )


def test_a_right_side_that_loses_an_axis() -> None:
    lost = Rule(
        wt.arctan2(x, y), wt.arctan(x), when=lambda x, y: is_float(x) and is_float(y), name="lost"
    )
    found = problems(lost)
    assert any("rule lost: the left side is float32(" in text for text in found)


def test_a_shape_that_only_a_call_shows() -> None:
    def of_two(node: Any) -> Any:
        (x,) = node.inputs
        return x[:2] * x[:2]

    shorter = Rule(wt.Elemwise("square"), of_two, name="shorter")
    (found,) = problems(shorter, wt.square(V))
    assert found == (
        "rule shorter: the left side is float64(4,), the right side float64(2,) (for V float64(4,))"
    )


def test_an_error_on_the_right_side_alone() -> None:
    def first(node: Any) -> Any:
        return node.inputs[0][0]

    one = wt.prod(V[:1])
    (found,) = problems(Rule(wt.Prod, first, name="first"), one)
    assert found.startswith("rule first: the right side raises IndexError: index 0 is out of")
    assert found.endswith("(for V float64(0,))")
    assert check_rule(Rule(wt.Prod, first, may_change="error"), [one]) == {"error"}


def test_a_right_side_that_some_dtypes_have_not() -> None:
    stepped = wt.floor(x + x)
    for rule in (
        Rule(abs(abs(x)), stepped, name="r"),
        Rule(abs(abs(x)), lambda x: wt.floor(x + x)),
    ):
        for check in (check_rule, lambda r: check_book(RuleBook("book", [r]))):
            with pytest.raises(
                AssertionError, match="floor is not defined for complex128"
            ) as caught:
                check(rule)
            text = str(caught.value)
            assert text.startswith(f"rule {rule.name} raises TypeError: ")
            assert "(for x: complex128[?]: leave them out with `when=`, if they are not" in text
            assert "<string>" not in text
            assert "no example" not in text
    with pytest.raises(AssertionError, match=r"made at .*stepped = wt.floor\(x \+ x\)"):
        check_rule(Rule(abs(abs(x)), stepped))


def test_a_rule_that_fails_for_an_example() -> None:
    with pytest.raises(AssertionError, match=r"raises AttributeError: .* \(for V: float64\[\?\]"):
        check_rule(Rule(wt.Elemwise("square"), lambda node: node.op.scale), [wt.square(V)])


def test_values_are_found_for_the_inputs_of_examples() -> None:
    double = Rule(wt.Index, lambda node: node.op(*node.inputs) * 2, name="double")
    (found,) = problems(double, X[0])
    assert found.startswith("rule double comes to no end")
    idle = Rule(wt.Transpose, lambda node: wt.abs(node.inputs[0]), name="idle")
    (found,) = problems(idle, X.T)
    assert found.startswith("rule idle changes the value: for ")


def test_inputs_that_do_not_broadcast_to_the_result_are_shown_in_full() -> None:
    product = Rule(wt.Sum, lambda node: wt.prod(node.inputs[0]), name="product")
    (found,) = problems(product, V.sum())
    assert found.startswith("rule product changes the value: for [")


def test_an_example_that_always_fails() -> None:
    unmade = Rule(wt.Index, lambda node: wt.zeros(()), name="unmade")
    (found,) = problems(unmade, V[9])
    assert "fails for all drawn values" in found


def test_an_example_with_values_is_computed_for_these() -> None:
    idle = Rule(wt.Elemwise("abs"), lambda node: node.inputs[0], name="idle")
    assert check_rule(idle, [(wt.abs(V), [np.array([2.0, 0.5])])]) == frozenset()
    (found,) = problems(idle, (wt.abs(V), [np.array([2.0, -0.5])]))
    assert "for np.float64(-0.5) the left side is np.float64(0.5)" in found
    book = RuleBook("b", [idle])
    assert check_book(book, examples={"idle": [(wt.abs(V), [np.ones(3)])]}) == {"idle": frozenset()}


def test_a_rule_without_example() -> None:
    (found,) = problems(Rule(wt.Sum, lambda node: None, name="r"))
    assert found == "rule r has no example: give some as examples={'r': ...}"
    (found,) = problems(floats(wt.exp(x), wt.exp(x) * 1, when=lambda x: False))
    assert found.startswith("rule r has no example")


def test_facts_are_looked_for() -> None:
    def is_exp(x: Any) -> bool:
        return x.op is wt.Elemwise("exp") and is_float(x)

    assert check_rule(floats(wt.abs(x), x, when=is_exp)) == frozenset()


def test_constants_on_the_left() -> None:
    def floating(x: Any, c: Any) -> bool:
        return is_float(x) and is_float(c)

    assert check_rule(floats((-x) * c, x * -c, when=floating)) == frozenset()
    (found,) = problems(floats((-x) * c, x * c, when=floating))
    assert "changes the value" in found


def test_a_book() -> None:
    good = floats(wt.log(1 + x), wt.log1p(x), name="good", may_change=("rounding", "digits"))
    assert check_book(RuleBook("b", [floats(wt.neg(-x), x, name="fine")])) == {"fine": frozenset()}
    there = floats(wt.sin(x), wt.cos(x), name="there")
    back = floats(wt.cos(x), lambda x: wt.sin(x), name="back")
    shadowed = floats(wt.log(1 + x), wt.log1p(x), name="shadowed", may_change="rounding")
    with pytest.raises(AssertionError) as caught:
        check_book(RuleBook("b", [good, shadowed, there, back]), examples={"gone": [wt.exp(V)]})
    found = str(caught.value)
    for text in (
        "rule good changes more than it declares, 'zero sign': for np.float32(-0.0)",
        "rule shadowed never applies: good of b comes first at log(add(1.0, x))",
        "rules there and back undo each other: from sin(x), book b comes to no end",
        "rule there changes the value: for ",
        "there are examples for gone, but b has no rule of that name",
    ):
        assert text in found
    assert len(set(found.split("\n"))) == len(found.split("\n"))


def test_a_left_side_that_an_earlier_pass_destroys() -> None:
    def without_sines(graph: FunctionGraph) -> FunctionGraph:
        return graph.replace({v: v.inputs[0] for v in graph.nodes if v.op is wt.Elemwise("sin")})

    late = RuleBook(
        "late",
        [
            floats(
                wt.abs(wt.sin(x)),
                wt.sqrt(wt.square(wt.sin(x))),
                name="even",
                may_change=("rounding", "digits"),
            )
        ],
    )
    with pytest.raises(AssertionError, match="rule even never applies: without_sines makes abs"):
        check_book(late, earlier=[without_sines])


def test_a_table_of_what_rules_may_change() -> None:
    rules = [
        floats(wt.log(1 + x), wt.log1p(x), name="a | b", may_change=("zero sign", "digits")),
        floats(wt.neg(-x), x, name="c"),
    ]
    assert contract_table(RuleBook("b", rules)).split("\n")[2:] == [
        "| `a \\| b` | digits, zero sign |",
        "| `c` | nothing |",
    ]
