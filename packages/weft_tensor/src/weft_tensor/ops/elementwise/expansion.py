"""Graphs of scalar functions as functions of NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from weft_graph import Constant, FunctionGraph, Item, Variable, py_funcify

if TYPE_CHECKING:
    from weft_tensor.build.variable import TensorVariable

__all__ = ["numpy_function"]

_BLOCK: Final = 8192
"""As many numbers at once as the processor's cache holds with all that is computed of them."""


def numpy_function(graph: FunctionGraph) -> Callable[..., Any]:
    """NumPy's functions of all nodes of an elementwise graph, one after the other, as one.

    Many numbers are computed block by block: each step finds in the cache what the others made.

    >>> from weft_tensor import exp, scalar
    >>> x = scalar("x")
    >>> numpy_function(FunctionGraph([x], [exp(x) + 1]))(np.zeros(2))
    array([2., 2.])
    """
    source, scope = _source(graph)
    exec(compile(source, "<expansion>", "exec"), scope)
    run: Callable[..., Any] = scope["run"]
    if any(getattr(v.op, "name", "") == "where" for v in graph.order):  # it computes what it drops
        run = np.errstate(all="ignore")(run)
    (output,) = graph.outputs
    dtype = cast("TensorVariable", output).dtype

    def in_blocks(*values: Any) -> Any:
        if max([v.size for v in values]) <= _BLOCK:
            return run(*values)
        shape = np.broadcast_shapes(*[v.shape for v in values])
        size = prod(shape)
        flat = [
            v.reshape(()) if v.size == 1 else np.broadcast_to(v, shape).reshape(-1) for v in values
        ]
        result = np.empty(size, dtype)
        for start in range(0, size, _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = run(*[v[block] if v.ndim else v for v in flat])
        return result.reshape(shape)

    return in_blocks


def _source(graph: FunctionGraph) -> tuple[str, dict[str, Any]]:
    """A Python function `run`, and what it calls; a name is used again when nothing needs it."""
    scope: dict[str, Any] = {}
    names: dict[Variable, str] = {v: f"x{k}" for k, v in enumerate(graph.inputs)}
    lines = [f"def run({', '.join(names.values())}):"]
    last = {i: v for v in graph.order for i in v.inputs}
    free: list[str] = []
    for k, v in enumerate(graph.order):
        if v in names:
            continue
        if isinstance(v.op, Constant):
            names[v] = f"c{k}"
            scope[f"c{k}"] = v.op.value
            continue
        op = v.op
        scope[f"f{k}"] = itemgetter(op.index) if isinstance(op, Item) else py_funcify(op, node=v)
        call = f"f{k}({', '.join([names[i] for i in v.inputs])})"
        ends = dict.fromkeys(i for i in v.inputs if last[i] is v and names[i] not in scope)
        free += [names[i] for i in ends]
        names[v] = free.pop() if free else f"x{len(names)}"
        lines.append(f"    {names[v]} = {call}")
    return "\n".join([*lines, f"    return {names[graph.outputs[0]]}"]), scope
