"""A kernel: what is computed at each point of a loop nest, as a plain value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final, NamedTuple

from weft_numba.ir.axis_keys import View

__all__ = ["Kernel", "Length", "Operand", "Result", "Statement"]


_MANY: Final = 24
"""Of more functions alike, LLVM's time is too long: calls take a seventh more than instructions."""


class Operand(NamedTuple):
    """An array or scalar that a kernel reads."""

    dtype: str
    ndim: int
    view: View
    """Per axis of the kernel, the operand's own axis."""
    extent: str
    """Per axis of the kernel, its length there: n, 1, ? for one of these, - for no axis."""
    table: bool = False
    """Whether it is read at computed indices ("gather"), not where the kernel is."""
    argument: int = 0
    """The number of the argument in which it is given."""
    slot: int = -1
    """Where in the argument, an array of one more axis, it is found; -1 if it is the argument."""

    @property
    def stride_axes(self) -> list[int]:
        """The axes for which functions are given its stride: the kernel's; of a table, its own."""
        if self.table:
            return list(range(self.ndim))
        return [a for a, extent in enumerate(self.extent) if extent in "n?"]

    def is_last(self, axis: int) -> bool:
        """Whether its own axes behind the one at the kernel's `axis` have length 1."""
        last, pairs = self.view[axis], zip(self.view, self.extent, strict=True)
        return last is not None and all(k is None or k <= last or n == "1" for k, n in pairs)


class Statement(NamedTuple):
    """One scalar operation; its arguments are numbers of operands and earlier statements."""

    name: str
    """A row of the scalar table, "cast", "literal", "gather" (a table's element, whose indices
    are the other arguments), "axis" (the index along the axis that the literal says), "run" (the
    same, times the second argument, plus the first) or "roll" (the same plus the argument, where
    the first index follows the last)."""
    arguments: tuple[int, ...]
    computed: str
    """The dtype that it computes with (for a cast, that of the argument)."""
    dtype: str
    """The dtype of its result."""
    literal: str = ""


class Length(NamedTuple):
    """The length of an axis as far as no array that is read there tells."""

    known: int | None
    sizes: tuple[int, ...]
    """Operands whose value it is, scalars of int64."""
    tables: tuple[tuple[int, int], ...]
    """Tables among the operands that have this length, and along which axis."""
    sure: bool
    """Whether it is each of these; else it is what they and the arrays' lengths broadcast to."""
    wanted: tuple[int, ...] = ()
    """Operands whose value it must be: a call is refused if it is not."""
    broadcast: tuple[int, ...] = ()
    """Operands whose value must be it or 1."""
    like: int = -1
    """A number that axes of one unknown length have in common; -1 if none is as long."""


SCATTERS: Final = ("inc", "set", "mul", "maximum", "minimum")
"""What can be done with an element at computed indices."""


class Result(NamedTuple):
    """What becomes of a value: it is stored, or combined over axes."""

    value: int
    dtype: str
    how: str
    """"store", the reduction ("sum", "prod", "max", "min", "any", "all"), one of `SCATTERS`: what
    is done to the element at computed indices, or "compress": written behind those before."""
    kept: tuple[int, ...]
    """The axes of the kernel that the result has; for `SCATTERS` and "compress", none."""
    places: tuple[int, ...] = ()
    """For `SCATTERS`: the values that are the indices, one per axis of the result. For
    "compress": the value that says whether it is written."""
    base: int = -1
    """For `SCATTERS`: what the result starts as, a table or a scalar to fill it with; -1 if it is
    already where it is changed."""
    shape: tuple[Length, ...] = ()
    """For `SCATTERS` with a scalar base: the lengths of the result. For "compress": the one
    that it must have, if that is not certain."""
    more: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """For "inc": further values that are added at each point, each with its indices."""
    slot: int = -1
    """Where it is put in an array of one more axis, with others of its dtype; -1 if nowhere."""
    along: int = -1
    """The axis along which each value is combined with all before it; -1 if along none. How is
    said by the name of a scalar function."""
    may_be_empty: bool = False
    """For "max" and "min": of no elements it is infinite, and no error."""

    @property
    def ndim(self) -> int:
        """The rank of the result."""
        return len(self.places or self.kept)

    @property
    def reduces(self) -> bool:
        """Whether values are combined over axes that it has not, or none."""
        return self.how in ("sum", "prod", "max", "min", "any", "all")

    @property
    def accumulates(self) -> bool:
        """Whether each value is combined with all before it along an axis."""
        return self.along >= 0

    @property
    def scatters(self) -> bool:
        """Whether it is written at computed indices."""
        return self.how in SCATTERS and not self.accumulates

    @property
    def updates(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For `SCATTERS`: the values that are written at each point, each with its indices."""
        return (self.value, self.places), *self.more

    @property
    def compresses(self) -> bool:
        """Whether only some of the values are written, one behind another."""
        return self.how == "compress"


class Kernel(NamedTuple):
    """A loop nest over axes: equal kernels are compiled once."""

    lengths: tuple[Length, ...]
    operands: tuple[Operand, ...]
    statements: tuple[Statement, ...]
    results: tuple[Result, ...]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.lengths)

    @property
    def often(self) -> frozenset[str]:
        """The names of statements of which there are many: they are better functions."""
        names = Counter([s.name for s in self.statements])
        return frozenset([name for name, count in names.items() if count > _MANY])

    @property
    def arguments(self) -> int:
        """The number of arguments, each an operand or an array of several."""
        return 1 + max([o.argument for o in self.operands], default=-1)

    @property
    def packs(self) -> dict[str, int]:
        """How many results of each dtype are put into one array."""
        dtypes = [r.dtype for r in self.results if r.slot >= 0]
        return {dtype: dtypes.count(dtype) for dtype in dtypes}

    def in_place(self, changed: Collection[int]) -> Kernel:
        """The same, where the results with these numbers are already what they start as."""
        results = [r._replace(base=-1) if k in changed else r for k, r in enumerate(self.results)]
        return self._replace(results=tuple(results))
