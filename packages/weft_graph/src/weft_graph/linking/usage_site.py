"""Where a node that has failed is used.

Equal expressions are one node, which knows the place where the first of them was written. What
is computed from it tells which one a compiled function is about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.source_location import Place, describe, source_of
from weft_graph.linking.compile_request import CompileRequest

__all__ = ["NodeNote", "telling_uses"]


class NodeNote(str):
    """A note on a node, which remembers where that was made; the last line says it."""

    place: Place

    @classmethod
    def of(cls, text: str, place: Place) -> NodeNote:
        """The note that reads `text`.

        >>> NodeNote.of("while computing exp", (None, 0))
        'while computing exp'
        """
        note = cls(text)
        note.place = place
        return note

    def __reduce__(self) -> tuple[object, ...]:
        return str, (str(self),)


def telling_uses(
    rescue: Callable[..., None], request: CompileRequest, compiled: Place
) -> Callable[..., None]:
    """`rescue`, after which an error says where the node that failed is used, if elsewhere.

    That is where something is computed from it or, if nothing is, where the function of `request`
    was compiled.
    """

    def rescue_and_tell(error: Exception, *values: Any) -> None:
        try:
            rescue(error, *values)
        except Exception as better:
            _tell(better, request, compiled)
            raise
        _tell(error, request, compiled)

    return rescue_and_tell


def _tell(error: Exception, request: CompileRequest, compiled: Place) -> None:
    notes: list[str] = getattr(error, "__notes__", [])
    for k, note in enumerate(notes):
        if isinstance(note, NodeNote):
            used = _used_at(request.graph, note.place, compiled)
            if used is not None:
                rest, _, origin = note.rpartition("\n")
                notes[k] = f"{rest}\n  used at {used}\n{origin}"
            return


def _used_at(graph: FunctionGraph, origin: Place, compiled: Place) -> str | None:
    """Where what was made at a place is used; None if that is on the same line, or not known."""
    source = source_of(origin)
    own = {v: None for v in graph.nodes if v.place == origin}
    users = [user.place for v in own for user, _ in graph.users[v] if user not in own]
    places = [place for place in users or [compiled] if source_of(place) is not None]
    if source is None or not places:
        return None
    lines = [(site.file, site.line) for site in map(source_of, places) if site is not None]
    return None if (source.file, source.line) in lines else describe(places[0])
