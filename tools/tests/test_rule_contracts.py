"""The page of what rules may change is what the rules say."""

from __future__ import annotations

import weft_rewrites
from tools.rule_contracts import BOOKS, PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.rule_contracts`"


def test_every_rule_is_on_it() -> None:
    assert {r.name for book in BOOKS for r in book} == {r.name for r in weft_rewrites.stabilize}


def test_no_rule_has_a_smaller_domain() -> None:
    assert not [r.name for r in weft_rewrites.stabilize if "smaller domain" in r.may_change]
