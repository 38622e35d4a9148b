"""Which lookups go along rows of a table, whose place is found before the innermost loop."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from weft_numba.ir.kernel import Kernel, Statement

__all__ = ["Rows", "rows_of"]


class Rows(NamedTuple):
    """Values that the innermost loop of a kernel need not compute."""

    lookups: tuple[int, ...]
    """The numbers of values that are read next to each other, once their row is found."""
    needed: frozenset[int]
    """The numbers of values that it takes to find the rows."""


@cache
def rows_of(kernel: Kernel, layouts: str) -> Rows:
    """The lookups in contiguous tables whose last index alone goes along the innermost axis.

    >>> rows_of(Kernel((), (), (), ()), "")
    Rows(lookups=(), needed=frozenset())
    """
    inner, count = kernel.ndim - 1, len(kernel.operands)
    fixed = {
        k
        for k, o in enumerate(kernel.operands)
        if not o.ndim or (not o.table and kernel.ndim and o.extent[inner] not in "n?")
    }
    lookups: list[int] = []
    for k, s in enumerate(kernel.statements, count):
        indices = s.arguments[1:] if s.name == "gather" else s.arguments
        if s.name in ("axis", "run") and int(s.literal) == inner:
            continue
        if fixed.issuperset(indices):
            fixed.add(k)
            continue
        in_rows = s.name == "gather" and layouts[s.arguments[0]] == "C"
        if in_rows and fixed.issuperset(indices[:-1]) and _goes_along(kernel, indices[-1], inner):
            lookups.append(k)
    return Rows(tuple(lookups), _needed(kernel, lookups))


def _goes_along(kernel: Kernel, value: int, axis: int) -> bool:
    """Whether `value` grows by one from point to point along an axis."""
    s = _statement(kernel, value)
    if s is None or s.name not in ("axis", "run") or int(s.literal) != axis:
        return False
    step = s if s.name == "axis" else _statement(kernel, s.arguments[1])
    return s.name == "axis" or (step is not None and (step.name, step.literal) == ("literal", "1"))


def _statement(kernel: Kernel, value: int) -> Statement | None:
    """The statement that computes `value`, if it is no operand."""
    place = value - len(kernel.operands)
    return kernel.statements[place] if place >= 0 else None


def _needed(kernel: Kernel, lookups: list[int]) -> frozenset[int]:
    """What it takes to compute all indices but the last of these lookups."""
    numbers: set[int] = set()
    todo = [k for v in lookups for k in kernel.statements[v - len(kernel.operands)].arguments[1:-1]]
    while todo:
        k = todo.pop()
        s = _statement(kernel, k)
        if k not in numbers:
            numbers.add(k)
            todo += s.arguments if s is not None else ()
    return frozenset(numbers)
