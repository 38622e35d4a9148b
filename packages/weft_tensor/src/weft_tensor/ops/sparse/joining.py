"""Sparse matrices of sparse matrices: beside and below each other, and for each element."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from typing import Any

from weft_graph.extend import called
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.sparse.construction import coo_array, eye_array, in_format
from weft_tensor.ops.sparse.pairs import kronecker
from weft_tensor.ops.sparse.sparse_array import SparseArray

__all__ = ["block_array", "block_diag", "hstack", "kron", "kronsum", "vstack"]


def vstack(
    blocks: Sequence[Any],
    format: str | None = None,
    dtype: Any = None,
) -> SparseArray:
    """Sparse matrices, one below the other. See `scipy.sparse.vstack`.

    They are all that `coo_array` takes, and SciPy's `format` makes no difference, here and in all
    functions beside this one. Raises ValueError for none, for other numbers of columns, and for a
    format that SciPy does not know.

    >>> vstack([eye_array(1, 2), eye_array(1, 2)]).toarray().eval()
    array([[1., 0.],
           [1., 0.]])
    """
    if not blocks:
        raise ValueError(f"vstack: there is no matrix{called()}")
    first, *rest = map(coo_array, blocks)
    return in_format(fold(lambda a, b: a.above(b), rest, first), format, dtype)


def hstack(
    blocks: Sequence[Any],
    format: str | None = None,
    dtype: Any = None,
) -> SparseArray:
    """Sparse matrices, one beside the other. See `vstack`.

    >>> hstack([eye_array(2), eye_array(2)]).toarray().eval()
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.]])
    """
    return vstack([coo_array(a).T for a in blocks], format, dtype).T


def block_array(
    blocks: Sequence[Sequence[Any]],
    format: str | None = None,
    dtype: Any = None,
) -> SparseArray:
    """Sparse matrices in rows and columns; None stands for zeros. See `scipy.sparse.block_array`.

    Raises ValueError where a row or a column has no matrix, and where sides differ.

    >>> from weft_tensor.ops.sparse.construction import eye_array
    >>> block_array([[eye_array(1), None], [None, eye_array(2)]]).toarray().eval()
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    given = [[None if a is None else coo_array(a) for a in row] for row in blocks]
    heights = [_first(row).shape[0] for row in given]
    widths = [_first(column).shape[1] for column in zip(*given, strict=True)]
    return vstack(
        [
            hstack([_zeros(m, n) if a is None else a for a, n in zip(row, widths, strict=True)])
            for row, m in zip(given, heights, strict=True)
        ],
        format,
        dtype,
    )


def block_diag(
    mats: Sequence[Any],
    format: str | None = None,
    dtype: Any = None,
) -> SparseArray:
    """Sparse matrices along the diagonal. See `scipy.sparse.block_diag`.

    >>> from weft_tensor.ops.sparse.construction import eye_array
    >>> block_diag([eye_array(1), eye_array(1, 2)]).toarray().eval()
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    count = len(mats)
    rows = [[a if k == i else None for k in range(count)] for i, a in enumerate(mats)]
    return block_array(rows, format, dtype)


def kron(A: Any, B: Any, format: str | None = None) -> SparseArray:  # SciPy's names
    """Each element of A times all of B. See `scipy.sparse.kron`.

    >>> from weft_tensor.ops.sparse.construction import diags_array, eye_array
    >>> kron(diags_array([2.0, 3.0]), eye_array(1, 2)).toarray().eval()
    array([[2., 0., 0., 0.],
           [0., 0., 3., 0.]])
    """
    a, b = coo_array(A), coo_array(B)
    return in_format(SparseArray(*kronecker(a.entries, b.entries)), format)


def kronsum(A: Any, B: Any, format: str | None = None) -> SparseArray:  # SciPy's names
    """`kron(I, A) + kron(B, I)`, of square matrices. See `scipy.sparse.kronsum`.

    >>> from weft_tensor.ops.sparse.construction import diags_array
    >>> kronsum(diags_array([1.0, 2.0]), diags_array([10.0])).toarray().eval()
    array([[11.,  0.],
           [ 0., 12.]])
    """
    a, b = coo_array(A), coo_array(B)
    left = kron(eye_array(b.shape[0]).astype(a.dtype), a)
    total: SparseArray = left + kron(b, eye_array(a.shape[0]).astype(b.dtype))
    return in_format(total, format)


def _first(line: Sequence[SparseArray | None]) -> SparseArray:
    for a in line:
        if a is not None:
            return a
    raise ValueError(f"block_array: a row or a column has no matrix{called()}")


def _zeros(m: object, n: object) -> SparseArray:
    places = zeros(0, "int64")
    return SparseArray(zeros(0, "bool"), places, places, (m, n))
