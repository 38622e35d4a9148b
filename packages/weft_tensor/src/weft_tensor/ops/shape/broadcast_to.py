"""Tensors repeated to a larger shape."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import View
from weft_tensor.build.op import Cotangents, Examples, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.reduction.sum_to import sum_to
from weft_tensor.ops.shape.length import (
    as_size,
    has_lengths,
    lengths_of,
    sizes_of,
    static_length,
)
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import Length, show_shape
from weft_tensor.types.tensor_type import TensorType

__all__ = ["BroadcastTo", "broadcast_arrays", "broadcast_to"]


@lru_cache(maxsize=4096)
def _type(dtype: str, shape: tuple[Length, ...]) -> TensorType:
    return TensorType(dtype, shape)


class BroadcastTo(TensorOp):
    """The first input, repeated along axes to have the lengths that the others give."""

    view_of = (0,)
    linear = slice(1)
    primitive = True

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """The lengths as far as they are known."""
        x, *sizes = inputs
        shape = tuple(map(static_length, sizes))
        fits = len(shape) >= x.ndim and not any(
            isinstance(n, int) and isinstance(length, int) and n not in (1, length)
            for n, length in zip(x.type.shape[::-1], shape[::-1], strict=False)
        )
        if not fits:
            raise ValueError(
                f"can't broadcast shape {show_shape(x.type.shape)} to {show_shape(shape)}"
            )
        return _type(x.type.dtype, shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.broadcast_to`, which takes 3 µs to do nothing."""
        x, *sizes = values
        shape = tuple(map(int, sizes))
        return x if x.shape == shape else np.broadcast_to(x, shape)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent summed over what was repeated."""
        x, *sizes = inputs
        return [sum_to(cotangents[0], lengths_of(x)), *([None] * len(sizes))]

    def kind(self, *inputs: TensorVariable) -> View:
        """The last axes are those of the input."""
        x, *sizes = inputs
        new = (None,) * (len(sizes) - x.ndim)
        return View((*new, *range(x.ndim)), stretched=True)

    @classmethod
    def examples(cls) -> Examples:
        """A scalar, a row, a column, nothing to do, and to no elements."""
        cases: list[tuple[Any, tuple[int, ...]]] = [
            (np.array(2.5), (2, 3)),
            (np.arange(3.0), (2, 3)),
            (np.arange(2.0)[:, None], (2, 3)),
            (np.arange(3.0), (3,)),
            (np.ones((1, 2)), (0, 2)),
        ]
        return [(cls(), [x, *map(np.int64, sizes)]) for x, sizes in cases]

    def __str__(self) -> str:
        return "broadcast_to"


def broadcast_to(x: TensorLike, shape: SizesLike) -> TensorVariable:
    """`x` repeated to `shape`. See `numpy.broadcast_to`.

    Raises ValueError if the shapes are known not to fit.

    >>> broadcast_to([1, 2], (2, 2)).eval()
    array([[1, 2],
           [1, 2]])
    """
    tensor = as_tensor(x)
    sizes = [as_size(n) for n in sizes_of(shape)]
    if has_lengths(tensor, sizes):
        return tensor
    return BroadcastTo()(tensor, *sizes)


def broadcast_arrays(*xs: TensorLike) -> list[TensorVariable]:
    """All tensors, broadcast against each other. See `numpy.broadcast_arrays`.

    >>> [x.eval().shape for x in broadcast_arrays([1, 2], [[3], [4]])]
    [(2, 2), (2, 2)]
    """
    tensors = [as_tensor(x) for x in xs]
    broadcast_shapes(*[x.type.shape for x in tensors])
    shape = broadcast_dims(*map(lengths_of, tensors))
    return [broadcast_to(x, shape) for x in tensors]
