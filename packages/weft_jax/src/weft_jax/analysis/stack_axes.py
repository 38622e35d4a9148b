"""Stacks along an axis other than the first, which graphs have as transposes."""

from __future__ import annotations

from typing import Any, Final

import weft_tensor as wt
from weft_graph import FunctionGraph, Variable
from weft_tensor.extend import Stack

__all__ = ["stacks_in_place"]


_MANY: Final = 9
"""So many parts at least: XLA for CPUs writes fewer, transposed, two to five times as fast."""
_SOME: Final = 8
"""So many, where they are read more than once: their deviations take half, of 12 a third."""


def stacks_in_place(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, where many tensors are joined along the axis at which a result has them stacked.

    XLA for CPUs writes the transpose by itself, at 2 to 10 times the cost for many; what is
    computed of it once, it may fuse with the transpose.
    """
    if Stack not in graph.op_classes:
        return graph
    joined = {v: _joined(v) for v in graph.order if _is_moved_stack(v, len(graph.users[v]))}
    return graph.replace(joined) if joined else graph


def _is_moved_stack(v: Variable, users: int) -> bool:
    """Whether the own axis of a stack of many, and no other, is moved; for none, or for several."""
    if not isinstance(v.op, wt.Transpose) or type(v.inputs[0].op) is not Stack:
        return False
    if users == 1 or len(v.inputs[0].inputs) < (_SOME if users else _MANY):
        return False
    return [a for a in v.op.axes if a] == list(range(1, len(v.op.axes)))


def _joined(v: Any) -> Variable:
    axis = v.op.axes.index(0)
    return wt.concatenate([wt.expand_dims(x, axis) for x in v.inputs[0].inputs], axis)
