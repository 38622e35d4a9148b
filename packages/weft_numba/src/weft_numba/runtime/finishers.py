"""From what machine code returns to what users get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import Unshared, memory_of
from weft_tensor import TensorType

__all__ = ["How", "finishers", "how_to_finish"]

How = Literal["copy", "compare", "check", "keep"]

_MOST_FIRST: Final[tuple[How, ...]] = ("copy", "compare", "check", "keep")
_OF_OWNERS: Final[dict[str, How]] = {"others": "copy", "inputs": "compare"}

_EXACT: Final = ("bool", "float64", "complex128")
"""Dtypes that NumPy chooses by itself for the Python numbers that stand for them."""


def how_to_finish(*graphs: FunctionGraph) -> tuple[How, ...]:
    """For every output: copy it, since others may have its memory, or if inputs have; check; keep.

    Of several graphs that compute the same, the one that needs most decides.

    >>> from weft_tensor import exp, vector
    >>> x = vector("x")
    >>> how_to_finish(FunctionGraph([x], [x, exp(x)]))
    ('compare', 'keep')
    """
    kinds: list[list[How]] = [
        [
            _OF_OWNERS.get(owner, "check" if v.op.view_of else "keep")
            for v, owner in zip(graph.outputs, memory_of(graph, _is_array), strict=True)
        ]
        for graph in graphs
    ]
    return tuple(min(each, key=_MOST_FIRST.index) for each in zip(*kinds, strict=True))


def _is_array(variable: Variable) -> bool:
    return not isinstance(variable.type, TensorType) or variable.type.ndim > 0


def finishers(graph: FunctionGraph, hows: Sequence[How]) -> list[Callable[[Any], Any] | None]:
    """What makes a user's array of each result; None where it is one already."""
    functions: list[Callable[[Any], Any] | None] = []
    for v, how in zip(graph.outputs, hows, strict=True):
        kind = v.type
        if isinstance(kind, TensorType) and not kind.ndim:
            functions.append(_array_of(kind.dtype))
        elif isinstance(kind, TensorType) and how == "compare":
            functions.append(Unshared(kind.copy, kind.finish, kind.may_share))
        else:
            functions.append({"check": kind.finish, "keep": None}.get(how, kind.copy))
    return functions


def _array_of(dtype: str) -> Callable[[Any], Any]:
    if dtype in _EXACT:
        return np.array
    array, target = np.array, np.dtype(dtype)
    return lambda value: array(value, target)
