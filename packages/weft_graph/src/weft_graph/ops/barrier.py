"""Barriers: what must not be computed before something else is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.core.nodes import Identity, Variable

__all__ = ["Barrier", "in_stages"]


class Barrier(Identity):
    """The first input as it is, but not before the others are known.

    What is computed from it is therefore not what is computed from the first input itself:
    it is neither merged with that nor computed in advance. Backends must keep this order.

    >>> from weft_graph import Type
    >>> x, after = Type()("x"), Type()("after")
    >>> Barrier()(x, after) is x
    False
    """

    def pushforward(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], tangents: Sequence[Any]
    ) -> Sequence[Variable | None]:
        """The tangent of the first input, which waits as well."""
        return [None if tangents[0] is None else self(tangents[0], *inputs[1:])]


def in_stages(order: Sequence[Variable]) -> Sequence[Variable]:
    """`order`, with all that needs fewer barriers before all that needs more.

    So what is computed behind one barrier is used up before the next one opens.

    >>> from weft_graph import Type
    >>> x, y = Type()("x"), Type()("y")
    >>> once = Barrier()(x, y)
    >>> in_stages([x, y, once, Barrier()(once, y), Barrier()(y, x)])[-1].inputs[0] is once
    True
    """
    if Barrier not in {type(v.op) for v in order}:
        return order
    stage: dict[Variable, int] = {}
    for v in order:
        before = max([stage.get(i, 0) for i in v.inputs], default=0)
        stage[v] = before + (type(v.op) is Barrier)
    return sorted(order, key=stage.__getitem__)
