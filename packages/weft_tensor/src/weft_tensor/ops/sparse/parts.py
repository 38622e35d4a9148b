"""Parts and measures of sparse matrices, by SciPy's names."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import square
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.reduction.standard import sum as total
from weft_tensor.ops.sparse.construction import coo_array, eye_array, in_format
from weft_tensor.ops.sparse.entries import chosen, nonzeros
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.types.constants import inf

__all__ = ["find", "matrix_power", "matrix_transpose", "norm", "tril", "triu"]


def tril(A: Any, k: int = 0, format: str | None = None) -> SparseArray:  # SciPy's name
    """The part on and below the k-th diagonal. See `scipy.sparse.tril`.

    `A` is all that `coo_array` takes, here and in all functions beside this one.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> tril(coo_array([[1.0, 2.0], [3.0, 4.0]])).toarray().eval()
    array([[1., 0.],
           [3., 4.]])
    """
    a = coo_array(A)
    return in_format(SparseArray(*chosen(a.entries, a.col - a.row <= k)), format)


def triu(A: Any, k: int = 0, format: str | None = None) -> SparseArray:  # SciPy's name
    """The part on and above the k-th diagonal. See `scipy.sparse.triu`.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> triu(coo_array([[1.0, 2.0], [3.0, 4.0]]), 1).toarray().eval()
    array([[0., 2.],
           [0., 0.]])
    """
    a = coo_array(A)
    return in_format(SparseArray(*chosen(a.entries, a.col - a.row >= k)), format)


def find(A: Any) -> tuple[TensorVariable, TensorVariable, TensorVariable]:  # SciPy's name
    """The rows, the columns and the values of what is not zero, in the order of rows.

    See `scipy.sparse.find`, which has the order of columns.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> [part.eval().tolist() for part in find(coo_array([[0.0, 2.0], [3.0, 0.0]]))]
    [[0, 1], [1, 0], [2.0, 3.0]]
    """
    found = nonzeros(coo_array(A).entries)
    return found.row, found.col, found.data


def matrix_transpose(A: Any) -> SparseArray:  # SciPy's name
    """The transpose. See `scipy.sparse.matrix_transpose`.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> matrix_transpose(coo_array([[0.0, 2.0], [3.0, 0.0]])).toarray().eval()
    array([[0., 3.],
           [2., 0.]])
    """
    return coo_array(A).T


def matrix_power(A: Any, power: int) -> SparseArray:  # SciPy's names
    """A square matrix times itself so often. See `scipy.sparse.linalg.matrix_power`.

    Raises ValueError for a negative power.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> matrix_power(coo_array([[0.0, 2.0], [3.0, 0.0]]), 3).toarray().eval()
    array([[ 0., 12.],
           [18.,  0.]])
    """
    if power < 0:
        raise ValueError(f"matrix_power: 0 or more, not {power}: write spsolve{called()}")
    a = coo_array(A)
    if power == 0:
        return eye_array(a.shape[0], dtype=a.dtype)
    half = a if power == 1 else matrix_power(a, power // 2)
    square_of = half if power == 1 else half @ half
    return square_of @ a if power > 1 and power % 2 else square_of


def norm(A: Any, ord: Any = None, axis: Any = None) -> TensorVariable:  # SciPy's names
    """Frobenius' norm, or the largest sum of absolute values of a column (1) or of a row (inf).

    With an axis, 0 of columns or 1 of rows, the norm of each as a vector: 2 (None) or the sum of
    absolute values (1); float64 of integers. See `scipy.sparse.linalg.norm`. Raises ValueError for
    another order or axis.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> a = coo_array([[3.0, 0.0], [4.0, -1.0]])
    >>> norm(a, 1).eval(), norm(a, inf).eval(), norm(a, axis=0).eval()
    (array(7.), array(5.), array([5., 1.]))
    """
    (axis,) = axis if isinstance(axis, tuple) and len(axis) == 1 else (axis,)
    x = coo_array(A)
    x = x.astype("float64") if x.dtype[0] in "iub" else x  # squares and sums of bytes are larger
    if axis in (None, (0, 1), (1, 0)):
        if ord in (None, "fro"):
            return total(square(abs(x).data)) ** 0.5
        if ord not in (1, inf):
            raise ValueError(f"norm: ord is None, 'fro', 1 or inf, not {ord!r}{called()}")
        return abs(x).sum(0 if ord == 1 else 1).max()
    if axis not in (0, 1, -1, -2):
        raise ValueError(f"norm: axis is None, 0 or 1, not {axis!r}{called()}")
    if ord not in (None, 1, 2):
        raise ValueError(f"norm: ord of an axis is None, 1 or 2, not {ord!r}{called()}")
    sizes = abs(x)
    if ord == 1:
        return sizes.sum(axis)
    squares = sizes.power(2).sum(axis)
    is_zero = eq(squares, 0)  # without a slope
    return where(is_zero, 0, where(is_zero, 1, squares) ** 0.5)
