"""Walks over graphs, none of them recursive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from weft_graph.nodes import Input, Variable, remake

__all__ = ["ancestors", "graph_inputs", "replace", "toposort"]


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
    done: set[Variable] = set()
    stack = list(outputs)[::-1]
    while stack:
        variable = stack[-1]
        if variable in done:
            stack.pop()
            continue
        pending = () if variable in stop else [v for v in variable.inputs if v not in done]
        if pending:
            stack.extend(pending[::-1])
        else:
            stack.pop()
            done.add(variable)
            order.append(variable)
    return order


def ancestors(outputs: Iterable[Variable]) -> list[Variable]:
    """All variables that `outputs` depend on, themselves included."""
    return toposort(outputs)


def graph_inputs(outputs: Iterable[Variable]) -> list[Variable]:
    """The inputs (not the constants) that `outputs` depend on, in order of appearance."""
    return [v for v in toposort(outputs) if isinstance(v.op, Input)]


def replace(
    outputs: Iterable[Variable],
    replacements: Mapping[Variable, Variable] | Callable[[Variable], Variable | None],
) -> list[Variable]:
    """`outputs` with every variable that has a replacement replaced, in one pass.

    `replacements` maps old to new, or is a function from a variable (whose inputs are
    replaced already) to its replacement or None. What a replacement itself contains is
    not replaced. Raises TypeError where a new variable's type does not fit the old one's.
    """
    outputs = list(outputs)
    if callable(replacements):
        find = replacements
        order = toposort(outputs)
        stop: Mapping[Variable, Variable] = {}
    else:
        for old, new in replacements.items():
            if not old.type.accepts(new.type):
                raise TypeError(
                    f"can't replace {old!r} by {new!r}: the types differ"
                    + (f"\n  {old} was made at {old.made_at}" if old.made_at else "")
                )
        stop = replacements
        order = toposort(outputs, stop)

        def find(_: Variable) -> Variable | None:
            return None

    new_of: dict[Variable, Variable] = dict(stop)
    for variable in order:
        if variable in new_of:
            continue
        inputs = tuple([new_of[v] for v in variable.inputs])
        made = variable if inputs == variable.inputs else remake(variable, inputs)
        new_of[variable] = find(made) or made
    return [new_of[v] for v in outputs]
