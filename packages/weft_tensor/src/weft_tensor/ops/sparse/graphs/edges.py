"""The edges of a graph that a matrix stands for."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, ones_like
from weft_tensor.ops.elementwise.comparison import eq, isfinite, neq, where
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.sparse.construction import coo_array
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.types.constants import inf
from weft_tensor.types.symbolic_dims import provably_differ

__all__ = ["Edges", "Graph", "edges_of", "is_sparse", "square"]

T = TensorVariable
Graph = SparseArray | TensorLike
"""A square matrix whose entry (i, j) is the weight of the edge from i to j."""


class Edges(NamedTuple):
    """What a graph consists of."""

    weights: TensorVariable
    exist: TensorVariable
    """Of a dense matrix not all do."""
    start: TensorVariable
    """The node at which each begins."""
    end: TensorVariable
    nodes: Any
    """How many there are."""

    def both_ways(self) -> Edges:
        """Each as two."""
        weights, exist = (concatenate([v, v]) for v in (self.weights, self.exist))
        there, back = [self.start, self.end], [self.end, self.start]
        return Edges(weights, exist, concatenate(there), concatenate(back), self.nodes)


def is_sparse(csgraph: Any) -> bool:
    """Whether a matrix is one of Weft's sparse ones, or of SciPy's.

    >>> is_sparse([[0.0]])
    False
    """
    return isinstance(csgraph, SparseArray) or hasattr(csgraph, "tocoo")


def square(name: str, csgraph: Graph) -> Any:
    """The matrix, as a sparse array with distinct places, or a tensor; ValueError if not square.

    >>> square("laplacian", [[0, 1], [2, 0]]).eval()
    array([[0, 1],
           [2, 0]])
    """
    if is_sparse(csgraph):
        a = coo_array(csgraph)
        data = _checked(name, a.data, *a.shape)
        return SparseArray(data, a.row, a.col, (a.shape[0],) * 2).sum_duplicates()
    x = as_tensor(csgraph)
    if x.ndim != 2:
        raise ValueError(f"{name}: a graph is a square matrix, not {x!r}{called()}")
    return _checked(name, x, *lengths_of(x))


def _checked(name: str, x: T, m: T, n: T) -> T:
    message = f"{name}: a graph is a square matrix"
    sides = static_length(m), static_length(n)
    if None not in sides and provably_differ(*sides):
        raise ValueError(f"{message}{called()}")
    return check_and_raise(x, eq(m, n), ValueError, message)


def edges_of(name: str, csgraph: Graph, directed: bool, unweighted: bool = False) -> Edges:
    """The edges of a graph; both ways if it is not directed, and of weight 1 if `unweighted`.

    Of a dense matrix, what is 0, infinite or NaN is none; of a sparse one, each stored entry is.

    >>> edges_of("shortest_path", [[0.0, 3.0], [0.0, 0.0]], True).weights.eval()
    array([inf,  3., inf, inf])
    """
    a = square(name, csgraph)
    if isinstance(a, SparseArray):
        data = numbers(a.data)
        exist: T = ones_like(data).astype("bool")
        start, end, n = a.row, a.col, a.shape[0]
    else:
        n = lengths_of(a)[0]
        data = ravel(numbers(a))
        exist = neq(data, 0) & isfinite(data)
        nodes = arange(n)
        start = ravel(broadcast_to(expand_dims(nodes, 1), (n, n)))
        end = ravel(broadcast_to(nodes, (n, n)))
    weights = where(exist, 1.0 if unweighted else data, inf).astype(data.dtype)
    found = Edges(weights, exist, start.astype("int64"), end.astype("int64"), n)
    return found if directed else found.both_ways()
