"""A graph cut into segments: each is compiled by JAX as a whole, or run by Python.

Where a shape depends on values that JAX computes, one segment ends with these values, and
the next begins with the lengths that they give. Ops that JAX has no implementation of run
in Python, between two segments.
"""

from __future__ import annotations

from functools import lru_cache

from weft_graph import (
    Constant,
    FunctionGraph,
    Item,
    MissingLoweringError,
    OpFromGraph,
    Print,
    Variable,
    inline,
    py_funcify,
)
from weft_graph.extend import Branch, Identity, Loop, Segment, Static, cut
from weft_jax.analysis.mask_lifting import POSITIONS, chosen_by_mask, lift_masks
from weft_jax.analysis.static_values import fixed_positions, static_positions
from weft_jax.lowering.dispatch import COPYING, has_function
from weft_jax.lowering.on_host import are_tensors
from weft_tensor import (
    Compress,
    Gather,
    Length,
    Pointwise,
    Reduction,
    View,
    expanded,
)
from weft_tensor.extend import ARRAY, kind_of

__all__ = ["is_lowered", "one_segment", "opened", "segments_of"]

_FEW = 12
"""How many operations on arrays, at most, Python may repeat to find a length."""


def is_lowered(v: Variable) -> bool:
    """Whether `jax_funcify` knows the Op of `v`, and those of graphs inside."""
    if isinstance(v.op, Identity) and not are_tensors(v):
        return isinstance(v.op, Static)  # JAX need not take the value
    if isinstance(v.op, Branch):
        return _is_whole(v.op.on_true) and _is_whole(v.op.on_false)
    if isinstance(v.op, Loop):
        return all(type(u.op) is Item or is_lowered(u) for u in v.op.body.graph.nodes)
    if has_function(v.op):
        return True
    inner = expanded(FunctionGraph(dict.fromkeys(v.inputs), [v]), has_function)
    return v not in inner.outputs and all(map(is_lowered, inner.nodes))


@lru_cache(maxsize=1024)
def _is_whole(op: OpFromGraph) -> bool:
    segments = segments_of(lift_masks(op.graph))
    return len(segments) == 1 and not segments[0].by_python


def segments_of(graph: FunctionGraph) -> list[Segment]:
    """`graph`, cut where it must be; in the order in which the segments run."""
    python = _by_python(graph)
    if python or any(fixed_positions(graph).values()):
        recomputed = _found_by_python(graph)
        stages = _stages(graph, recomputed, python)
        if any(stages.values()):
            return cut(graph, stages, recomputed)
    return one_segment(graph)


def one_segment(graph: FunctionGraph) -> list[Segment]:
    """`graph` as a segment for JAX, without what is no tensor and is only passed on."""
    if are_tensors(*graph.inputs, *(v for v in graph.outputs if isinstance(v.op, Constant))):
        return [Segment(graph, False, graph.inputs, graph.outputs)]
    return cut(graph, dict.fromkeys(graph.nodes, 0))


def opened(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, with what is no tensor where a cut can separate it from what JAX computes."""

    def takes_others(v: Variable) -> bool:
        op = v.op
        return isinstance(op, OpFromGraph) and not are_tensors(*op.graph.inputs, *op.graph.outputs)

    graph = inline(graph, takes_others)
    if Static not in graph.op_classes:
        return graph
    outputs = [v.inputs[0] if _is_static(v) else v for v in graph.outputs]
    return graph if tuple(outputs) == graph.outputs else FunctionGraph(graph.inputs, outputs)


def _stages(
    graph: FunctionGraph, recomputed: set[Variable], python: set[Variable]
) -> dict[Variable, int]:
    """When each node runs: at even numbers by JAX, at odd ones by Python."""
    stages: dict[Variable, int] = {}
    waits: dict[Variable, int] = {}
    for v in graph.nodes:
        if type(v.op) is Item:
            stages[v] = waits[v] = stages[v.inputs[0]]
            continue
        parity = 1 if v in python else 0
        fixed = static_positions(v.op, v) if not parity else frozenset()
        stage = parity
        for k, i in enumerate(v.inputs):
            if i in waits:
                now = k not in fixed or i in recomputed
                stage = max(stage, waits[i] if now else waits[i] + 1)
                stage += stage % 2 != parity
        stages[v] = stage
        waits[v] = max([waits.get(i, -1) for i in v.inputs], default=-1)
        if v not in recomputed:
            waits[v] = stage
    return stages


def _by_python(graph: FunctionGraph) -> set[Variable]:
    """The nodes that run in Python: those that JAX can't, and masks that choose results.

    An output whose elements a mask chooses is put together by NumPy, so that JAX need not
    compile for each number of them.
    """
    nodes = {v for v in graph.nodes if type(v.op) is not Item and _is_pythons(v)}
    if POSITIONS.isdisjoint(graph.op_classes):
        return nodes
    for v in graph.outputs:
        if not graph.users[v] and chosen_by_mask(v):
            nodes.add(v)
    for v in reversed(graph.nodes):
        users = graph.users[v]
        if isinstance(kind_of(v), Compress) and all(user in nodes for user, _ in users):
            nodes.add(v)
    return nodes


def _is_pythons(v: Variable) -> bool:
    """Whether Python has an implementation of the Op of `v`, but JAX has none."""
    if is_lowered(v):
        return False
    try:
        py_funcify(v.op, node=v)
    except MissingLoweringError:
        return False
    return True


def _found_by_python(graph: FunctionGraph) -> set[Variable]:
    """Scalars that Python finds from the inputs' values and from shapes, with little work.

    They can be lengths, which `plan_for` computes before the call, or while JAX traces.
    """
    inputs = set(graph.inputs)
    work: dict[Variable, int] = {}
    arrays: set[Variable] = set()
    inner: set[Variable] = set()
    for v in graph.order:
        if v in inputs or type(v.op) is Constant or _is_static(v):
            work[v] = 0
            if v in inputs and _is_array(v):
                arrays.add(v)
        elif isinstance(v.op, Length):
            work[v] = 0
            if v.inputs[0] not in inputs:
                inner.add(v)
        elif all(i in work for i in v.inputs) and is_lowered(v) and type(v.op) is not Print:
            on_arrays = any(_is_array(i) for i in (v, *v.inputs))
            total = sum(work[i] for i in v.inputs) + on_arrays
            if on_arrays and (total > _FEW or not _is_simple(v)):
                continue
            if not arrays.isdisjoint(v.inputs):
                arrays.add(v)
            if not inner.isdisjoint(v.inputs):
                inner.add(v)
            if v in arrays and v in inner:  # Python has the values before, JAX the shapes later
                arrays.discard(v)
                inner.discard(v)
                continue
            work[v] = total
    return {v for v in work if v not in inputs and (not _is_array(v) or _is_static(v))}


def _is_static(v: Variable) -> bool:
    """Whether JAX compiles for the values of an input that is no tensor."""
    return isinstance(v.op, Static) and not are_tensors(v)


def _is_array(v: Variable) -> bool:
    return getattr(v.type, "ndim", 1) > 0


def _is_simple(v: Variable) -> bool:
    kind = kind_of(v)
    if isinstance(kind, Gather):
        return isinstance(kind.at, tuple) and ARRAY not in kind.at
    is_loop = isinstance(kind, Reduction | View) or (
        isinstance(kind, Pointwise) and not kind.positions
    )
    return is_loop or isinstance(v.op, (*COPYING,))
