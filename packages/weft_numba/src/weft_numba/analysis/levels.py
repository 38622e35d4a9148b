"""When nodes are computed: how often one has to leave a space on the way to them.

Nodes of equal space and level can be computed in one pass. Scalars and lengths wait for
nothing but what they are computed from, and nothing waits a level for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf

from weft_graph import CheckAndRaise, Print, Variable
from weft_graph.extend import Barrier
from weft_numba.ir.axis_keys import Space
from weft_tensor import Length

__all__ = ["is_light", "levels"]

Needs = Callable[[Variable], Sequence[tuple[Variable, bool]]]
"""What a node needs, and whether it is read at the point that is computed."""


def is_light(v: Variable, iteration_space: Mapping[Variable, Space]) -> bool:
    """Whether nothing waits for `v`: it takes next to no time."""
    return iteration_space.get(v) == () or isinstance(v.op, Length)


def levels(
    order: Sequence[Variable],
    iteration_space: Mapping[Variable, Space],
    needs: Needs,
    together: Callable[[Variable, Variable], bool],
    fixed: frozenset[Variable],
) -> dict[Variable, int]:
    """The level of each node of `order`, an order in stages.

    As early as possible; then what is not `fixed` as late as its users allow, and whole passes in
    later ones over the same space. `together`: whether a node can be computed in the pass that
    computes its input.
    """
    stage = _stages(order)
    level: dict[Variable, int] = {}
    span = len(order) + 1
    printed = 0
    own = set(order)
    needs_of = {
        v: [(i, _step(i, v, here, iteration_space, together)) for i, here in needs(v) if i in own]
        for v in order
    }
    for v in order:
        level[v] = max([level[i] + step for i, step in needs_of[v]], default=0)
        level[v] = max(level[v], stage[v] * span)
        if isinstance(v.op, (Print, CheckAndRaise)):
            level[v] = printed = max(level[v], printed)
    latest: dict[Variable, int] = {}
    for v in reversed(order):
        if v in latest and v in iteration_space and v not in fixed:
            level[v] = max(level[v], min(latest[v], stage[v] * span + span - 1))
        for i, step in needs_of[v]:
            latest[i] = min(latest.get(i, level[v] - step), level[v] - step)
    _join_passes(level, iteration_space, needs_of, stage)
    return level


def _join_passes(
    level: dict[Variable, int],
    iteration_space: Mapping[Variable, Space],
    needs_of: Mapping[Variable, Sequence[tuple[Variable, int]]],
    stage: Mapping[Variable, int],
) -> None:
    """Move all nodes of a pass to the level of the next over its space, if users allow it."""
    passes: dict[Space, dict[int, list[Variable]]] = {}
    for v, space in iteration_space.items():
        if space and v in level:
            passes.setdefault(space, {}).setdefault(level[v], []).append(v)
    if all(len(members) == 1 for members in passes.values()):
        return
    latest: dict[Variable, int] = {}
    for v, needs in needs_of.items():
        own = iteration_space.get(v), level[v]
        for i, step in needs:
            if own != (iteration_space.get(i), level[i]):
                latest[i] = min(latest.get(i, level[v] - step), level[v] - step)
    for members in passes.values():
        later: list[int] = []
        for here in sorted(members, reverse=True):
            nodes = members[here]
            last = min([latest[v] for v in nodes if v in latest], default=inf)
            if later and later[-1] <= last and stage[nodes[0]] == stage[members[later[-1]][0]]:
                level.update(dict.fromkeys(nodes, later[-1]))
            else:
                later.append(here)


def _stages(order: Sequence[Variable]) -> dict[Variable, int]:
    """How many barriers stand before each node."""
    stage: dict[Variable, int] = {}
    for v in order:
        before = max([stage.get(i, 0) for i in v.inputs], default=0)
        stage[v] = before + (type(v.op) is Barrier)
    return stage


def _step(
    i: Variable,
    v: Variable,
    here: bool,
    iteration_space: Mapping[Variable, Space],
    together: Callable[[Variable, Variable], bool],
) -> int:
    """How many levels lie between `v` and its input `i`, at least."""
    if is_light(
        i, iteration_space
    ):  # memory is laid out, and filled, before a pass over scalars begins
        return int(not here and i in iteration_space and is_light(v, iteration_space))
    return 0 if here and together(i, v) else 1
