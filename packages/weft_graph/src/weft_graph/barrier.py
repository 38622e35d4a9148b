"""Barriers: what must not be computed before something else is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from weft_graph.nodes import Apply, Op, Type, Variable

__all__ = ["Barrier", "in_stages"]


class Barrier(Op):
    """The first input as it is, but not before the others are known.

    What is computed from it is therefore not what is computed from the first input itself:
    it is neither merged with that nor computed in advance. Backends must keep this order.

    >>> from weft_graph import Type
    >>> x, after = Type()("x"), Type()("after")
    >>> Barrier()(x, after) is x
    False
    """

    view_of: ClassVar[tuple[int, ...]] = (0,)
    linear: ClassVar[slice | None] = slice(1)

    def infer(self, *types: Type) -> Type:
        """The type of the first input."""
        return types[0]

    def impl(self, *values: Any) -> Any:
        """The first value."""
        return values[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent goes to the first input."""
        return [cotangents[0], *([None] * (len(inputs) - 1))]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of the first input."""
        return input_shapes[:1]


def in_stages(order: Sequence[Variable]) -> Sequence[Variable]:
    """`order`, with all that needs fewer barriers before all that needs more.

    So what is computed behind one barrier is used up before the next one opens.

    >>> from weft_graph import Type
    >>> x, y = Type()("x"), Type()("y")
    >>> once = Barrier()(x, y)
    >>> in_stages([x, y, once, Barrier()(once, y), Barrier()(y, x)])[-1].inputs[0] is once
    True
    """
    if all(type(v.op) is not Barrier for v in order):
        return order
    stage: dict[Variable, int] = {}
    for v in order:
        before = max([stage.get(i, 0) for i in v.inputs], default=0)
        stage[v] = before + (type(v.op) is Barrier)
    return sorted(order, key=stage.__getitem__)
