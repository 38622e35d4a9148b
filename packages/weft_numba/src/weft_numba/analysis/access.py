"""What a node of a kernel reads, and from where: the element that is computed, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import Variable
from weft_numba.analysis.compress import Compress, counted
from weft_numba.analysis.slices import first, has_known_step, variables
from weft_numba.ir.axis_sizes import Spaces, View, straight
from weft_numba.ir.llvm_writer import number
from weft_numba.llvm.scalar.table import argument_dtypes, row
from weft_numba.lowering.dispatch import uses_builtin_lowering
from weft_tensor import (
    All,
    Any_,
    Arange,
    BroadcastTo,
    Cast,
    CumProd,
    CumSum,
    Elemwise,
    Eye,
    Index,
    IndexUpdate,
    Max,
    Min,
    Nonzero,
    Prod,
    Sum,
    SumTo,
    where,
)
from weft_tensor.extend import ARRAY, NEW, SCALAR, Slice, SliceLength, advanced_place

__all__ = [
    *("ACCUMULATIONS", "REDUCTIONS", "Along", "At", "Read", "home", "indices"),
    *("is_accumulation", "is_collected", "is_compressed", "is_pointwise", "is_reduction"),
    *("is_sum_to", "is_update", "reads"),
]

REDUCTIONS: Final[dict[type, str]] = {
    Sum: "sum",
    Prod: "prod",
    Max: "max",
    Min: "min",
    Any_: "any",
    All: "all",
}

ACCUMULATIONS: Final[dict[type, str]] = {CumSum: "add", CumProd: "mul"}
"""The scalar function of each value and what came before it."""


class Read(NamedTuple):
    """An input of a node, and how it is read from the axes that are computed."""

    variable: Variable
    view: View
    table: bool = False
    """Whether it is read at computed indices."""


class Along(NamedTuple):
    """An index that goes along an axis of what is computed: begin, begin + step, ..."""

    axis: int
    begin: Variable | int = 0
    step: Variable | int = 1
    length: Variable | None = None
    """How many there are, if not all of them."""


At = Read | Along | int
"""Where a table is read or written along one of its axes."""


def is_pointwise(v: Any) -> bool:
    """Whether `v` is computed element by element, by machine code that we have.

    >>> import weft_tensor as wt
    >>> is_pointwise(wt.exp(wt.vector("x"))), is_pointwise(wt.zvector("z") + 1)
    (True, True)
    """
    op = v.op
    if not uses_builtin_lowering(op):
        return False
    if isinstance(op, (Arange, BroadcastTo, Cast, Eye)):
        return True
    if type(op) in REDUCTIONS:
        return not v.inputs[0].ndim
    if isinstance(op, SliceLength):
        return has_known_step(op.part)
    if isinstance(op, Index):
        return v.inputs[0].ndim > 0 and (ARRAY in op.entries or not v.ndim)
    if not isinstance(op, Elemwise):
        return False
    wanted = argument_dtypes(op.name, tuple([i.dtype for i in v.inputs]))
    return row(op.name, number(wanted[-1]).kind) is not None


def is_reduction(v: Any) -> bool:
    """Whether `v` combines elements over axes, by machine code that we have."""
    return type(v.op) in REDUCTIONS and v.inputs[0].ndim > 0 and uses_builtin_lowering(v.op)


def is_update(v: Any) -> bool:
    """Whether `v` is a tensor into which elements are written at computed indices."""
    return isinstance(v.op, IndexUpdate) and v.ndim > 0 and uses_builtin_lowering(v.op)


def is_compressed(v: Any) -> bool:
    """Whether `v` has one element for each point where a mask is true."""
    return isinstance(v.op, (Compress, Nonzero)) and uses_builtin_lowering(v.op)


def is_accumulation(v: Any) -> bool:
    """Whether each element of `v` is combined from all before it along an axis."""
    return type(v.op) in ACCUMULATIONS and uses_builtin_lowering(v.op)


def is_sum_to(v: Any) -> bool:
    """Whether `v` is summed over axes that a call tells."""
    return isinstance(v.op, SumTo) and v.ndim > 0 and uses_builtin_lowering(v.op)


def is_collected(v: Any) -> bool:
    """Whether `v` is ready only when all points have been visited."""
    return is_reduction(v) or is_update(v) or is_compressed(v) or is_accumulation(v) or is_sum_to(v)


def home(v: Any, spaces: Spaces) -> tuple[Any, ...] | None:
    """The space that is walked over to compute `v`; None if kernels can't."""
    if is_pointwise(v):
        return spaces.of(v)
    if is_reduction(v) or is_accumulation(v) or is_sum_to(v):
        return spaces.of(v.inputs[0])
    if is_update(v):
        x, _, *values = v.inputs
        return spaces.of(Index(v.op.entries)(x, *values))
    if is_compressed(v):
        x, mask = v.inputs[0], v.inputs[isinstance(v.op, Compress)]
        return spaces.of(where(mask, x, x))
    return None


def reads(v: Any, ndim: int, at: Sequence[At]) -> list[Read]:
    """What is read to compute `v` over `ndim` axes; `at`: what `indices` gives."""
    op = v.op
    nowhere: View = (None,) * ndim
    if isinstance(op, (Elemwise, Cast)):
        return [Read(i, straight(ndim, i.ndim)) for i in v.inputs]
    if isinstance(op, (BroadcastTo, SumTo)):
        x, *sizes = v.inputs
        return [Read(x, straight(ndim, x.ndim)), *(Read(n, nowhere) for n in sizes)]
    if isinstance(op, (Arange, Eye, SliceLength)):
        return [Read(i, nowhere) for i in v.inputs]
    if isinstance(op, (Compress, Nonzero)):
        x, *others = v.inputs
        if isinstance(op, Nonzero) and counted(others[0]) is x:
            others.pop(0)
        return [Read(i, straight(ndim, i.ndim)) for i in (x, *others)]
    if isinstance(op, (Index, IndexUpdate)):
        found = [Read(v.inputs[0], nowhere, table=True)]
        if isinstance(op, IndexUpdate):
            found.append(Read(v.inputs[1], straight(ndim, v.inputs[1].ndim)))
        for what in at:
            if isinstance(what, Read):
                found.append(what)
            elif isinstance(what, Along):
                found += [Read(n, nowhere) for n in what if isinstance(n, Variable)]
        return found
    return [Read(v.inputs[0], straight(ndim, ndim))]


def indices(v: Any, spaces: Spaces, ndim: int) -> list[At]:
    """Per axis of the table of `v`, a lookup or an update, where it is read or written."""
    entries = v.op.entries
    rest = iter(v.inputs[2 if isinstance(v.op, IndexUpdate) else 1 :])
    place = advanced_place(entries)
    at = None if place is None else sum(isinstance(e, Slice) or e == NEW for e in entries[:place])
    rank = _rank_of_arrays(v)
    own = axis = 0
    found: list[At] = []
    for e in entries:
        if axis == at:
            axis += rank
        if e == NEW:
            axis += 1
            continue
        if e == ARRAY:
            value = next(rest)
            start = (at or 0) + rank - value.ndim
            view = [a - start if start <= a < start + value.ndim else None for a in range(ndim)]
            found.append(Read(value, tuple(view)))
        elif e == SCALAR:
            found.append(Read(next(rest), (None,) * ndim))
        elif isinstance(e, Slice):
            found.append(_along(e, axis, spaces.length(v.inputs[0], own), rest))
            axis += 1
        else:
            found.append(int(e))
        own += 1
    return found


def _rank_of_arrays(v: Any) -> int:
    """How many axes the index arrays of `v` take."""
    given = iter(v.inputs[2 if isinstance(v.op, IndexUpdate) else 1 :])
    rank = 0
    for e in v.op.entries:
        if isinstance(e, Slice):
            variables(e, given)
        elif e in (ARRAY, SCALAR):
            rank = max(rank, next(given).ndim)
    return rank


def _along(part: Slice, axis: int, n: Any, rest: Iterator[Any]) -> Along:
    if part.is_full:
        return Along(axis)
    given = variables(part, rest)
    step: Any = given[-1] if part.step == SCALAR else part.step or 1
    return Along(axis, first(part, n, given), step, SliceLength(part)(n, *given))
