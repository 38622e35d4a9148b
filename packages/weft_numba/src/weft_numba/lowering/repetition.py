"""Which code may run many times in a call: that of loops, and of functions that others call."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from llvmlite.ir import IRBuilder

__all__ = ["is_repeated", "note_repetition", "within_loops"]

_REPEATED: Final[WeakKeyDictionary[Any, bool]] = WeakKeyDictionary()


def within_loops(blocks: Any) -> set[int]:
    """Where those of Numba's blocks begin that a later one goes back to, or past.

    >>> from numba.core.compiler import run_frontend
    >>> def count(n):
    ...     k = 0
    ...     while k < n:
    ...         k += 1
    ...     return k
    >>> blocks = run_frontend(count).blocks
    >>> first, *inside, last = blocks
    >>> within_loops(blocks) == {*inside}
    True
    """
    ranges = [
        (target, end)
        for end, block in blocks.items()
        for target in block.terminator.get_targets()
        if target <= end
    ]
    return {place for place in blocks for begin, end in ranges if begin <= place <= end}


def note_repetition(builder: IRBuilder, is_repeated: bool) -> None:
    """Say whether what is written next, in the same function, may run many times."""
    _REPEATED[builder.function] = is_repeated


def is_repeated(builder: IRBuilder) -> bool:
    """What was said last."""
    return _REPEATED.get(builder.function, False)
