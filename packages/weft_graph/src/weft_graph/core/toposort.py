"""The order of a graph: what everything that walks over one begins with."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import filterfalse

from weft_graph.core.nodes import Variable

__all__ = ["toposort"]

_SUSPICIOUS = 1_000_000
"""How many variables may be waiting before it is asked whether there is a cycle."""


def toposort(
    outputs: Iterable[Variable], stop: Collection[Variable] = frozenset()
) -> list[Variable]:
    """`outputs` and all they depend on, inputs before results, each once.

    The walk does not go past the variables in `stop` (which are listed). The order
    depends only on the graph.

    >>> from weft_graph import Op, Type
    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> a, b = Type()("a"), Type()("b")
    >>> [str(v) for v in toposort([Join()(a, Join()(b, a))])]
    ['a', 'b', 'Join', 'Join']
    """
    order: list[Variable] = []
    visits: set[Variable] = set()
    ready, is_done = visits.issuperset, visits.__contains__
    stack = list(outputs)[::-1]
    count, limit = len(stack), _SUSPICIOUS
    while stack:
        variable = stack[-1]
        if variable in visits:
            stack.pop()
        elif ready(variable.inputs) or variable in stop:
            stack.pop()
            visits.add(variable)
            order.append(variable)
        else:
            stack += filterfalse(is_done, variable.inputs[::-1])
            if len(stack) > limit:
                _refuse_cycles(stack, count)
                limit = 2 * len(stack)
    return order


def _refuse_cycles(stack: list[Variable], outputs: int) -> None:
    """Raise ValueError if more is waiting than outputs, and inputs of what waits, once each."""
    if len(stack) > outputs + sum([len(v.inputs) for v in set(stack)]):
        raise ValueError(f"{stack[-1]!r} depends on itself: variables must not be changed by force")
