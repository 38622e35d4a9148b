"""Broadcasting that provably does nothing, found with the lengths of all axes at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft_graph import FunctionGraph, RuleBook, Variable, remake, rewrite
from weft_rewrites import constants, lengths
from weft_rewrites.broadcasting import keeps_lengths
from weft_rewrites.known import maximum_of_signs
from weft_tensor import BroadcastTo, Elemwise, SumTo, lengths_of, same_size

__all__ = ["drop_proven_broadcasts"]

_lengths = RuleBook("lengths", [*constants.rules, *lengths.rules, maximum_of_signs])


def drop_proven_broadcasts(graph: FunctionGraph) -> FunctionGraph:
    """`graph` without sum_to and broadcast_to where lengths that no type knows are equal.

    The lengths of all tensors that matter are followed to the inputs in one go.
    """
    judged = {v: compared for v in graph.nodes if (compared := _compared(v))}
    if not judged:
        return graph
    tensors = dict.fromkeys(w for compared in judged.values() for w in compared)
    asked = list(dict.fromkeys(n for w in tensors for n in lengths_of(w)))
    proven = dict(zip(asked, rewrite(asked, _lengths, {v: v for v in graph.order}), strict=True))
    new_of: dict[Variable, Variable] = {v: v for v in graph.inputs}
    for v in graph.order:
        if v not in new_of:
            simpler = _simplest(v, new_of, proven) if v in judged else None
            new_of[v] = _with_new_inputs(v, new_of) if simpler is None else simpler
    outputs = tuple([new_of[v] for v in graph.outputs])
    return graph if outputs == graph.outputs else FunctionGraph(graph.inputs, outputs)


def _compared(node: Any) -> Sequence[Any]:
    """The tensors whose lengths decide whether `node` can be simplified."""
    kind = type(node.op)
    if kind is SumTo or kind is BroadcastTo:
        return node.inputs[:1]  # type: ignore[no-any-return]
    if kind is Elemwise:
        for v in node.inputs:
            if type(v.op) is BroadcastTo:
                return node.inputs  # type: ignore[no-any-return]
    return ()


def _with_new_inputs(node: Variable, new_of: Mapping[Variable, Variable]) -> Variable:
    for v in node.inputs:
        if new_of[v] is not v:
            return remake(node, tuple([new_of[v] for v in node.inputs]))
    return node


def _simplest(
    node: Any, new_of: Mapping[Variable, Variable], proven: Mapping[Any, Any]
) -> Variable | None:
    if type(node.op) in (SumTo, BroadcastTo):
        x, *sizes = node.inputs
        if len(sizes) == x.ndim and _has(x, sizes, proven):
            new: Any = new_of[x]
            if keeps_lengths(node.type, new.type):
                return new  # type: ignore[no-any-return]
    else:
        sources = _unbroadcast(node, proven)
        if sources != node.inputs:
            new = remake(node, tuple([new_of[v] for v in sources]))
            if keeps_lengths(node.type, new.type):
                return new  # type: ignore[no-any-return]
    return None


def _has(x: Any, sizes: Sequence[Any], proven: Mapping[Any, Any]) -> bool:
    """Whether the last axes of `x` have the lengths `sizes`."""
    own = lengths_of(x)
    return len(own) >= len(sizes) and all(
        same_size(proven[n], size)
        for n, size in zip(own[len(own) - len(sizes) :], sizes, strict=True)
    )


def _unbroadcast(node: Any, proven: Mapping[Any, Any]) -> tuple[Any, ...]:
    """The inputs of `node`, without broadcast_to where another input has the same shape."""
    inputs = list(node.inputs)
    for place, v in enumerate(inputs):
        if type(v.op) is not BroadcastTo:
            continue
        rest = [w for at, w in enumerate(inputs) if at != place]
        if any(w in node.inputs and _has(w, v.inputs[1:], proven) for w in rest):
            inputs[place] = v.inputs[0]
    return tuple(inputs)
