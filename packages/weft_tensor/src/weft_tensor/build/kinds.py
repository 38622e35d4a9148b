"""What an Op is, as far as backends need to know: plain values, said by `TensorOp.kind`.

Functions in kinds are written with the elementwise functions of tensors. From its kind follow the
expansion of an Op into others, and its shape: what these are stands in `front.expansions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = [
    "Compress",
    "Cut",
    "Gather",
    "Kind",
    "Pointwise",
    "Reduction",
    "Scan",
    "Scatter",
    "SumOver",
    "View",
]


class Pointwise(NamedTuple):
    """Each element is `of` the elements of the inputs at the same place, with broadcasting.

    >>> from weft_tensor import tanh
    >>> Pointwise(lambda x, scale: tanh(x) * scale).positions
    False
    """

    of: str | Callable[..., Any]
    """A function of variables; or the name of a function of numbers."""
    positions: bool = False
    """Whether `of` is also given where the element is: its index along each axis, in int64. The
    Op has to say the shape of its result then."""


class Cut(NamedTuple):
    """How many elements a slice takes: of the length of an axis, and the slice's variables."""

    part: Any
    of: Callable[..., Any]
    """The number, by a function of the inputs. It is for steps that are known, and not 0."""


class Reduction(NamedTuple):
    """What is left of axes: the elements, all combined.

    >>> from weft_tensor import sqrt, square
    >>> norm = Reduction(-1, "add", start=square, finish=sqrt)
    """

    axis: int | Sequence[int] | None
    """The axes that vanish; None for all."""
    combine: str
    """A function of two numbers that may be applied in any order: "add", "mul", "maximum",
    "minimum", "logical_and" or "logical_or"."""
    start: Callable[..., Any] | None = None
    """Applied to the elements of the inputs before, as in `Pointwise`."""
    finish: Callable[..., Any] | None = None
    """Applied to what they are combined to."""
    or_infinity: bool = False
    """For "maximum" and "minimum": of no elements it is infinite, or the integer furthest that
    way, and no error."""


class Scan(NamedTuple):
    """Along an axis, each element combined with all before it.

    By "add", "mul", "maximum" or "minimum".
    """

    axis: int
    combine: str
    start: Callable[..., Any] | None = None
    finish: Callable[..., Any] | None = None


class View(NamedTuple):
    """The elements of the first input, where other axes go.

    >>> last_first = View((2, 0, 1))
    """

    axes: tuple[int | None, ...]
    """Per axis of the result, that of the input; None for a new one, of length 1. What is left
    out of the input's axes must have length 1."""
    stretched: bool = False
    """Whether axes of length 1, and new ones, have the lengths that the other inputs give."""


class Gather(NamedTuple):
    """Elements of the first input, a table, found where indices say.

    >>> flipped = Gather(lambda i, j: (-1 - i, j))
    """

    at: Callable[..., Sequence[Any]] | tuple[Any, ...]
    """From the elements of the other inputs and the position in the result: an index for each axis
    of the table, as NumPy has them. The Op has to say the shape of its result. Or the entries of
    `weft_tensor.Index`."""


class Scatter(NamedTuple):
    """The first input, with elements of the second put, added, ... where indices say."""

    at: Callable[..., Sequence[Any]] | tuple[Any, ...]
    """As of `Gather`: of the elements of the inputs after the second, and the position in it."""
    how: str
    """"set", "inc", "mul", "maximum" or "minimum"."""


class Compress(NamedTuple):
    """One element for each point where a mask is true.

    Inputs are, for positions along `axis`, the mask, and how many of its elements are true; for
    `axis` None, what to take the elements of, and the mask.
    """

    axis: int | None


class SumOver(NamedTuple):
    """A sum over the axes for which the lengths, inputs after the first, are 1 and its are not."""


Kind = Pointwise | Cut | Reduction | Scan | View | Gather | Scatter | Compress | SumOver
