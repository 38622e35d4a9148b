"""Nested structures of tensors as lists of their leaves, and back."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from weft_graph.extend import paths, rebuilt

__all__ = ["flat", "is_data", "packed", "with_axes"]


def flat(structure: Any, where: str) -> tuple[list[Any], list[str]]:
    """The leaves of a nested structure, and where each is found in it.

    >>> flat({"a": 1, "b": [2]}, "init")
    ([1, 2], ["init['a']", "init['b'][0]"])
    """
    leaves: list[Any] = []
    rebuilt(structure, leaves.append)
    return leaves, paths(structure, where)


def packed(structure: Any, values: Sequence[Any]) -> Any:
    """`values` in the places of the leaves of `structure`.

    >>> packed({"a": 1, "b": [2]}, [3, 4])
    {'a': 3, 'b': [4]}
    """
    left = iter(values)
    return rebuilt(structure, lambda leaf: next(left))


def is_data(part: object) -> bool:
    """Whether it is no structure of tensors: a tensor, a number, or nested sequences of these."""
    if isinstance(part, (list, tuple)):
        return builtins.all(builtins.map(is_data, part))
    return isinstance(part, (bool, int, float, complex, np.ndarray, np.generic))


def with_axes(structure: Any, axes: Any, change: Callable[[Any, Any], Any], name: str) -> Any:
    """`structure` with `change` of each leaf and its axis; one of `axes` may be for many leaves.

    Raises ValueError, which begins with `name`, if the axes are of another structure.

    >>> with_axes({"a": 1.5, "b": {"c": 2.5}}, {"a": 0, "b": 1}, lambda leaf, axis: axis, "f")
    {'a': 0, 'b': {'c': 1}}
    """
    if axes is None or isinstance(axes, int):
        return rebuilt(structure, lambda leaf: change(leaf, axes), is_data)
    if (
        isinstance(axes, Mapping)
        and isinstance(structure, Mapping)
        and axes.keys() == structure.keys()
    ):
        return {k: with_axes(v, axes[k], change, name) for k, v in structure.items()}
    both = isinstance(axes, (list, tuple)) and isinstance(structure, (list, tuple))
    if both and len(axes) == len(structure):
        parts = [with_axes(v, a, change, name) for v, a in zip(structure, axes, strict=True)]
        kind = type(structure)
        return kind(parts) if kind in (list, tuple) else kind(*parts)
    raise ValueError(f"{name}: axes {axes!r} do not fit {structure!r}")
