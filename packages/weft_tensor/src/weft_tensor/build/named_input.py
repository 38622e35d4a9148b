"""Inputs of a graph, found by their names."""

from __future__ import annotations

from weft_graph import Variable, graph_inputs

__all__ = ["as_input"]


def as_input(x: Variable, key: Variable | str) -> Variable:
    """The input of `x` with the name `key`; another `key` as it is.

    Raises ValueError if none has that name, or several.

    >>> from weft_tensor import vector
    >>> as_input(vector("x") + 1, "x")
    <x : float64[?]>
    """
    if not isinstance(key, str):
        return key
    matches = [v for v in graph_inputs([x]) if v.name == key]
    if len(matches) != 1:
        names = ", ".join(repr(v.name) for v in graph_inputs([x]) if v.name) or "none"
        raise ValueError(
            f"{len(matches)} inputs of {x!r} are called {key!r}; the names are: {names}"
        )
    return matches[0]
