"""The page of Ops is what the packages have, and nothing is missing."""

from __future__ import annotations

import re

from tools.op_matrix import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.op_matrix`"


def test_no_cell_is_empty() -> None:
    """Of the page, which is up to date."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    assert len(lines) > 100
    cells = [re.split(r" \| |^\| | \|$", line)[1:-1] for line in lines]
    assert {len(row) for row in cells} == {7}
    assert all(map(all, cells))
