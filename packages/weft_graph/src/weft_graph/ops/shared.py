"""Shared state: variables whose value outlives a call, and is changed by `updates`.

A call that changes state takes its turn: from reading to writing, no other call changes what
it reads. Calls that only read wait for nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from threading import RLock
from typing import Any

from weft_graph.core.argument_checks import check_type
from weft_graph.core.nodes import Input, Type, Variable, apply

__all__ = [
    "TAKEN",
    "Cell",
    "Shared",
    "begin_to_read",
    "end_reading",
    "get_value",
    "in_turn",
    "release",
    "set_value",
    "shared",
    "take_turn",
]


class _Taken:
    """Stands for a value whose memory a call computes the new value in."""

    def __repr__(self) -> str:
        return "<state that a call overwrites>"


TAKEN = _Taken()


class Cell:
    """Where the value of a shared variable is kept, and who may change it now.

    >>> cell = Cell("old")
    >>> with in_turn([cell]):
    ...     cell.value = "new"
    >>> cell.value
    'new'
    """

    __slots__ = ("is_overwritten", "is_updated", "lock", "number", "readers", "value")

    _numbers = count()

    def __init__(self, value: Any) -> None:
        self.value = value
        self.lock = RLock()
        """Held by the call that changes the value, from when it reads to when it writes."""
        self.number = next(Cell._numbers)
        """Turns at several cells are taken in this order, so that no two calls wait for
        each other."""
        self.is_updated = False
        """Whether there is a function that changes the value."""
        self.is_overwritten = False
        """Whether one may do so in the memory of the old value."""
        self.readers: set[object] = set()
        """Those who look at the value now, without a turn, if it may be overwritten."""

    def settled(self) -> Any:
        """The value when the call that overwrites it has ended."""
        with self.lock:
            return self.value

    def take(self) -> bool:
        """Keep the value, which this call knows, from all others; False if one reads it now."""
        self.value, value = TAKEN, self.value
        if self.readers:
            self.value = value
        return self.value is TAKEN

    def give_back(self, value: Any) -> None:
        """Let others have `value` again, which was taken, since there will be no other."""
        if self.value is TAKEN:
            self.value = value

    def __reduce__(self) -> tuple[object, ...]:
        return _cell_with, (self.value, self.is_updated)


def _cell_with(value: Any, is_updated: bool) -> Cell:
    cell = Cell(value)
    cell.is_updated = is_updated
    return cell


def begin_to_read(cells: Iterable[Cell]) -> object:
    """From now on nobody overwrites what is in `cells`; for `end_reading`."""
    reader = object()
    for cell in cells:
        cell.readers.add(reader)
    return reader


def end_reading(reader: object, cells: Iterable[Cell]) -> None:
    """The values that were read may be overwritten, as far as this reader is concerned."""
    for cell in cells:
        cell.readers.discard(reader)


def take_turn(cells: Sequence[Cell]) -> list[Any]:
    """Wait until no other call changes what is in `cells`, which come by number.

    The locks that are held then, for `release`.
    """
    locks: list[Any] = []
    try:
        for cell in cells:
            if cell.is_updated:
                cell.lock.acquire()
                locks.append(cell.lock)
    except BaseException:
        release(locks)
        raise
    return locks


def release(locks: Iterable[Any]) -> None:
    """Let the next call have its turn."""
    for lock in locks:
        lock.release()


@contextmanager
def in_turn(cells: Iterable[Cell]) -> Iterator[None]:
    """While this lasts, no other call changes what is in `cells`."""
    locks = take_turn(sorted(cells, key=lambda cell: cell.number))
    try:
        yield
    finally:
        release(locks)


class Shared(Input):
    """The Op of an input whose value is kept in a cell, and not given at a call."""

    def __init__(self, type: Type, value: Any, name: str | None = None) -> None:
        super().__init__(type, name)
        self.cell = Cell(value)


def shared(type: Type, value: Any, name: str | None = None) -> Any:
    """A variable of `type` with a value that lasts: compiled functions use it unasked.

    The value is copied. `function(..., updates={s: expression})` gives it a new one at every
    call.

    >>> from weft_graph import Op, Type, function
    >>> class Next(Op):
    ...     def infer(self, n):
    ...         return n
    ...     def impl(self, n):
    ...         return n + 1
    >>> count = shared(Type(), 0, "count")
    >>> step = function([], count, updates={count: Next()(count)}, mode="py")
    >>> step(), step(), get_value(count)
    (0, 1, 2)
    """
    check_type(type, "shared")
    from_user = type.copy(type.filter(value))
    return apply(Shared(type, from_user, name), ())


def get_value(variable: Variable) -> Any:
    """A copy of the value of a shared variable; TypeError for other variables."""
    cell = _cell(variable)
    reader = begin_to_read([cell])
    try:
        value = cell.value
        return variable.type.copy(cell.settled() if value is TAKEN else value)
    finally:
        end_reading(reader, [cell])


def set_value(variable: Variable, value: Any) -> None:
    """Give a shared variable a new value, which is checked by its type and copied.

    A call that has begun to change it ends first.
    """
    cell = _cell(variable)
    new = variable.type.copy(variable.type.filter(value))
    with in_turn([cell]):
        cell.value = new


def _cell(variable: Variable) -> Cell:
    if not isinstance(variable.op, Shared):
        raise TypeError(f"{variable!r} is not shared: make it with `shared(type, value)`")
    return variable.op.cell
