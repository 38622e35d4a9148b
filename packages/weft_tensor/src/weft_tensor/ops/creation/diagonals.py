"""Diagonals and blocks: diag, diagonal, trace, tri, block_diag, kron."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import atleast_2d, expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.dtypes import DTypeLike, promote

__all__ = ["block_diag", "diag", "diagonal", "kron", "trace", "tri"]


def tri(
    n: SizeLike, m: SizeLike | None = None, k: SizeLike = 0, dtype: Any = "float64"
) -> TensorVariable:
    """Ones on and below diagonal number `k` of n rows and m columns. See `numpy.tri`.

    >>> tri(2, 3).eval()
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    rows, columns = arange(n).expand_dims(1), arange(n if m is None else m)
    return ge(rows + as_size(k), columns).astype(dtype)


def _starts(offset: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """The row and the column in which a diagonal begins."""
    return maximum(-offset, 0), maximum(offset, 0)


def diagonal(x: TensorLike, offset: SizeLike = 0, axis1: int = 0, axis2: int = 1) -> TensorVariable:
    """Diagonal number `offset` of two axes, as the last axis. See `numpy.diagonal`.

    Raises ValueError if there are fewer than two axes.

    >>> diagonal([[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"a diagonal needs two axes, but {x!r} has rank {x.ndim}")
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    row, column = _starts(as_size(offset))
    n, m = lengths_of(x)[-2:]
    places = arange(maximum(minimum(n - row, m - column), 0))
    return index(x, (..., places + row, places + column))


def diag(x: TensorLike, k: SizeLike = 0) -> TensorVariable:
    """The matrix with the vector `x` on diagonal number `k`, or that diagonal of a matrix.

    See `numpy.diag`. Raises ValueError for what is neither a vector nor a matrix.

    >>> diag([1, 2]).eval()
    array([[1, 0],
           [0, 2]])
    >>> diag([[1, 2], [3, 4]], 1).eval()
    array([2])
    """
    x = as_tensor(x)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError(f"diag takes a vector or a matrix, not {x!r}")
    offset = as_size(k)
    row, column = _starts(offset)
    (n,) = lengths_of(x)
    length = n + absolute(offset)
    empty, places = zeros((length, length), x.dtype), arange(n)
    return updated(index(empty, (places + row, places + column)), "set", x)


def trace(
    x: TensorLike,
    offset: SizeLike = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
) -> TensorVariable:
    """The sum of a diagonal, in `dtype` if it is given. See `numpy.trace`.

    >>> trace([[1, 2], [3, 4]]).eval()
    array(5)
    """
    return sum(diagonal(x, offset, axis1, axis2), -1, dtype)


def block_diag(*xs: TensorLike) -> TensorVariable:
    """The matrix with the matrices `xs` along its diagonal, and zeros elsewhere.

    Vectors count as rows. Matrices are on the last two axes; stacks of them are broadcast
    against each other, and give a stack. See `scipy.linalg.block_diag`. Raises ValueError without
    any matrix.

    >>> block_diag([[1, 2]], [[3], [4]]).eval()
    array([[1, 2, 0],
           [0, 0, 3],
           [0, 0, 4]])
    """
    if not xs:
        raise ValueError("block_diag needs at least one matrix")
    blocks = [atleast_2d(x) for x in as_tensors(xs)]
    batch = broadcast_dims(*[lengths_of(b)[:-2] for b in blocks])
    dtype = promote([b.dtype for b in blocks])
    rows = []
    for k, block in enumerate(blocks):
        n, m = lengths_of(block)[-2:]
        parts = [
            broadcast_to(block, (*batch, n, m))
            if j == k
            else zeros((*batch, n, lengths_of(other)[-1]), dtype)
            for j, other in enumerate(blocks)
        ]
        rows.append(concatenate(parts, -1))
    return concatenate(rows, -2)


def kron(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The Kronecker product: `b` times each element of `a`, in its place. See `numpy.kron`.

    >>> kron([1, 10], [[1, 2]]).eval()
    array([[ 1,  2, 10, 20]])
    """
    a, b = as_tensor(a), as_tensor(b)  # each with the dtype that it has alone
    ndim = max(a.ndim, b.ndim)
    a, b = (expand_dims(v, tuple(range(ndim - v.ndim))) if v.ndim < ndim else v for v in (a, b))
    lengths = list(zip(lengths_of(a), lengths_of(b), strict=True))
    behind, before = (tuple(range(start, 2 * ndim, 2)) for start in (1, 0))
    products = expand_dims(a, behind) * expand_dims(b, before) if ndim else a * b
    return reshape(products, [n * m for n, m in lengths])
