"""The order of a graph: what everything that walks over one begins with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from weft_graph.core.nodes import Variable

__all__ = ["toposort"]

_SUSPICIOUS = 100_000
"""How long a way down may be before it is asked whether it is a cycle."""


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
    path: list[tuple[Variable, Iterator[Variable]]] = []
    add, note, push, pop = visits.add, order.append, path.append, path.pop
    limit = _SUSPICIOUS
    for output in outputs:
        if output in visits:
            continue
        v, rest = output, iter(() if output in stop else output.inputs)
        while True:
            for i in rest:
                if i in visits:
                    continue
                inputs = i.inputs
                if inputs and i not in stop:
                    push((v, rest))
                    v, rest = i, iter(inputs)
                    break
                add(i)
                note(i)
            else:
                add(v)
                note(v)
                if not path:
                    break
                v, rest = pop()
            if len(path) > limit:
                _refuse_repeats([v for v, _ in path])
                limit *= 2
    return order


def _refuse_repeats(variables: Iterable[Variable]) -> None:
    """Raise ValueError if one occurs again on a way down: it leads to itself."""
    seen: set[Variable] = set()
    for v in variables:
        if v in seen:
            raise ValueError(f"{v!r} depends on itself: variables must not be changed by force")
        seen.add(v)
