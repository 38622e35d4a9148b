"""A kernel whose values have numbers, of what was collected before these were known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from weft_graph import Variable
from weft_numba.ir.axis_keys import View
from weft_numba.ir.kernel import Kernel, Length, Operand, Result, Statement

__all__ = ["Fused", "LengthSource", "Pack", "PendingResult", "numbered"]


class Pack:
    """Values of one dtype that a kernel stores in one array, for other kernels."""

    def __init__(self, members: Sequence[Variable]) -> None:
        self.members = members


class Fused(NamedTuple):
    """A kernel with what it reads and computes."""

    kernel: Kernel
    inputs: tuple[Variable | Pack, ...]
    outputs: tuple[Variable | Pack, ...]
    nodes: tuple[Variable, ...]
    """All that is computed on the way."""


class LengthSource(NamedTuple):
    """What is said about a length, before operands have numbers."""

    known: int | None
    sizes: tuple[Any, ...] = ()
    tables: tuple[Any, ...] = ()
    sure: bool = True
    wanted: tuple[Any, ...] = ()
    broadcast: tuple[Any, ...] = ()
    like: int = -1


class PendingResult(NamedTuple):
    """A result, before values have numbers."""

    value: Any
    dtype: str
    how: str
    kept: tuple[int, ...]
    places: tuple[Any, ...] = ()
    base: Any = None
    shape: tuple[LengthSource, ...] = ()
    more: tuple[tuple[Any, tuple[Any, ...]], ...] = ()
    slot: int = -1
    along: int = -1
    may_be_empty: bool = False


def numbered(
    lengths: Sequence[LengthSource],
    collected: Mapping[tuple[Variable, View, bool], Operand],
    packed: Mapping[Variable, tuple[Pack | Variable, int]],
    computed: Sequence[tuple[Any, ...]],
    results: Sequence[PendingResult],
) -> tuple[Kernel, tuple[Variable | Pack, ...]]:
    """The kernel, and its arguments.

    >>> kernel, arguments = numbered([LengthSource(3)], {}, {}, [], [])
    >>> kernel.lengths[0].known, arguments
    (3, ())
    """
    place = {("operand", key): k for k, key in enumerate(collected)}
    count = len(place)

    def final(value: Any) -> int:
        return place[value] if value[0] == "operand" else count + value[1]

    def length(source: LengthSource) -> Length:
        tables = tuple([(place[table], own) for table, own in source.tables])
        sizes, wanted, broadcast = (
            tuple(map(final, those)) for those in (source.sizes, source.wanted, source.broadcast)
        )
        return Length(source.known, sizes, tables, source.sure, wanted, broadcast, source.like)

    def result(r: PendingResult) -> Result:
        return Result(
            final(r.value),
            r.dtype,
            r.how,
            r.kept,
            tuple(map(final, r.places)),
            -1 if r.base is None else final(r.base),
            tuple([length(source) for source in r.shape]),
            tuple([(final(value), tuple(map(final, places))) for value, places in r.more]),
            r.slot,
            r.along,
            r.may_be_empty,
        )

    statements = [
        Statement(name, tuple(map(final, arguments)), kind, dtype, literal)
        for name, arguments, kind, dtype, literal in computed
    ]
    arguments: dict[Variable | Pack, int] = {}
    operands = []
    for (v, _, _), o in collected.items():
        owner, slot = packed.get(v, (v, -1))
        argument = arguments.setdefault(owner, len(arguments))
        operands.append(o._replace(argument=argument, slot=slot))
    kernel = Kernel(
        tuple([length(source) for source in lengths]),
        tuple(operands),
        tuple(statements),
        tuple(map(result, results)),
    )
    return kernel, tuple(arguments)
