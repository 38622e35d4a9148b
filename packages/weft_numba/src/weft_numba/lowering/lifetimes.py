"""Where variables of Numba's functions end, and what they hold goes on to another."""

from __future__ import annotations

from typing import Any

from numba.core import ir

__all__ = ["ends_of_variables", "unpacked_tuples"]


def ends_of_variables(blocks: Any) -> dict[int, set[str]]:
    """By the identity of statements, the variables that end with them."""
    ends: dict[int, set[str]] = {}
    for block in blocks.values():
        now: set[str] = set()
        for statement in block.body:
            if isinstance(statement, ir.Del):
                now.add(statement.value)
            else:
                now = ends.setdefault(id(statement), set())
    return ends


def unpacked_tuples(blocks: Any) -> set[str]:
    """Tuples that are made only for all of their elements to become variables, at once."""
    names: set[str] = set()
    for block in blocks.values():
        name, left = "", set[int]()
        for statement in block.body:
            value: Any = getattr(statement, "value", None)
            kind = value.op if isinstance(value, ir.Expr) else type(value)
            if kind == "exhaust_iter":
                name, left = statement.target.name, set(range(value.count))
            elif kind == "static_getitem" and value.value.name == name and value.index in left:
                left.remove(value.index)
            elif isinstance(statement, ir.Del) and statement.value == name:
                names |= set() if left else {name}
                name = ""
            elif not isinstance(statement, ir.Del) and kind is not ir.Var:
                name = ""
    return names
