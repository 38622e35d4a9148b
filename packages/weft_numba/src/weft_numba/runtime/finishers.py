"""From what machine code returns to what users get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np

from weft_graph import FunctionGraph
from weft_graph.extend import may_share
from weft_tensor import TensorType

__all__ = ["How", "finishers", "how_to_finish"]

How = Literal["copy", "check", "keep"]

_MOST_FIRST: Final[tuple[How, ...]] = ("copy", "check", "keep")

_EXACT: Final = ("bool", "float64", "complex128")
"""Dtypes that NumPy chooses by itself for the Python numbers that stand for them."""


def how_to_finish(*graphs: FunctionGraph) -> tuple[How, ...]:
    """For every output: copy it, since others may have its memory; check it; or keep it.

    Of several graphs that compute the same, the one that needs most decides.

    >>> from weft_tensor import exp, vector
    >>> x = vector("x")
    >>> how_to_finish(FunctionGraph([x], [x, exp(x)]))
    ('copy', 'keep')
    """
    kinds: list[list[How]] = [
        [
            "copy" if shared else "check" if v.op.view_of else "keep"
            for v, shared in zip(graph.outputs, may_share(graph), strict=True)
        ]
        for graph in graphs
    ]
    return tuple(min(each, key=_MOST_FIRST.index) for each in zip(*kinds, strict=True))


def finishers(graph: FunctionGraph, hows: Sequence[How]) -> list[Callable[[Any], Any] | None]:
    """What makes a user's array of each result; None where it is one already."""
    functions: list[Callable[[Any], Any] | None] = []
    for v, how in zip(graph.outputs, hows, strict=True):
        if isinstance(v.type, TensorType) and not v.type.ndim:
            functions.append(_array_of(v.type.dtype))
        else:
            functions.append({"copy": v.type.copy, "check": v.type.finish, "keep": None}[how])
    return functions


def _array_of(dtype: str) -> Callable[[Any], Any]:
    if dtype in _EXACT:
        return np.array
    array, target = np.array, np.dtype(dtype)
    return lambda value: array(value, target)
