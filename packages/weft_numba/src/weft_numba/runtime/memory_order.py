"""Arrays that lie in memory in another order than C's: read where they are, not copied first.

Machine code is for C-contiguous arrays, and a copy takes longer than most loops over an array. But
an array in Fortran's order is the transpose of one in C's. So for such arrays a graph is compiled
again when they come, with transposes in their place, and its loops go along memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from weft_graph import FunctionGraph, Variable, replace
from weft_graph.extend import CompiledGraph, CompileRequest
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.ir.kernel import Operand
from weft_numba.llvm.loop_order import ordered
from weft_numba.lowering.dispatch import ANY_ORDER
from weft_numba.runtime.axis_order import Order, order_of
from weft_numba.runtime.step_clock import hold
from weft_tensor import Length, TensorType, View, transpose
from weft_tensor.extend import kind_of

__all__ = ["Arranged", "turned"]

_LARGEST: Final = 100
"""Graphs of more nodes are not compiled again: a copy is little of what they take."""
_MOST: Final = 4
"""So many times a graph is compiled again, not more."""


class Arranged:
    """What a linked graph does with arrays as they are; `usual` is for C-contiguous ones."""

    def __init__(
        self,
        graph: Callable[[], FunctionGraph],
        usual: CompiledGraph,
        link: Callable[[CompileRequest], CompiledGraph],
    ) -> None:
        self._graph = graph
        self._usual = usual
        self._link = link
        self._known: dict[tuple[Order, ...], Callable[..., Any]] = {}

    def __call__(self, *values: Any) -> Any:
        """The results, as `usual` gives them."""
        orders = tuple([order_of(v) if _is_array(v) else None for v in values])
        run = self._known.get(orders)
        if run is None:
            run = self._known.setdefault(orders, self._found(orders))
        return run(*values)

    def _found(self, orders: Sequence[Order]) -> Callable[..., Any]:
        """The function for arrays in these orders: the usual one, of copies, if that is as good."""
        graph = self._graph() if any(orders) and len(self._known) < _MOST else None
        if graph is None or len(graph) > _LARGEST:
            return self._of_copies
        graph = turned(graph, orders)
        inputs = {v for v, order in zip(graph.inputs, orders, strict=True) if order is not None}
        if _apart(graph, inputs) > 1:
            return self._of_copies
        linked = self._link(CompileRequest(graph, (), lambda graph, books: graph))
        finish = [
            other if mine is None else None
            for mine, other in zip(self._usual.finish, linked.finish, strict=True)
        ]

        def run(*values: Any) -> Any:
            views = [
                v if order is None else v.transpose(order)
                for v, order in zip(values, orders, strict=True)
            ]
            results = _run(linked, views)
            return [r if f is None else f(r) for r, f in zip(results, finish, strict=True)]

        return run

    def _of_copies(self, *values: Any) -> Any:
        return _run(self._usual, [np.ascontiguousarray(v) if _is_array(v) else v for v in values])


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 1


def _run(linked: CompiledGraph, values: Sequence[Any]) -> Any:
    """The results of what was linked, for whatever lengths."""
    run = linked.run if hold(linked.conditions, values) else linked.others
    assert run is not None
    return run(*values)


def turned(graph: FunctionGraph, orders: Sequence[Order]) -> FunctionGraph:
    """`graph` for inputs whose axes come in these orders.

    >>> from weft_tensor import exp, matrix
    >>> x = matrix("x", shape=(2, None))
    >>> graph = turned(FunctionGraph([x], [exp(x)]), [(1, 0)])
    >>> str(graph.inputs[0].type), [str(v.op) for v in graph.nodes]
    ('float64[?, 2]', ['transpose[1, 0]', 'exp'])
    """
    inputs = list(graph.inputs)
    new: dict[Variable, Variable] = {}
    for k, (v, order) in enumerate(zip(graph.inputs, orders, strict=True)):
        if order is not None and isinstance(v.type, TensorType):
            kind = TensorType(v.type.dtype, [v.type.shape[a] for a in order])
            inputs[k] = kind(v.name or f"x{k}")
            new[v] = transpose(inputs[k], tuple(map(order.index, range(len(order)))))
    return FunctionGraph(inputs, replace(graph.outputs, new))


def _apart(graph: FunctionGraph, inputs: set[Variable]) -> int:
    """How many steps read these inputs in views, but not along memory, as a copy would be read.

    One takes no longer than making the copy.
    """
    usual = narrowed(graph, assume=True).graph
    views = set(inputs)
    count = 0
    for step in fuse(usual, assume=True):
        if isinstance(step, Fused):
            nest = ordered(step.kernel, "C" * len(step.kernel.operands))
            count += sum(
                step.inputs[o.argument] in inputs and not _goes_along(o) for o in nest.operands
            )
        elif isinstance(kind_of(step), View) and step.inputs[0] in views:
            views.add(step)
        elif type(step.op) not in (Length, *ANY_ORDER):
            count += any(v in views for v in step.inputs)
    return count


def _goes_along(o: Operand) -> bool:
    """Whether the innermost loop goes along the memory of an operand."""
    return not o.table and o.view[-1:] == (o.ndim - 1,)
