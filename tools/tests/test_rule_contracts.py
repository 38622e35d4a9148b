"""The page of what rules may change is what the rules say."""

from __future__ import annotations

import weft_rewrites
from tools.rule_contracts import BOOKS, PAGE, is_equation, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.rule_contracts`"


def test_every_rule_is_on_it() -> None:
    assert {r.name for book in BOOKS for r in book} == {r.name for r in weft_rewrites.stabilize}


BY_OVERFLOW = {
    "log(x + sqrt(square(x) - 1)) = arccosh(x)",
    "log of a product with exponentials",
    "log of a sum of products with exponentials, shifted",
    "x / exp(y) = x * exp(-y) where y is one number for many",
    "A @ broadcast_to(x, n) = sum(A, 1)[:, None] * x",
    "outer(x, y) @ b = x * (y @ b) for vectors b",
    "outer(x, y) @ B = outer(x, y @ B)",
    "(s * A) @ x = s * (A @ x) for numbers s and vectors x",
    "x @ (s * A) = s * (x @ A) for numbers s and vectors x",
    "(A / s) @ x = (A @ x) / s for numbers s and vectors x",
    "x @ (A / s) = (x @ A) / s for numbers s and vectors x",
}
"""Their left side is a number alone only where something in it, or on the right, leaves the range
of numbers: -inf for log(-1 * exp(-1000)), which is no real number."""


def test_a_smaller_domain_comes_of_overflow_alone() -> None:
    found = {r.name for r in weft_rewrites.stabilize if "smaller domain" in r.may_change}
    assert found == BY_OVERFLOW


def test_nine_rules_in_ten_are_equations() -> None:
    rules = {r.name: r for book in BOOKS for r in book}
    assert len(rules) >= 300
    assert sum(map(is_equation, rules.values())) >= 0.9 * len(rules)
