"""Graphs that are Ops and are not inlined, in JAX: functions that are traced on their own."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_graph import FunctionGraph, OpFromGraph, Variable, rewrite_graph
from weft_graph.extend import Branch, PythonLinker
from weft_jax.analysis.bounded_loops import bounded_loops
from weft_jax.analysis.mask_lifting import lift_masks
from weft_jax.analysis.sized_subscripts import book
from weft_jax.analysis.static_values import Plan, is_of_numbers, plan_for, static_positions
from weft_jax.compile.joined_functions import joined
from weft_jax.compile.tracing import plain, program_of
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import Length

__all__ = ["fixed_positions", "inner_function", "jax_funcify_op_from_graph", "traced_graph"]


@jax_funcify.register(OpFromGraph)
def jax_funcify_op_from_graph(op: OpFromGraph, **kwargs: object) -> Lowering:
    """The graph, traced where it is called."""
    take = inner_function(op)

    def run(*values: Array) -> object:
        outputs = take(*values)
        return outputs if len(outputs) > 1 else outputs[0]

    return run


def inner_function(op: OpFromGraph) -> Lowering:
    """The function that JAX traces, with what shapes depend on as numbers."""
    plan = _plan(op)
    fixed = fixed_positions(op)
    sizes, _ = PythonLinker().link(FunctionGraph(op.graph.inputs, plan.sizes))
    graph = joined(plan.graph, in_loop=True)
    traced, _ = program_of(plan._replace(graph=graph), lambda v: jax_funcify(v.op, node=v))
    dtypes: list[Any] = [getattr(v.type, "dtype", None) for v in op.graph.outputs]

    def run(*values: Array) -> tuple[Array, ...]:
        host = sizes(*(np.asarray(x) if k in fixed else x for k, x in enumerate(values)))
        results = traced(*map(plain, host), *(values[k] for k in plan.arrays))
        return tuple(jnp.asarray(r, dtype) for r, dtype in zip(results, dtypes, strict=True))

    return run


@static_positions.register(OpFromGraph)
def _(op: OpFromGraph, node: Variable) -> frozenset[int]:
    """The inputs on whose values shapes in the graph depend."""
    return fixed_positions(op)


@static_positions.register(Branch)
def _(op: Branch, node: Variable) -> frozenset[int]:
    """Those of both graphs; with them the condition, if it is computed of numbers alone.

    Then only the case that is taken is traced, with lengths that make sense.
    """
    positions = {k + 1 for case in (op.on_true, op.on_false) for k in fixed_positions(case)}
    return frozenset({0, *positions} if positions and is_of_numbers(node.inputs[0]) else positions)


def fixed_positions(op: OpFromGraph) -> frozenset[int]:
    """The inputs on whose values lengths in the graph depend.

    >>> from weft_tensor import scalar, vector, zeros
    >>> n, x = scalar("n", "int64"), vector("x")
    >>> fixed_positions(OpFromGraph([x, n], [zeros(n) + x]))
    frozenset({1})
    """
    if op not in _known_positions:
        _known_positions[op] = _found_positions(op)
    return _known_positions[op]


_known_positions: Final[WeakKeyDictionary[OpFromGraph, frozenset[int]]] = WeakKeyDictionary()


def _found_positions(op: OpFromGraph) -> frozenset[int]:
    places = {v: k for k, v in enumerate(op.graph.inputs)}
    todo, seen = list(_plan(op).sizes), set()
    while todo:
        v = todo.pop()
        if v not in seen and not isinstance(v.op, Length):
            seen.add(v)
            todo.extend(v.inputs)
    return frozenset(places[v] for v in seen if v in places)


def _plan(op: OpFromGraph) -> Plan:
    return plan_for(traced_graph(op))


def traced_graph(op: OpFromGraph) -> FunctionGraph:
    """The graph as JAX has it, before host and JAX divide it.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> traced_graph(OpFromGraph([x], [x[x > 0].sum()])).outputs[0].type
    TensorType(dtype='float64', shape=())
    """
    return lift_masks(bounded_loops(rewrite_graph(op.graph, [book])))
