"""Write docs/rule_contracts.md, what each rule may change: `python -m tools.rule_contracts`."""

from __future__ import annotations

from typing import Final

import weft_rewrites
from tools.workspace import ROOT
from weft_graph import Rule, RuleBook, Variable
from weft_graph.extend import FP_CHANGES
from weft_rewrites import Equation
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
on values drawn for their inputs (see [the audit](rules.md#the-audit)).

Of {all} rules, {equations} are equations: a left and a right side over letters, which stand for any
tensors, with a condition. The others are functions that look for what they apply to:
{others}.

The words for what may change are these:

"""


def is_equation(r: Rule) -> bool:
    """Whether both sides of a rule are expressions over letters."""
    sides = r.left, r.right
    return isinstance(r, Equation) or all(isinstance(side, Variable) for side in sides)


def page() -> str:
    """Return the page that the rules of the books make."""
    rules = {r.name: r for book in BOOKS for r in book}
    others = [f"`{name}`" for name, r in rules.items() if not is_equation(r)]
    head = _HEAD.format(
        all=len(rules), equations=len(rules) - len(others), others=", ".join(others)
    )
    words = "\n\n".join(f"{name}\n: {meaning}" for name, meaning in FP_CHANGES.items())
    tables = [f"## {book.name}\n\n{contract_table(book)}" for book in BOOKS]
    return "\n\n".join([head.rstrip(), words, *tables]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
