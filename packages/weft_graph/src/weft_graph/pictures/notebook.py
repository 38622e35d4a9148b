"""How variables, graphs and compiled functions show themselves in notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import TypeVar

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Item
from weft_graph.pictures.boxes import drawing_of
from weft_graph.text.one_line import phrase

__all__ = ["page_part"]

T = TypeVar("T")

_DRAWN = 40
"""Graphs of so many variables are drawn, of larger ones a table tells."""
_LISTED = 8
_LONGEST = 100


def page_part(title: str, graph: FunctionGraph) -> str:
    """A title, and the picture of a graph or, if it is large, a table: HTML that stands alone.

    >>> from weft_graph import Type
    >>> x = Type()("x<y")
    >>> page_part("a graph", FunctionGraph([x], [x.named("z")])).count("<svg")
    1
    """
    few = len(graph.order) <= _DRAWN
    picture = drawing_of(graph).svg() if few else _table(_rows(graph))
    return f'<div style="overflow-x: auto"><code>{escape(_cut(title))}</code><br>\n{picture}</div>'


def _rows(graph: FunctionGraph) -> Iterator[tuple[str, str]]:
    counts = Counter(v.op for v in graph.nodes if type(v.op) is not Item)
    for v in graph.outputs[:_LISTED]:
        yield "result", _cut(f"{phrase(v)} : {v.type}")
        yield "Op", _cut(str(v.op))
        yield "its inputs", _listed(v.inputs, lambda i: f"{phrase(i, 40)} : {i.type}")
    if len(graph.outputs) > _LISTED:
        yield "results", f"{len(graph.outputs) - _LISTED} more"
    yield "graph inputs", _listed(graph.inputs, lambda v: f"{v} : {v.type}")
    most = [(count, op) for op, count in counts.most_common()]
    yield f"{counts.total()} operations", _listed(most, lambda pair: f"{pair[0]} {pair[1]}")


def _listed(values: Sequence[T], text_of: Callable[[T], str]) -> str:
    """The first of `values` as text, and how many there are beside them."""
    texts = [_cut(text_of(value)) for value in values[:_LISTED]]
    rest = len(values) - len(texts)
    return ", ".join([*texts, f"and {rest} more"] if rest else texts)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = [
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(text)}</td></tr>'
        for name, text in rows
    ]
    return "<table>\n" + "\n".join(lines) + "\n</table>"
