"""What a node of a kernel reads, and from where: the element that is computed, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import Variable
from weft_numba.analysis.compress import counted
from weft_numba.ir.axis_keys import View, straight, updated_part
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_numba.ir.llvm_writer import number
from weft_numba.llvm.scalar.table import argument_dtypes, row
from weft_numba.lowering.dispatch import uses_builtin_lowering
from weft_tensor import (
    Compress,
    Cut,
    Gather,
    Kind,
    Pointwise,
    Reduction,
    Scan,
    Scatter,
    SumOver,
    TensorType,
    TensorVariable,
    where,
)
from weft_tensor import View as Seen
from weft_tensor.extend import ARRAY, NEW, SCALAR, Slice, SliceLength, advanced_place, kind_of

__all__ = [
    *("COMBINED", "ROLLED", "Access", "SliceIndex", "TableIndex", "fused_kind", "indices"),
    *("is_collected", "is_part", "is_pointwise", "iteration_space", "own_index", "reads"),
]

COMBINED: Final[dict[str, str]] = {
    "add": "sum",
    "mul": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_or": "any",
    "logical_and": "all",
}
"""What reductions by functions of two numbers are called in kernels."""


ROLLED: Final = "rolled"
"""Beside the entries of `weft_tensor.Index`: from a place on, and then from the beginning."""


class Access(NamedTuple):
    """An input of a node, and how it is read from the axes that are computed."""

    variable: Variable
    view: View
    table: bool = False
    """Whether it is read at computed indices."""


class SliceIndex(NamedTuple):
    """An index that goes along an axis of what is computed: begin, begin + step, ..."""

    axis: int
    begin: Variable | int = 0
    step: Variable | int = 1
    length: Variable | None = None
    """How many there are, if not all of them."""
    is_rolled: bool = False
    """Whether index 0 follows the last one."""


TableIndex = Access | SliceIndex | int
"""Where a table is read or written along one of its axes."""


def fused_kind(v: Variable) -> Kind | None:
    """What `v` is, if kernels compute it by its kind; None if that is left to a function.

    >>> import weft_tensor as wt
    >>> x = wt.matrix("x")
    >>> fused_kind(wt.sum(x, axis=0)), fused_kind(wt.sort(x))
    (Reduction(axis=(0,), combine='add', start=None, finish=None, or_infinity=False), None)
    """
    kind = kind_of(v)
    return None if kind is None or not uses_builtin_lowering(v.op) else kind


def is_pointwise(v: TensorVariable, kind: Kind | None) -> bool:
    """Whether `v`, of this kind, is computed element by element, by machine code that we have.

    >>> import weft_tensor as wt
    >>> x = wt.exp(wt.vector("x"))
    >>> is_pointwise(x, fused_kind(x)), is_pointwise(x, None)
    (True, False)
    """
    match kind:
        case Pointwise(str(name)):
            if name == "cast":
                return True
            dtypes = argument_dtypes(name, tuple([i.dtype for i in v.inputs]))
            return row(name, number(dtypes[-1]).kind) is not None
        case Pointwise():
            return True
        case Seen(_, stretched):
            return stretched
        case Cut(part):
            return bool(part.has_known_step)
        case Gather(tuple(entries)):
            computed = not v.ndim or ARRAY in entries or ROLLED in entries
            return v.inputs[0].ndim > 0 and (computed or is_part(v, kind))
        case Reduction():
            return not v.inputs[0].ndim
    return False


def is_part(v: TensorVariable, kind: Kind | None) -> bool:
    """Whether `v` is a view at numbers that are certainly within its table, as a row of a stack.

    >>> import weft_tensor as wt
    >>> x = wt.matrix("x", shape=(3, None))
    >>> [is_part(v, fused_kind(v)) for v in (x[1], x[:, 1], x[1:])]
    [True, False, False]
    """
    match kind:
        case Gather(tuple(entries)) if v.ndim and NEW not in entries:
            return all(
                isinstance(n, int) and -n <= e < n
                if isinstance(e, int)
                else isinstance(e, Slice) and e.is_full
                for e, n in zip(entries, v.inputs[0].type.shape, strict=True)
            )
    return False


def own_index(v: Any) -> int | None:
    """The axis along which each element of `v` is its own index, if there is one.

    >>> import weft_tensor as wt
    >>> own_index(wt.arange(3)), own_index(wt.Iota(1)(2, 3)), own_index(wt.eye(3))
    (0, 1, None)
    """
    match fused_kind(v):
        case Pointwise(of, True) if callable(of):
            places = [TensorType("int64")() for _ in range(v.ndim)]
            element = of(*v.inputs, *places)
            return places.index(element) if element in places else None
    return None


def is_collected(v: TensorVariable, kind: Kind | None) -> bool:
    """Whether `v`, of this kind, is ready only when all points have been visited."""
    match kind:
        case Compress() | Scan():
            return True
        case Scatter() | SumOver():
            return v.ndim > 0
        case Reduction():
            return v.inputs[0].ndim > 0
    return False


def iteration_space(
    v: TensorVariable, kind: Kind | None, spaces: AxisEqualities
) -> tuple[Any, ...] | None:
    """The space that is walked over to compute `v`, of this kind; None if kernels can't."""
    if is_pointwise(v, kind):
        return spaces.of(v)
    if not is_collected(v, kind):
        return None
    match kind:
        case Scatter(entries):
            return spaces.of(updated_part(v, entries))
        case Compress(axis):
            x, mask = v.inputs[0], v.inputs[axis is None]
            return spaces.of(where(mask, x, x))
    return spaces.of(v.inputs[0])


def reads(
    v: TensorVariable, kind: Kind | None, ndim: int, at: Sequence[TableIndex]
) -> list[Access]:
    """What is read to compute `v` over `ndim` axes; `at`: what `indices` gives."""
    nowhere: View = (None,) * ndim
    match kind:
        case Seen() | SumOver():
            x, *sizes = v.inputs
            return [Access(x, straight(ndim, x.ndim)), *(Access(n, nowhere) for n in sizes)]
        case Compress(axis):
            x, *others = v.inputs
            if axis is not None and counted(others[0]) is x:
                others.pop(0)
            return [Access(i, straight(ndim, i.ndim)) for i in (x, *others)]
        case Gather() | Scatter():
            accesses = [Access(v.inputs[0], nowhere, table=True)]
            if isinstance(kind, Scatter):
                accesses.append(Access(v.inputs[1], straight(ndim, v.inputs[1].ndim)))
            for what in at:
                if isinstance(what, Access):
                    accesses.append(what)
                elif isinstance(what, SliceIndex):
                    accesses += [Access(n, nowhere) for n in what if isinstance(n, Variable)]
            return accesses
    return [Access(i, straight(ndim, i.ndim)) for i in v.inputs]


def indices(v: Any, kind: Any, spaces: AxisEqualities, ndim: int) -> list[TableIndex]:
    """Per axis of the table of `v`, a lookup or an update, where it is read or written."""
    entries, values = kind.at, v.inputs[2 if isinstance(kind, Scatter) else 1 :]
    rest = iter(values)
    place = advanced_place(entries)
    at = None if place is None else sum(isinstance(e, Slice) or e == NEW for e in entries[:place])
    rank = _rank_of_arrays(entries, values)
    own = axis = 0
    places: list[TableIndex] = []
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
            places.append(Access(value, tuple(view)))
        elif e == SCALAR:
            places.append(Access(next(rest), (None,) * ndim))
        elif e == ROLLED:
            places.append(SliceIndex(axis, next(rest), is_rolled=True))
            axis += 1
        elif isinstance(e, Slice):
            places.append(_along(e, axis, spaces.length(v.inputs[0], own), rest))
            axis += 1
        else:
            places.append(int(e))
        own += 1
    return places


def _rank_of_arrays(entries: Sequence[Any], values: Sequence[Any]) -> int:
    """How many axes the index arrays among `values` take."""
    arrays = iter(values)
    rank = 0
    for e in entries:
        if isinstance(e, Slice):
            e.variables(arrays)
        elif e in (ARRAY, SCALAR):
            rank = max(rank, next(arrays).ndim)
    return rank


def _along(part: Slice, axis: int, n: Any, rest: Iterator[Any]) -> SliceIndex:
    if part.is_full:
        return SliceIndex(axis)
    scalars = part.variables(rest)
    step: Any = scalars[-1] if part.step == SCALAR else part.step or 1
    return SliceIndex(axis, part.first(n, scalars), step, SliceLength(part)(n, *scalars))
