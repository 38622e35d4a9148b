"""Lengths that are known to the writer of a graph, told to the types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.shape.length import Length, as_size, lengths_of, same_size, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.symbolic_dims import Dim

__all__ = ["specify_shape"]


def with_named_length(x: TensorVariable, axis: int, size: SizeLike) -> TensorVariable:
    """`x`, whose axis has this length by its making: the type says so, if the length has a name."""
    if not isinstance(static_length(size), Dim):
        return x
    return specify_shape(x, *[size if a == axis else None for a in range(x.ndim)])


def specify_shape(
    x: TensorLike, *shape: SizeLike | Sequence[SizeLike | None] | None
) -> TensorVariable:
    """`x`, whose lengths are known to be `shape`: the type has them, and calls check them.

    The lengths are given one by one or in a sequence; None says nothing. ValueError if the
    rank or a length is another, at the call if it is not known before.

    >>> from weft_tensor import matrix
    >>> specify_shape(matrix("x"), None, 3).type
    TensorType(dtype='float64', shape=(None, 3))
    """
    x = as_tensor(x)
    sizes: Sequence[Any] = shape
    if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
        sizes = shape[0]
    if len(sizes) != x.ndim:
        raise ValueError(f"specify_shape: {len(sizes)} lengths for {x!r}, of rank {x.ndim}")
    lengths = lengths_of(x)
    result = x
    shape_of = list(lengths)
    for axis, (length, n) in enumerate(zip(sizes, lengths, strict=True)):
        if length is None:
            continue
        size = as_size(length)
        if same_size(size, n):
            continue
        target = static_length(size)
        own = static_length(n)
        text = f"specify_shape: axis {axis} of {x!r} must have {_told(size, target)}"
        if isinstance(target, int) and isinstance(own, int):
            raise ValueError(f"{text}, not {own}")
        result = check_and_raise(result, eq(n, size), ValueError, text)
        shape_of[axis] = size
    return reshape(result, shape_of)


def _told(size: TensorVariable, known: Any) -> str:
    if known is None and isinstance(size.op, Length):
        return f"the length of axis {size.op.axis} of {size.inputs[0]!r}"
    return f"length {known or size}"
