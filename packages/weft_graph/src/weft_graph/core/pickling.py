"""Graphs in a form to pickle: tables, since nothing may recurse over a graph."""

from __future__ import annotations

from collections.abc import Iterable

from weft_graph.core.nodes import Op, Type, Variable, known, make
from weft_graph.core.source_location import Place
from weft_graph.core.toposort import toposort

__all__ = ["Table", "table_of", "variables_of"]

Table = list[tuple[Op, list[int], Type, str | None]]


def table_of(outputs: Iterable[Variable]) -> Table:
    """The graph of `outputs` in a form to pickle: one row per variable, none nested."""
    index: dict[Variable, int] = {}
    texts: dict[Place, str | None] = {}
    table: Table = []
    for v in toposort(outputs):
        index[v] = len(table)
        if v.place not in texts:
            texts[v.place] = v.made_at
        table.append((v.op, [index[i] for i in v.inputs], v.type, texts[v.place]))
    return table


def variables_of(table: Table) -> list[Variable]:
    """The variables of all rows of `table`."""
    variables: list[Variable] = []
    for op, inputs, kind, made_at in table:
        sources = tuple([variables[i] for i in inputs])
        node = known(op, sources)
        place: Place = (None, 0) if made_at is None else (made_at, 0)
        variables.append(make(op, sources, kind, place) if node is None else node)
    return variables


def _last_of(table: Table) -> Variable:
    return variables_of(table)[-1]


def _reduced(v: Variable) -> tuple[object, ...]:
    return _last_of, (table_of([v]),)


Variable.__reduce__ = _reduced
