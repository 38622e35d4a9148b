"""Graphs that are Ops and are not inlined, in Numba: functions of their own."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core.dispatcher import Dispatcher

from weft_graph import OpFromGraph, Variable
from weft_numba.fusion.emit_program import written
from weft_numba.fusion.parameters import one_by_one
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit

__all__ = ["numba_funcify_op_from_graph"]


@numba_funcify.register(OpFromGraph)
def numba_funcify_op_from_graph(
    op: OpFromGraph, *, exact: bool = False, parallel: bool = False, **kwargs: object
) -> Dispatcher:
    """The function that takes the steps of the graph."""

    def funcify(node: Variable) -> Callable[..., Any]:
        function: Any = numba_funcify(node.op, node=node, exact=exact, parallel=parallel)
        return njit(function) if isinstance(function, FunctionType) else function

    parameters, returned = one_by_one(op.graph.inputs), one_by_one(op.graph.outputs)
    program = written(op.graph, funcify, parameters, returned, exact=exact, parallel=parallel)
    steps = njit(program.load())
    if len(op.graph.outputs) > 1:
        return steps
    names = ", ".join(f"x{k}" for k in range(len(op.graph.inputs)))
    return compiled(f"def lowered({names}):\n    return steps({names})[0]\n", steps=steps)
