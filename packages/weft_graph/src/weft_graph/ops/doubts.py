"""What may be amiss in graphs that can be computed: libraries of Ops say it, compiling warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from weft_graph.core.nodes import Variable
from weft_graph.core.source_location import here, source_of

__all__ = ["Doubt", "add_doubt", "tell_doubts"]

Doubt = Callable[[Sequence[Variable], Sequence[Variable]], Iterable[str]]

_doubts: Final[list[Doubt]] = []


def add_doubt(doubt: Doubt) -> Doubt:
    """Have `doubt` asked of each graph that a user compiles, or that a loop or `vmap` is made of.

    It takes the variables of the graph as the user wrote it, inputs before results, and its
    outputs, and gives a text for each UserWarning. It is asked often: it must take next to no time.
    """
    _doubts.append(doubt)
    return doubt


def tell_doubts(variables: Sequence[Variable], outputs: Sequence[Variable]) -> None:
    """Warn of what is doubtful in a graph of these variables, at the user's line that made it."""
    for doubt in _doubts:
        for text in doubt(variables, outputs):
            source = source_of(here(2))
            place = ("<unknown>", 0) if source is None else (source.file, source.line)
            warnings.warn_explicit(text, UserWarning, *place)
