"""Graphs in a form to pickle: tables, since nothing may recurse over a graph."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from weft_graph.core.nodes import Op, Type, Variable, known, make
from weft_graph.core.source_location import Place
from weft_graph.core.toposort import toposort

__all__ = ["Row", "Table", "marked", "row_of", "table_of", "variable_of", "variables_of"]

Row = tuple[Op, list[int], Type, str | int | None]
"""An Op, the rows of its inputs, the type of its result, and its place as text or number."""
Table = list[Row]


class _Marks(threading.local):
    """The numbers of places, while these stand for them."""

    numbers: Mapping[Place, int] | None = None
    places: Sequence[Place] = ()


_marks = _Marks()


@contextmanager
def marked(places: Sequence[Place]) -> Iterator[None]:
    """Meanwhile tables have numbers of these places, and no others, in the place of texts.

    Who reads them gives places in the same order.
    """
    outer = _marks.numbers, _marks.places
    _marks.numbers = {place: k for k, place in reversed([*enumerate(places)])}
    _marks.places = places
    try:
        yield
    finally:
        _marks.numbers, _marks.places = outer


def table_of(outputs: Iterable[Variable]) -> Table:
    """The graph of `outputs` in a form to pickle: one row per variable, none nested."""
    index: dict[Variable, int] = {}
    texts: dict[Place, str | int | None] = {}
    table: Table = []
    for v in toposort(outputs):
        index[v] = len(table)
        if v.place not in texts:
            texts[v.place] = _told(v)
        table.append((v.op, [index[i] for i in v.inputs], v.type, texts[v.place]))
    return table


def row_of(v: Variable, index: Mapping[Variable, int]) -> Row:
    """The row of `v` in a table with its inputs in the rows `index`."""
    return v.op, [index[i] for i in v.inputs], v.type, _told(v)


def _told(v: Variable) -> str | int | None:
    return v.made_at if _marks.numbers is None else _marks.numbers.get(v.place)


def variables_of(table: Table) -> list[Variable]:
    """The variables of all rows of `table`."""
    variables: list[Variable] = []
    for row in table:
        variables.append(variable_of(row, variables))
    return variables


def variable_of(row: Row, variables: Sequence[Variable]) -> Variable:
    """The variable of a row, of those of the rows before it."""
    op, positions, kind, told = row
    inputs = tuple([variables[k] for k in positions])
    node = known(op, inputs)
    if node is not None:
        return node
    if isinstance(told, int):
        return make(op, inputs, kind, _marks.places[told])
    return make(op, inputs, kind, (None, 0) if told is None else (told, 0))


def _last_of(table: Table) -> Variable:
    return variables_of(table)[-1]


def _reduced(v: Variable) -> tuple[object, ...]:
    return _last_of, (table_of([v]),)


Variable.__reduce__ = _reduced
