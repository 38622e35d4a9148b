"""What may be amiss in graphs that can be computed: libraries of Ops say it, compiling warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Sequence, Sized
from typing import Final

from weft_graph.core.nodes import Variable
from weft_graph.core.source_location import here, source_of

__all__ = ["Doubt", "add_doubt", "tell_doubts"]

Doubt = Callable[[Sequence[Variable], Collection[Variable]], Iterable[str]]

_doubts: Final[list[tuple[Sized, Doubt]]] = []


def add_doubt(about: Sized, doubt: Doubt) -> None:
    """Have `doubt` asked of each graph that a user compiles, or that a loop or `vmap` is made of.

    It takes the variables of the graph as the user wrote it, inputs before results, and those
    that are its outputs, and gives a text for each UserWarning. While `about` is empty it is not
    asked.
    """
    _doubts.append((about, doubt))


def tell_doubts(variables: Sequence[Variable], outputs: Collection[Variable]) -> None:
    """Warn of what is doubtful in a graph of these variables, at the user's line that made it."""
    for about, doubt in _doubts:
        if about:
            for text in doubt(variables, outputs):
                source = source_of(here(2))
                place = ("<unknown>", 0) if source is None else (source.file, source.line)
                warnings.warn_explicit(text, UserWarning, *place)
