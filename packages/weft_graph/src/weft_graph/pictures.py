"""Graphs as pictures: Mermaid and DOT source, and a page with SVG for a browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from weft_graph.graph import FunctionGraph
from weft_graph.layout import Edge, Link, columns_of, links_of, rows_of
from weft_graph.nodes import Constant, Item, Named, Variable

__all__ = ["to_dot", "to_html", "to_mermaid"]

Graph = Variable | Iterable[Variable] | FunctionGraph

_COLOURS = {
    "input": ("#dbeafe", "#2563eb"),
    "constant": ("#f1f5f9", "#94a3b8"),
    "op": ("#ffffff", "#475569"),
    "output": ("#dcfce7", "#15803d"),
}
_MARKS = {"changed": ("#fde68a", "#b45309"), "cut": ("#f8fafc", "#cbd5e1")}
_LETTER, _ROW = 7.3, 76
_STYLE = """
body { margin: 0; padding: 1rem; background: #f8fafc; color: #0f172a;
  font: 15px system-ui, sans-serif; }
h1 { font-size: 1.2rem; margin: 0 0 .3rem; } h2 { font-size: 1rem; margin: 0 0 .5rem; }
.legend span { border: 1.5px solid; border-radius: 6px; padding: 0 .5rem; margin-right: .5rem; }
label { margin-left: .5rem; } main { display: flex; gap: 1rem; margin-top: 1rem; }
section { flex: 1 1 0; min-width: 0; overflow: auto; padding: 1rem; background: #ffffff;
  border: 1px solid #cbd5e1; border-radius: 10px; }
svg { max-width: 100%; height: auto; display: block; margin: auto; }
:checked ~ main { flex-direction: column; } :checked ~ main svg { max-width: none; }
text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  text-anchor: middle; fill: #0f172a; } .type { font-size: 10px; fill: #64748b; }
path { fill: none; stroke: #94a3b8; stroke-width: 1.3; } rect { stroke-width: 1.5; }
g:hover rect { stroke-width: 3; }
"""


class Box(NamedTuple):
    """One drawn node: what is written in it, its kind, and what hovering over it shows."""

    label: str
    type: str
    kind: str
    title: str

    @property
    def width(self) -> float:
        """How much room the text needs."""
        return 18 + _LETTER * max(len(self.label), 0.84 * len(self.type), 2)


def to_mermaid(graph: Graph) -> str:
    """A graph as Mermaid source, which many sites that show Markdown draw.

    >>> from weft_graph import Op, Type
    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> x = Type()("x")
    >>> print(to_mermaid(Join()(x).named("twice")))
    flowchart TD
        n0["x<br>Type"]:::input
        n1["twice = Join<br>Type"]:::output
        n0 --> n1
        classDef input fill:#dbeafe,stroke:#2563eb,color:#0f172a
        classDef constant fill:#f1f5f9,stroke:#94a3b8,color:#0f172a
        classDef op fill:#ffffff,stroke:#475569,color:#0f172a
        classDef output fill:#dcfce7,stroke:#15803d,color:#0f172a
    """
    boxes, edges = _boxes(graph)
    lines = ["flowchart TD"]
    for index, box in enumerate(boxes):
        text = "<br>".join(_entities(t) for t in (box.label, box.type) if t)
        lines.append(f'    n{index}["{text}"]:::{box.kind}')
    lines += [f"    n{source} --> n{target}" for source, target, _ in edges]
    for kind, (fill, stroke) in _COLOURS.items():
        lines.append(f"    classDef {kind} fill:{fill},stroke:{stroke},color:#0f172a")
    return "\n".join(lines)


def to_dot(graph: Graph) -> str:
    """A graph in DOT, the language of Graphviz.

    >>> from weft_graph import Type
    >>> print(to_dot(Type()("x")))
    digraph {
        node [shape=box style="rounded,filled" fontname=monospace]
        n0 [label="x\\nType" fillcolor="#dbeafe" color="#2563eb" tooltip="x : Type..."]
    }
    """
    boxes, edges = _boxes(graph)
    lines = ["digraph {", '    node [shape=box style="rounded,filled" fontname=monospace]']
    for index, box in enumerate(boxes):
        fill, stroke = _COLOURS[box.kind]
        label = _quoted("\n".join(t for t in (box.label, box.type) if t))
        paint = f'fillcolor="{fill}" color="{stroke}"'
        lines.append(f"    n{index} [label={label} {paint} tooltip={_quoted(box.title)}]")
    lines += [f"    n{source} -> n{target}" for source, target, _ in edges]
    return "\n".join([*lines, "}"])


def to_html(graphs: Graph | Mapping[str, Graph], path: str | Path | None = None) -> str:
    """A page that shows a graph, or several under their titles; written to `path` if given.

    It needs no network. Hovering over a node shows its type and the line that made it.

    >>> from weft_graph import Type
    >>> x, y = Type()("x"), Type()("y")
    >>> page = to_html({"one": x, "two": [x, y]})
    >>> page.count("<svg"), page.count("<rect")
    (2, 3)
    """
    titled = graphs if isinstance(graphs, Mapping) else {"": graphs}
    sections = []
    for title, graph in titled.items():
        boxes, edges = _boxes(graph)
        count = sum(box.kind in {"op", "output"} for box in boxes)
        heading = f"{title}: {count} operations" if title else f"{count} operations"
        sections.append(f"<section><h2>{escape(heading)}</h2>\n{_svg(boxes, edges)}\n</section>")
    legend = "".join(
        f'<span style="background: {fill}; border-color: {stroke}">{kind}</span>'
        for kind, (fill, stroke) in _COLOURS.items()
    )
    body = "\n".join(sections)
    name = escape(" / ".join(titled) or "graph")
    page = (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{name}</h1>\n"
        f'<span class="legend">{legend}</span>Data flows downwards.\n'
        '<input type="checkbox" id="full"><label for="full">full size</label>\n'
        f"<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def draw(graph: Graph, marks: Mapping[Variable, str] | None = None) -> str:
    """A graph as an SVG element; some variables may be marked as "changed" or "cut" off.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> draw(x, {x: "changed"}).count("#fde68a")
    1
    """
    return _svg(*_boxes(graph, marks or {}))


def _entities(text: str) -> str:
    plain = escape(text, quote=False).replace("#", "&35;").replace('"', "&quot;")
    return plain.replace("&", "#")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _boxes(
    graph: Graph, marks: Mapping[Variable, str] = MappingProxyType({})
) -> tuple[list[Box], list[Edge]]:
    """What to draw: a name and what it names are one box, every use of a constant has its own."""
    if not isinstance(graph, FunctionGraph):
        graph = FunctionGraph(outputs=[graph] if isinstance(graph, Variable) else graph)
    inputs, outputs = set(graph.inputs), set(graph.outputs)
    names: dict[Variable, list[str]] = {}
    seen: dict[Variable, Variable] = {}
    for v in reversed(graph.order):
        if type(v.op) is Named and v not in inputs:
            names.setdefault(v.inputs[0], []).extend([*names.pop(v, []), v.op.name])
            outputs |= {v.inputs[0]} if v in outputs else set()
    boxes: list[Box] = []
    edges: list[Edge] = []
    index: dict[Variable, int] = {}
    for v in graph.order:
        if type(v.op) is Named and v not in inputs:
            seen[v] = seen.get(v.inputs[0], v.inputs[0])
        elif v in inputs or v in outputs or not isinstance(v.op, Constant):
            sources = []
            for i in [] if v in inputs else [seen.get(i, i) for i in v.inputs]:
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
    title = "\n".join(filter(None, [f"{label} : {v.type}", v.made_at and f"made at {v.made_at}"]))
    return Box(_short(label), "" if kind == "constant" else _short(str(v.type)), kind, title)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 36 else line[:35] + "…"


def _svg(boxes: list[Box], edges: list[Edge]) -> str:
    """Boxes in rows, those that use others further down; long edges go around boxes."""
    widths = [box.width for box in boxes]
    halves = [20 if box.type else 12 for box in boxes]
    free = {i for i, box in enumerate(boxes) if box.kind == "constant"}
    rows = rows_of(len(boxes), edges, free)
    links = links_of(rows, widths, edges)
    halves += [0] * (len(rows) - len(boxes))
    x = columns_of(rows, widths, links)
    left = min((c - w / 2 for c, w in zip(x, widths, strict=True)), default=0.0) - 8
    right = max((c + w / 2 for c, w in zip(x, widths, strict=True)), default=0.0) + 8
    y = [_ROW * row + 28 for row in rows]
    lean = _leans(x, links, len(boxes))
    curves = []
    for i, j, shift in links:
        start, top, end, bottom = x[i], y[i] + halves[i], x[j] + shift, y[j] - halves[j]
        reach = (bottom - top) / 2
        curves.append(
            f"M{start:.0f} {top}C{start + lean[i] * reach:.0f} {top + reach:.0f} "
            f"{end - lean[j] * reach:.0f} {top + reach:.0f} {end:.0f} {bottom}"
        )
    shapes = []
    for box, centre, middle, half in zip(boxes, x, y, halves, strict=False):
        fill, stroke = (_COLOURS | _MARKS)[box.kind]
        shapes.append(
            f'<g><title>{escape(box.title)}</title><rect x="{centre - box.width / 2:.0f}" '
            f'y="{middle - half}" width="{box.width:.0f}" height="{2 * half}" rx="8" '
            f'fill="{fill}" stroke="{stroke}"/>'
            f'<text x="{centre:.0f}" y="{middle - 2 if box.type else middle + 4}">'
            f"{escape(box.label)}</text>"
            f'<text class="type" x="{centre:.0f}" y="{middle + 13}">{escape(box.type)}</text></g>'
        )
    width, height = right - left, max(y, default=0) + 28
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}">\n<path d="{"".join(curves)}"/>\n'
        + "\n".join(shapes)
        + "\n</svg>"
    )


def _leans(x: list[float], links: list[Link], boxes: int) -> list[float]:
    """How edges run through each joint, sideways per way down; they meet boxes upright."""
    sums, counts = [0.0] * len(x), [0] * len(x)
    for source, target, shift in links:
        for end in (source, target):
            if end >= boxes:
                counts[end] += 1
                sums[end] += (x[target] + shift - x[source]) / _ROW
    return [total / (count or 1) for total, count in zip(sums, counts, strict=True)]
