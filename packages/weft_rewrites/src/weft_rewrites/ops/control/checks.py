"""Checks whose conditions are known to hold."""

from __future__ import annotations

from typing import Any

from weft_graph import CheckAndRaise, Constant, Each, Rule
from weft_rewrites.dsl.equation import equation, letter, others
from weft_tensor import BroadcastTo

__all__ = ["rules"]

x, conditions = letter("x"), others("conditions")


def _holds(c: Any) -> bool:
    while type(c.op) is BroadcastTo:
        c = c.inputs[0]
    return isinstance(c.op, Constant) and bool(c.type.is_true(c.op.value))


def _without(check: Any, x: Any, conditions: Any) -> Any:
    """`x`, checked by the conditions that are not known to hold."""
    open_questions = [c for c in conditions if not _holds(c)]
    return check(x, *open_questions) if open_questions else x


rules: tuple[Rule, ...] = (
    equation(
        Each(CheckAndRaise, "check")(x, conditions),
        _without,
        of=None,
        when=lambda conditions: any(map(_holds, conditions)),
        name="check(x, True, c) = check(x, c)",
    ),
)
"""All of them."""
