"""Which node an error of a compiled function comes from, found by running it in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.linking.error_notes import retold
from weft_graph.linking.linker import MissingLoweringError
from weft_graph.linking.program import Program
from weft_graph.linking.python_linker import PythonLinker
from weft_graph.ops.effects import without_prints

__all__ = ["Reference"]


class Reference:
    """The Python program of a graph, run only when a backend's has failed.

    Backends whose errors do not say which node raised them keep one per function.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph

    @cached_property
    def _linked(self) -> tuple[Callable[..., object], Program] | None:
        try:
            return PythonLinker().link(without_prints(self.graph))
        except MissingLoweringError:  # an Op that other backends alone know
            return None

    def error(self, *values: Any) -> Exception | None:
        """What Python raises for these inputs, with a note on the node; None if nothing.

        >>> from weft_graph import Op, Type
        >>> class Invert(Op):
        ...     def infer(self, x):
        ...         return x
        ...     def impl(self, x):
        ...         return 1 / x
        >>> x = Type()("x")
        >>> print(*Reference(FunctionGraph([x], [Invert()(x)])).error(0).__notes__)
        while computing Invert : Type
          input 0: <x : Type> = 0
        ...
        """
        if self._linked is None:
            return None
        run, program = self._linked
        try:
            run(*values)
        except Exception as error:
            PythonLinker().explain(error, program)
            return error
        return None

    def better(self, error: Exception, *values: Any) -> Exception:
        """What to raise in place of a backend's `error`: itself, with a note, or Python's.

        All backends so raise errors of the same types.
        """
        again = self.error(*values)
        try:
            if again is None:
                return error
            return again if type(again) is not type(error) else retold(error, again)
        finally:
            del again  # its traceback leads here: neither would die, nor the values
