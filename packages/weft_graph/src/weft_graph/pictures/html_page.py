"""A page for a browser: graphs to fold, search and zoom, with what is known of every node."""

from __future__ import annotations

import json
import linecache
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph, Graph, as_graph
from weft_graph.core.nodes import Item, Op, Variable
from weft_graph.core.source_location import Place, source_of
from weft_graph.pictures.boxes import COLOURS, Box, Drawing, drawing_of
from weft_graph.text.dprint import graphs_in

__all__ = ["to_html"]

_AROUND = 2
"""So many lines before and after the user's are shown with it."""
_LONGEST = 400


def to_html(graphs: Graph | Mapping[str, Graph], path: str | Path | None = None) -> str:
    """A page that shows a graph, or several under their titles; written to `path` if given.

    In a browser one can zoom, search, fold what a node is computed from, open the graphs inside
    Ops, and see each node's type, parameters and the user's line that made it. The page is one
    file and needs no network; without scripts it still shows the graphs.

    >>> from weft_graph import Type
    >>> x, y = Type()("x"), Type()("y")
    >>> page = to_html({"one": x, "two": [x, y]})
    >>> page.count("<svg"), page.count("<rect")
    (2, 3)
    """
    titled = {str(k): v for k, v in graphs.items()} if isinstance(graphs, Mapping) else {"": graphs}
    pages = _Panes({title: as_graph(graph) for title, graph in titled.items()})
    name = " / ".join(titled) or "graph"
    legend = "".join(f'<span class="{kind}">{kind}</span>' for kind in COLOURS)
    assets = Path(__file__).with_name("assets")
    fields = {
        "TITLE": escape(name),
        "LEGEND": legend,
        "PANES": "\n".join(pages.sections),
        "STYLE": (assets / "page.css").read_text(encoding="utf-8"),
        "SCRIPT": (assets / "page.js").read_text(encoding="utf-8"),
        "DATA": _as_json({"graphs": pages.graphs, "places": pages.places}),
    }
    page = (assets / "page.html").read_text(encoding="utf-8")
    page = "".join(fields.get(part, part) for part in page.split("~"))
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def _as_json(value: object) -> str:
    """JSON that may stand in a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


class _Panes:
    """The graphs of a page, those inside Ops after those that hold them."""

    def __init__(self, titled: Mapping[str, FunctionGraph]) -> None:
        self.sections: list[str] = []
        self.graphs: list[dict[str, Any]] = []
        self.places: list[dict[str, Any]] = []
        self._place_numbers: dict[Place, int | None] = {}
        self._waiting = [(title, graph) for title, graph in titled.items()]
        self._inner: dict[FunctionGraph, int] = {}
        outer = len(self._waiting)
        for number, (title, graph) in enumerate(self._waiting):  # it grows meanwhile
            self._add(title, drawing_of(graph), is_inner=number >= outer)

    def _add(self, title: str, drawing: Drawing, *, is_inner: bool) -> None:
        count = sum(box.kind in {"op", "output"} for box in drawing.boxes)
        heading = f"{title}: {count} operations" if title else f"{count} operations"
        back = '<button class="back">← Back</button>' if is_inner else ""
        self.sections.append(
            f'<section class="pane"{" hidden" * is_inner}><h2>{back}{escape(heading)}</h2>\n'
            f'<div class="view">{drawing.svg()}</div></section>'
        )
        boxes, x, rows, links = drawing
        self.graphs.append(
            {
                "boxes": [self._box(box) for box in boxes],
                "x": [round(c) for c in x],
                "rows": rows,
                "halves": [box.half for box in boxes],
                "widths": [round(box.width) for box in boxes],
                "links": [(i, j, round(shift, 1)) for i, j, shift in links],
            }
        )

    def _box(self, box: Box) -> dict[str, Any]:
        v = box.variable
        fields = {
            "label": box.name,
            "kind": box.kind,
            "type": str(v.type),
            "about": list(_about(v)),
            "place": self._place(v.place),
            "inner": [self._inner_graph(v.op, graph) for graph in graphs_in(v.op)],
        }
        return {key: value for key, value in fields.items() if value not in ([], None)}

    def _inner_graph(self, op: Op, graph: FunctionGraph) -> int:
        if graph not in self._inner:
            self._inner[graph] = len(self._waiting)
            self._waiting.append((f"inside {op}", graph))
        return self._inner[graph]

    def _place(self, place: Place) -> int | None:
        if place not in self._place_numbers:
            fields = _place(place)
            self._place_numbers[place] = None if fields is None else len(self.places)
            if fields is not None:
                self.places.append(fields)
        return self._place_numbers[place]


def _place(place: Place) -> dict[str, Any] | None:
    source = source_of(place)
    if source is None:
        return {"where": place[0]} if isinstance(place[0], str) else None
    where = f"{source.file}:{source.line}"
    if source.function != "<module>":
        where += f", in {source.function}"
    first = max(1, source.line - _AROUND)
    lines = [linecache.getline(source.file, n) for n in range(first, source.line + _AROUND + 1)]
    fields = {"first": first, "line": source.line, "lines": [line.rstrip() for line in lines]}
    return {"where": where, **(fields if any(lines) else {})}


def _about(v: Variable) -> Iterator[tuple[str, str]]:
    """What is known of a variable besides its type, as (name, text) pairs."""
    op = v.op
    if isinstance(op, Constant):
        yield "value", _cut(op.type.format(op.value))
    elif v.inputs:
        yield "Op", f"{type(op).__module__}.{type(op).__qualname__}"
        if type(op) is not Item:
            yield from _fields(op)
    yield from ((f"type.{field}", text) for field, text in _fields(v.type))


def _fields(value: Any) -> Iterator[tuple[str, str]]:
    for field in value.__props__:
        parameter = getattr(value, field)
        if not isinstance(parameter, FunctionGraph):
            yield field, _cut(repr(parameter))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
