"""Equations of tensors, and diagonals of matrices as `numpy.linalg` has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import mul
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation import diagonals
from weft_tensor.ops.linalg.solve import inv, solve
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["diagonal", "tensorinv", "tensorsolve", "trace"]


def diagonal(x: TensorLike, offset: SizeLike = 0) -> TensorVariable:
    """Diagonal number `offset` of matrices, on the last two axes. See `numpy.linalg.diagonal`.

    >>> diagonal([[[1, 2], [3, 4]]]).eval()
    array([[1, 4]])
    """
    return diagonals.diagonal(x, offset, -2, -1)


def trace(x: TensorLike, offset: SizeLike = 0, dtype: Any = None) -> TensorVariable:
    """The sum of a diagonal of matrices, on the last two axes. See `numpy.linalg.trace`.

    >>> trace([[[1, 2], [3, 4]]]).eval()
    array([5])
    """
    return sum(diagonal(x, offset), -1, dtype=dtype)


def tensorinv(a: TensorLike, ind: int = 2) -> TensorVariable:
    """The inverse of a tensor, whose first `ind` axes are the rows of a matrix.

    See `numpy.linalg.tensorinv`. Raises ValueError if `ind` is not positive.

    >>> tensorinv([[[2.0], [0.0]], [[0.0], [4.0]]], ind=1).eval()
    array([[[0.5 , 0.  ]],
    <BLANKLINE>
           [[0.  , 0.25]]])
    """
    x = as_tensor(a)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind must be positive, not {ind}")
    rows, columns = lengths_of(x)[:ind], lengths_of(x)[ind:]
    matrix = reshape(x, (reduce(mul, rows, 1), reduce(mul, columns, 1)))
    return reshape(inv(matrix), (*columns, *rows))


def tensorsolve(a: TensorLike, b: TensorLike, axes: Sequence[int] | None = None) -> TensorVariable:
    """x with tensordot(a, x, x.ndim) = b. See `numpy.linalg.tensorsolve`.

    `axes` of a are moved to its end before: its last axes are those of x.

    >>> tensorsolve([[[2.0], [0.0]], [[0.0], [4.0]]], [2.0, 4.0]).eval()
    array([[1.],
           [1.]])
    """
    x, right = as_tensor(a), as_tensor(b)
    if axes is not None:
        x = moveaxis(x, list(axes), list(range(x.ndim - len(axes), x.ndim)))
    unknown = lengths_of(x)[right.ndim :]
    size = reduce(mul, unknown, 1)
    return reshape(solve(reshape(x, (size, size)), ravel(right)), unknown)
