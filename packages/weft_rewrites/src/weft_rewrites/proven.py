"""Broadcasting that provably does nothing, found with the lengths of all axes at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weft_graph import FunctionGraph, RuleBook, Variable, apply, rewrite
from weft_rewrites import constants, lengths
from weft_rewrites.broadcasting import keeps_lengths
from weft_tensor import BroadcastTo, Elemwise, SumTo, lengths_of, same_size

__all__ = ["drop_proven_broadcasts"]

_lengths = RuleBook("lengths", [*constants.rules, *lengths.rules])


def drop_proven_broadcasts(graph: FunctionGraph) -> FunctionGraph:
    """`graph` without sum_to and broadcast_to where lengths that no type knows are equal.

    The lengths of all tensors that matter are followed to the inputs in one go.
    """
    compared = [w for v in graph.nodes for w in _compared(v)]
    if not compared:
        return graph
    asked = list(dict.fromkeys(n for w in compared for n in lengths_of(w)))
    proven = dict(zip(asked, rewrite(asked, _lengths, {v: v for v in graph.order}), strict=True))
    new_of: dict[Variable, Variable] = {v: v for v in graph.inputs}
    for v in graph.order:
        if v not in new_of:
            new_of[v] = _simplest(v, new_of, proven)
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def _compared(node: Any) -> Iterator[Any]:
    """The tensors whose lengths decide whether `node` can be simplified."""
    if type(node.op) in (SumTo, BroadcastTo):
        yield node.inputs[0]
    elif type(node.op) is Elemwise and any(type(v.op) is BroadcastTo for v in node.inputs):
        yield from node.inputs


def _simplest(
    node: Any, new_of: Mapping[Variable, Variable], proven: Mapping[Any, Any]
) -> Variable:
    if type(node.op) in (SumTo, BroadcastTo):
        x, *sizes = node.inputs
        if len(sizes) == x.ndim and _has(x, sizes, proven):
            new: Any = new_of[x]
            if keeps_lengths(node.type, new.type):
                return new  # type: ignore[no-any-return]
    elif type(node.op) is Elemwise:
        sources = _unbroadcast(node, proven)
        if sources != node.inputs:
            new = apply(node.op, tuple([new_of[v] for v in sources]))
            if keeps_lengths(node.type, new.type):
                return new  # type: ignore[no-any-return]
    inputs = tuple([new_of[v] for v in node.inputs])
    if inputs == node.inputs:
        return node  # type: ignore[no-any-return]
    return node.op.make_node(*inputs).node  # type: ignore[no-any-return]


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
