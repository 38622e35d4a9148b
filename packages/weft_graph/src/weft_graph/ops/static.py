"""Inputs whose values a function is compiled for."""

from __future__ import annotations

from weft_graph.core.nodes import Identity

__all__ = ["Static"]


class Static(Identity):
    """The identity, for an input that is static (see `In`): compiled code knows its value.

    `function` puts it there for linkers that compile for values.

    >>> from weft_graph import Type
    >>> n = Type()("n")
    >>> Static()(n) is n
    False
    """
