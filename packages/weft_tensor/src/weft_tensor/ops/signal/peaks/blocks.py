"""How far one can go from places of a vector, by extremes of its blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop, scan
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import log2
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["Blocks", "blocks_of"]


class Blocks(NamedTuple):
    """In row k the extreme of the 2**k elements from each on, or of those that there are."""

    rows: TensorVariable
    extreme: Callable[[TensorVariable, TensorVariable], TensorVariable]

    def between(self, first: TensorVariable, last: TensorVariable) -> TensorVariable:
        """The extreme of elements from `first` to `last`: that of two blocks."""
        k = floor(log2((last - first + 1).astype("float64"))).astype("int64")
        ends = (first, last + 1 - (1 << k))
        return self.extreme(*(index(self.rows, (k, place)) for place in ends))

    def reach(
        self,
        at: TensorVariable,
        way: int,
        end: TensorVariable,
        holds: Callable[[TensorVariable], TensorVariable],
    ) -> TensorVariable:
        """The last place from each in a direction, not beyond `end`, up to which all hold."""
        levels, n = lengths_of(self.rows)

        def further(i: TensorVariable, place: TensorVariable) -> TensorVariable:
            k = levels - 1 - i
            beyond = place + way * (1 << k)
            start = minimum(maximum(beyond if way < 0 else place + 1, 0), n - 1)
            inside = beyond >= end if way < 0 else beyond <= end
            return where(inside & holds(index(index(self.rows, k), start)), beyond, place)

        last: TensorVariable = fori_loop(0, levels, further, at)
        return last


def blocks_of(
    v: TensorVariable, extreme: Callable[[TensorVariable, TensorVariable], TensorVariable]
) -> Blocks:
    """The extremes of the blocks of a vector: `maximum`, or `minimum`.

    >>> from weft_tensor.build.convert import as_tensor
    >>> blocks_of(as_tensor([3, 1, 2]), maximum).rows.eval().tolist()
    [[3, 1, 2], [3, 2, 2]]
    """
    n = lengths_of(v)[0]
    levels = floor(log2(maximum(n, 1).astype("float64"))).astype("int64") + 1
    places = arange(n)

    def wider(row: TensorVariable, k: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        return extreme(row, index(row, minimum(places + (1 << k), n - 1))), row

    rows: Any = scan(wider, v, arange(levels))[1]
    return Blocks(rows, extreme)
