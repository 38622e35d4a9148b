"""Lookups along rows of a table, whose place is found before the innermost loop.

A row that was rolled is two such, one from its seam on and one up to it: then loops go from seam
to seam.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Final, NamedTuple

from weft_numba.ir.kernel import Kernel, Statement
from weft_numba.ir.llvm_writer import ONCE, Code, Value
from weft_numba.llvm.loop_marks import calls
from weft_numba.llvm.scatter_address import INDICES, is_certain

__all__ = ["PLACES", "Rows", "between_seams", "goes_anywhere", "index", "rows_of"]

PLACES: Final = (
    *("%nowhere = alloca [2 x i64]", "store [2 x i64] zeroinitializer, ptr %nowhere"),
    "%seam = alloca i64",
)
"""What is read in place of elements that do not exist, and how far loops between seams are."""


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
        if s.name in INDICES and int(s.literal) == inner:
            continue
        if fixed.issuperset(indices):
            fixed.add(k)
            continue
        in_rows = s.name == "gather" and layouts[s.arguments[0]] == "C"
        if in_rows and fixed.issuperset(indices[:-1]) and _goes_along(kernel, indices[-1], inner):
            lookups.append(k)
    return Rows(tuple(lookups), _needed(kernel, lookups))


def index(
    code: Code,
    s: Statement,
    indices: Sequence[str],
    arguments: Sequence[Value],
    offset: str | None,
) -> str:
    """An index that goes along an axis; between seams it is some `offset` more than the axis's."""
    own = indices[int(s.literal)]
    if s.name == "axis":
        return own
    if offset is not None:
        return code("add i64 {}, {}", own, offset)
    if s.name == "run":
        begin, step = arguments
        return code("add i64 {}, {}", str(begin), code("mul i64 {}, {}", own, str(step)))
    begin, n = _begin(code, s, arguments[0]), f"%n{s.literal}"
    place = code("add i64 {}, {}", own, begin)
    is_beyond = code("icmp sge i64 {}, {}", place, n)
    return code("select i1 {}, i64 {}, i64 {}", is_beyond, code("sub i64 {}, {}", place, n), place)


@contextmanager
def between_seams(
    code: Code, kernel: Kernel, values: Mapping[int, Value], name: str, begin: str, end: str
) -> Iterator[tuple[str, str, dict[int, str]]]:
    """A loop over the parts of the innermost axis between seams of what was rolled along it.

    Gives where a part begins and ends, and what its indices are more than those of the axis, by
    the numbers of statements.
    """
    offsets: dict[int, str] = {}
    rolls = _rolls(kernel)
    if not rolls:
        yield begin, end, offsets
        return
    code.lines.append(f"store i64 {begin}, ptr %seam")
    count = len({s.arguments for s in rolls.values()})
    with code.loop(f"seam{name}", str(count + 1), marks=ONCE):
        first, last = code("load i64, ptr %seam"), end
        for k, s in rolls.items():
            place = _begin(code, s, values[s.arguments[0]])
            seam = code("sub i64 {}, {}", f"%n{s.literal}", place)
            is_ahead = code("icmp slt i64 {}, {}", first, seam)
            nearer = code("select i1 {}, i64 {}, i64 {}", is_ahead, seam, last)
            is_less = code("icmp slt i64 {}, {}", nearer, last)
            last = code("select i1 {}, i64 {}, i64 {}", is_less, nearer, last)
            back = code("sub i64 0, {}", seam)
            offsets[k] = code("select i1 {}, i64 {}, i64 {}", is_ahead, place, back)
        code.lines.append(f"store i64 {last}, ptr %seam")
        yield first, last, offsets


def _rolls(kernel: Kernel) -> dict[int, Statement]:
    """The statements that roll along the innermost axis, by number."""
    inner = kernel.ndim - 1
    return {
        k: s
        for k, s in enumerate(kernel.statements, len(kernel.operands))
        if s.name == "roll" and int(s.literal) == inner
    }


def _begin(code: Code, s: Statement, begin: Value) -> str:
    """Where a roll begins: at most at the end, counted from 0."""
    n, place = f"%n{s.literal}", str(begin)
    from_end = code("add i64 {}, {}", place, n)
    is_below = code("icmp slt i64 {}, 0", place)
    place = code("select i1 {}, i64 {}, i64 {}", is_below, from_end, place)
    for limit, beyond in (("0", "slt"), (n, "sgt")):
        is_beyond = code(f"icmp {beyond} i64 {{}}, {{}}", place, limit)
        place = code("select i1 {}, i64 {}, i64 {}", is_beyond, limit, place)
    return place


def goes_anywhere(kernel: Kernel, layouts: str) -> bool:
    """Whether numbers are written anywhere, or most of the work is to find numbers anywhere."""
    in_rows = rows_of(kernel, layouts).lookups
    lookups = [
        s.arguments[1:]
        for k, s in enumerate(kernel.statements, len(kernel.operands))
        if s.name == "gather" and k not in in_rows and not calls(kernel)
    ]
    updates = [places for r in kernel.results if r.scatters for _, places in r.updates]
    return not all(is_certain(kernel, k) for which in (*lookups, *updates) for k in which)


def _goes_along(kernel: Kernel, value: int, axis: int) -> bool:
    """Whether `value` grows by one from point to point along an axis."""
    s = _statement(kernel, value)
    if s is None or s.name not in INDICES or int(s.literal) != axis:
        return False
    if s.name != "run":
        return True
    step = _statement(kernel, s.arguments[1])
    return step is not None and (step.name, step.literal) == ("literal", "1")


def _statement(kernel: Kernel, value: int) -> Statement | None:
    """The statement that computes `value`, if it is no operand."""
    place = value - len(kernel.operands)
    return kernel.statements[place] if place >= 0 else None


def _needed(kernel: Kernel, lookups: list[int]) -> frozenset[int]:
    """What it takes to compute all indices but the last of these lookups, and to find seams."""
    numbers: set[int] = set()
    todo = [k for v in lookups for k in kernel.statements[v - len(kernel.operands)].arguments[1:-1]]
    todo += [k for s in _rolls(kernel).values() for k in s.arguments]
    while todo:
        k = todo.pop()
        s = _statement(kernel, k)
        if k not in numbers:
            numbers.add(k)
            todo += s.arguments if s is not None else ()
    return frozenset(numbers)
