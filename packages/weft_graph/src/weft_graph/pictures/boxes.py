"""Graphs as boxes and curves: what is written in them, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import Graph, as_graph
from weft_graph.core.nodes import Item, Named, Variable
from weft_graph.pictures.layout import Edge, Link, columns_of, links_of, rows_of

__all__ = ["COLOURS", "Box", "Drawing", "boxes_of", "drawing_of"]

COLOURS = {
    "input": ("#dbeafe", "#2563eb"),
    "constant": ("#f1f5f9", "#94a3b8"),
    "op": ("#ffffff", "#475569"),
    "output": ("#dcfce7", "#15803d"),
}
"""The colours of what is in a box of each kind, and of its border."""

_MARKS = {"changed": ("#fde68a", "#b45309"), "cut": ("#f8fafc", "#cbd5e1")}
_LETTER, ROW = 7.3, 76
_LONGEST = 400

_LOOKS = (
    'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" text-anchor="middle" '
    'fill="#0f172a"'
)
_LINES = 'fill="none" stroke="#94a3b8" stroke-width="1.3"'
"""How texts and edges look where no style sheet says it."""


class Box(NamedTuple):
    """One drawn node: what is written in it, its kind, and what hovering over it shows."""

    label: str
    type: str
    kind: str
    title: str
    name: str
    """The label, however long."""
    variable: Variable

    @property
    def width(self) -> float:
        """How much room the text needs."""
        return 18 + _LETTER * max(len(self.label), 0.84 * len(self.type), 2)

    @property
    def half(self) -> int:
        """Half of its height."""
        return 20 if self.type else 12


class Drawing(NamedTuple):
    """Where the boxes of a graph stand, and the joints of long edges after them."""

    boxes: list[Box]
    x: list[float]
    """The middles of boxes and joints."""
    rows: list[int]
    """In which row they stand, from above."""
    links: list[Link]
    """Pieces of edges."""

    def svg(self) -> str:
        """An SVG element; the boxes are its groups, in order."""
        boxes, x, rows, _ = self
        y = [ROW * row + 28 for row in rows]
        left = min((c - b.width / 2 for b, c in zip(boxes, x, strict=False)), default=0.0)
        right = max((c + b.width / 2 for b, c in zip(boxes, x, strict=False)), default=0.0)
        left, right = min([left, *x]) - 8, max([right, *x]) + 8
        groups = [_group(box, c, m) for box, c, m in zip(boxes, x, y, strict=False)]
        width, height = right - left, max(y, default=0) + 28
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} 0 {width:.0f} {height}" '
            f'width="{width:.0f}" height="{height}" {_LOOKS}>\n'
            f'<path {_LINES} d="{"".join(self._curves(y))}"/>\n' + "\n".join(groups) + "\n</svg>"
        )

    def _curves(self, y: list[int]) -> Iterable[str]:
        boxes, x, _, links = self
        halves = [box.half for box in boxes] + [0] * (len(x) - len(boxes))
        lean = _leans(x, links, len(boxes))
        for i, j, shift in links:
            start, top, end, bottom = x[i], y[i] + halves[i], x[j] + shift, y[j] - halves[j]
            reach = (bottom - top) / 2
            yield (
                f"M{start:.0f} {top}C{start + lean[i] * reach:.0f} {top + reach:.0f} "
                f"{end - lean[j] * reach:.0f} {top + reach:.0f} {end:.0f} {bottom}"
            )


def drawing_of(graph: Graph, marks: Mapping[Variable, str] = MappingProxyType({})) -> Drawing:
    """Boxes in rows, those that use others further down; long edges go around boxes.

    >>> from weft_graph import Type
    >>> drawing_of([Type()("x"), Type()("y")]).rows
    [0, 0]
    """
    boxes, edges = boxes_of(graph, marks)
    widths = [box.width for box in boxes]
    free = {i for i, box in enumerate(boxes) if box.kind == "constant"}
    rows = rows_of(len(boxes), edges, free)
    links = links_of(rows, widths, edges)
    return Drawing(boxes, columns_of(rows, widths, links), rows, links)


def boxes_of(
    graph: Graph, marks: Mapping[Variable, str] = MappingProxyType({})
) -> tuple[list[Box], list[Edge]]:
    """What to draw: a name and what it names are one box, every use of a constant has its own."""
    graph = as_graph(graph)
    inputs, outputs = set(graph.inputs), set(graph.outputs)
    names: dict[Variable, list[str]] = {}
    places: dict[Variable, Variable] = {}
    for v in reversed(graph.order):
        if type(v.op) is Named and v not in inputs:
            names.setdefault(v.inputs[0], []).extend([*names.pop(v, []), v.op.name])
            outputs |= {v.inputs[0]} if v in outputs else set()
    boxes: list[Box] = []
    edges: list[Edge] = []
    index: dict[Variable, int] = {}
    for v in graph.order:
        if type(v.op) is Named and v not in inputs:
            places[v] = places.get(v.inputs[0], v.inputs[0])
        elif v in inputs or v in outputs or not isinstance(v.op, Constant):
            sources = []
            for i in [] if v in inputs else [places.get(i, i) for i in v.inputs]:
                if i not in index:
                    boxes.append(_box(i, names.get(i, []), "constant"))
                sources.append(index.get(i, len(boxes) - 1))
            index[v] = len(boxes)
            edges += [(source, index[v], position) for position, source in enumerate(sources)]
            kind = "input" if v in inputs else "output" if v in outputs else "op"
            boxes.append(_box(v, names.get(v, []), marks.get(v, kind)))
    return boxes, edges


def _box(v: Variable, names: list[str], kind: str) -> Box:
    text = f"result {v.op.index}" if type(v.op) is Item else str(v)
    label = " = ".join([*names, text])
    about = [f"{label} : {v.type}", f"made at {v.made_at}" if v.made_at else ""]
    title = "\n".join(text[:_LONGEST] for text in about if text)
    type_text = "" if kind == "constant" else _short(str(v.type))
    return Box(_short(label), type_text, kind, title, label, v)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 36 else line[:35] + "…"


def _group(box: Box, centre: float, middle: int) -> str:
    fill, stroke = (COLOURS | _MARKS)[box.kind]
    return (
        f'<g class="box {box.kind}"><title>{escape(box.title)}</title>'
        f'<rect x="{centre - box.width / 2:.0f}" '
        f'y="{middle - box.half}" width="{box.width:.0f}" height="{2 * box.half}" rx="8" '
        f'fill="{fill}" stroke="{stroke}"/>'
        f'<text x="{centre:.0f}" y="{middle - 2 if box.type else middle + 4}">'
        f"{escape(box.label)}</text>"
        f'<text class="type" font-size="10" x="{centre:.0f}" y="{middle + 13}">'
        f"{escape(box.type)}</text></g>"
    )


def _leans(x: list[float], links: list[Link], boxes: int) -> list[float]:
    """How edges run through each joint, sideways per way down; they meet boxes upright."""
    sums, counts = [0.0] * len(x), [0] * len(x)
    for source, target, shift in links:
        for end in (source, target):
            if end >= boxes:
                counts[end] += 1
                sums[end] += (x[target] + shift - x[source]) / ROW
    return [total / (count or 1) for total, count in zip(sums, counts, strict=True)]
