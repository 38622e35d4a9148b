"""Loops: Ops that run a graph of their own, the body, again and again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Self

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Op, Variable, apply
from weft_graph.core.traversal import renewed
from weft_graph.ops.op_from_graph import OpFromGraph

__all__ = ["Loop", "nodes_inside", "with_bodies"]


class Loop(Op):
    """An Op that runs `body`; compiling rewrites that graph as it does the one around it."""

    body: OpFromGraph

    @abstractmethod
    def with_body(self, body: OpFromGraph) -> Self:
        """The same loop with another body, of the same inputs and outputs."""


def with_bodies(
    graph: FunctionGraph, change: Callable[[FunctionGraph], FunctionGraph]
) -> FunctionGraph:
    """`graph`, in which each loop has what `change` makes of its body.

    >>> from weft_graph import Type
    >>> class Once(Loop):
    ...     body: OpFromGraph
    ...     def with_body(self, body):
    ...         return Once(body)
    ...     def infer(self, x):
    ...         return x
    >>> x = Type()("x")
    >>> graph = FunctionGraph([x], [Once(OpFromGraph([x], [x.named("y")]))(x)])
    >>> with_bodies(graph, lambda body: body) is graph
    True
    """
    if Loop not in graph.op_classes:
        return graph
    copies: dict[Variable, Variable] = {v: v for v in graph.inputs}
    replacements: dict[Op, Op] = {}
    for v in graph.order:
        if v in copies:
            continue
        copy = renewed(v, copies)
        if isinstance(v.op, Loop):
            op = replacements.get(v.op)
            if op is None:
                op = replacements[v.op] = _changed(v.op, change)
            copy = copy if op is v.op else apply(op, copy.inputs, v.place)
        copies[v] = copy
    return graph.with_outputs([copies[v] for v in graph.outputs])


def _changed(loop: Loop, change: Callable[[FunctionGraph], FunctionGraph]) -> Loop:
    old = loop.body.graph
    new = change(old)
    if new is old:
        return loop
    return loop.with_body(OpFromGraph(new.inputs, new.outputs, loop.body.name, inline=False))


def nodes_inside(op: Op) -> Iterator[Variable]:
    """The nodes of graphs that are parameters of `op`, and of graphs inside those.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> [str(v) for v in nodes_inside(OpFromGraph([x], [OpFromGraph([x], [x], name="same")(x)]))]
    ['same']
    """
    todo = [op]
    for outer in todo:
        for name in outer.__props__:
            part = getattr(outer, name)
            if isinstance(part, Op):
                todo.append(part)
            elif isinstance(part, FunctionGraph):
                todo += [v.op for v in part.nodes]
                yield from part.nodes
