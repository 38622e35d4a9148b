"""Loops without what need not be in them: unused results, what never changes, whole-array work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import (
    Apply,
    CheckAndRaise,
    FunctionGraph,
    Item,
    RuleBook,
    Variable,
    replace,
    rewrite,
)
from weft_graph.extend import apply
from weft_rewrites.ops.control.recurrence import (
    finished,
    take_out_sums,
    take_out_what_comes_before,
    take_out_what_never_changes,
    together,
)
from weft_rewrites.ops.control.recurrence_parts import Place, Taken, needed_of
from weft_rewrites.ops.control.recurrence_steps import shorten_steps
from weft_rewrites.ops.elementwise import folding as constants
from weft_rewrites.ops.shape import infer_shape as lengths
from weft_tensor import Elemwise, Recurrence, TensorType, check_and_raise, eq
from weft_tensor.extend import OTHER_LENGTH, lengths_of, same_size

__all__ = ["drop_unused_results", "simplify_loops"]

_lengths = RuleBook("lengths", [*constants.rules, *lengths.rules])


def simplify_loops(graph: FunctionGraph) -> FunctionGraph:
    """A pass: loops over one range are one, and nothing is in a loop that need not be in it.

    That sequences are as long as there are steps is checked as before where it is not proven.
    """
    if Recurrence not in graph.op_classes:
        return graph
    graph = _merged(graph)
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    results: dict[Place, Any] = {}
    proven, needed = _proven(graph), _needed(graph)
    order: Sequence[Any] = graph.order
    for v in order:
        if v in new_of:
            continue
        if type(v.op) is Item and (v.inputs[0], v.op.index) in results:
            new_of[v] = results[v.inputs[0], v.op.index]
            continue
        inputs = tuple([new_of[i] for i in v.inputs])
        if v not in needed:
            new_of[v] = v if inputs == v.inputs else apply(v.op, inputs, v.place)
            continue
        simpler = _simplified(Taken.of(v, _checked(v, inputs, proven), needed[v]))
        results.update(simpler)
        new_of[v] = simpler[v, 0] if isinstance(v.type, TensorType) else v
    outputs = [new_of[v] for v in graph.outputs]
    return graph if tuple(outputs) == graph.outputs else FunctionGraph(graph.inputs, outputs)


def drop_unused_results(graph: FunctionGraph) -> FunctionGraph:
    """A pass: loops keep no results of which nothing is computed, once lengths are told by others.

    What such results alone depend on leaves the bodies.
    """
    if Recurrence not in graph.op_classes:
        return graph
    new_of: dict[Any, Any] = {}
    needed = _needed(graph)
    order: Sequence[Any] = graph.order
    for v in order:
        places = needed.get(v)
        if places and not v.op.conditional and len(places) < len(Apply.of(v).outputs):
            taken = Taken.of(v, replace(v.inputs, new_of), places)
            taken.drop_unused()
            new_of |= {_result(v, k): result for (v, k), result in together(taken).items()}
    return graph.with_outputs(replace(graph.outputs, new_of, graph.inputs)) if new_of else graph


def _simplified(taken: Taken) -> dict[Place, Any]:
    taken.unite_equal_states(_joined)
    if taken.drop_unused():
        inner = [*taken.sequences, *[s.inner for s in taken.states], *taken.others]
        parts = taken.steps_and_results()
        simpler = simplify_loops(FunctionGraph(inner, parts)).outputs
        taken.change(dict(zip(parts, simpler, strict=True)))
        taken.drop_unused()
    take_out_what_never_changes(taken)
    if not taken.conditional:
        take_out_what_comes_before(taken)
    shorten_steps(taken)
    if not taken.conditional and not _is_result_of_loop(taken.steps):
        take_out_sums(taken)
    return finished(taken)


def _is_result_of_loop(n: Any) -> bool:
    """Whether another loop says how many steps there are, as that which a derivative follows.

    Rows of so many elements are of no known length, for each of which JAX would compile again.
    """
    todo = [n]
    while todo:
        v = todo.pop()
        if type(v.op) is Item and isinstance(v.inputs[0].op, Recurrence):
            return True
        if isinstance(v.op, Elemwise):
            todo.extend(v.inputs)
    return False


def _needed(graph: FunctionGraph) -> dict[Any, list[int]]:
    """Which results of loops are used, by loops of which some result is, and all apart."""
    return needed_of(graph.outputs, graph.order)[1]


def _proven(graph: FunctionGraph) -> dict[Any, Any]:
    """How long sequences are, and how many steps there are, in normal form."""
    loops: list[Any] = [v for v in graph.nodes if type(v.op) is Recurrence]
    asked = {x: lengths_of(x)[0] for v in loops for x in v.inputs[1 : 1 + v.op.length]}
    asked |= {v.inputs[0]: v.inputs[0] for v in loops}
    normal = rewrite(list(asked.values()), _lengths, {v: v for v in graph.order if v not in asked})
    return dict(zip(asked, normal, strict=True))


def _checked(v: Any, inputs: Sequence[Any], proven: dict[Any, Any]) -> list[Any]:
    """The inputs of a loop, whose sequences are surely as long as there are steps."""
    new_inputs = list(inputs)
    for k in range(1, 1 + v.op.length):
        if not same_size(proven[v.inputs[k]], proven[v.inputs[0]]):
            x = inputs[k].inputs[0] if isinstance(inputs[k].op, CheckAndRaise) else inputs[k]
            message = f"loop: sequence {k - 1} {OTHER_LENGTH}"
            right = eq(lengths_of(x)[0], inputs[0])
            if right not in inputs[k].inputs:
                new_inputs[k] = check_and_raise(inputs[k], right, ValueError, message)
    return new_inputs


def _merged(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with loops over one range as one."""
    while True:
        proven, needed = _proven(graph), _needed(graph)
        group = _group(graph, proven, needed)
        if group is None:
            return graph
        first, *others = group
        taken = Taken.of(first, _checked(first, first.inputs, proven), needed[first])
        for v in others:
            taken.add(v, _checked(v, v.inputs, proven), needed[v])
        taken.unite_equal_states(_joined)
        taken.drop_unused()
        new_of = {_result(v, k): result for (v, k), result in together(taken).items()}
        graph = graph.with_outputs(replace(graph.outputs, new_of, graph.inputs))


def _joined(values: list[Any]) -> Sequence[Any]:
    """These, of which inner loops over one range are one."""
    graph = FunctionGraph(outputs=values)
    return _merged(graph).outputs if Recurrence in graph.op_classes else values


def _result(v: Any, k: int) -> Any:
    return v if isinstance(v.type, TensorType) else apply(Item(k), (v,))


def _group(
    graph: FunctionGraph, proven: dict[Any, Any], needed: dict[Any, list[int]]
) -> list[Any] | None:
    """Several loops over one range in one direction, of which none needs what another gives."""
    keys = {v: (proven[v.inputs[0]], v.op.backwards) for v in needed if not v.op.conditional}
    for key in dict.fromkeys(keys.values()):
        groups: dict[int, list[Any]] = {}
        levels: dict[Variable, int] = {}
        for v in graph.order:
            level = max([levels.get(i, 0) for i in v.inputs], default=0)
            if keys.get(v) == key:
                groups.setdefault(level, []).append(v)
                level += 1
            levels[v] = level
        for group in groups.values():
            if len(group) > 1:
                return group
    return None
