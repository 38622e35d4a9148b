"""Watching rewriting: what logs, traces, statistics and verification have in common.

A watcher is a context manager: it is told of everything that is rewritten in its `with`
block, in this thread (or task). When there is none, rewriting does nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Any, ClassVar, Self, overload

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.rewriting.rule import Rule

__all__ = ["Log", "Phase", "Watcher", "unwatched", "watched", "watchers"]

_active: ContextVar[tuple[Watcher, ...]] = ContextVar("weft watchers", default=())


class Watcher:
    """Told of every phase and of every attempt of a rule; a subclass listens.

    >>> class Names(Watcher):
    ...     def begin(self, phase, graph):
    ...         print(phase, "begins with", len(graph), "nodes")
    >>> from weft_graph import FunctionGraph, RuleBook, Type, rewrite_graph
    >>> with Names():
    ...     graph = rewrite_graph(FunctionGraph(outputs=[Type()("x")]), [RuleBook("none", [])])
    none begins with 0 nodes
    """

    wants_attempts: ClassVar[bool] = False
    """Whether `tried` does anything; if no watcher's does, rewriting is as fast as ever."""

    wants_beginnings: ClassVar[bool] = False
    """Whether `begin` does anything."""

    def __init_subclass__(cls) -> None:
        cls.wants_attempts = cls.tried is not Watcher.tried
        cls.wants_beginnings = cls.begin is not Watcher.begin

    def __enter__(self) -> Self:
        outer = _active.get()
        self.__dict__.setdefault("_outer", []).append(outer)
        _active.set(outer if any(w is self for w in outer) else (*outer, self))
        return self

    def __exit__(self, *error: object) -> None:
        _active.set(self.__dict__["_outer"].pop())

    def begin(self, phase: str, graph: FunctionGraph) -> None:
        """A book or a pass is about to be applied to `graph`."""

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        """A rule made `new` of `node`; None if it did not apply."""

    def end(self, phase: str, graph: FunctionGraph, seconds: float) -> None:
        """The phase is over: it made `graph`."""

    def renamed(self, stand_ins: Mapping[Variable, Variable]) -> None:
        """In what follows, other inputs stand for some of the user's variables."""


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


def watched(graph: FunctionGraph, name: str, change: Callable[..., FunctionGraph]) -> FunctionGraph:
    """What `change` makes of `graph`, of which all watchers are told.

    It is given those, too, that want to hear of attempts.
    """
    watching = _active.get()
    listening = []
    for w in watching:
        if w.wants_beginnings:
            w.begin(name, graph)
        if w.wants_attempts:
            listening.append(w)
    token = _active.set(())
    start = perf_counter()
    try:
        result = change(graph, listening)
    finally:
        seconds = perf_counter() - start
        _active.reset(token)
    for w in watching:
        w.end(name, result, seconds)
    return result


class Phase:
    """A step of compiling: its name, its time in seconds, and how many nodes it left."""

    def __init__(self, name: str, seconds: float, nodes: int) -> None:
        self.name = name
        self.seconds = seconds
        self.nodes = nodes

    def __repr__(self) -> str:
        return f"Phase({self.name!r}, {self.seconds:.3g}, {self.nodes})"


class Log(Watcher, Sequence[Phase]):
    """The phases of rewriting and compiling, in order; prints as a table.

    >>> print(Log([Phase("build", 0.0005, 3), Phase("simplify", 0.00125, 2)]))
          ms  nodes  phase
       0.500      3  build
       1.250      2  simplify
    """

    def __init__(self, phases: Iterable[Phase] = ()) -> None:
        self._phases: list[Phase | tuple[str, float, int]] = list(phases)
        """What makes a `Phase`, until somebody asks for it: every compilation notes a dozen."""

    def note(self, name: str, seconds: float, nodes: int) -> None:
        """Add a phase that is over."""
        self._phases.append((name, seconds, nodes))

    def end(self, phase: str, graph: FunctionGraph, seconds: float) -> None:
        """Note the phase."""
        self._phases.append((phase, seconds, len(graph.nodes)))

    @property
    def savings(self) -> Any:
        """What each rule and each pass saved, where it can be found out: see `Savings`.

        Raises ValueError for a log that was pickled.
        """
        raise ValueError(
            "what rules saved is known in the process that compiled a function: to its log, and to "
            "a Trace"
        )

    @property
    def plain(self) -> Log:
        """The same without what only this process can know."""
        return Log(Phase(p.name, p.seconds, p.nodes) for p in self)

    @overload
    def __getitem__(self, index: int) -> Phase: ...

    @overload
    def __getitem__(self, index: slice) -> list[Phase]: ...

    def __getitem__(self, index: int | slice) -> Phase | list[Phase]:
        if isinstance(index, slice):
            return [self[k] for k in range(len(self))[index]]
        phase = self._phases[index]
        return phase if isinstance(phase, Phase) else Phase(*phase)

    def __len__(self) -> int:
        return len(self._phases)

    def __str__(self) -> str:
        lines = [f"{p.seconds * 1e3:8.3f} {p.nodes:6}  {p.name}" for p in self]
        return "\n".join([f"{'ms':>8} {'nodes':>6}  phase", *lines])
