"""Solutions of systems with sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from weft_graph import wrap_py
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.sparse.construction import eye_array
from weft_tensor.ops.sparse.parts import tril, triu
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.types.tensor_type import TensorType

__all__ = ["factorized", "spsolve", "spsolve_triangular"]


def spsolve(A: SparseArray, b: TensorLike) -> TensorVariable:  # SciPy's name
    """The x with `A @ x = b`, of a square matrix and a vector or matrix, by SciPy's LU factors.

    They are made on the host, on every backend, and kept for the next solution with the same
    matrix, as in a loop. Derivatives in entries and in b, in both modes, are
    solutions, too. See `scipy.sparse.linalg.spsolve`; large systems that are positive definite
    `optimize.cg` solves by products alone. NaN where the matrix is singular. Raises ValueError if b
    has another number of axes.

    >>> from weft_tensor.ops.sparse.construction import diags_array
    >>> spsolve(diags_array([[2.0, 4.0]], [0]), [1.0, 1.0]).eval()
    array([0.5 , 0.25])
    """
    right = as_tensor(b)
    if right.ndim not in (1, 2):
        raise ValueError(f"spsolve takes a vector or a matrix, not {right!r}{called()}")
    kind = np.result_type(A.dtype, right.dtype, np.float32).name
    a, right = A.astype(kind), right.astype(kind)

    def solver(m: SparseArray) -> Any:
        host = _solver(kind, right.ndim)
        return lambda _, y: host(m.data, m.row, m.col, y)

    return custom_linear_solve(lambda v: a @ v, right, solver(a), solver(a.T))


def factorized(A: SparseArray) -> Callable[[TensorLike], TensorVariable]:  # SciPy's name
    """What solves `A @ x = b` for each b, as `spsolve` does, whose factors are made once.

    See `scipy.sparse.linalg.factorized`.

    >>> from weft_tensor.ops.sparse.construction import diags_array
    >>> factorized(diags_array([[2.0, 4.0]], [0]))([1.0, 1.0]).eval()
    array([0.5 , 0.25])
    """
    return lambda b: spsolve(A, b)


def spsolve_triangular(
    A: SparseArray,  # SciPy's name
    b: TensorLike,
    lower: bool = True,
    unit_diagonal: bool = False,
) -> TensorVariable:
    """The x with `A @ x = b`, of the lower, or upper, triangle of a square matrix.

    With `unit_diagonal`, ones stand on the diagonal. What is on the other side of it counts for
    nothing. By `spsolve`, which has no more factors than the triangle. See
    `scipy.sparse.linalg.spsolve_triangular`.

    >>> from weft_tensor.ops.sparse.construction import coo_array
    >>> spsolve_triangular(coo_array([[2.0, 9.0], [2.0, 1.0]]), [2.0, 3.0]).eval()
    array([1., 1.])
    """
    inside = int(unit_diagonal)
    triangle = tril(A, -inside) if lower else triu(A, inside)
    if unit_diagonal:
        triangle = triangle + eye_array(A.shape[0], dtype=A.dtype)
    return spsolve(triangle, b)


def _solver(kind: str, ndim: int) -> Any:
    entries, places = TensorType(kind, (None,)), TensorType("int64", (None,))
    right = TensorType(kind, (None,) * ndim)
    return wrap_py(
        _solved,
        itypes=[entries, places, places, right],
        otypes=[right],
        infer_shape=lambda fgraph, node, shapes: [shapes[3]],
    )


def _solved(data: np.ndarray, row: np.ndarray, col: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not b.size:
        return b
    factors = _factors(data.tobytes(), row.tobytes(), col.tobytes(), data.dtype.str, len(b))
    if factors is None:
        return np.full_like(b, np.nan)
    return np.asarray(factors.solve(b), b.dtype)


@lru_cache(maxsize=4)
def _factors(data: bytes, row: bytes, col: bytes, kind: str, n: int) -> Any:
    """SciPy's LU factors; None of a singular matrix."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    places = np.frombuffer(row, "int64"), np.frombuffer(col, "int64")
    matrix = csc_array((np.frombuffer(data, kind), places), shape=(n, n))
    try:
        return splu(matrix)
    except RuntimeError:
        return None
