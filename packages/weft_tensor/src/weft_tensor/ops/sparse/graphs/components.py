"""Which nodes of a graph hang together, and the edges that are enough for it."""

from __future__ import annotations

from typing import Any

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.segments import segment_min
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.sparse.entries import Entries, added, chosen
from weft_tensor.ops.sparse.graphs.edges import Edges, Graph, edges_of
from weft_tensor.ops.sparse.sparse_array import SparseArray

__all__ = ["connected_components", "minimum_spanning_tree"]

T = TensorVariable


def connected_components(
    csgraph: Graph, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """How many parts of a graph do not hang together, and to which each node belongs.

    Parts count in the order of their first nodes. See `scipy.sparse.csgraph.connected_components`,
    which may number strong ones otherwise.

    Parameters
    ----------
    csgraph
        As for `shortest_path`.
    directed
        If False, edges lead both ways.
    connection
        "weak" if nodes hang together where an edge leads from one to the other; "strong" if paths
        must lead both ways, which takes time with the cube of how many nodes there are.
    return_labels
        Whether to give, after their number, the part of each node.

    Raises
    ------
    ValueError
        for another connection or rank, and, when it is computed, another shape.

    Examples
    --------
    >>> count, labels = connected_components([[0, 0, 1], [0, 0, 0], [0, 0, 0]])
    >>> count.eval(), labels.eval()
    (array(2), array([0, 1, 0], dtype=int32))
    """
    one_of("connected_components", "connection", connection.lower(), ("weak", "strong"))
    edges = edges_of("connected_components", csgraph, True)
    is_strong = directed and connection.lower() == "strong"
    first = _first_both_ways(edges) if is_strong else _first_of_part(edges, edges.exist)
    is_first = eq(first, arange(edges.nodes)).astype("int64")
    count = is_first.sum()
    if not return_labels:
        return count
    return count, (index(cumsum(is_first), (first,)) - 1).astype("int32")


def minimum_spanning_tree(csgraph: Graph) -> SparseArray:
    """The edges of least weight that hold together what hangs together, as a sparse matrix.

    Edges lead both ways; of two between the same nodes only the lighter one counts. O. Boruvka,
    O jistem problemu minimalnim, 1926: each part takes its lightest edge to another, until there is
    none. Where weights are equal, SciPy may take another tree, which is as light. See
    `scipy.sparse.csgraph.minimum_spanning_tree`. Raises ValueError as `shortest_path` does.

    >>> minimum_spanning_tree([[0, 3, 1], [0, 0, 1], [0, 0, 0]]).toarray().eval()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    edges = edges_of("minimum_spanning_tree", csgraph, True)
    order = argsort(stop_gradient(edges.weights), stable=True)
    count = lengths_of(order)[0]
    rank = updated(index(zeros_like(order), (order,)), "set", arange(count))

    def join(state: tuple[T, T, T]) -> tuple[T, T, T]:
        taken, part, _ = state
        ends = index(part, (edges.start,)), index(part, (edges.end,))
        leads_out = edges.exist & neq(*ends)
        ranks = where(leads_out, rank, count)
        least = segment_min(concatenate([ranks, ranks]), concatenate([*ends]), edges.nodes)
        is_least = eq(rank, index(least, (ends[0],))) | eq(rank, index(least, (ends[1],)))
        taken = taken | (leads_out & is_least)
        return taken, _first_of_part(edges, taken), any(leads_out)

    start = edges.exist & False, arange(edges.nodes), as_tensor(True)
    taken, _, _ = while_loop(lambda s: s[2], join, start)
    n = edges.nodes
    return SparseArray(*chosen(Entries(edges.weights, edges.start, edges.end, (n, n)), taken))


def _first_of_part(edges: Edges, exist: T) -> T:
    """The first node to which each is linked: labels meet along edges, and those of labels, too."""

    def meet(state: tuple[T, T]) -> tuple[T, T]:
        label, _ = state
        ends = index(label, (edges.start,)), index(label, (edges.end,))
        least = where(exist, minimum(*ends), ends[0])
        after = updated(index(label, (ends[0],)), "minimum", least)
        least = where(exist, least, ends[1])
        after = updated(index(after, (ends[1],)), "minimum", least)
        after = index(after, (after,))
        return after, any(neq(after, label))

    first, _ = while_loop(lambda s: s[1], meet, (arange(edges.nodes), as_tensor(True)))
    return first


def _first_both_ways(edges: Edges) -> T:
    """The first node from which and to which paths lead: ever longer ones, by squares."""
    n = edges.nodes
    nodes = arange(n)
    links = added((n, n), "float64", (edges.start, edges.end), edges.exist.astype("float64"))
    start = (links > 0) | eq(expand_dims(nodes, 1), nodes)

    def longer(state: tuple[T, T]) -> tuple[T, T]:
        reach, far = state
        counts = reach.astype("float64")
        return counts @ counts > 0, far * 2

    reach, _ = while_loop(lambda s: s[1] < n, longer, (start, as_tensor(1)))
    return argmax(reach & reach.T, 1)
