"""How Python runs the Ops that hold graphs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Op
from weft_graph.linking.program import Program
from weft_graph.linking.python_linker import PythonLinker, py_funcify
from weft_graph.ops.branch import Branch
from weft_graph.ops.op_from_graph import OpFromGraph

__all__ = ["in_python"]


class _Run:
    """A graph that Python runs; it is linked when it is first run."""

    def __init__(self, graph: FunctionGraph) -> None:
        self._graph = graph

    @cached_property
    def _linked(self) -> tuple[Callable[..., Any], Program]:
        return PythonLinker().link(self._graph)

    def __call__(self, *values: Any) -> Any:
        run, program = self._linked
        try:
            results = run(*values)
        except Exception as error:
            PythonLinker().explain(error, program)
            raise
        return results if len(results) > 1 else results[0]


_runs: WeakKeyDictionary[Op, _Run] = WeakKeyDictionary()


def in_python(op: OpFromGraph) -> Callable[..., Any]:
    """The Python function of the values of an OpFromGraph's inputs: its results, by its graph.

    >>> from weft_graph import Type
    >>> x, y = Type()("x"), Type()("y")
    >>> in_python(OpFromGraph([x, y], [y, x]))(1, 2)
    (2, 1)
    """
    return _runs.setdefault(op, _Run(op.graph))


@py_funcify.register(OpFromGraph)
def _op_from_graph(op: OpFromGraph, **kwargs: Any) -> Callable[..., Any]:
    return in_python(op)


@py_funcify.register(Branch)
def _branch(op: Branch, **kwargs: Any) -> Callable[..., Any]:
    on_true, on_false = in_python(op.on_true), in_python(op.on_false)

    def chosen(condition: Any, *values: Any) -> Any:
        return (on_true if condition else on_false)(*values)

    return chosen
