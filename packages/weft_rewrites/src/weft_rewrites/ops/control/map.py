"""Maps without what is not needed: results nobody uses, inputs they need no more, or the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, Final

from weft_graph import (
    Apply,
    FunctionGraph,
    Item,
    OpFromGraph,
    RuleBook,
    Variable,
    rewrite,
)
from weft_graph.extend import apply, toposort
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.elementwise import folding as constants
from weft_rewrites.ops.shape import infer_shape as lengths
from weft_tensor import (
    Concatenate,
    Length,
    Map,
    Matmul,
    Reshape,
    Solve,
    SolveTriangular,
    Sum,
    TensorOp,
    TensorType,
    TensorVariable,
)
from weft_tensor.extend import Tensors, applied, batched, is_batched, lengths_of, same_size

__all__ = ["is_whole", "simplify_maps"]

_lengths = RuleBook("lengths", [*constants.rules, *lengths.rules])


def simplify_maps(graph: FunctionGraph) -> FunctionGraph:
    """A pass: maps do what is needed; one of Ops that have kinds is these, of whole arrays.

    That the sequences are equally long is checked as before where it is not proven.
    """
    if Map not in graph.op_classes:
        return graph
    maps: list[Any] = [v for v in graph.nodes if type(v.op) is Map]
    firsts = _first_lengths(graph, maps)
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    results: dict[Any, dict[int, Any]] = {}
    order: Sequence[Any] = graph.order
    for v in order:
        if v in new_of:
            continue
        if type(v.op) is Item and v.inputs[0] in results:
            new_of[v] = results[v.inputs[0]][v.op.index]
            continue
        inputs = tuple([new_of[i] for i in v.inputs])
        simpler = _simplified(v, inputs, graph, firsts) if type(v.op) is Map else None
        if simpler is None:
            new_of[v] = v if inputs == v.inputs else apply(v.op, inputs, v.place)
        elif isinstance(v.type, TensorType):
            new_of[v] = simpler[0]
        else:
            results[v] = simpler
    outputs = [new_of[v] for v in graph.outputs]
    return graph if tuple(outputs) == graph.outputs else FunctionGraph(graph.inputs, outputs)


def _first_lengths(
    graph: FunctionGraph, maps: Sequence[Result[Map]]
) -> dict[TensorVariable, TensorVariable]:
    """How long the sequences are, in normal form."""
    sequences = [x for v in maps for x in compress(v.inputs, v.op.mapped)]
    asked = [lengths_of(x)[0] for x in sequences]
    proven: Sequence[Any] = rewrite(asked, _lengths, {v: v for v in graph.order})
    return dict(zip(sequences, proven, strict=True))


def _simplified(
    v: Result[Map],
    inputs: Tensors,
    graph: FunctionGraph,
    firsts: Mapping[TensorVariable, TensorVariable],
) -> dict[int, TensorVariable] | None:
    """The results that are used, by their places; None to leave the map as it is."""
    op = v.op
    single = isinstance(v.type, TensorType)
    users: list[Any] = [user for user, _ in graph.users[v]]
    if not single and (v in graph.outputs or not all(type(u.op) is Item for u in users)):
        return None
    used = [0] if single else sorted({user.op.index for user in users})
    results: Sequence[Any] = op.body.graph.outputs
    outputs = [results[k] for k in used]
    lengths = [firsts[x] for x in compress(v.inputs, op.mapped)]
    equal = all(same_size(n, lengths[0]) for n in lengths)
    lifted = _lifted(op, outputs, inputs) if equal else None
    if lifted is not None:
        whole = [
            _summed(y, old.type.dtype, v) if op.summed[k] else y
            for k, y, old in zip(used, lifted, outputs, strict=True)
        ]
        return dict(zip(used, whole, strict=True))
    needed = _needed(op, outputs, equal)
    if len(used) == len(op.summed) and len(needed) == len(inputs):
        return None
    body = OpFromGraph([op.body.graph.inputs[k] for k in needed], outputs, inline=False)
    smaller = Map(body, tuple([op.mapped[k] for k in needed]), tuple([op.summed[k] for k in used]))
    node = apply(smaller, tuple([inputs[k] for k in needed]), v.place)
    smaller_results: Sequence[Any] = Apply.of(node).outputs
    return dict(zip(used, smaller_results, strict=True))


def _summed(y: TensorVariable, dtype: str, v: TensorVariable) -> TensorVariable:
    return applied(Sum((0,)), (y,), v.place).astype(dtype)


def _needed(op: Map, outputs: Sequence[Variable], equal: bool) -> list[int]:
    """The places of inputs that `outputs` depend on; one sequence at least, or all unless equal."""
    used = set(FunctionGraph(op.body.graph.inputs, outputs).order)
    places = [
        k
        for k, (i, is_mapped) in enumerate(zip(op.body.graph.inputs, op.mapped, strict=True))
        if i in used or (is_mapped and not equal)
    ]
    if not any(op.mapped[k] for k in places):
        places = sorted([*places, op.mapped.index(True)])
    return places


def _lifted(op: Map, outputs: Tensors, inputs: Tensors) -> list[TensorVariable] | None:
    """`outputs` for all elements at once, if that is as good for all Ops of the body.

    Not so if what is computed on the way has more axes than what is given and returned: of all
    elements together it may not fit into memory. Systems with one matrix are solved side by side.
    """
    graph: Any = FunctionGraph(op.body.graph.inputs, outputs)
    moving = set(compress(graph.inputs, op.mapped))
    rank = max(v.type.ndim for v in (*moving, *outputs))
    for v in graph.order:
        if not moving.isdisjoint(v.inputs):
            moving.add(v)
    for v in graph.nodes:
        is_solved_once = isinstance(v.op, Solve | SolveTriangular) and v.inputs[0] not in moving
        if not (is_solved_once or is_whole(v)):
            return None
        if v in moving and sum(n != 1 for n in v.type.shape) > rank:
            return None
    try:
        whole = batched(outputs, dict(zip(graph.inputs, inputs, strict=True)))
    except ValueError:  # a length depends on values
        return None
    if not all(map(is_batched, whole, outputs)):
        return None
    return None if any(isinstance(v.op, Map) for v in toposort(whole, set(inputs))) else whole


_WHOLE: Final = (Concatenate, Length, Matmul, Reshape)


def is_whole(v: Any) -> bool:
    """Whether the Op of `v` gains by being applied to the arrays of all elements.

    Ops without a kind, such as those that sort or factorise, do the work of each element alone.
    """
    op = v.op
    return isinstance(op, TensorOp) and (isinstance(op, _WHOLE) or op.kind(*v.inputs) is not None)
