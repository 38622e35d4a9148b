"""Solutions of systems with sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import wrap_py
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.types.tensor_type import TensorType

__all__ = ["spsolve"]


def spsolve(A: SparseArray, b: TensorLike) -> TensorVariable:  # SciPy's name
    """The x with `A @ x = b`, of a square matrix and a vector or matrix, by SciPy's LU factors.

    They are made on the host, on every backend. Derivatives in entries and in b, in both modes, are
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
    from warnings import catch_warnings, simplefilter

    from scipy.sparse import csc_array
    from scipy.sparse.linalg import MatrixRankWarning, spsolve

    matrix = csc_array((data, (row, col)), shape=(len(b), len(b)))
    with catch_warnings():
        simplefilter("ignore", MatrixRankWarning)
        return np.asarray(spsolve(matrix, b), b.dtype).reshape(b.shape)
