"""A kernel: what is computed at each point of a loop nest, as a plain value."""

from __future__ import annotations

from typing import NamedTuple

from weft_numba.spaces import View

__all__ = ["Kernel", "Length", "Operand", "Result", "Statement"]


class Operand(NamedTuple):
    """An array or scalar that a kernel reads."""

    dtype: str
    ndim: int
    view: View
    """Per axis of the kernel, the operand's own axis."""
    extent: str
    """Per axis of the kernel, its length there: n, 1, ? for one of these, - for no axis."""


class Statement(NamedTuple):
    """One scalar operation; its arguments are numbers of operands and earlier statements."""

    name: str
    """A row of the scalar table, "cast", or "literal"."""
    arguments: tuple[int, ...]
    computed: str
    """The dtype that it computes with (for a cast, that of the argument)."""
    dtype: str
    """The dtype of its result."""
    literal: str = ""


class Result(NamedTuple):
    """What becomes of a value: it is stored, or combined over axes."""

    value: int
    dtype: str
    how: str
    """"store", or the reduction: "sum", "prod", "max", "min", "any", "all"."""
    kept: tuple[int, ...]
    """The axes of the kernel that the result has."""


class Length(NamedTuple):
    """The length of an axis if no operand has it: a number, or a scalar operand's value."""

    known: int | None
    operand: int | None


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

    def dtype_of(self, value: int) -> str:
        """The dtype of an operand or statement, by number."""
        count = len(self.operands)
        if value < count:
            return self.operands[value].dtype
        return self.statements[value - count].dtype
