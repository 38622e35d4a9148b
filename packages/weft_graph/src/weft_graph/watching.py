"""Watching rewriting: what tracing, statistics and verification have in common.

A watcher is a context manager: it is told of everything that is rewritten in its `with`
block, in this thread (or task). When there is none, rewriting does nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from weft_graph.nodes import Variable
from weft_graph.rule import Rule

__all__ = ["Watcher", "unwatched", "watchers"]

_active: ContextVar[tuple[Watcher, ...]] = ContextVar("weft watchers", default=())


class Watcher:
    """Told of every phase, every attempt of a rule and every pass; a subclass listens."""

    def __enter__(self) -> Self:
        _active.set((*_active.get(), self))
        return self

    def __exit__(self, *error: object) -> None:
        _active.set(tuple(w for w in _active.get() if w is not self))

    def begin(self, phase: str, outputs: Sequence[Variable]) -> None:
        """A book or a pass is about to be applied to a graph of these outputs."""

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        """A rule made `new` of `node`; None if it did not apply."""

    def passed(self, outputs: Sequence[Variable]) -> None:
        """A pass made these outputs."""

    def end(self, outputs: Sequence[Variable], seconds: float) -> None:
        """The phase is over, with these outputs."""


def watchers() -> tuple[Watcher, ...]:
    """Those whose `with` block we are in, the outermost first."""
    return _active.get()


@contextmanager
def unwatched() -> Iterator[None]:
    """A block in which nobody is told: what a rule or a pass does inside is its own affair."""
    token = _active.set(())
    try:
        yield
    finally:
        _active.reset(token)
