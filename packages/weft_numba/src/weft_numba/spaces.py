"""Which axes of which variables have the same length, as far as the graph can tell."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from weft_graph import Variable
from weft_tensor import BroadcastTo, Cast, Elemwise, ExpandDims, Length, Squeeze, Transpose

__all__ = ["Space", "Spaces", "View", "see_through", "straight"]

Space = tuple[Hashable, ...]
"""One key per axis; axes of equal keys have equal lengths."""

View = tuple[int | None, ...]
"""Per axis of what is computed, the axis of a variable that is read along it, if any."""

VIEWS = (BroadcastTo, ExpandDims, Squeeze, Transpose)


class Spaces:
    """The spaces of variables, found from those of their inputs and kept."""

    def __init__(self) -> None:
        self._known: dict[Variable, Space] = {}

    def of(self, v: Variable) -> Space:
        """The space of `v`, whose inputs must have been asked for before."""
        space = self._known.get(v)
        if space is None:
            space = self._known[v] = self._found(v)
        return space

    def _found(self, v: Any) -> Space:
        op = v.op
        known = v.type.shape
        if isinstance(op, (Elemwise, Cast)):
            return tuple(
                self._broadcast(v, axis) if n is None else n for axis, n in enumerate(known)
            )
        if isinstance(op, (ExpandDims, Squeeze, Transpose)):
            view = see_through(v)
            source = self.of(v.inputs[0])
            return tuple([1 if a is None else source[a] for a in view])
        if isinstance(op, BroadcastTo):
            return tuple(
                self._size(size) if n is None else n
                for n, size in zip(known, v.inputs[1:], strict=True)
            )
        return tuple([(v, axis) if n is None else n for axis, n in enumerate(known)])

    def _broadcast(self, v: Any, axis: int) -> Hashable:
        keys: set[Hashable] = set()
        for i in v.inputs:
            own = axis - (v.ndim - i.ndim)
            if own >= 0:
                key = self.of(i)[own]
                keys |= key if isinstance(key, frozenset) else {key}
        keys.discard(1)
        return next(iter(keys)) if len(keys) == 1 else frozenset(keys)

    def _size(self, size: Variable) -> Hashable:
        if isinstance(size.op, Length) and size.inputs[0] in self._known:
            return self._known[size.inputs[0]][size.op.axis]
        return size


def straight(ndim: int, own: int) -> View:
    """The view of a variable of rank `own` where `ndim` axes are computed: the last ones.

    >>> straight(3, 2)
    (None, 0, 1)
    """
    return tuple([None] * (ndim - own)) + tuple(range(own))


def see_through(v: Any) -> View:
    """How `v`, the result of one of `VIEWS`, reads its first input."""
    op, x = v.op, v.inputs[0]
    if isinstance(op, Transpose):
        return tuple(op.axes)
    if isinstance(op, ExpandDims):
        rest = iter(range(x.ndim))
        return tuple([None if a in op.axis else next(rest) for a in range(v.ndim)])
    if isinstance(op, Squeeze):
        return tuple([a for a in range(x.ndim) if a not in op.axis])
    return straight(v.ndim, x.ndim)
