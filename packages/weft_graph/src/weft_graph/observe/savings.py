"""What rules saved, estimated by what their Ops say that they cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from weft_graph.core.constant import Constant
from weft_graph.core.nodes import Identity, Input, Variable
from weft_graph.ops.loop import Loop, nodes_inside

__all__ = ["Saving", "Savings", "cost_of"]

_STEPS = 100
"""Of a loop, whose number of steps is not known."""


class Saving(NamedTuple):
    """What a rule, or a pass, saved in all: less than 0 where what it made costs more."""

    name: str
    times: int
    cost: float


class Savings(tuple[Saving, ...]):
    """What each rule and pass saved, the most first; and the cost before and after all of them.

    Prints as a table. The unit is a sum of two numbers; lengths that nobody knows count as 100. A
    rule saves what only the node needed that it replaced, less what only the new one needs: what
    others need as well, it does not save, so that the parts need not add up.
    """

    before: float
    after: float

    @classmethod
    def of(cls, phases: Sequence[Any]) -> Savings:
        """Those of the phases of a `Trace`."""
        parts: dict[str, list[float]] = {}
        for phase in phases:
            for change in phase.changes:
                saved = _saved(change.before, change.after)
                parts.setdefault(change.rule.name, []).append(saved)
            if not phase.changes and not phase.is_idle:
                saved = cost_of(phase.before.nodes) - cost_of(phase.after.nodes)
                parts.setdefault(phase.name, []).append(saved)
        all_of_them = [Saving(name, len(saved), sum(saved)) for name, saved in parts.items()]
        savings = cls(sorted(all_of_them, key=lambda s: -s.cost))
        savings.before = cost_of(phases[0].before.nodes) if phases else 0.0
        savings.after = cost_of(phases[-1].after.nodes) if phases else 0.0
        return savings

    def __str__(self) -> str:
        lines = [f"{s.cost:10.4g} {s.times:6}  {s.name}" for s in self]
        total = f"{self.before - self.after:10.4g}         of {self.before:.4g} in all"
        return "\n".join([f"{'saved':>10} {'times':>6}  by", *lines, total])


def cost_of(nodes: Iterable[Variable]) -> float:
    """What nodes cost in all, and what is in their loops and graphs."""
    return sum(map(_cost, nodes))


def _cost(v: Variable) -> float:
    if isinstance(v.op, (Input, Constant, Identity)):
        return 0.0
    inside = [w.op.cost(w) for w in nodes_inside(v.op)]
    if not inside:
        return v.op.cost(v)
    return sum(inside) * (_STEPS if isinstance(v.op, Loop) else 1)


def _saved(before: Variable, after: Variable) -> float:
    """The cost of what `before` alone needs, less that of what `after` alone does."""
    olds, news = {before}, {after}
    edges = [before], [after]
    while edges[0] or edges[1]:
        edges = _below(edges[0], olds, news), _below(edges[1], news, olds)
    common = olds & news
    todo = list(common)
    for v in todo:
        more = [i for i in v.inputs if i not in common and (i in olds or i in news)]
        common.update(more)
        todo += more
    return cost_of(olds - common) - cost_of(news - common)


def _below(edge: list[Variable], own: set[Variable], others: set[Variable]) -> list[Variable]:
    """The next inputs that are not among either."""
    new = dict.fromkeys(i for v in edge if v not in others for i in v.inputs if i not in own)
    own.update(new)
    return list(new)
