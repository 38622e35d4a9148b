"""Graphs as pictures: Mermaid and DOT source, and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from weft_graph.core.function_graph import Graph
from weft_graph.core.nodes import Variable
from weft_graph.pictures.boxes import COLOURS, boxes_of, drawing_of

__all__ = ["draw", "to_dot", "to_mermaid"]


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
    boxes, edges = boxes_of(graph)
    lines = ["flowchart TD"]
    for index, box in enumerate(boxes):
        text = "<br>".join(_entities(t) for t in (box.label, box.type) if t)
        lines.append(f'    n{index}["{text}"]:::{box.kind}')
    lines += [f"    n{source} --> n{target}" for source, target, _ in edges]
    for kind, (fill, stroke) in COLOURS.items():
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
    boxes, edges = boxes_of(graph)
    lines = ["digraph {", '    node [shape=box style="rounded,filled" fontname=monospace]']
    for index, box in enumerate(boxes):
        fill, stroke = COLOURS[box.kind]
        label = _quoted("\n".join(t for t in (box.label, box.type) if t))
        paint = f'fillcolor="{fill}" color="{stroke}"'
        lines.append(f"    n{index} [label={label} {paint} tooltip={_quoted(box.title)}]")
    lines += [f"    n{source} -> n{target}" for source, target, _ in edges]
    return "\n".join([*lines, "}"])


def draw(graph: Graph, marks: Mapping[Variable, str] | None = None) -> str:
    """A graph as an SVG element; some variables may be marked as "changed" or "cut" off.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> draw(x, {x: "changed"}).count("#fde68a")
    1
    """
    return drawing_of(graph, marks or {}).svg()


def _entities(text: str) -> str:
    plain = escape(text, quote=False).replace("#", "&35;").replace('"', "&quot;")
    return plain.replace("&", "#")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
