"""Pictures that are drawn when someone asks: until then, what draws them is not imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.text.late_names import imported_late

if TYPE_CHECKING:
    from weft_graph.pictures.trace_frames import Stage

__all__ = ["page_of", "page_part"]

_HOMES: Final = {
    "page_of": "weft_graph.pictures.trace_page",
    "page_part": "weft_graph.pictures.notebook",
}
_late, _ = imported_late("weft_graph.pictures", _HOMES)


def page_part(title: str, graph: FunctionGraph) -> str:
    """A title, and the picture of a graph or, if it is large, a table: HTML that stands alone."""
    draw: Callable[[str, FunctionGraph], str] = _late("page_part")
    return draw(title, graph)


def page_of(phases: Sequence[Stage]) -> str:
    """A page for a browser, on which one steps through the graph as it changes."""
    draw: Callable[[Sequence[Stage]], str] = _late("page_of")
    return draw(phases)


def _of_variable(v: Variable) -> str:
    return page_part(f"{v} : {v.type}", FunctionGraph(outputs=[v]))


def _of_graph(graph: FunctionGraph) -> str:
    return page_part(repr(graph), graph)


Variable._repr_html_ = _of_variable
FunctionGraph._repr_html_ = _of_graph
