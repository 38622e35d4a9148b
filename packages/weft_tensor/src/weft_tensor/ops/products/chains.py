"""Products of many matrices: of a chain, and of one with itself."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as whole

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.linalg.square import square_type
from weft_tensor.ops.products.einsum import einsum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["matrix_power", "multi_dot"]


def multi_dot(arrays: Sequence[TensorLike]) -> TensorVariable:
    """The product of a chain of matrices, in the cheapest order. See `numpy.linalg.multi_dot`.

    The first may be a row, and the last a column: vectors.

    >>> multi_dot([[[1, 2]], [[1, 0], [0, 1]], [3, 4]]).eval()
    array([11])
    """
    arrays = list(arrays)
    if len(arrays) < 2:
        raise ValueError(f"multi_dot takes two matrices at least, not {len(arrays)}")
    tensors = [as_tensor(x) for x in arrays]
    for k, x in enumerate(tensors):
        if x.ndim != 2 and (x.ndim != 1 or 0 < k < len(tensors) - 1):
            raise np.linalg.LinAlgError(
                f"multi_dot takes matrices, and vectors at its ends, not {x!r} at {k}"
            )
    last = len(tensors) - 1
    labels = [[k, k + 1] for k in range(len(tensors))]
    if tensors[0].ndim == 1:
        labels[0] = [1]
    if tensors[last].ndim == 1:
        labels[last] = [last]
    ends = [0] * (tensors[0].ndim - 1) + [last + 1] * (tensors[last].ndim - 1)
    arguments = [part for pair in zip(tensors, labels, strict=True) for part in pair]
    return einsum(*arguments, ends)


def matrix_power(a: TensorLike, n: int) -> TensorVariable:
    """The matrix product of `n` times `a`; of the inverse, if `n` is negative.

    See `numpy.linalg.matrix_power`.

    >>> matrix_power([[1, 1], [0, 1]], 5).eval()
    array([[1, 5],
           [0, 1]])
    """
    x, count = as_tensor(a), whole(n)
    square_type(x.type, "matrix_power")
    if count < 0:
        x, count = inv(x), -count
    if not count:
        return broadcast_to(eye(lengths_of(x)[-1], dtype=x.dtype), x.shape)
    result = x
    for bit in f"{count:b}"[1:]:
        result = matmul(result, result)
        if bit == "1":
            result = matmul(result, x)
    return result
