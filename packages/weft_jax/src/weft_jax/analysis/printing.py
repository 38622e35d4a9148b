"""Whether a graph prints: then it is computed once, in order, and where JAX can print."""

from __future__ import annotations

from weft_graph import FunctionGraph, Print
from weft_graph.extend import nodes_inside
from weft_jax.analysis.steady_slices import HOLDING

__all__ = ["prints"]


def prints(graph: FunctionGraph) -> bool:
    """Whether a node prints, or one in the body of a loop or branch.

    >>> import weft_tensor as wt
    >>> from weft_graph import print_value
    >>> x = wt.vector("x")
    >>> loops = [wt.fori_loop(0, 3, lambda i, s: f(s), x) for f in (wt.exp, print_value)]
    >>> [prints(FunctionGraph([x], [loop])) for loop in loops]
    [False, True]
    """
    if Print in graph.op_classes:
        return True
    if HOLDING.isdisjoint(graph.op_classes):
        return False
    loops = {v.op for v in graph.nodes if isinstance(v.op, tuple(HOLDING))}
    return any(isinstance(inner.op, Print) for op in loops for inner in nodes_inside(op))
