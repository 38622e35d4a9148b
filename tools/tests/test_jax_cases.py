"""The page of dynamic shapes is what the test of them has."""

from __future__ import annotations

from tools.jax_cases import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.jax_cases`"


def test_there_are_many_cases() -> None:
    assert sum(line.startswith("| `") for line in page().splitlines()) >= 60
