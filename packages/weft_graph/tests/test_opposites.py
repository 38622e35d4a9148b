"""Rules that undo each other are refused when a book is made of them."""

from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Mode, Rule, RuleBook, any_constant, wildcard


def never(node: Any) -> bool:
    return False


def always(node: Any) -> bool:
    return True


@pytest.fixture
def a(calc: Any) -> Any:
    return wildcard("a", calc.NumberVariable)


@pytest.fixture
def b(calc: Any) -> Any:
    return wildcard("b", calc.NumberVariable)


@pytest.fixture
def pairs(a: Any, b: Any, calc: Any) -> dict[str, tuple[Rule, Rule]]:
    round_of = calc.Round()
    c = any_constant("c", calc.NumberVariable)
    sides: dict[str, Any] = {
        "plain": ((-a, round_of(a)), (round_of(b), -b)),
        "one is more special": ((-a, round_of(a)), (round_of(a * b), -(a * b))),
        "in another order": ((a * -b, round_of(a + b)), (round_of(b + a), (-a) * b)),
        "what is left is a part": ((round_of(-a), a), (a * b, round_of(-(a * b)))),
        "with a number": ((-a, a * -1), (b * -1, -b)),
        "with any number": ((a * c, round_of(a) + c), (c + round_of(a), a * c)),
        "of equal arguments": ((a * b, a + a), (a + b, b * b)),
    }
    return {
        name: (Rule(*there, name="there"), Rule(*back, name="back"))
        for name, (there, back) in sides.items()
    }


NAMES = (
    *("plain", "one is more special", "in another order", "what is left is a part"),
    *("with a number", "with any number", "of equal arguments"),
)


@pytest.mark.parametrize("name", NAMES)
def test_two_rules_that_undo_each_other(name: str, pairs: Any) -> None:
    there, back = pairs[name]
    for rules in ((there, back), (back, there)):
        with pytest.raises(ValueError, match=r"rules (there and back|back and there) of round "):
            RuleBook("round", rules)


def test_they_are_found_wherever_they_come_together(pairs: Any) -> None:
    there, back = pairs["plain"]
    book = RuleBook("inner", [there])
    mode = Mode("py", books=[book])
    with pytest.raises(ValueError, match="of outer undo each other: leave one out"):
        RuleBook("outer", [book, RuleBook("other", [back])])
    with pytest.raises(ValueError, match="rules back and there of inner"):
        book.including(back)
    with pytest.raises(ValueError, match="rules back and there of inner"):
        mode.including(back)
    assert len(mode.including(RuleBook("later", [back])).books) == 2  # one after the other


def test_conditions_that_differ_are_taken_to_exclude_each_other(a: Any, calc: Any) -> None:
    def rule(there: bool, when: Any) -> Rule:
        sides = (-a, calc.Round()(a)) if there else (calc.Round()(a), -a)
        return Rule(*sides, when=when, name=f"{there} {when}")

    assert len(RuleBook("b", [rule(True, always), rule(False, never)])) == 2
    for one, other in ((always, always), (None, always), (never, None)):
        with pytest.raises(ValueError, match="undo each other"):
            RuleBook("b", [rule(True, one), rule(False, other)])


def test_rules_that_go_on_are_no_circle(a: Any, b: Any, calc: Any) -> None:
    c = any_constant("c", calc.NumberVariable)
    round_of = calc.Round()
    for there, back in (
        ((-a, round_of(a)), (round_of(-b), b)),
        ((a * -1, -a), (a * 0, -a)),
        ((a + a, a * 2), (a * c, a + c)),
        ((-(a * c), a * -c), ((-a) * b, -(a * b))),  # a constant is made of -c before
        ((a * b, round_of(a) + b), (round_of(a) + b, b + a)),
    ):
        assert len(RuleBook("b", [Rule(*there, name="1"), Rule(*back, name="2")])) == 2
