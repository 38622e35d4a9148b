"""Constants: values in a graph, equal for equal content."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, ClassVar

from weft_graph.core.argument_checks import check_type
from weft_graph.core.encoding import encoded, path_of, tagged
from weft_graph.core.nodes import Op, Root, Type, apply

__all__ = ["Constant", "constant"]


class Constant(Root):
    """The Op of a constant: equal for equal content (small) or the same object (large)."""

    type: Type
    value: Any
    _remembered: ClassVar[frozenset[str]] = Op._remembered | {"literal"}

    def _identity(self) -> Hashable | None:
        return self.type, self.type.constant_key(self.value)

    def infer(self, *types: Type) -> Type:
        """The type that was given."""
        return self.type

    def _digest_bytes(self) -> bytes:
        content = self.type.digest_of(self.value)
        return tagged(b"constant", path_of(type(self)).encode(), encoded(self.type), content)

    @cached_property
    def literal(self) -> Any:
        """The plain Python value, if the constant amounts to one."""
        return self.type.literal(self.value)

    def impl(self) -> object:
        """The value."""
        return self.value

    def __str__(self) -> str:
        return self.type.format(self.value)


def constant(type: Type, value: Any) -> Any:
    """`value` as a constant of `type`, which checks it.

    >>> constant(Type(), 3) is constant(Type(), 3)
    True
    """
    check_type(type, "constant")
    return apply(Constant(type, type.freeze(type.filter(value))), ())
