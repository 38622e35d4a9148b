"""How a result depends on a variable: for the errors of differentiation."""

from __future__ import annotations

from collections.abc import Sequence

from weft_graph.core.nodes import Item, Variable

__all__ = ["made_at", "route", "show_route"]

_SHOWN = 4


def made_at(v: Variable) -> str:
    """ ", made at ...", if it is known where `v` was made."""
    return f", made at {v.made_at}" if v.made_at else ""


def route(start: Variable, goal: Variable) -> list[Variable]:
    """A shortest way from `start` down to `goal`, both included; empty if there is none.

    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    >>> x = Type()("x")
    >>> [str(v) for v in route(Twice()(Twice()(x)), x)], route(x, Twice()(x))
    (['Twice', 'Twice', 'x'], [])
    """
    above: dict[Variable, Variable | None] = {start: None}
    front = [start]
    while front and goal not in above:
        below: list[Variable] = []
        for v in front:
            for source in v.inputs:
                if source not in above:
                    above[source] = v
                    below.append(source)
        front = below
    way: list[Variable] = []
    step = goal if goal in above else None
    while step is not None:
        way.append(step)
        step = above[step]
    return way[::-1]


def show_route(way: Sequence[Variable]) -> str:
    """The variables of `way` as one line; the middle of a long way is left out."""
    texts = [str(v) for v in way if type(v.op) is not Item]
    if len(texts) > 2 * _SHOWN + 1:
        texts[_SHOWN:-_SHOWN] = [f"({len(texts) - 2 * _SHOWN} more)"]
    return " <- ".join(texts)
