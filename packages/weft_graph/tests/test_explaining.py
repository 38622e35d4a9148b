"""What rewriting does in words, and why a rule leaves an expression alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from weft_graph import (
    Each,
    FunctionGraph,
    Mode,
    Rule,
    RuleBook,
    any_constant,
    explain,
    function,
    wildcard,
)

Told = Callable[..., list[str]]


@pytest.fixture
def mode(calc: Any) -> Mode:
    a, b = (wildcard(name, calc.NumberVariable) for name in "ab")
    c = any_constant("c", calc.NumberVariable)
    early = RuleBook("early", [Rule(calc.Round()(a), a, name="no rounding")])
    book = RuleBook(
        "algebra",
        [
            Rule(a * 1, a, name="one"),
            Rule(a * a, calc.Power(2)(a), name="square"),
            Rule((a + b) * a, a * a + b * a, name="expand", when=lambda b: b.name == "y"),
            Rule(calc.Neg, lambda node: None, name="neg neg", over=calc.Neg),
            Rule(Each(calc.Power)(a), lambda a: None, name="undecided"),
            Rule(calc.Reciprocal()(c), lambda c: c, name="inverse"),
            Rule(calc.Round()(a) + b, a + b, name="late"),
            Rule(a * b, lambda a, b: None, name="shadowed"),
        ],
    )
    return Mode("py", books=[early, book])


@pytest.fixture
def told(mode: Mode, capsys: pytest.CaptureFixture[str]) -> Told:
    def lines(expression: Any, rule: str | None = None) -> list[str]:
        explain(expression, mode, rule=rule)
        return capsys.readouterr().out.splitlines()

    return lines


def test_every_change_is_told(x: Any, y: Any, calc: Any, told: Told) -> None:
    assert told((calc.Round()(x) * 1).named("p") + y) == [
        "Add(p, y): 4 nodes",
        "drop_names: 4 nodes become 3 nodes",
        "early: no rounding makes x of Round(x)",
        "algebra: one makes x of Mul(x, 1)",
        "Of a cost of 3, 1 is left: no rounding saves 1, one saves 1.",
        "In the end, 1 node:",
        "Add [a]",
        " ├─ x [b]",
        " └─ y [c]",
    ]


def test_a_compiled_function_is_told_from_what_was_written_by_its_own_mode(
    x: Any, y: Any, calc: Any, mode: Mode, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    expression = (calc.Round()(x) * 1).named("p") + y
    compiled = function([x, y], {"sum": expression}, mode=mode)
    for own_mode in (None, mode):
        explain(compiled, own_mode)
        assert capsys.readouterr().out.splitlines() == told(expression)
    explain(compiled, "py")
    assert "early" not in capsys.readouterr().out


def test_nothing_to_do(x: Any, y: Any, told: Told) -> None:
    assert told(FunctionGraph([x, y], [x, x + y]))[:3] == [
        "x, Add(x, y): 1 node",
        "Nothing to do for early, algebra.",
        "In the end, 1 node:",
    ]


def test_a_rule_that_applies(x: Any, told: Told) -> None:
    assert told([x * 1], "one") == [
        "one applies in algebra.",
        "  It makes x of Mul(x, 1)",
    ]


def test_the_part_of_a_pattern_that_fails(x: Any, y: Any, z: Any, calc: Any, told: Told) -> None:
    def why(expression: Any, rule: str) -> str:
        head, reason = told(expression, rule)
        assert head == f"{rule} does not apply in algebra."
        return reason

    assert why(x * 2, "one") == "  Mul(x, 2): argument 2 of Mul should be 1, and is 2"
    assert why(x * y, "square") == (
        "  Mul(x, y): argument 2 of Mul should be a again, which is x, and is y"
    )
    assert why(x * y, "expand") == "  Mul(x, y): argument 1 of Mul should be made by Add, and is x"
    assert why(calc.Reciprocal()(x), "inverse") == (
        "  Reciprocal(x): argument 1 of Reciprocal should be a constant, and is x"
    )
    assert why(-x, "neg neg") == "  Neg(x): no argument of Neg is made by Neg"
    total = x + z
    assert re.fullmatch(
        r"  Mul\(Add\(x, z\), x\): the pattern fits, but its condition says no "
        r"\(line \d+ of test_explaining.py: Rule\(\(a \+ b\) \* a, .*\)",
        why(total * x, "expand"),
    )
    assert re.fullmatch(
        r"  Power\(exponent=3\)\(x\): the pattern fits, but its function returns nothing "
        r"\(line \d+ of test_explaining.py: Rule\(Each\(calc.Power\).*\)",
        why(calc.Power(3)(x), "undecided"),
    )


def test_what_came_before(x: Any, y: Any, calc: Any, told: Told) -> None:
    assert told(calc.Round()(x), "inverse")[1:] == ["  There is no Reciprocal."]
    (reason,) = told(x * 1, "shadowed")[1:]
    assert reason.startswith("  Mul(x, 1): the pattern fits, but its function returns nothing")
    rounded = told(calc.Round()(x) * 1, "no rounding")
    assert rounded == ["no rounding applies in early.", "  It makes x of Round(x)"]


def test_what_was_made_something_else(x: Any, calc: Any) -> None:
    a = wildcard("a", calc.NumberVariable)
    early = RuleBook("early", [Rule(calc.Round()(a), a, name="no rounding")])
    late = RuleBook("late", [Rule(calc.Round()(calc.Round()(a)), a, name="twice")])
    lines: list[str] = []

    class Lines:
        def write(self, text: str) -> None:
            lines.append(text)

    explain(calc.Round()(x), Mode("py", books=[early, late]), rule="twice", file=Lines())  # type: ignore[arg-type]  # all that print asks of a file
    assert lines[0].splitlines() == [
        "twice does not apply in late.",
        "  There is no Round.",
        "  There was one: in early, no rounding makes x of Round(x)",
    ]


def test_a_rule_that_comes_too_late(x: Any, calc: Any, capsys: pytest.CaptureFixture[str]) -> None:
    a = wildcard("a", calc.NumberVariable)
    book = RuleBook("both", [Rule(-a, calc.Round()(a), name="first"), Rule(-a, a, name="second")])
    explain(-x, Mode("py", books=[book]), rule="second")
    assert capsys.readouterr().out.splitlines() == [
        "second does not apply in both.",
        "  Neg(x): it fits, but is tried later: first makes Round(x) of Neg(x)",
    ]


def test_an_unknown_rule(x: Any, told: Told) -> None:
    with pytest.raises(ValueError, match="no rule of this mode is called 'squar'; is it 'square'"):
        told(x, "squar")


def test_only_the_nearest_are_shown(x: Any, y: Any, told: Told) -> None:
    total = x
    for k in range(6):
        total = total * y + float(k)
    lines = told(total, "one")
    assert lines[-1] == "  ... and 3 more that fit less"
