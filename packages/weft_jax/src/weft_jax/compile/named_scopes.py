"""What a node is called in JAX's texts and profiles: the user's name for it, its Op, the line."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import basename
from types import MappingProxyType
from typing import Any

from weft_graph import FunctionGraph, Named, Variable
from weft_graph.extend import source_of

__all__ = ["NO_NAMES", "Names", "names_of", "scope_of"]

Names = Mapping[Any, str]
"""By the place of the program where a node was made: the name that the user gave it."""
NO_NAMES: Names = MappingProxyType({})


def names_of(graph: FunctionGraph) -> Names:
    """The names in `graph`, which is as the user wrote it.

    Rewriting drops names, and makes other nodes for the same places. A place that made several
    nodes with different names, such as a line of a function, has none.

    >>> import weft_tensor as wt
    >>> y = wt.exp(wt.vector("x"))
    >>> names_of(FunctionGraph(outputs=[y.named("mu")]))[y.place]
    'mu'
    """
    names: dict[Any, str] = {}
    several = set()
    for v in graph.nodes:
        if type(v.op) is not Named:
            continue
        place = v.inputs[0].place
        if names.setdefault(place, v.op.name) != v.op.name:
            several.add(place)
    return {place: name for place, name in names.items() if place not in several}


def scope_of(v: Variable, names: Names = NO_NAMES) -> str:
    """The name of `v`, its Op, and the line that made it.

    >>> import weft_tensor as wt
    >>> y = wt.exp(wt.vector("x"))
    >>> scope_of(y, {y.place: "mu"})
    'mu: exp ...'
    """
    name = getattr(v.op, "name", None) or type(v.op).__name__
    place = v.place
    own_name = names.get(place)
    lead = f"{own_name}: {name}" if own_name else str(name)
    source = source_of(place)
    return f"{lead} {basename(source.file)}:{source.line}" if source else lead
