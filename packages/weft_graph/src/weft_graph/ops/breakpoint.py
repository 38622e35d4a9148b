"""An Op that stops, so that one can look at values in a debugger."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from weft_graph.core.constant import constant
from weft_graph.core.nodes import Apply, Op, Type, Variable
from weft_graph.core.protocols import PassesOnHooks

__all__ = ["Breakpoint", "set_breakpoint"]


class Breakpoint(PassesOnHooks[Type, Variable, Apply], Op):
    """The first input, after a stop in the debugger if the second one is true.

    Backends run it in Python, whatever comes before and after: see `set_breakpoint`.

    Parameters
    ----------
    names
        The names of further inputs, to look at.

    Examples
    --------
    >>> x = Type()("x")
    >>> print(Breakpoint(("scale",))(x, False, Type()("scale")))
    Breakpoint('scale')
    """

    runs_in_python: ClassVar[bool] = True
    names: tuple[str, ...] = ()

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """Python's True and False become constants."""
        if len(inputs) != 2 + len(self.names):
            raise TypeError(f"{self} takes a value, a condition and {len(self.names)} others")
        x, when, *others = inputs
        condition = constant(Type(), when) if isinstance(when, bool) else when
        return super().convert((x, condition, *others))

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        """Stop, if the condition is what its type calls true."""
        value, when, *others = inputs
        if node.inputs[1].type.is_true(when):
            _stop(node.node.made_at, value, dict(zip(self.names, others, strict=True)))
        output_storage[0][0] = value

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """No: it stops when the function is called."""
        return False

    def __str__(self) -> str:
        return f"Breakpoint({', '.join(map(repr, self.names))})"


def _stop(place: str | None, value: Any, watched: Mapping[str, Any]) -> Any:
    """The frame that the debugger shows."""
    print(f"Breakpoint, made at {place}: look at `value` and at what is in `watched`")
    sys.breakpointhook()
    return value


def set_breakpoint(x: Any, when: Any = True, **watched: Any) -> Any:
    """`x`, where the debugger stops each time that it is computed.

    Python's debugger has its value as `value`, and the values of `watched` by their names in a
    dict; `c` goes on. As for `breakpoint`, the environment variable PYTHONBREAKPOINT names
    another debugger, or 0 for none. What the debugger changes in an array, the rest of the
    graph may see.

    Parameters
    ----------
    x
        A variable; where the result is used, the debugger stops.
    when
        A scalar variable: stop only if it is true.
    **watched
        Other variables, to look at.

    Examples
    --------
    >>> x, scale = Type()("x"), Type()("scale")
    >>> print(set_breakpoint(x, when=scale, scale=scale))
    Breakpoint('scale')
    """
    return Breakpoint(tuple(watched))(x, when, *watched.values())
