"""Stops in the debugger."""

from __future__ import annotations

import io
import pdb
import sys
from typing import Any

import pytest

from weft_graph import FunctionGraph, Type, function, set_breakpoint

x, when = Type()("x"), Type()("when")


def stop_here() -> None:
    """Python's own debugger, in the place of pytest's."""
    pdb.Pdb(nosigint=True, readrc=False).set_trace(sys._getframe(1))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Says what the user types in Python's own debugger."""

    def say(*lines: str) -> None:
        monkeypatch.setattr(sys, "breakpointhook", stop_here)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return say


def test_values_are_there_to_look_at(typed: Any, capsys: Any) -> None:
    f = function([x, when], set_breakpoint(x, scale=when), mode="py")
    typed("p value, watched['scale'] + 1", "c")
    assert f("abc", 41) == "abc"
    shown = capsys.readouterr().out
    assert "test_breakpoint.py" in shown
    assert "('abc', 42)" in shown


def test_it_stops_only_where_the_condition_is_true(typed: Any, capsys: Any) -> None:
    f = function([x, when], set_breakpoint(x, when=when), mode="py")
    typed()
    assert f("abc", False) == "abc"
    assert capsys.readouterr().out == ""
    typed("p value.upper()", "c")
    assert f("abc", True) == "abc"
    assert "'ABC'" in capsys.readouterr().out


def test_it_is_not_computed_ahead() -> None:
    stop = set_breakpoint(x).owner.op
    assert not stop.do_constant_folding(FunctionGraph([x], [x]), set_breakpoint(x).owner)
    with pytest.raises(TypeError, match="takes a value, a condition and 0 others"):
        stop(x)
