"""Loops in whose bodies lengths depend on values: refused, or run by Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, Literal

import numpy as np

from weft_graph import FunctionGraph, Item, OpFromGraph, Variable, replace
from weft_graph.extend import Branch, Static, apply, nodes_inside
from weft_jax.analysis.shape_policy import DynamicShapeInLoopError, chain_to
from weft_jax.analysis.static_values import static_positions, with_near_lengths
from weft_jax.lowering.dispatch import Lowering
from weft_jax.ops.control.op_from_graph import fixed_positions, traced_graph
from weft_tensor import Map, Recurrence, TensorOp
from weft_tensor.extend import mapped_by, scanned_by

__all__ = [
    "DynamicLoops",
    "refuse_lengths_of_elements",
    "with_host_loops",
]

DynamicLoops = Literal["error", "host"]
"""What to do with a loop in whose body lengths depend on values of the elements."""


def _chain_to_element(op: Map | Recurrence) -> tuple[Variable, ...]:
    """In the body, from an Op whose result has a length to the element that this depends on."""
    if not any(op.moving[k] for k in fixed_positions(op.body)):
        return ()
    graph = with_near_lengths(traced_graph(op.body))
    elements = set(compress(graph.inputs, op.moving))
    for v in graph.nodes:
        for k in () if type(v.op) is Item else static_positions(v.op, v):
            chain = chain_to(v.inputs[k], set(graph.inputs), elements)
            if chain and not isinstance(v.op, Static):
                return v, *chain
    return ()


def refuse_lengths_of_elements(op: Map | Recurrence, node: Variable) -> None:
    """Raise DynamicShapeInLoopError if, in the body, a length depends on values that differ."""
    chain = _chain_to_element(op)
    if not chain:
        return
    v, *between, element = chain
    nodes = set(op.body.graph.nodes)
    line = next((u.made_at for u in (v, *between) if u in nodes and u.made_at), node.made_at)
    way = " ← ".join([*(str(u.op) for u in between), f"an element : {element.type}"])
    raise DynamicShapeInLoopError(
        f"in the function given to {op}{f', made at {line}' if line else ''}: a length of the "
        f"result of {v.op} depends on values that differ from element to element ({way}). "
        "JAX compiles a loop for one shape. Ways out: where(mask, x, 0) in place of x[mask]; a "
        "length that is the same for all elements; a number as max_steps of a while_loop that is "
        "derived; or mode=JAX(dynamic_loops='host'), with which Python runs this loop, and JAX "
        "what is in it"
    )


def with_host_loops(graph: FunctionGraph, link: Lowering) -> FunctionGraph:
    """`graph`, in which Python runs the loops that JAX can't; `link` compiles their bodies.

    >>> from weft_tensor import arange, map, vector
    >>> n = vector("n", "int64")
    >>> graph = FunctionGraph([n], [map(lambda k: arange(k).sum(), n)])
    >>> print(with_host_loops(graph, lambda body: None).outputs[0])
    map on the host
    """

    def on_host(v: Variable) -> Variable | None:
        if isinstance(v.op, Map | Recurrence) and _needs_host(v.op):
            return apply(HostLoop(v.op, link), v.inputs, v.place)
        if isinstance(v.op, Branch):
            op = v.op
            then, otherwise = (_with_host_loops(case, link) for case in (op.on_true, op.on_false))
            return apply(Branch(then, otherwise, op.types), v.inputs, v.place)
        return None

    return FunctionGraph(graph.inputs, replace(graph.outputs, on_host, graph.inputs))


def _with_host_loops(case: OpFromGraph, link: Lowering) -> OpFromGraph:
    graph = with_host_loops(case.graph, link)
    return OpFromGraph(graph.inputs, graph.outputs, case.name, inline=False)


def _needs_host(op: Map | Recurrence) -> bool:
    inner = [v.op for v in nodes_inside(op)]
    return any(_chain_to_element(m) for m in (op, *inner) if isinstance(m, Map | Recurrence))


class HostLoop(TensorOp):
    """A loop whose elements are taken one after the other by Python; JAX compiles the body."""

    runs_in_python: ClassVar[bool] = True
    _remembered: ClassVar[frozenset[str]] = TensorOp._remembered | {"_run"}
    loop: Map | Recurrence
    link: Callable[[FunctionGraph], Callable[..., Any]]

    @cached_property
    def _run(self) -> Lowering:
        return self.link(self.loop.body.graph)

    def infer_from(self, *inputs: Any) -> Any:
        """The same types."""
        kinds = tuple([v.type for v in self.loop.make_node(*inputs).outputs])
        return kinds if len(kinds) > 1 else kinds[0]

    def impl(self, *values: np.ndarray) -> Any:
        """Element after element."""
        run, single = self._run, len(self.loop.body.graph.outputs) == 1
        compute: Any = mapped_by if isinstance(self.loop, Map) else scanned_by
        return compute(self.loop, lambda *x: run(*x)[0] if single else run(*x), values)

    def __str__(self) -> str:
        return f"{self.loop} on the host"
