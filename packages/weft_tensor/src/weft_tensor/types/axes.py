"""Axes of a tensor, as users name them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

from numpy.exceptions import AxisError

from weft_graph.extend import called

__all__ = ["Axes", "as_axes", "as_axis", "listed"]

Axes = SupportsIndex | Sequence[SupportsIndex] | None
"""Axes to reduce: one, several, or all (None). Negative ones count from the end."""


def as_axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    """`axis` as a sorted tuple of axes counted from 0.

    Raises AxisError, which is a ValueError and an IndexError, if one is out of range, ValueError if
    one is repeated.

    >>> as_axes(-1, 3), as_axes(None, 2)
    ((2,), (0, 1))
    """
    if axis is None:
        return tuple(range(ndim))
    items = listed(axis)
    for a in items:
        if not -ndim <= a < ndim:
            raise AxisError(f"axis {a} is out of range for a tensor of rank {ndim}{called()}")
    axes = tuple(sorted(int(a) % ndim for a in items))
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis {axis} names an axis twice{called()}")
    return axes


def as_axis(axis: SupportsIndex, ndim: int) -> int:
    """One `axis`, counted from 0; as `as_axes`, and TypeError for several.

    >>> as_axis(-1, 3)
    2
    """
    try:
        number = index(axis)
    except TypeError:
        raise TypeError(f"an axis is an int here, not {axis!r}{called()}") from None
    return as_axes(number, ndim)[0]


def listed(axis: SupportsIndex | Sequence[SupportsIndex]) -> list[int]:
    """One axis, or several, as a list; TypeError for what is none."""
    try:
        return [index(axis)] if hasattr(axis, "__index__") else list(map(index, axis))
    except TypeError:
        raise TypeError(
            f"an axis is an int, or several in a tuple, not {axis!r}{called()}"
        ) from None
