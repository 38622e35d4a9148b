"""What the steps of `scan` take of sequences, and of what the steps before them gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["Feedback", "Windows", "feedback_of", "listed", "windows_of"]


class Windows(NamedTuple):
    """A sequence, and which of its elements a step takes."""

    name: str
    sequence: TensorVariable
    taps: tuple[int, ...]
    """How far they stand from the element that the step is at."""

    def views(self, go_backwards: bool) -> list[TensorVariable]:
        """For each tap, the elements of all steps: as many as have all that the taps reach."""
        before, after = -min([0, *self.taps]), max([0, *self.taps])
        views = []
        for tap in self.taps:
            end = tap - after
            view = self.sequence
            if before + tap or end:
                view = view[before + tap : end or None]
            views.append(view[::-1] if go_backwards else view)
        return views


class Feedback(NamedTuple):
    """The first values of a result that steps get again."""

    name: str
    initial: Any
    taps: tuple[int, ...]
    """How many steps ago, below zero."""

    @property
    def depth(self) -> int:
        """How many steps are remembered."""
        return -min(self.taps)

    def first(self) -> list[TensorVariable]:
        """The values before the first step, the latest first.

        Raises ValueError if there are not enough of them.
        """
        if self.taps == (-1,):
            return [self.initial]
        x = as_tensor(self.initial)
        n = x.type.shape[0] if x.ndim else 0
        message = (
            f"scan: {self.name} has taps {list(self.taps)}, so its initial state must have "
            f"{self.depth} values along its first axis"
        )
        if not isinstance(n, int):
            x = check_and_raise(x, lengths_of(x)[0] >= self.depth, ValueError, message)
        elif n < self.depth:
            raise ValueError(f"{message}, but {x!r} has {n if x.ndim else 'no axis'}")
        return [x[self.depth - lag] for lag in range(1, self.depth + 1)]


def listed(value: Any) -> list[Any]:
    """One or several as a list; None for none."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def windows_of(sequences: Any) -> list[Windows]:
    """What steps take of `sequences`, as users give them.

    Raises TypeError and ValueError for what can't be read.

    >>> [w.taps for w in windows_of([[1, 2], dict(input=[1, 2, 3], taps=[-1, 0])])]
    [(0,), (-1, 0)]
    """
    windows = []
    for k, entry in enumerate(listed(sequences)):
        name = f"sequences[{k}]"
        fields = entry if isinstance(entry, Mapping) else {"input": entry}
        _check_keys(name, fields, "input")
        x = as_tensor(fields["input"])
        if not x.ndim:
            raise TypeError(
                f"scan: {name}, {x!r}, has no axis to go along"
                ": `scan(f, init, xs)`, as in JAX, is `loop.scan`"
            )
        windows.append(Windows(name, x, _taps(name, fields.get("taps"), 0)))
    return windows


def feedback_of(outputs_info: Any) -> list[Feedback | None]:
    """What steps get again, as users say by `outputs_info`; None for a result that none gets.

    Raises TypeError and ValueError for what can't be read.

    >>> [f and f.taps for f in feedback_of([None, 0.0, dict(initial=[0.0, 1.0], taps=[-2])])]
    [None, (-1,), (-2,)]
    """
    feedback: list[Feedback | None] = []
    for k, entry in enumerate(listed(outputs_info)):
        name = f"outputs_info[{k}]"
        fields = entry if isinstance(entry, Mapping) else {"initial": entry}
        if fields.get("initial") is None:
            if fields.get("taps"):
                raise ValueError(f"scan: {name} has taps, and so needs an initial state")
            feedback.append(None)
            continue
        _check_keys(name, fields, "initial")
        taps = _taps(name, fields.get("taps"), -1)
        if max(taps) >= 0:
            raise ValueError(
                f"scan: {name} has taps {list(taps)}, but steps get only what earlier ones gave: "
                "taps of results are below zero"
            )
        feedback.append(Feedback(name, fields["initial"], taps))
    return feedback


def _check_keys(name: str, fields: Mapping[str, Any], first: str) -> None:
    if not {first} <= fields.keys() <= {first, "taps"}:
        raise ValueError(
            f"scan: {name} must be a tensor, or a dict of {first!r} and 'taps', not one of "
            f"{sorted(fields)}"
        )


def _taps(name: str, value: Any, default: int) -> tuple[int, ...]:
    taps: Sequence[Any] = [default] if value is None else listed(value)
    if not taps or not all(isinstance(t, int) and not isinstance(t, bool) for t in taps):
        raise TypeError(f"scan: the taps of {name} must be integers, not {value!r}")
    return tuple(taps)
