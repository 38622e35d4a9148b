"""The text form: what its reader takes, and where its errors point."""

from __future__ import annotations

from typing import Any

import pytest

from weft_graph import (
    GraphTextError,
    Type,
    from_text,
)


def test_comments_blanks_and_missing_types_are_read(x: Any, y: Any, calc: Any) -> None:
    text = """
      # The length of a step.
      x = input:Number  # metres

      y   =   input : Number
      %7 = Add( x ,y)
      step = Mul(%7, 2.0 : Number)  : Number
      return   step ,%7   # both
      # The end.
    """
    graph = from_text(text, inputs=[x, y], names=vars(calc))
    assert graph.outputs == (((x + y) * 2.0).named("step"), x + y)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "line 1, column 1", "expected a line `name = ...`, or `return ...`"),
        ("x = input : Number", "line 1, column 19", "expected a line"),
        ("return\nreturn", "line 2, column 1", "nothing may follow"),
        ("x = input : Numbr\nreturn x", "line 1, column 13", "Did you mean Number"),
        ("x = input : Mul\nreturn x", "line 1, column 13", "expected Type, but this is Mul()"),
        ("x = input\nreturn x", "line 1, column 10", "expected ':'"),
        ("x = input : Number\nx = Neg(x)\nreturn x", "line 2, column 1", "'x' is given twice"),
        ("nan = input : Number\nreturn nan", "line 1, column 1", "means something else"),
        ("x = input : Number\n%0 = Negg(x)\nreturn %0", "line 2, column 6", "Did you mean Neg"),
        ("x = input : Number\n%0 = Neg(y)\nreturn %0", "line 2, column 10", "gives 'y'"),
        ("x = input : Number\n%0 = Neg(x\nreturn %0", "line 2, column 9", "never closed"),
        ("x = input : Number\n%0 = Neg(x,)\nreturn %0", "line 2, column 12", "expected a value"),
        (
            "x = input : Number\n%0 = Neg(x) : Bag(length='n')\nreturn %0",
            "line 2, column 15",
            "declared as Bag(n), but it is Number",
        ),
        (
            "x = input : Number\n%0 = Power(power=2)(x)\nreturn %0",
            "line 2, column 6",
            "Power has the parameters ('exponent',), not 'power'",
        ),
        ("x = input : Number\n%0 = Power()(x)\nreturn %0", "line 2, column 6", "missing parameter"),
        ("x = input : Number\n%0 = Power(2)(x)\nreturn %0", "line 2, column 12", "`name=value`"),
        ("x = input : Number\n%0 = x[0]\nreturn %0", "line 2, column 6", "there is no result 0"),
        ("x = input : Bag(length=3, length=4)\nreturn x", "line 1, column 27", "given twice"),
        ("x = input : Number\n%0 = Neg(x) Number\nreturn", "line 2, column 13", "expected ` : `"),
        ("x = input : Number y\nreturn", "line 1, column 19", "expected the end of the line"),
        ("return 'a':Number", "line 1, column 8", "'a' is not a number"),
        ("return 1", "line 1, column 9", "expected ':'"),
        ("return os:system('ls')", "line 1, column 8", "gives 'os'"),
        ("%0 = os:system(command='ls')()\nreturn %0", "line 1, column 6", "is no class"),
        ("%0 = threading:Thread(name='ls')()\nreturn", "line 1, column 6", "neither an Op, a Type"),
    ],
)  # fmt: skip
def test_errors_point_at_the_place(text: str, place: str, message: str, calc: Any) -> None:
    with pytest.raises(GraphTextError) as caught:
        from_text(text, names=vars(calc))
    shown = str(caught.value)
    assert shown.startswith(f"{place}: "), shown
    assert message in shown
    assert shown.splitlines()[-1].endswith("^")


def test_an_op_that_refuses_its_inputs_is_named(calc: Any) -> None:
    with pytest.raises(GraphTextError, match=r"line 2, column 6: input 0 is no number") as caught:
        from_text("x = input : Type\n%0 = Neg(x)\nreturn %0", names=vars(calc))
    assert isinstance(caught.value.__cause__, TypeError)
    assert "while applying Neg" in "\n".join(caught.value.__notes__)


def test_the_given_inputs_must_fit(x: Any, y: Any, calc: Any) -> None:
    text = "x = input : Number\nreturn x"
    with pytest.raises(GraphTextError, match="no variable was given"):
        from_text(text, inputs=[], names=vars(calc))
    with pytest.raises(GraphTextError, match=r"fewer inputs than were given: <y : Number>"):
        from_text(text, inputs=[x, y], names=vars(calc))
    with pytest.raises(GraphTextError, match=r"line 1, column 1: .*<t : Type>, is no Number"):
        from_text(text, inputs=[Type()("t")], names=vars(calc))
