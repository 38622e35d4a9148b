"""The order of a kernel's loops: the innermost goes along memory, as far as types tell.

Where axes lie in memory as their loops go, one loop is enough for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import prod
from typing import Final

from weft_numba.ir.kernel import Kernel, Length, Operand, Result
from weft_numba.llvm.scalar.table import calls_of_vectors
from weft_numba.llvm.scatter_address import INDICES

__all__ = ["collapsed", "ordered", "together"]

_NEXT: Final = 1
"""The price of reading, or writing, elements that lie next to each other,"""
_UNKNOWN: Final = 2
"""of reading where only the call can tell how they lie,"""
_APART: Final = 4
"""of reading elements that are apart,"""
_WRITTEN_APART: Final = 5
"""and of writing them."""
_SHORT: Final = 4
"""So few elements are combined without a loop,"""
_WRITTEN_OUT: Final = 64
"""if there are no more operations than this in all."""


def ordered(kernel: Kernel, layouts: str) -> Kernel:
    """The same kernel with its axes in the best order for operands of these memory layouts.

    What is combined along a few elements goes within all loops. Where one axis is as good as
    another, the order stays. It stays for what is written in the order in which points are visited.

    >>> from weft_numba.ir.kernel import Length
    >>> transposed = Operand("float64", 2, (1, 0), "nn")
    >>> total = Result(0, "float64", "sum", ())
    >>> lengths = Length(3, (), (), True), Length(5, (), (), True)
    >>> kernel = ordered(Kernel(lengths, (transposed,), (), (total,)), "C")
    >>> kernel.operands[0].view, [length.known for length in kernel.lengths]
    ((0, 1), [5, 3])
    """
    if kernel.ndim < 2 or any(o.table for o in kernel.operands):
        return kernel
    if any(r.scatters or r.compresses or r.accumulates for r in kernel.results):
        return kernel
    order = _short(kernel)
    rest = [a for a in range(kernel.ndim) if a not in order]
    while rest:
        best = min(reversed(rest), key=lambda a: _price(kernel, layouts, a, rest))
        order.insert(0, best)
        rest.remove(best)
    return kernel if order == sorted(order) else _permuted(kernel, order)


def _short(kernel: Kernel) -> list[int]:
    """The axes along which so little is combined that LLVM writes it out, and has no loop."""
    lengths = [length.known or 0 for length in kernel.lengths]
    kept = {a for r in kernel.results for a in r.kept}
    short = [a for a, n in enumerate(lengths) if 0 < n <= _SHORT and a not in kept]
    calls = (calls_of_vectors(s.name, s.computed, len(s.arguments)) for s in kernel.statements)
    count = prod([lengths[a] for a in short]) * (1 + len(kernel.statements))
    return short if count <= _WRITTEN_OUT and not any(calls) else []


def _price(kernel: Kernel, layouts: str, axis: int, rest: Sequence[int]) -> int:
    """What a loop over an axis takes within loops over the others of `rest`."""
    reading = sum(
        _read(o, layout, axis, rest) for o, layout in zip(kernel.operands, layouts, strict=True)
    )
    return reading + sum(_written(r, axis, rest) for r in kernel.results)


def _read(o: Operand, layout: str, axis: int, rest: Sequence[int]) -> int:
    if not o.ndim or o.extent[axis] not in "n?":
        return 0
    if layout == "A":
        return _UNKNOWN
    if layout == "R":
        return _NEXT if o.view[axis] == o.ndim - 1 else _APART
    own = [k for a in rest if o.extent[a] in "n?" and (k := o.view[a]) is not None]
    return _NEXT if o.view[axis] == max(own) else _APART


def _written(r: Result, axis: int, rest: Sequence[int]) -> int:
    if axis not in r.kept:
        return 0
    last = [a for a in r.kept if a in rest][-1]
    return _NEXT if axis == last else _WRITTEN_APART


def _permuted(kernel: Kernel, order: Sequence[int]) -> Kernel:
    """The kernel whose axes are those of `kernel` in this order."""
    place = {a: k for k, a in enumerate(order)}
    operands = [
        o._replace(
            view=tuple([o.view[a] for a in order]), extent="".join(o.extent[a] for a in order)
        )
        if o.ndim
        else o
        for o in kernel.operands
    ]
    statements = [
        s._replace(literal=str(place[int(s.literal)])) if s.name in INDICES else s
        for s in kernel.statements
    ]
    results = [r._replace(kept=tuple([place[a] for a in r.kept])) for r in kernel.results]
    lengths = [kernel.lengths[a] for a in order]
    return Kernel(tuple(lengths), tuple(operands), tuple(statements), tuple(results))


@cache
def together(kernel: Kernel, layouts: str) -> tuple[tuple[int, ...], ...]:
    """The axes of a kernel in groups of neighbours, each of which one loop can go along.

    All are one where everything is contiguous and of one shape; else the innermost is alone.

    >>> from weft_numba.ir.kernel import Length
    >>> lengths, x = (Length(None, (), (), True),) * 3, Operand("float64", 3, (0, 1, 2), "nnn")
    >>> stored, sums = Result(0, "float64", "store", (0, 1, 2)), Result(0, "float64", "sum", (0, 1))
    >>> [together(Kernel(lengths, (x,), (), (r,)), "C") for r in (stored, sums)]
    [((0, 1, 2),), ((0, 1), (2,))]
    """
    in_order = (
        any(o.table for o in kernel.operands)
        or any(r.scatters or r.accumulates for r in kernel.results)
        or any(s.name in INDICES for s in kernel.statements)
    )
    axes = range(1, kernel.ndim)
    starts = [a for a in axes if in_order or not _go_together(kernel, layouts, a)]
    if starts and starts[-1] != axes[-1]:
        starts.append(axes[-1])
    ends = [*starts, kernel.ndim] if kernel.ndim else []
    return tuple([tuple(range(a, b)) for a, b in zip([0, *starts], ends, strict=False)])


def _go_together(kernel: Kernel, layouts: str, a: int) -> bool:
    """Whether an axis follows the one before it in all that has either."""
    for o, layout in zip(kernel.operands, layouts, strict=True):
        extent, own = o.extent[a - 1 : a + 1], o.view[a - 1 : a + 1]
        if "n" in extent or "?" in extent:
            before, after = own
            if layout != "C" or extent != "nn" or before is None or after != before + 1:
                return False
    pairs = [set(pairwise(r.kept)) for r in kernel.results]
    return all(
        (a - 1, a) in both if a in r.kept else a - 1 not in r.kept
        for r, both in zip(kernel.results, pairs, strict=True)
    )


@cache
def collapsed(kernel: Kernel, groups: tuple[tuple[int, ...], ...]) -> Kernel:
    """The same kernel over one axis for each of these groups.

    >>> from weft_numba.ir.kernel import Length
    >>> lengths = Length(4, (), (), True), Length(10, (), (), True)
    >>> [length.known for length in collapsed(Kernel(lengths, (), (), ()), ((0, 1),)).lengths]
    [40]
    """
    last = {group[-1]: k for k, group in enumerate(groups)}
    operands = []
    for o in kernel.operands:
        if o.ndim and not o.table:
            extent, view = "".join([o.extent[a] for a in last]), [o.view[a] for a in last]
            own = sorted([k for k in view if k is not None])
            view = [None if k is None else own.index(k) for k in view]
            o = o._replace(view=tuple(view), extent=extent)
        operands.append(o)
    results = [
        r._replace(kept=tuple([last[a] for a in r.kept if a in last])) for r in kernel.results
    ]
    lengths = [_joined([kernel.lengths[a] for a in group]) for group in groups]
    return Kernel(tuple(lengths), tuple(operands), kernel.statements, tuple(results))


def _joined(lengths: Sequence[Length]) -> Length:
    """The length of an axis in the place of these."""
    first, *more = lengths
    if not more:
        return first
    known = [length.known for length in lengths if length.known is not None]
    return first._replace(known=prod(known) if len(known) == len(lengths) else None, like=-1)
