"""What is needed at a point for one of several updates, or on one side of a choice, alone.

Several updates of one table at neighbouring places have a loop each, along the last axis: at one
point after the other, each of them would wait for what the one before has just written; along a
row, each is done with whole vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Final

from weft_numba.ir.kernel import Kernel, Statement
from weft_numba.ir.llvm_writer import number
from weft_numba.llvm.scalar.choices import Choices, Step
from weft_numba.llvm.scalar.table import takes_long
from weft_numba.llvm.scatter_address import INDICES

__all__ = ["choices_of", "needed_by", "updates_apart"]

_CHEAP: Final = 42
"""So many operations of values may be computed in loops of their own, beside those of one."""
_PLACES: Final = ("axis", "run", "literal")
_NO_FUNCTIONS: Final = {"literal", "cast", "gather", *INDICES}
_REFUSED: Final = "gather"
"""What may be out of bounds wherever it is not used."""


@cache
def updates_apart(kernel: Kernel) -> Sequence[int | None]:
    """The updates that have loops of their own; None where one loop does everything.

    Each must go along rows of the table, at places that are within bounds.
    """
    if len(kernel.results) != 1:
        return (None,)
    (result,) = kernel.results
    if result.how != "inc" or not result.more:
        return (None,)
    which = range(len(result.updates))
    fit = all(_goes_along(kernel, places) for _, places in result.updates)
    again = sum(_cost(kernel, k) for k in which[1:])
    return which if fit and again <= _CHEAP else (None,)


@cache
def needed_by(kernel: Kernel, update: int | None) -> Sequence[int]:
    """What one of the updates needs of operands and statements, in order; for None, all."""
    count = len(kernel.operands)
    if update is None:
        return range(count + len(kernel.statements))
    value, places = kernel.results[0].updates[update]
    needed, open_ = set[int](), [value, *places]
    while open_:
        k = open_.pop()
        if k not in needed:
            needed.add(k)
            open_ += kernel.statements[k - count].arguments if k >= count else ()
    return sorted(needed)


@cache
def choices_of(kernel: Kernel) -> Choices[int]:
    """The choices between values that take long, by the numbers of statements."""
    results = {k for r in kernel.results for value, places in r.updates for k in (value, *places)}
    return Choices(
        {
            k: Step(
                s.arguments,
                number(s.dtype).register,
                chooses=s.name == "where",
                takes_long=partial(_takes_long, s),
                stays=k in results or s.name == _REFUSED,
            )
            for k, s in enumerate(kernel.statements, len(kernel.operands))
        }
    )


def _takes_long(s: Statement) -> bool:
    return s.name not in _NO_FUNCTIONS and takes_long(s.name, s.computed, len(s.arguments))


def _goes_along(kernel: Kernel, places: Sequence[int]) -> bool:
    """Whether neighbours along the last axis are written to neighbours, and rows to rows."""
    count, inner = len(kernel.operands), kernel.ndim - 1
    if not all(k >= count and kernel.statements[k - count].name in ("axis", "run") for k in places):
        return False
    axes = [int(kernel.statements[k - count].literal) for k in places]
    last = kernel.statements[places[-1] - count]
    step = last.arguments[1] if last.name == "run" else -1
    is_next = step < 0 or (step >= count and kernel.statements[step - count].literal == "1")
    return axes[-1] == inner and inner not in axes[:-1] and is_next


def _cost(kernel: Kernel, update: int) -> int:
    """How many operations the value of an update is."""
    count = len(kernel.operands)
    names = [kernel.statements[k - count].name for k in needed_by(kernel, update) if k >= count]
    return sum(name not in _PLACES for name in names)
