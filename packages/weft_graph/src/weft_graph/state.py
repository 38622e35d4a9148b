"""Shared state: variables whose value outlives a call, and is changed by `updates`."""

from __future__ import annotations

from typing import Any

from weft_graph.given import check_type
from weft_graph.nodes import Input, Type, Variable, apply

__all__ = ["Shared", "get_value", "set_value", "shared"]


class Shared(Input):
    """The Op of an input whose value is kept in a cell, and not given at a call."""

    def __init__(self, type: Type, value: Any, name: str | None = None) -> None:
        super().__init__(type, name)
        self.cell = [value]


def shared(type: Type, value: Any, name: str | None = None) -> Any:
    """A variable of `type` with a value that lasts: compiled functions use it unasked.

    The value is copied. `function(..., updates={s: expression})` gives it a new one at every
    call.

    >>> from weft_graph import Op, Type, function
    >>> class Next(Op):
    ...     def infer(self, n):
    ...         return n
    ...     def impl(self, n):
    ...         return n + 1
    >>> count = shared(Type(), 0, "count")
    >>> step = function([], count, updates={count: Next()(count)}, mode="py")
    >>> step(), step(), get_value(count)
    (0, 1, 2)
    """
    check_type(type, "shared")
    from_user = type.copy(type.filter(value))
    return apply(Shared(type, from_user, name), ())


def get_value(variable: Variable) -> Any:
    """A copy of the value of a shared variable; TypeError for other variables."""
    return variable.type.copy(_cell(variable)[0])


def set_value(variable: Variable, value: Any) -> None:
    """Give a shared variable a new value, which is checked by its type and copied."""
    _cell(variable)[0] = variable.type.copy(variable.type.filter(value))


def _cell(variable: Variable) -> list[Any]:
    if not isinstance(variable.op, Shared):
        raise TypeError(f"{variable!r} is not shared: make it with `shared(type, value)`")
    return variable.op.cell
