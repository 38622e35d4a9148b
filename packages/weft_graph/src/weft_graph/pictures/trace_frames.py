"""What a trace shows at each step: the graph before and after, or the part around the change."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Input, Variable
from weft_graph.core.toposort import toposort
from weft_graph.pictures.dot_mermaid import draw
from weft_graph.rewriting.rule import Rule
from weft_graph.text.one_line import phrase

__all__ = ["DRAWN", "Frame", "Stage", "frames_of"]

_WHOLE = 40
"""Graphs of at most this many nodes are drawn as a whole."""

_AROUND = 24
"""Of larger ones, so many nodes around a change."""

DRAWN = 250
"""So many steps of a trace have pictures."""

_FOLLOWED = 300_000
"""The state of the graph is followed as long as steps times nodes are no more than this."""


class Step(Protocol):
    """What one rule made of one node."""

    @property
    def rule(self) -> Rule: ...

    @property
    def before(self) -> Variable: ...

    @property
    def after(self) -> Variable: ...


class Stage(Protocol):
    """What one book or pass made of a graph, by which steps."""

    name: str
    before: FunctionGraph
    after: FunctionGraph

    @property
    def changes(self) -> Sequence[Step]:
        """The steps, in order."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing changed."""


class Frame(NamedTuple):
    """One step as the page shows it; the pictures are SVG elements, empty where there are none."""

    phase: str
    title: str
    before: str
    after: str
    place: str
    pictures: tuple[str, str]


def frames_of(phases: Sequence[Stage]) -> Iterator[Frame]:
    """The steps of these phases, in order, those that changed nothing left out."""
    left = DRAWN
    for phase in phases:
        if phase.changes:
            yield from _of_rules(phase, left)
        elif not phase.is_idle:
            yield _of_pass(phase, drawn=left > 0)
        left -= len(phase.changes) or not phase.is_idle


def _of_rules(phase: Stage, left: int) -> Iterator[Frame]:
    state: FunctionGraph | None = phase.before
    if len(phase.before) * min(len(phase.changes), max(left, 0)) > _FOLLOWED:
        state = None
    for number, change in enumerate(phase.changes):
        pictures = ("", "")
        if number < left:
            old = state or FunctionGraph(outputs=[change.before])
            new = state and _after(state, change)
            pictures = (
                _picture(old, [change.before], _added(change.before, change.after)),
                _picture(
                    new or FunctionGraph(outputs=[change.after]),
                    [change.after],
                    _added(change.after, change.before),
                ),
            )
            state = new
        yield Frame(
            phase.name,
            change.rule.name,
            phrase(change.before, 200),
            phrase(change.after, 200),
            change.before.made_at or "",
            pictures,
        )


def _after(state: FunctionGraph, change: Step) -> FunctionGraph:
    return state.replace({change.before: change.after})


def _of_pass(phase: Stage, *, drawn: bool) -> Frame:
    before, after = set(phase.before.order), set(phase.after.order)
    pictures = ("", "")
    if drawn:
        lost = [v for v in phase.before.nodes if v not in after]
        additions = [v for v in phase.after.nodes if v not in before]
        pictures = _picture(phase.before, lost, lost), _picture(phase.after, additions, additions)
    return Frame(
        phase.name,
        phase.name,
        f"{len(phase.before)} nodes",
        f"{len(phase.after)} nodes",
        "",
        pictures,
    )


def _added(new: Variable, old: Variable) -> list[Variable]:
    """What `new` consists of, besides what `old` does; near the top only."""
    context = set(_near([old], lambda v: v.inputs, _AROUND))
    fresh = [v for v in _near([new], lambda v: v.inputs, _AROUND) if v not in context]
    return [new, *fresh]


def _picture(graph: FunctionGraph, centre: Iterable[Variable], marked: Iterable[Variable]) -> str:
    marks = {v: "changed" for v in marked if not isinstance(v.op, Constant)}
    if len(graph) <= _WHOLE:
        return draw(graph, marks)
    part = _part(graph, [v for v in centre if v in graph.users] or list(graph.outputs))
    cut = {v: "cut" for v in part.inputs if v.inputs}
    return draw(part, cut | marks)


def _part(graph: FunctionGraph, centre: list[Variable]) -> FunctionGraph:
    """Some of the nodes around `centre`: what it uses, and what uses it."""
    users = graph.users
    below = _near(centre, lambda v: v.inputs, 2 * _AROUND // 3)
    above = _near(centre, lambda v: (user for user, _ in users[v]), _AROUND // 3)
    nodes = {*below, *above}
    used = {i for v in nodes for i in v.inputs}
    tops = [v for v in nodes if v not in used]
    edge = dict.fromkeys(i for v in nodes for i in v.inputs if i not in nodes)
    leaves = [v for v in toposort(tops, set(edge)) if isinstance(v.op, Input)]
    return FunctionGraph([*leaves, *(v for v in edge if v.inputs)], tops)


def _near(
    start: Iterable[Variable], following: Callable[[Variable], Iterable[Variable]], count: int
) -> list[Variable]:
    """The first `count` variables met from `start` on, the nearest first."""
    nodes = dict.fromkeys(start)
    queue = deque(nodes)
    while queue and len(nodes) < count:
        for v in following(queue.popleft()):
            if v not in nodes and len(nodes) < count:
                nodes[v] = None
                queue.append(v)
    return list(nodes)[:count]
