"""The order of a graph: what everything that walks over one begins with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from weft_graph.core.nodes import Variable

__all__ = ["toposort"]

_SUSPICIOUS = 1_000_000
"""How long a way down may be before it is asked whether it is a cycle."""
_MANY = 4
"""Of more inputs than this, it is remembered how many of them are done."""


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
    path: list[Variable | None] = []
    rest: dict[Variable, Iterator[Variable]] = {}
    add, note, push, pop = visits.add, order.append, path.append, path.pop
    limit = _SUSPICIOUS
    for output in outputs:
        if output in visits:
            continue
        v: Variable | None = output
        push(None)
        while v is not None:
            inputs: Iterable[Variable] = v.inputs
            if len(v.inputs) > _MANY:
                inputs = rest.setdefault(v, iter(inputs))
            for i in inputs:
                if i in visits or v in stop:
                    continue
                if i.inputs:
                    push(v)
                    v = i
                    if len(path) > limit:
                        _refuse_repeats(path)
                        limit *= 2
                    break
                add(i)
                note(i)
            else:
                add(v)
                note(v)
                v = pop()
    if len(order) > len(visits):  # of many inputs, those after the way back were taken as well
        _refuse_repeats(order)
    return order


def _refuse_repeats(variables: Iterable[Variable | None]) -> None:
    """Raise ValueError if one occurs again on a way down, or in an order: it leads to itself."""
    seen: set[Variable | None] = set()
    for v in variables:
        if v in seen:
            raise ValueError(f"{v!r} depends on itself: variables must not be changed by force")
        seen.add(v)
