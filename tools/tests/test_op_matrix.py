"""The page of Ops is what the packages have, and nothing is missing."""

from __future__ import annotations

from tools.op_matrix import PAGE, functions, page, structured


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.op_matrix`"


def test_no_cell_is_empty() -> None:
    lines = [*structured(), *functions()]
    assert len(lines) > 100
    assert not [line for line in lines if not all(line)]
