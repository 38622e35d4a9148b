"""Broadcasting that provably does nothing, found with the lengths of all axes at hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from weft_graph import Apply, FunctionGraph, RuleBook, Variable, rewrite
from weft_graph.extend import Changes, remake, renewed
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_rewrites.ops.elementwise import folding as constants
from weft_rewrites.ops.elementwise.by_facts import maximum_of_signs
from weft_rewrites.ops.shape import infer_shape as lengths
from weft_tensor import BroadcastTo, Cast, Elemwise, SumTo, TensorType, TensorVariable
from weft_tensor.extend import Tensors, as_size, lengths_of, same_size

__all__ = ["drop_proven_broadcasts", "shapes_of"]

_OF_OPERANDS: Final = (Elemwise, Cast)
_lengths = RuleBook("lengths", [*constants.rules, *lengths.rules, maximum_of_signs])


def drop_proven_broadcasts(
    graph: FunctionGraph, needed: set[Variable] | None = None
) -> FunctionGraph:
    """`graph` without sum_to and broadcast_to where lengths that no type knows are equal.

    The lengths of all tensors that matter are followed to the inputs in one go. Nodes that are
    known to be `needed` are not looked at; those that turn out to be are added.
    """
    if graph.op_classes.isdisjoint((SumTo, BroadcastTo)):
        return graph
    needed = set() if needed is None else needed
    nodes: Sequence[Any] = graph.nodes
    repeated = {v for v in nodes if _is_repeated(v)}
    judged = {
        v: compared for v in nodes if (compared := _compared(v, repeated)) and v not in needed
    }
    if not judged:
        return graph
    shapes = shapes_of(graph, dict.fromkeys(w for compared in judged.values() for w in compared))
    simpler: dict[Variable, TensorVariable] = {}
    for v in judged:  # inputs first
        simplest = _simplest(v, shapes, simpler)
        if simplest is not None:
            simpler[v] = simplest
    needed.update(judged.keys() - simpler.keys())
    if not simpler:
        return graph
    new_of = Changes()
    for v in graph.above(simpler):
        new = simpler.get(v, v)
        new_of[v] = new_of[new] if new in new_of else renewed(new, new_of)
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def shapes_of(
    graph: FunctionGraph, wanted: Collection[TensorVariable]
) -> dict[TensorVariable, tuple[TensorVariable, ...]]:
    """The lengths of the axes of tensors, of those `wanted` in normal form.

    Most functions are elementwise, of operands of one shape: no length need be made for them.
    """
    lengths: dict[Any, tuple[Any, ...]] = {}
    mixed: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    order: Sequence[Any] = graph.order
    inputs, needed = set(graph.inputs), set[Any](wanted)
    for v in reversed(order):
        if v in needed and type(v.op) in _OF_OPERANDS and v.type.shape:
            needed.update(v.inputs)
    for v in order:
        kind = type(v.op)
        if v not in needed:
            continue
        if v in inputs:
            lengths[v] = _own_lengths(v)
        elif type(v.type) is not TensorType or not v.type.shape:
            lengths[v] = ()
        elif kind in _OF_OPERANDS:
            first, *more = [lengths[w] for w in v.inputs if w.type.shape]
            shapes = tuple(dict.fromkeys((first, *more))) if more else (first,)
            if len(shapes) == 1:
                lengths[v] = first
            elif shapes in mixed:
                lengths[v] = mixed[shapes]
            else:
                lengths[v] = mixed[shapes] = _broadcast(v, lengths)
        elif kind is SumTo or kind is BroadcastTo:
            lengths[v] = v.inputs[1:]
        else:
            lengths[v] = _own_lengths(v)
    lengths.update((w, _own_lengths(w)) for w in wanted if w not in lengths)  # behind inputs
    asked = list(dict.fromkeys(n for w in wanted for n in lengths[w]))
    proven = dict(zip(asked, rewrite(asked, _lengths, {v: v for v in graph.order}), strict=True))
    return {w: tuple([proven[n] for n in lengths[w]]) for w in wanted}


def _own_lengths(v: TensorVariable) -> tuple[TensorVariable, ...]:
    return lengths_of(v) if type(v.type) is TensorType else ()


def _broadcast(
    node: TensorVariable, shapes: Mapping[TensorVariable, tuple[TensorVariable, ...]]
) -> tuple[TensorVariable, ...]:
    (lengths,) = node.op.infer_shape(None, Apply.of(node), [shapes[v] for v in node.inputs])
    return tuple(map(as_size, lengths))


def _is_repeated(v: TensorVariable) -> bool:
    """Whether `v` is repeated elements, perhaps summed to a shape that they may have already."""
    kind = type(v.op)
    return kind is BroadcastTo or (kind is SumTo and type(v.inputs[0].op) is BroadcastTo)


def _compared(node: TensorVariable, repeated: set[TensorVariable]) -> Tensors:
    """The tensors whose lengths decide whether `node` can be simplified."""
    kind, inputs = type(node.op), node.inputs
    if kind is Elemwise:
        return () if repeated.isdisjoint(inputs) else inputs
    return inputs[:1] if kind is SumTo or kind is BroadcastTo else ()


def _simplest(
    node: TensorVariable,
    shapes: Mapping[TensorVariable, Tensors],
    simpler: Mapping[Variable, TensorVariable],
) -> TensorVariable | None:
    """What `node` is the same as, over inputs known to be `simpler`; None if nothing is proven."""
    new: Any
    if type(node.op) is Elemwise:
        sources = _unbroadcast(node, shapes, simpler)
        new = remake(node, sources)
    else:
        x, *sizes = node.inputs
        new = x if len(sizes) == x.ndim and _has(shapes[x], sizes) else node
    return new if new is not node and keeps_lengths(node.type, new.type) else None


def _has(own: Sequence[TensorVariable], sizes: Sequence[TensorVariable]) -> bool:
    """Whether the last of the lengths `own` are `sizes`."""
    return len(own) >= len(sizes) and all(map(same_size, own[len(own) - len(sizes) :], sizes))


def _unbroadcast(
    node: TensorVariable,
    shapes: Mapping[TensorVariable, Tensors],
    simpler: Mapping[Variable, TensorVariable],
) -> tuple[TensorVariable, ...]:
    """The inputs of `node`, without broadcast_to where another input has the same shape."""
    inputs = list(node.inputs)
    for place, v in enumerate(inputs):
        if type(v.op) is SumTo:
            v = simpler.get(v, v)
        if type(v.op) is not BroadcastTo:
            continue
        rest = [w for at, w in enumerate(inputs) if at != place]
        if any(w in node.inputs and _has(shapes[w], v.inputs[1:]) for w in rest):
            inputs[place] = v.inputs[0]
    return tuple(inputs)
