"""Graphs that are Ops and are not inlined, in JAX: functions that are traced on their own."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from weft_graph import FunctionGraph, OpFromGraph, PythonLinker, Variable, rewrite_graph
from weft_jax.dispatch import jax_funcify
from weft_jax.indexing import book
from weft_jax.masks import lift_masks
from weft_jax.program import plain, program_of
from weft_jax.static import Plan, plan_for, static_positions
from weft_tensor import Length

__all__ = ["jax_funcify_op_from_graph"]


@jax_funcify.register(OpFromGraph)
def jax_funcify_op_from_graph(op: OpFromGraph, *, node: Variable, **kwargs: Any) -> Any:
    """The graph, traced where it is called, with what shapes depend on as numbers."""
    plan = _plan(op)
    fixed = static_positions(op, node)
    sizes, _ = PythonLinker().link(FunctionGraph(op.graph.inputs, plan.sizes))
    traced = program_of(plan, lambda v: jax_funcify(v.op, node=v)).load()
    dtypes: list[Any] = [getattr(v.type, "dtype", None) for v in op.graph.outputs]

    def run(*values: Any) -> Any:
        host = sizes(*(np.asarray(x) if k in fixed else x for k, x in enumerate(values)))
        results = traced(*map(plain, host), *(values[k] for k in plan.arrays))
        outputs = tuple(jnp.asarray(r, dtype) for r, dtype in zip(results, dtypes, strict=True))
        return outputs if len(outputs) > 1 else outputs[0]

    return run


@static_positions.register(OpFromGraph)
def _(op: OpFromGraph, node: Variable) -> frozenset[int]:
    """The inputs on whose values shapes in the graph depend."""
    places = {v: k for k, v in enumerate(op.graph.inputs)}
    todo, seen = list(_plan(op).sizes), set()
    while todo:
        v = todo.pop()
        if v not in seen and not isinstance(v.op, Length):
            seen.add(v)
            todo.extend(v.inputs)
    return frozenset(places[v] for v in seen if v in places)


def _plan(op: OpFromGraph) -> Plan:
    return plan_for(lift_masks(rewrite_graph(op.graph, [book])))
