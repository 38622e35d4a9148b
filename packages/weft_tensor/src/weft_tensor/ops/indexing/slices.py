"""Slices among indices: how many elements they take, and where they begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from weft_tensor.build.variable import Size, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.types.symbolic_dims import Dim, Length, at_least_zero, least, quotient

__all__ = ["SCALAR", "Slice"]

SCALAR: Final = "scalar"
"""Stands for an integer scalar among an Op's inputs."""


class Slice(NamedTuple):
    """A slice of which each part is an int, None, or SCALAR."""

    start: int | str | None
    stop: int | str | None
    step: int | str | None

    @property
    def is_full(self) -> bool:
        """Whether it takes everything as it is."""
        return self.start in (None, 0) and self.stop is None and self.step in (None, 1)

    @property
    def has_known_step(self) -> bool:
        """Whether the step is a number that can be: then no call is refused for it."""
        return self.step != SCALAR and self.step != 0

    def variables(self, values: Iterator[Any]) -> list[TensorVariable]:
        """The variables that stand in it, the next ones of `values`."""
        return [next(values) for p in self if p == SCALAR]

    def first(self, n: Any, values: Sequence[Any]) -> Any:
        """The first index that it takes of an axis of length `n`, if it takes any.

        >>> Slice(3, None, None).first(None, [])
        3
        """
        start, _, step = self._parts(values)
        if step is None or isinstance(step, int):
            return _first(start, n, back=step is not None and step < 0)
        forth, back = _first(start, n, back=False), _first(start, n, back=True)
        return where(step < 0, back, forth)

    def length(self, n: Any, values: Sequence[Any]) -> Any:
        """How many elements it takes, if its step is known, of an axis of length `n`.

        >>> from weft_tensor import lscalar
        >>> n = lscalar("n")
        >>> Slice(1, -1, None).length(n, []).eval({n: 5})
        array(3)
        """
        start, stop, step = self._parts(values)
        step = 1 if step is None else step
        back = step < 0
        low, high = (-1, n - 1) if back else (0, n)
        begin = _clipped(start, n, low, high, high if back else low)
        end = _clipped(stop, n, low, high, low if back else high)
        way = begin - end if back else end - begin
        size = abs(step)
        return maximum(way if size == 1 else (way + (size - 1)) // size, 0)

    def known_length(self, n: Length) -> Length:
        """What is known of how many elements it takes of an axis of length `n`.

        >>> from weft_tensor.types.symbolic_dims import Dim
        >>> n = Dim.named("n")
        >>> Slice(1, None, None).known_length(n), Slice(1, None, None).known_length(n + 1)
        (max(n - 1, 0), n)
        >>> Slice(None, None, 2).known_length(2 * n), Slice(None, 3, None).known_length(n)
        (n, None)
        """
        if n is None or SCALAR in self:
            return None
        if isinstance(n, int) or self.step == 0:  # which is refused
            return len(range(*slice(*self).indices(n if isinstance(n, int) else 0)))
        parts: Any = self
        start, stop, step = parts
        step = step or 1
        if step > 0:
            if max(-(start or 0), stop or 0) > max(least(n), 0):  # it may lie beyond the axis
                return None
            way = (n if stop is None else _counted(stop, n)) - _counted(start or 0, n)
        elif start is stop is None:
            way = n
        else:
            return None
        return quotient(at_least_zero(way + abs(step) - 1), abs(step))

    def _parts(self, values: Sequence[Any]) -> list[Any]:
        rest = iter(values)
        return [next(rest) if p == SCALAR else p for p in self]


def _counted(at: int, n: Dim) -> Any:
    """An end of a slice, counted from the beginning."""
    return n + at if at < 0 else at


def _first(start: Any, n: Any, *, back: bool) -> Any:
    if start is None:
        return n - 1 if back else 0
    if isinstance(start, int) and start >= 0:
        return minimum(start, n - 1) if back else start
    wrapped = start + n
    ends = (wrapped, minimum(start, n - 1)) if back else (maximum(wrapped, 0), start)
    return ends[0] if isinstance(start, int) else where(start < 0, *ends)


def _clipped(at: Any, n: Any, low: Any, high: Any, missing: Any) -> Size:
    """An end of a slice as Python's `slice.indices` gives it."""
    if at is None:
        return missing
    if isinstance(at, int):
        return minimum(at, high) if at >= 0 else maximum(at + n, low)
    return minimum(maximum(where(at < 0, at + n, at), low), high)
