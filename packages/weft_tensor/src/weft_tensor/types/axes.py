"""Axes of a tensor, as users name them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

__all__ = ["Axes", "as_axes", "listed"]

Axes = SupportsIndex | Sequence[SupportsIndex] | None
"""Axes to reduce: one, several, or all (None). Negative ones count from the end."""


def as_axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    """`axis` as a sorted tuple of axes counted from 0.

    Raises ValueError if one is out of range or repeated.

    >>> as_axes(-1, 3), as_axes(None, 2)
    ((2,), (0, 1))
    """
    if axis is None:
        return tuple(range(ndim))
    given = listed(axis)
    for a in given:
        if not -ndim <= a < ndim:
            raise ValueError(f"axis {a} is out of range for a tensor of rank {ndim}")
    axes = tuple(sorted(int(a) % ndim for a in given))
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis {axis} names an axis twice")
    return axes


def listed(axis: SupportsIndex | Sequence[SupportsIndex]) -> list[int]:
    """One axis, or several, as a list; TypeError for what is none."""
    try:
        return [index(axis)] if isinstance(axis, SupportsIndex) else list(map(index, axis))
    except TypeError:
        raise TypeError(f"an axis is an int, or several in a tuple, not {axis!r}") from None
