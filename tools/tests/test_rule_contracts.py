"""The page of what rules may change is what the rules say."""

from __future__ import annotations

import weft_rewrites
from tools.rule_contracts import BOOKS, PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.rule_contracts`"


def test_every_rule_is_on_it() -> None:
    assert {r.name for book in BOOKS for r in book} == {r.name for r in weft_rewrites.stabilize}


BY_OVERFLOW = {
    "log(x + sqrt(square(x) - 1)) = arccosh(x)",
    "log of a product with exponentials",
    "log(x ** y) = y * log(abs(x)), NaN where x ** y is",
    "outer(x, y) @ b = x * (y @ b)",
    "(s * A) @ x = s * (A @ x) for numbers s and vectors x",
}
"""Their left side is a number alone only where something in it, or on the right, leaves the range
of numbers: -inf for log(-1 * exp(-1000)), which is no real number."""


def test_a_smaller_domain_comes_of_overflow_alone() -> None:
    found = {r.name for r in weft_rewrites.stabilize if "smaller domain" in r.may_change}
    assert found == BY_OVERFLOW
