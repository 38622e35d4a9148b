"""Loops that another one contains: what a loop and its derivatives have in common is there once.

The derivatives of a loop are one whose first states are those of the loop itself.
"""

from __future__ import annotations

from typing import Any

from weft_graph import FunctionGraph, Item, Variable, replace
from weft_graph.extend import Loop, apply, with_bodies
from weft_tensor import TensorType

__all__ = ["without_contained"]


def without_contained(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which what a loop gives is taken of another one that has all of its states.

    >>> from weft_graph.extend import sweep_forward
    >>> from weft_tensor import scalar, while_loop
    >>> x = scalar("x")
    >>> y = while_loop(lambda s: s < 9, lambda s: s * x, x)
    >>> graph = FunctionGraph([x], [y, *sweep_forward([y], {x: x})])
    >>> [sum(isinstance(v.op, Loop) for v in g.order) for g in (graph, without_contained(graph))]
    [2, 1]
    """
    if Loop not in graph.op_classes:
        return graph
    loops: list[Any] = [v for v in graph.order if isinstance(v.op, Loop)]
    for v in loops:
        other = next((o for o in loops if _contains(o, v)), None)
        if other is not None:
            items = {_state(v, k): _state(other, k) for k in range(len(v.op.kept))}
            return without_contained(graph.with_outputs(replace(graph.outputs, items)))
    return with_bodies(graph, without_contained)


def _state(v: Variable, k: int) -> Variable:
    return v if isinstance(v.type, TensorType) else apply(Item(k), (v,))


def _contains(loop: Any, other: Any) -> bool:
    """Whether the first states of a loop are those of another one, which it does not need."""
    few, many = len(other.op.kept), len(loop.op.kept)
    (steps, *first), (all_steps, *all_first) = other.inputs, loop.inputs
    if few >= many or steps is not all_steps or first[:few] != all_first[:few]:
        return False
    body, whole = other.op.body.graph, loop.op.body.graph
    known: dict[Any, Any] = {}
    for v, i in zip(all_first[many:], whole.inputs[many:], strict=True):
        known.setdefault(v, i)
    if not all(v in known for v in first[few:]):
        return False
    states = zip(body.inputs[:few], whole.inputs[:few], strict=True)
    others = [(i, known[v]) for i, v in zip(body.inputs[few:], first[few:], strict=True)]
    *after, more = replace(body.outputs, dict([*states, *others]))
    is_same = [*after, more] == [*whole.outputs[:few], whole.outputs[-1]]
    return is_same and other not in FunctionGraph(outputs=[loop]).nodes
