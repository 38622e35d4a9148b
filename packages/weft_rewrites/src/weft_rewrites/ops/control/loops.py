"""Loops without what need not be in them: unused results, what never changes, whole-array work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import CheckAndRaise, FunctionGraph, Item, RuleBook, Variable, replace, rewrite
from weft_graph.extend import apply
from weft_rewrites.ops.control.recurrence import Place, Taken
from weft_rewrites.ops.elementwise import folding as constants
from weft_rewrites.ops.shape import infer_shape as lengths
from weft_tensor import Recurrence, TensorType, check_and_raise, eq
from weft_tensor.extend import lengths_of, same_size

__all__ = ["simplify_loops"]

_lengths = RuleBook("lengths", [*constants.rules, *lengths.rules])


def simplify_loops(graph: FunctionGraph) -> FunctionGraph:
    """A pass: loops over one range are one, and nothing is in a loop that need not be in it.

    That sequences are as long as there are steps is checked as before where it is not proven.
    """
    if Recurrence not in graph.op_classes:
        return graph
    together = _merged(graph)
    graph = together or graph
    new_of: dict[Any, Any] = {v: v for v in graph.inputs}
    results: dict[Place, Any] = {}
    proven = _proven(graph)
    order: Sequence[Any] = graph.order
    for v in order:
        if v in new_of:
            continue
        if type(v.op) is Item and (v.inputs[0], v.op.index) in results:
            new_of[v] = results[v.inputs[0], v.op.index]
            continue
        inputs = tuple([new_of[i] for i in v.inputs])
        places = _places(v, graph) if type(v.op) is Recurrence else None
        if places is None:
            new_of[v] = v if inputs == v.inputs else apply(v.op, inputs, v.place)
            continue
        found = _simplified(Taken.of(v, _checked(v, inputs, proven), places))
        results.update(found)
        new_of[v] = found[v, 0] if isinstance(v.type, TensorType) else v
    outputs = [new_of[v] for v in graph.outputs]
    return graph if tuple(outputs) == graph.outputs else FunctionGraph(graph.inputs, outputs)


def _simplified(taken: Taken) -> dict[Place, Any]:
    taken.unite_equal_states()
    taken.drop_unused()
    taken.take_out_what_never_changes()
    if not taken.conditional:
        taken.take_out_what_comes_before()
        taken.take_out_sums()
    return taken.finished()


def _places(v: Any, graph: FunctionGraph) -> list[int] | None:
    """Which results are used; None if some may not be told apart."""
    if isinstance(v.type, TensorType):
        return [0]
    users: list[Any] = [user for user, _ in graph.users[v]]
    if v in graph.outputs or not all(type(u.op) is Item for u in users):
        return None
    return sorted({u.op.index for u in users})


def _proven(graph: FunctionGraph) -> dict[Any, Any]:
    """How long sequences are, and how many steps there are, in normal form."""
    loops: list[Any] = [v for v in graph.nodes if type(v.op) is Recurrence]
    asked = {x: lengths_of(x)[0] for v in loops for x in v.inputs[1 : 1 + v.op.length]}
    asked |= {v.inputs[0]: v.inputs[0] for v in loops}
    normal = rewrite(list(asked.values()), _lengths, {v: v for v in graph.order if v not in asked})
    return dict(zip(asked, normal, strict=True))


def _checked(v: Any, inputs: Sequence[Any], proven: dict[Any, Any]) -> list[Any]:
    """The inputs of a loop, whose sequences are surely as long as there are steps."""
    found = list(inputs)
    for k in range(1, 1 + v.op.length):
        if not same_size(proven[v.inputs[k]], proven[v.inputs[0]]):
            x = inputs[k].inputs[0] if isinstance(inputs[k].op, CheckAndRaise) else inputs[k]
            message = f"loop: sequence {k - 1} has not as many elements as there are steps"
            right = eq(lengths_of(x)[0], inputs[0])
            if right not in inputs[k].inputs:
                found[k] = check_and_raise(inputs[k], right, ValueError, message)
    return found


def _merged(graph: FunctionGraph) -> FunctionGraph | None:
    """`graph` with loops over one range as one; None if there are no such."""
    changed = None
    while True:
        for group in _groups(changed or graph):
            changed = _together(changed or graph, group)
            break
        else:
            return changed


def _groups(graph: FunctionGraph) -> list[list[Any]]:
    """Loops over one range in one direction, of which none needs what another gives."""
    proven = _proven(graph)
    groups: dict[Any, list[Any]] = {}
    loops: list[Any] = [v for v in graph.nodes if type(v.op) is Recurrence and not v.op.conditional]
    keys = {v: (proven[v.inputs[0]], v.op.backwards) for v in loops}
    for key in {*keys.values()}:
        levels: dict[Variable, int] = {}
        for v in graph.order:
            level = max([levels.get(i, 0) for i in v.inputs], default=0)
            if keys.get(v) == key and _places(v, graph) is not None:
                groups.setdefault((key, level), []).append(v)
                level += 1
            levels[v] = level
    return [group for group in groups.values() if len(group) > 1]


def _together(graph: FunctionGraph, group: Sequence[Any]) -> FunctionGraph:
    proven = _proven(graph)
    first, *others = group
    taken = Taken.of(first, _checked(first, first.inputs, proven), _places(first, graph) or [])
    for v in others:
        taken.add(v, _checked(v, v.inputs, proven), _places(v, graph) or [])
    taken.unite_equal_states()
    taken.drop_unused()
    results = taken.together()
    new_of: dict[Any, Any] = {}
    for v in graph.order:
        if type(v.op) is Item and (v.inputs[0], v.op.index) in results:
            new_of[v] = results[v.inputs[0], v.op.index]
        elif (v, 0) in results and isinstance(v.type, TensorType):
            new_of[v] = results[v, 0]
    return FunctionGraph(graph.inputs, replace(graph.outputs, new_of, graph.inputs))
