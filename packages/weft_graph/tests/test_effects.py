"""Ops that print or raise: when they do, and that nothing takes them away."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import (
    Assert,
    CheckAndRaise,
    Mode,
    Print,
    Rule,
    RuleBook,
    Type,
    assert_op,
    check_and_raise,
    digest,
    function,
    grad,
    print_value,
    pushforward,
)


class RefusedError(Exception):
    """A user's own."""


def test_print_is_the_identity_and_prints_at_each_call(x: Any, capsys: Any) -> None:
    f = function([x], -print_value(x, "x is"), mode="py")
    assert capsys.readouterr().out == ""
    assert [f(1.0), f(2.0)] == [-1.0, -2.0]
    assert capsys.readouterr().out == "x is 1.0\nx is 2.0\n"


def test_attributes_and_methods_are_printed_in_place_of_the_value(x: Any, capsys: Any) -> None:
    function([x], Print("x", attrs=("real", "is_integer"))(x), mode="py")(2.5)
    assert capsys.readouterr().out == "x real = 2.5\nx is_integer = False\n"
    function([x], Print()(x), mode="py")(2.5)
    assert capsys.readouterr().out == "2.5\n"


def test_an_attribute_that_there_is_not(x: Any) -> None:
    f = function([x], Print("x", attrs=["shape"])(x), mode="py")
    with pytest.raises(AttributeError, match="no attribute 'shape'") as caught:
        f(1.0)
    assert "while computing Print" in caught.value.__notes__[0]


def test_prints_come_in_the_order_of_the_program(x: Any, capsys: Any) -> None:
    first = print_value(x * 2.0, "first")
    second = print_value(first + x, "second")
    function([x], print_value(second * first, "third"), mode="py")(1.0)
    assert capsys.readouterr().out == "first 2.0\nsecond 3.0\nthird 6.0\n"


def test_rewriting_neither_removes_nor_repeats_a_print(x: Any, calc: Any, capsys: Any) -> None:
    twice = Rule(calc.Neg, lambda node: node.inputs[0] * -1.0, name="no Neg")
    square = Rule(calc.Power, lambda node: node.inputs[0] * node.inputs[0], name="no Power")
    mode = Mode("py", books=[RuleBook("repeating", [twice, square])])
    f = function([x], calc.Power(2)(-print_value(x, "x is")), mode=mode)
    assert f(3.0) == 9.0
    assert capsys.readouterr().out == "x is 3.0\n"


def test_a_derivative_prints_the_value_once(x: Any, capsys: Any) -> None:
    shown = print_value(x, "x is")
    f = function([x], [shown * shown, grad(shown * shown, x)], mode="py")
    assert f(3.0) == [9.0, 6.0]
    assert capsys.readouterr().out == "x is 3.0\n"


def test_a_condition_is_tested_at_each_call(x: Any, y: Any) -> None:
    checked = check_and_raise(x, y, RefusedError, "y must not be 0")
    f = function([x, y], -checked, mode="py")
    assert f(1.0, 2.0) == -1.0
    with pytest.raises(RefusedError, match="y must not be 0") as caught:
        f(1.0, 0.0)
    (note,) = caught.value.__notes__
    assert note.splitlines()[1:3] == [
        "  input 0: <x : Number> = 1.0",
        "  input 1: <y : Number> = 0.0",
    ]
    assert note.endswith('checked = check_and_raise(x, y, RefusedError, "y must not be 0")')


def test_several_conditions_and_plain_ones(x: Any, y: Any) -> None:
    f = function([x, y], CheckAndRaise(RefusedError, "no")(x, y, x, True), mode="py")
    assert f(1.0, 2.0) == 1.0
    for values in ((0.0, 1.0), (1.0, 0.0)):
        with pytest.raises(RefusedError, match="no"):
            f(*values)


def test_assert_raises_an_assertion_error(x: Any) -> None:
    for checked in (assert_op(x, x, message="x is 0"), Assert("x is 0")(x, x)):
        with pytest.raises(AssertionError, match="x is 0"):
            function([x], checked, mode="py")(0.0)
    with pytest.raises(AssertionError, match="an assertion of the graph does not hold"):
        function([x], assert_op(x, x), mode="py")(0.0)


def test_both_have_the_shape_of_what_they_watch(x: Any, y: Any) -> None:
    for watched in (print_value(x), check_and_raise(x, y)):
        view = watched.owner
        assert view.op.infer_shape(None, view, ["n", "m"]) == ["n"]
    assert not Print().do_constant_folding(None, print_value(x).owner)
    assert Assert().do_constant_folding(None, assert_op(x, x).owner)


def test_checks_are_differentiated_as_the_identity(x: Any, y: Any) -> None:
    checked = check_and_raise(x, y)
    slope = grad(checked * checked, x)
    f = function([x, y], slope, mode="py")
    assert f(3.0, 1.0) == 6.0
    with pytest.raises(ValueError, match="a condition does not hold"):
        f(3.0, 0.0)
    (tangent,) = pushforward([checked * y], [x], [y])
    assert function([x, y], tangent, mode="py")(3.0, 2.0) == 4.0


def test_equal_checks_are_one_node_that_pickles(x: Any, y: Any) -> None:
    assert check_and_raise(x, y) is check_and_raise(x, y)
    assert check_and_raise(x, y) is not check_and_raise(x, y, RefusedError)
    op = CheckAndRaise(RefusedError, "no")
    assert pickle.loads(pickle.dumps(op)) is op
    assert digest(check_and_raise(x, y)) != digest(check_and_raise(x, y, TypeError))
    assert Print("x", attrs=["shape"]) is Print("x", attrs=("shape",))


def test_what_can_not_be_raised() -> None:
    class NeedsTwoError(Exception):
        def __init__(self, code: int, text: str) -> None:
            super().__init__(code, text)

    with pytest.raises(TypeError, match="exc_type must be a class of exceptions, not 'ValueError'"):
        CheckAndRaise("ValueError", "no")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(TypeError, match="NeedsTwoError can't be made of a message alone"):
        CheckAndRaise(NeedsTwoError, "no")


def test_what_a_check_needs(x: Any) -> None:
    with pytest.raises(TypeError, match="takes a value and at least one condition"):
        CheckAndRaise(ValueError, "no")(x)
    with pytest.raises(TypeError, match="argument 1 is 'yes', a str, not a Variable"):
        CheckAndRaise(ValueError, "no")(x, "yes")
    assert check_and_raise(x, False).inputs[1].type is Type()
