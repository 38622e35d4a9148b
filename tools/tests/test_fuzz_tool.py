"""Tests of the tool that compares random graphs with NumPy."""

from __future__ import annotations

from typing import Any

import pytest

from tools import fuzz
from weft_graph import Mode


def test_it_says_how_many_graphs_are_right(capsys: Any) -> None:
    assert fuzz.main(["3", "--mode", "py", "--start", "11"]) == 0
    assert capsys.readouterr().out == "3 graphs compared in mode py, 0 results wrong\n"


def test_it_prints_what_is_wrong(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (lambda mode, seeds: [f"seed {seeds[0]}"], 20, "")
    monkeypatch.setitem(fuzz.KINDS, "graphs", wrong)
    assert fuzz.main(["21"]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == ["seed 0", "seed 20"]


def test_it_rewrites_graphs(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def faults(mode: Any, seeds: Any) -> list[str]:
        asked.append(mode)
        return []

    monkeypatch.setitem(fuzz.KINDS, "graphs", (faults, 20, ""))
    assert fuzz.main(["1", "--mode", "jax", "--books"]) == 0
    assert fuzz.main(["1", "--mode", "jax"]) == 0
    assert asked[0].books == Mode("jax").books
    assert asked[1] == "jax"


@pytest.mark.parametrize("kind", ["loops", "siblings"])
def test_it_compares_other_kinds(kind: str, capsys: Any) -> None:
    assert fuzz.main(["2", "--mode", "py", f"--{kind}"]) == 0
    assert capsys.readouterr().out == f"2 {kind} compared in mode py, 0 results wrong\n"
