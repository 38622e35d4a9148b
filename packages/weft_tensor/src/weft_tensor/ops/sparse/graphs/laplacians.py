"""Laplacians of graphs."""

from __future__ import annotations

from typing import Any

from weft_tensor.ops.creation.creation import arange, full_like
from weft_tensor.ops.creation.diagonals import diagonal
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.complex import conj
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.sparse.graphs.edges import Graph, square
from weft_tensor.ops.sparse.sparse_array import SparseArray

__all__ = ["laplacian"]


def laplacian(
    csgraph: Graph,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    symmetrized: bool = False,
) -> Any:
    """The sums of weights at each node, as a diagonal, minus the weights between nodes.

    It is sparse if the graph is. See `scipy.sparse.csgraph.laplacian`.

    Parameters
    ----------
    csgraph
        A square matrix, dense or sparse, whose entry (i, j) is the weight of the edge from i to j.
    normed
        Whether to divide each row and each column by the root of its sum, if that is not 0.
    return_diag
        Whether to give, after the matrix, the diagonal; of a `normed` one the roots.
    use_out_degree
        Whether the sums are those of rows, not of columns.
    symmetrized
        Whether the transpose is added first.

    Raises
    ------
    ValueError
        for a tensor of another rank, and, when it is computed, another shape.

    Examples
    --------
    >>> laplacian([[0, 2], [2, 0]]).eval()
    array([[ 2, -2],
           [-2,  2]])
    """
    a = square("laplacian", csgraph)
    if normed and a.dtype[0] not in "fc":
        a = a.astype("float64")
    if symmetrized:
        a = a + (a.T.conj() if isinstance(a, SparseArray) else conj(a.T))
    n = a.shape[0] if isinstance(a, SparseArray) else lengths_of(a)[0]
    loops = a.diagonal() if isinstance(a, SparseArray) else diagonal(a)
    sums = a.sum(1 if use_out_degree else 0) - loops
    roots = where(eq(sums, 0), 1, sqrt(where(eq(sums, 0), 1, sums))) if normed else None
    on = sums if roots is None else where(eq(sums, 0), 0, full_like(sums, 1))
    diag = sums if roots is None else roots
    nodes = arange(n)
    if isinstance(a, SparseArray):
        off = where(eq(a.row, a.col), 0, -a.data).astype(a.dtype)
        if roots is not None:
            off = off / roots[a.row] / roots[a.col]
        parts = ((off, on), (a.row, nodes), (a.col, nodes))
        data, row, col = (concatenate(list(pair)) for pair in parts)
        found: Any = SparseArray(data, row, col, (n, n)).sum_duplicates()
    else:
        off = -a if roots is None else -a / roots / expand_dims(roots, 1)
        found = where(eq(expand_dims(nodes, 1), nodes), on, off)
    return (found, diag) if return_diag else found
