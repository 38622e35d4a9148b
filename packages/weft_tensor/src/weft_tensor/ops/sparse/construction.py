"""How sparse matrices are made: of SciPy's, of entries and places, of tensors, of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, full
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.rearrange import repeat
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.types.dtypes import DTypeLike, as_dtype
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "coo_array",
    "csc_array",
    "csr_array",
    "diags_array",
    "eye_array",
    "in_format",
    "matrix",
]

Size2 = tuple[SizeLike, SizeLike]


def matrix(name: str = "A", dtype: DTypeLike = "float64") -> SparseArray:
    """An input that is a sparse matrix: it takes SciPy's `coo_array`, or what has its parts.

    >>> import scipy.sparse
    >>> from weft_graph import function
    >>> a = matrix("a")
    >>> f = function([a], a.sum(0))
    >>> f(scipy.sparse.csr_array([[0.0, 2.0], [0.0, 3.0]]).tocoo())
    array([0., 5.])
    """
    index_type = TensorType("int64", (None,))
    size = TensorType("int64", ())
    row, col = (index_type(f"{name}.{part}") for part in ("row", "col"))
    lengths = [size(f"{name}.shape[{k}]") for k in range(2)]
    entries = TensorType(np.dtype(dtype).name, (None,))(f"{name}.data")
    return SparseArray(entries, row, col, (lengths[0], lengths[1]))


def coo_array(arg: Any, shape: Size2 | None = None, dtype: Any = None) -> SparseArray:
    """A sparse matrix of one of SciPy's, of `(data, (row, col))`, or of a matrix' nonzero elements.

    See `scipy.sparse.coo_array`. Without `shape`, entries and places make the least matrix that
    holds them. Raises ValueError for a matrix of another rank, for places that are negative, also
    when they are computed, and, if places and lengths are known, for those outside.

    >>> coo_array(([1.0, 2.0], ([0, 1], [2, 0]))).toarray().eval()
    array([[0., 0., 1.],
           [2., 0., 0.]])
    """
    if dtype is not None:
        return coo_array(arg, shape).astype(as_dtype(dtype))
    if isinstance(arg, SparseArray) and shape is None:
        return arg
    if hasattr(arg, "tocoo"):
        entries = arg.tocoo()
        entries.sum_duplicates()
        return _of_parts(entries.data, entries.row, entries.col, shape or entries.shape)
    if isinstance(arg, tuple):
        data, (row, col) = arg
        return _of_parts(data, row, col, shape)
    x = as_tensor(arg)
    if x.ndim != 2:
        raise ValueError(f"a sparse matrix is made of a matrix, not of {x!r}{called()}")
    row, col = nonzero(x)
    m, n = shape or lengths_of(x)
    return SparseArray(index(x, (row, col)), row, col, (m, n))


def csr_array(arg: Any, shape: Size2 | None = None, dtype: Any = None) -> SparseArray:
    """A sparse matrix of `(data, indices, indptr)`, by rows; else as `coo_array` makes it.

    See `scipy.sparse.csr_array`. Without `shape`, it has the columns that are named.

    >>> csr_array(([1.0, 2.0, 3.0], [2, 0, 1], [0, 1, 3])).toarray().eval()
    array([[0., 0., 1.],
           [2., 3., 0.]])
    """
    if not isinstance(arg, tuple) or len(arg) != 3:
        return coo_array(arg, shape, dtype)
    if dtype is not None:
        return csr_array(arg, shape).astype(as_dtype(dtype))
    data, indices, indptr = map(as_tensor, arg)
    count = lengths_of(indptr)[0] - 1
    row = repeat(arange(count), diff(indptr))
    return _of_parts(data, row, indices, shape or (count, indices.max() + 1))


def csc_array(arg: Any, shape: Size2 | None = None, dtype: Any = None) -> SparseArray:
    """A sparse matrix of `(data, indices, indptr)`, by columns; else as `coo_array` makes it.

    See `scipy.sparse.csc_array`. Without `shape`, it has the rows that are named.

    >>> csc_array(([1.0, 2.0, 3.0], [2, 0, 1], [0, 1, 3])).toarray().eval()
    array([[0., 2.],
           [0., 3.],
           [1., 0.]])
    """
    if not isinstance(arg, tuple) or len(arg) != 3:
        return coo_array(arg, shape, dtype)
    return csr_array(arg, shape and shape[::-1], dtype).T


def eye_array(
    m: SizeLike,
    n: SizeLike | None = None,
    k: int = 0,
    dtype: Any = "float64",
    format: str | None = None,
) -> SparseArray:
    """Ones where the column is the row plus k. See `scipy.sparse.eye_array`, and `diags_array`.

    >>> eye_array(2, 3, k=1).toarray().eval()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    one = np.ones((), as_dtype(dtype))
    return diags_array(one, k, (m, m if n is None else n), format=format)


def diags_array(
    diagonals: Any,
    offsets: int | Sequence[int] = 0,
    shape: Size2 | None = None,
    format: str | None = None,
    dtype: Any = None,
) -> SparseArray:
    """A matrix with these diagonals, each as far above the main one as its offset says.

    See `scipy.sparse.diags_array`. Diagonals are vectors of their full length, or, if `shape` is
    given, numbers that fill one. Without `shape` the matrix is square, as large as the first wants.
    SciPy's `format` makes no difference. Raises ValueError for another number of offsets, for a
    number without `shape`, and for a format that SciPy does not know.

    >>> diags_array([[1.0, 1.0], [2.0, 2.0, 2.0]], [-1, 0]).toarray().eval()
    array([[2., 0., 0.],
           [1., 2., 0.],
           [0., 1., 2.]])
    >>> diags_array([-1.0, 2.0], offsets=[1, 0], shape=(2, 2)).toarray().eval()
    array([[ 2., -1.],
           [ 0.,  2.]])
    """
    if isinstance(offsets, int):
        only = as_tensor(diagonals)
        vectors, offsets = [only if only.ndim < 2 else index(only, 0)], [offsets]
    else:
        vectors = list(map(as_tensor, diagonals))
    if len(vectors) != len(offsets) or not vectors:
        text = f"{len(vectors)} diagonals and {len(offsets)} offsets"
        raise ValueError(f"diags_array: {text}{called()}")
    if shape is None and not all(v.ndim for v in vectors):
        raise ValueError(f"diags_array: a number fills a diagonal of a given shape{called()}")
    if shape is not None:
        m, n = map(as_size, shape)
        vectors = [
            v if v.ndim else full(_length_of_diagonal(m, n, k), v)
            for v, k in zip(vectors, offsets, strict=True)
        ]
    places = [arange(lengths_of(v)[0]) for v in vectors]
    row = concatenate([p + max(-k, 0) for p, k in zip(places, offsets, strict=True)])
    col = concatenate([p + max(k, 0) for p, k in zip(places, offsets, strict=True)])
    side = lengths_of(vectors[0])[0] + abs(offsets[0])
    return in_format(
        SparseArray(concatenate(vectors), row, col, shape or (side, side)), format, dtype
    )


def in_format(a: SparseArray, format: str | None, dtype: Any = None) -> SparseArray:
    """`a`, in that dtype, if one is given; its entries are the same in all of SciPy's formats.

    Raises ValueError for another format.
    """
    if format not in (None, "bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
        raise ValueError(f"{format!r} is no format of sparse matrices{called()}")
    return a if dtype is None else a.astype(as_dtype(dtype))


def _length_of_diagonal(m: TensorVariable, n: TensorVariable, k: int) -> TensorVariable:
    return maximum(minimum(m - max(-k, 0), n - max(k, 0)), 0)


def _of_parts(data: Any, row: Any, col: Any, shape: Size2 | None) -> SparseArray:
    entries, *places = map(as_tensor, (data, row, col))
    if entries.ndim != 1 or any(p.ndim != 1 or p.dtype[0] not in "iu" for p in places):
        parts = f"not {entries!r}, {places[0]!r} and {places[1]!r}{called()}"
        raise ValueError(f"entries, rows and columns are vectors, places integers: {parts}")
    rows, columns = (
        check_and_raise(p.astype("int64"), p >= 0, ValueError, "places of entries are negative")
        for p in places
    )
    size = shape or (rows.max(initial=-1) + 1, columns.max(initial=-1) + 1)
    return SparseArray(entries, rows, columns, size)
