"""How long the shortest paths between the nodes of a graph are, and which they are."""

from __future__ import annotations

from typing import Any, Final

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import arange, full, full_like, zeros_like
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.segments import segment_min
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.standard import any
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, reshape
from weft_tensor.ops.sparse.graphs.edges import Edges, Graph, edges_of, is_sparse
from weft_tensor.types.constants import inf

__all__ = ["bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]

T = TensorVariable
Found = tuple[TensorVariable, TensorVariable]
_METHODS: Final = ("auto", "FW", "D", "BF", "J")
_NO_PATH: Final = -9999
"""SciPy's predecessor of what has none."""
_CIRCLE: Final = "a circle of edges has a negative sum of weights, so there is no shortest path"


def shortest_path(
    csgraph: Graph,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    indices: TensorLike | None = None,
) -> Any:
    """How long the shortest path is from each node of a graph to each. See `scipy.sparse.csgraph`.

    Its slope by the weight of an edge is 1 where the path goes along it. Weights may be negative.

    Parameters
    ----------
    csgraph
        A square matrix whose entry (i, j) is the weight of the edge from i to j: a tensor, in which
        0, infinity and NaN are no edges, or a sparse matrix, in which each stored entry is one.
    method
        "FW" passes through each node in turn (Floyd and Warshall), which takes time with the cube
        of their number; the others follow all edges from all of `indices` at once until no path
        becomes shorter (Bellman and Ford), which takes time with the product of both numbers, and
        of how many edges the paths have. "auto" is "FW" for all nodes of a tensor.
    directed
        If False, edges lead both ways.
    return_predecessors
        Whether to give, after the lengths, the last node before each end; -9999 if there is none.
        Where paths are equally long, it may be another than SciPy's.
    unweighted
        Whether each edge counts as 1.
    indices
        From which nodes: an integer, or an array of them; by default from all.

    Raises
    ------
    ValueError
        for another method or rank, `indices` with "FW", and, when it is computed, another shape or
        a circle of edges whose sum is negative.

    Examples
    --------
    >>> shortest_path([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]).eval()
    array([[ 0.,  1.,  3.],
           [inf,  0.,  2.],
           [inf, inf,  0.]])
    """
    one_of("shortest_path", "method", method, _METHODS)
    edges = edges_of("shortest_path", csgraph, directed, unweighted)
    if method == "auto":
        method = "BF" if is_sparse(csgraph) or indices is not None else "FW"
    if method == "FW":
        if indices is not None:
            raise ValueError(f"shortest_path: 'FW' is of all nodes, not of indices{called()}")
        found = _through_each(edges)
    else:
        found = _along_edges(edges, arange(edges.nodes) if indices is None else indices)
    return found if return_predecessors else found[0]


def floyd_warshall(
    csgraph: Graph,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """`shortest_path` by the method "FW".

    >>> floyd_warshall([[0.0, 1.0], [0.0, 0.0]], directed=False).eval()
    array([[0., 1.],
           [1., 0.]])
    """
    return shortest_path(csgraph, "FW", directed, return_predecessors, unweighted)


def bellman_ford(
    csgraph: Graph,
    directed: bool = True,
    indices: TensorLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """`shortest_path` by the method "BF".

    >>> bellman_ford([[0.0, 1.0], [0.0, 0.0]], indices=1).eval()
    array([inf,  0.])
    """
    return shortest_path(csgraph, "BF", directed, return_predecessors, unweighted, indices)


johnson = bellman_ford
"""The lengths are the same."""


def dijkstra(
    csgraph: Graph,
    directed: bool = True,
    indices: TensorLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: TensorLike = inf,
) -> Any:
    """`shortest_path` by the method "D", where paths longer than `limit` are none.

    >>> dijkstra([[0.0, 1.0], [0.0, 0.0]], indices=[0], limit=0.5).eval()
    array([[ 0., inf]])
    """
    lengths, before = shortest_path(csgraph, "D", directed, True, unweighted, indices)
    is_near = lengths <= limit
    lengths = where(is_near, lengths, inf)
    return (lengths, where(is_near, before, _NO_PATH)) if return_predecessors else lengths


def _through_each(edges: Edges) -> Found:
    """From each node to each: by paths through the first nodes, then one more, and so on."""
    n = edges.nodes
    nodes = arange(n)
    steps = index(full((n, n), inf, edges.weights.dtype), (edges.start, edges.end))
    steps = updated(steps, "minimum", edges.weights)
    known = stop_gradient(steps)
    is_self = eq(expand_dims(nodes, 1), nodes)
    lengths = where(is_self, minimum(known, 0.0), known)
    before = broadcast_to(expand_dims(nodes, 1), (n, n))

    def pass_through(k: T, state: Found) -> Found:
        lengths, before = state
        detour = expand_dims(index(lengths, (slice(None), k)), 1) + index(lengths, k)
        is_better = detour < lengths
        return where(is_better, detour, lengths), where(is_better, index(before, k), before)

    lengths, before = fori_loop(0, n, pass_through, (lengths, before))
    negative = any(is_self & (lengths < 0))
    lengths = check_and_raise(lengths, ~negative, ValueError, f"shortest_path: {_CIRCLE}")
    is_end = ~is_self & (lengths < inf)
    last = take_along_axis(steps, where(is_end, before, 0), 0)
    return _summed(lengths, is_end, before, last, nodes)


def _along_edges(edges: Edges, indices: TensorLike) -> Found:
    """From some nodes to each: along one edge more, as long as that is shorter for some."""
    sources = as_tensor(indices)
    if sources.dtype[0] not in "iu":
        raise ValueError(f"shortest_path: indices are integers, not {sources!r}{called()}")
    n = edges.nodes
    begin = ravel(sources).astype("int64")
    begin = where(begin < 0, begin + n, begin)
    is_source = eq(expand_dims(arange(n), 1), begin)
    weights, nowhere = expand_dims(stop_gradient(edges.weights), 1), lengths_of(edges.end)[0]
    which = arange(nowhere)
    first = where(is_source, 0.0, inf).astype(edges.weights.dtype)
    State = tuple[T, T, T, T]

    def follow(state: State) -> State:
        lengths, last, steps, _ = state
        reached = index(lengths, (edges.start,)) + weights
        shortest = segment_min(reached, edges.end, n)
        is_it = eq(reached, index(shortest, (edges.end,)))
        by = segment_min(where(is_it, expand_dims(which, 1), nowhere), edges.end, n)
        is_better = shortest < lengths
        lengths = where(is_better, shortest, lengths)
        return lengths, where(is_better, by, last), steps + 1, any(is_better)

    start = first, full_like(is_source, nowhere, nowhere.dtype), as_tensor(0), as_tensor(True)
    lengths, last, _, shorter = while_loop(lambda s: s[3] & (s[2] <= n), follow, start)
    lengths = check_and_raise(lengths.T, ~shorter, ValueError, f"shortest_path: {_CIRCLE}")
    weights, before = (
        index(concatenate([v, zeros_like(v, shape=1)]), (last.T,))
        for v in (edges.weights, edges.start)
    )
    found = _summed(lengths, nowhere > last.T, before, weights, arange(n))
    shape = *lengths_of(sources), n
    return reshape(found[0], shape), reshape(found[1], shape)


def _summed(lengths: T, is_end: T, before: T, last: T, nodes: T) -> Found:
    """The weights along the paths, and the nodes before.

    Each path is at first its last edge, then twice as long, again and again: what all slopes are
    of is a few sums, and not the search.
    """
    before = where(is_end, before, nodes)

    def double(state: tuple[T, T, T]) -> tuple[T, T, T]:
        sums, at, far = state
        return sums + take_along_axis(sums, at, 1), take_along_axis(at, at, 1), far * 2

    n = lengths_of(nodes)[0]
    state = where(is_end, last, 0.0), before, as_tensor(1)
    sums, _, _ = while_loop(lambda s: s[2] < n, double, state)
    reached = stop_gradient(lengths) < inf
    marked = where(is_end, before, _NO_PATH).astype("int32")
    return where(reached, sums, inf), marked
