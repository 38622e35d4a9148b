"""What a node of a kernel reads, and from where: the element that is computed, or a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from weft_graph import Variable
from weft_numba.dispatch import is_ours
from weft_numba.machine_code import number
from weft_numba.scalars import argument_dtypes, row
from weft_numba.spaces import Spaces, View, straight
from weft_tensor import (
    ARRAY,
    NEW,
    SCALAR,
    All,
    Any_,
    Arange,
    BroadcastTo,
    Cast,
    Elemwise,
    Eye,
    Index,
    IndexUpdate,
    Max,
    Min,
    Prod,
    Slice,
    Sum,
    advanced_place,
)

__all__ = [
    *("REDUCTIONS", "Read", "home", "indices", "is_collected", "is_pointwise", "is_reduction"),
    *("is_update", "reads"),
]

REDUCTIONS: Final[dict[type, str]] = {
    Sum: "sum",
    Prod: "prod",
    Max: "max",
    Min: "min",
    Any_: "any",
    All: "all",
}


class Read(NamedTuple):
    """An input of a node, and how it is read from the axes that are computed."""

    variable: Variable
    view: View
    table: bool = False
    """Whether it is read at computed indices."""


def is_pointwise(v: Any) -> bool:
    """Whether `v` is computed element by element, by machine code that we have.

    >>> import weft_tensor as wt
    >>> is_pointwise(wt.exp(wt.vector("x"))), is_pointwise(wt.zvector("z") + 1)
    (True, True)
    """
    op = v.op
    if not is_ours(op):
        return False
    if isinstance(op, (Arange, BroadcastTo, Cast, Eye)):
        return True
    if isinstance(op, Index):
        return _is_lookup(op.entries)
    if not isinstance(op, Elemwise):
        return False
    wanted = argument_dtypes(op.name, tuple([i.dtype for i in v.inputs]))
    return row(op.name, number(wanted[-1]).kind) is not None


def is_reduction(v: Any) -> bool:
    """Whether `v` combines elements over axes, by machine code that we have."""
    return type(v.op) in REDUCTIONS and v.inputs[0].ndim > 0 and is_ours(v.op)


def is_update(v: Any) -> bool:
    """Whether `v` is a tensor into which elements are written at computed indices."""
    return isinstance(v.op, IndexUpdate) and _is_lookup(v.op.entries) and is_ours(v.op)


def is_collected(v: Any) -> bool:
    """Whether `v` is ready only when all points have been visited."""
    return is_reduction(v) or is_update(v)


def home(v: Any, spaces: Spaces) -> tuple[Any, ...] | None:
    """The space that is walked over to compute `v`; None if kernels can't."""
    if is_pointwise(v):
        return spaces.of(v)
    if is_reduction(v):
        return spaces.of(v.inputs[0])
    if is_update(v):
        x, _, *values = v.inputs
        return spaces.of(Index(v.op.entries)(x, *values))
    return None


def _is_lookup(entries: Sequence[Any]) -> bool:
    return ARRAY in entries and all(not isinstance(e, Slice) or e.is_full for e in entries)


def reads(v: Any, ndim: int) -> list[Read]:
    """What is read to compute `v` over `ndim` axes."""
    op = v.op
    nowhere: View = (None,) * ndim
    if isinstance(op, (Elemwise, Cast)):
        return [Read(i, straight(ndim, i.ndim)) for i in v.inputs]
    if isinstance(op, BroadcastTo):
        x, *sizes = v.inputs
        return [Read(x, straight(ndim, x.ndim)), *(Read(n, nowhere) for n in sizes)]
    if isinstance(op, (Arange, Eye)):
        return [Read(i, nowhere) for i in v.inputs]
    if isinstance(op, Index):
        return [Read(v.inputs[0], nowhere, table=True), *_index_reads(v, v.inputs[1:], ndim)]
    if isinstance(op, IndexUpdate):
        x, y, *values = v.inputs
        written = Read(y, straight(ndim, y.ndim))
        return [Read(x, nowhere, table=True), written, *_index_reads(v, values, ndim)]
    return [Read(v.inputs[0], straight(ndim, ndim))]


def _index_reads(v: Any, values: Sequence[Any], ndim: int) -> list[Read]:
    return [what for what in indices(v, values, ndim) if isinstance(what, Read)]


def indices(v: Any, values: Sequence[Any], ndim: int) -> list[Read | str]:
    """Per axis of the table of `v`, its index: a number, an axis ("axis 1"), or a read."""
    rest = iter(values)
    entries = v.op.entries
    place = advanced_place(entries)
    rank = max(value.ndim for value in values)
    before = [e for e in entries[:place] if isinstance(e, Slice) or e == NEW]
    at = len(before)
    axis = 0
    found: list[Read | str] = []
    for e in entries:
        if axis == at:
            axis += rank
        if e == ARRAY:
            value = next(rest)
            first = at + rank - value.ndim
            view = tuple([a - first if first <= a < at + rank else None for a in range(ndim)])
            found.append(Read(value, view))
        elif e == SCALAR:
            found.append(Read(next(rest), (None,) * ndim))
        elif e == NEW:
            axis += 1
        elif isinstance(e, Slice):
            found.append(f"axis {axis}")
            axis += 1
        else:
            found.append(str(e))
    return found
