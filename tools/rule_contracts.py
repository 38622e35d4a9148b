"""Write docs/rule_contracts.md, what each rule may change: `python -m tools.rule_contracts`."""

from __future__ import annotations

from typing import Final

import weft_rewrites
from tools.workspace import ROOT
from weft_graph import RuleBook
from weft_graph.extend import FP_CHANGES
from weft_testing import contract_table

PAGE: Final = ROOT / "docs" / "rule_contracts.md"

BOOKS: Final[tuple[RuleBook, ...]] = (
    weft_rewrites.canonical,
    weft_rewrites.shapes,
    weft_rewrites.stability,
    weft_rewrites.values,
    weft_rewrites.wholes,
    weft_rewrites.fusible,
    weft_rewrites.folding,
)

_HEAD = """\
# What each rule may change

As functions of real numbers, both sides of a rule are equal. Between floating-point numbers, some
rules change more than nothing. What they may change stands with them, and a test holds them to it
on values drawn for their inputs (see [the audit](rules.md#the-audit)). The words are these:

"""


def page() -> str:
    """Return the page that the rules of the books make."""
    words = "\n\n".join(f"{name}\n: {meaning}" for name, meaning in FP_CHANGES.items())
    tables = [f"## {book.name}\n\n{contract_table(book)}" for book in BOOKS]
    return "\n\n".join([_HEAD.rstrip(), words, *tables]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
