"""What is true of a mask, as many as are asked for: lengths that depend on no value."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["filled", "first_of_mask"]


def first_of_mask(mask: TensorVariable, size: int) -> tuple[TensorVariable, TensorVariable]:
    """The first `size` places where a vector is true, and which of them there are.

    What there is not is at place 0.

    >>> [v.eval() for v in first_of_mask(as_tensor([False, True]), 2)]
    [array([1, 0]), array([ True, False])]
    """
    length = as_size(lengths_of(mask)[0])
    (places,) = nonzero(mask, size=size, fill_value=length)
    there = places < length
    return where(there, places, 0), there


def filled(
    x: TensorLike, mask: TensorVariable, axis: int, size: int, fill_value: Any = 0
) -> TensorVariable:
    """The first `size` slices of `x` along an axis that a vector says, then ones of `fill_value`.

    >>> filled([[1, 2], [3, 4]], as_tensor([False, True]), 0, 2, 9).eval()
    array([[3, 4],
           [9, 9]])
    """
    x = as_tensor(x)
    places, there = first_of_mask(mask, size)
    values = index(x, (slice(None),) * axis + (places,))
    fill = as_tensor(fill_value).astype(x.dtype)
    others = [a for a in range(x.ndim) if a != axis]
    return where(expand_dims(there, others) if others else there, values, fill)
