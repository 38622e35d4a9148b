"""The Ops of `pytensor.xtensor`, on arrays whose axes have names, as Ops on arrays."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

from pytensor.graph.basic import Constant
from pytensor.graph.basic import Variable as Theirs
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.utils import rewrite_graph
from pytensor.graph.traversal import ancestors, graph_inputs

__all__ = ["has_named_axes", "without_named_axes"]


def has_named_axes(variable: Theirs) -> bool:
    """Whether it is an array whose axes have names."""
    return hasattr(variable.type, "dims")


def without_named_axes(outputs: Sequence[Theirs], inputs: Collection[Theirs]) -> Sequence[Theirs]:
    """The outputs, of Ops on arrays alone, as PyTensor rewrites them for all of its modes."""
    if "pytensor.xtensor" not in sys.modules or not any(
        map(has_named_axes, ancestors(outputs, inputs))
    ):
        return outputs
    ends = dict.fromkeys([*inputs, *graph_inputs(outputs, inputs)])
    leaves = [v for v in ends if not isinstance(v, Constant)]
    graph = FunctionGraph(leaves, outputs, copy_inputs=False, copy_orphans=False)
    rewrite_graph(graph, include=("minimum_compile",))
    rewritten: Sequence[Theirs] = graph.outputs
    return rewritten
