from __future__ import annotations

from typing import Any

import pytest

from weft_graph import (
    AnyType,
    Each,
    Form,
    Op,
    Rule,
    Type,
    Variable,
    any_constant,
    constant,
    rest,
    wildcard,
)
from weft_graph.rewriting.mismatch import mismatch
from weft_graph.rewriting.patterns import filled, matcher


@pytest.fixture
def a(calc: Any) -> Any:
    return wildcard("a", calc.NumberVariable)


@pytest.fixture
def b(calc: Any) -> Any:
    return wildcard("b", calc.NumberVariable)


def test_expressions_over_wildcards_are_of_any_type(a: Any, calc: Any) -> None:
    assert isinstance((a + 1).type, AnyType)
    assert type(-a) is calc.NumberVariable
    assert repr(wildcard("w")) == "<w : any>"


def test_a_wildcard_stands_for_any_variable(a: Any, x: Any, y: Any) -> None:
    match = matcher(-a)
    assert match(-(x * y)) == {"a": x * y}
    assert match(x * y) is None
    assert match(x) is None


def test_the_ops_parameters_must_agree(a: Any, x: Any, calc: Any) -> None:
    match = matcher(calc.Power(2)(a))
    assert match(calc.Power(2)(x)) == {"a": x}
    assert match(calc.Power(3)(x)) is None


def test_the_number_of_inputs_must_agree(x: Any, y: Any, calc: Any) -> None:
    a = wildcard("a")
    match = matcher(calc.OldSum()(a, a))
    assert match(calc.OldSum()(x, x)) == {"a": x}
    assert match(calc.OldSum()(x, x, x)) is None


def test_commutative_ops_match_in_both_orders(a: Any, b: Any, x: Any, y: Any) -> None:
    match = matcher(-a * b)
    assert match(-x * y) == {"a": x, "b": y}
    assert match(y * -x) == {"a": x, "b": y}
    assert match(x * y) is None


def test_orders_are_tried_at_every_depth(a: Any, x: Any, y: Any, calc: Any) -> None:
    match = matcher((a + 1) * -a)
    assert match((x + 1) * -x) == {"a": x}
    assert match(-x * (x + 1)) == {"a": x}
    assert match(-x * calc.Add()(1, x)) == {"a": x}
    assert match(-y * (x + 1)) is None


def test_a_wildcard_used_twice_is_one_variable(a: Any, x: Any, y: Any) -> None:
    match = matcher(a * a)
    assert match(x * x) == {"a": x}
    assert match(x * y) is None


def test_so_are_two_wildcards_of_one_name(x: Any, y: Any, calc: Any) -> None:
    match = matcher(calc.Add()(wildcard("a"), wildcard("a")))
    assert match(x + x) == {"a": x}
    assert match(x + y) is None


@pytest.mark.parametrize("one", [1, 1.0])
def test_a_literal_is_that_value_in_any_type(a: Any, x: Any, one: Any) -> None:
    match = matcher(a + 1)
    assert match(x + one) == {"a": x}
    assert match(x + 2) is None
    assert match(x + x) is None


def test_a_literal_that_occurs_twice_may_differ_in_type(a: Any, x: Any) -> None:
    match = matcher((a + 1) * 1)
    assert match((x + 1.0) * 1) == {"a": x}


def test_a_constant_without_plain_value_stands_for_itself(x: Any, calc: Any) -> None:
    class Opaque(Type):
        def literal(self, value: Any) -> Any:
            return None

    first, second = constant(Opaque(), 1), constant(Opaque(), 2)
    match = matcher(calc.OldSum()(wildcard("a"), first))
    assert match(calc.OldSum()(x, first)) == {"a": x}
    assert match(calc.OldSum()(x, second)) is None


def test_any_constant(a: Any, x: Any, y: Any, calc: Any) -> None:
    match = matcher(a * any_constant("c", calc.NumberVariable))
    assert match(x * 3) == {"a": x, "c": calc.number(3)}
    assert match(calc.Mul()(3, x)) == {"a": x, "c": calc.number(3)}
    assert match(x * y) is None


def test_each_stands_for_any_op_of_a_class(x: Any, calc: Any) -> None:
    match = matcher(calc.Neg()(Each(calc.Power, "power")(wildcard("a"))))
    assert match(-calc.Power(5)(x)) == {"a": x, "power": calc.Power(5)}
    assert match(-calc.Round()(x)) is None
    assert matcher(Each(calc.Power)(wildcard("a")))(calc.Power(2)(x)) == {"a": x}


def test_each_of_one_name_is_one_op(x: Any, calc: Any) -> None:
    power = Each(calc.Power, "power")
    match = matcher(power(power(wildcard("a"))))
    assert match(calc.Power(5)(calc.Power(5)(x))) == {"a": x, "power": calc.Power(5)}
    assert match(calc.Power(5)(calc.Power(4)(x))) is None


def test_each_includes_subclasses(x: Any, calc: Any) -> None:
    match = matcher(Each(calc.NumberOp)(wildcard("a")))
    assert match(-x) == {"a": x}
    assert match(calc.View()(x)) is None


def test_inputs_are_no_wildcards(a: Any, x: Any) -> None:
    with pytest.raises(TypeError, match="<x : Number> is an input: the leaves of patterns"):
        matcher(a * x)


def test_a_shared_part_of_a_pattern_is_one_variable(x: Any, y: Any) -> None:
    class Both(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

    part = Both()(wildcard("a"), wildcard("b"))
    match = matcher(Both()(part, part))
    inner = Both()(x, y)
    assert match(Both()(inner, inner)) == {"a": x, "b": y}
    assert match(Both()(inner, Both()(y, x))) is None


def test_rest_stands_for_further_inputs() -> None:
    class Several(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

    a, b, c = (Type()(name) for name in "abc")
    x, others = wildcard("x"), rest("others")
    first = Rule(Several()(Several()(x, rest("gone")), others), Several()(x, others), name="first")
    several = Several()
    assert first(several(several(a, b), b, c)) is several(a, b, c)
    assert first(several(several(a, b, c))) is several(a)
    assert first(several(a, b)) is None
    twice = matcher(several(several(x, others), others))
    assert twice(several(several(a, b, c), b, c)) == {"x": a, "others": (b, c)}
    assert twice(several(several(a, b, c), c, b)) is None


def test_a_form_is_what_may_be_written_in_several_ways() -> None:
    def halves(v: Variable) -> tuple[Variable, Variable] | None:
        return (v.inputs[0], v.inputs[-1]) if isinstance(v.op, Join) else None

    class Join(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

    a, b, c = (Type()(name) for name in "abc")
    x, y = wildcard("x"), wildcard("y")
    pair = Form("pair", halves)
    inner = Rule(Join()(pair(x, y), y), lambda x, y: Join()(y, x), name="inner")
    assert inner(Join()(Join()(a, c, b), b)) is Join()(b, a)
    assert inner(Join()(Join()(a, b, c), b)) is None
    assert inner(Join()(a, b)) is None
    found = mismatch(inner, Join()(a, b))
    assert found is not None
    assert found.text == "argument 1 of Join should be of the form pair, and is a"
    with pytest.raises(ValueError, match="pair stands for nothing in particular"):
        filled(pair(x, y), {"x": a, "y": b})
