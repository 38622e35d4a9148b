"""Where the values are put that the body of a loop computes: no step asks for memory.

What the loop keeps is computed in its row of the array that keeps it; what only the next step
reads in one of two places, in turns; all else on the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from weft_graph import Constant, FunctionGraph, Item, Variable
from weft_numba.fusion.grouping import Fused, Step
from weft_numba.fusion.numbering import Pack
from weft_numba.lowering.dispatch import uses_builtin_lowering
from weft_numba.numba_layer.rooms import NO_ROOM, SIZE, alternate_room, stack_room
from weft_tensor import Recurrence

__all__ = ["Rooms", "all_builtin", "computed_by", "entered", "lasting", "memory_of"]

_MOST: Final = 64
"""So many values of a body have rooms on the stack, which is not large."""


class Rooms:
    """Tells functions of the rooms for what they return, as source of two arguments each."""

    def __init__(
        self,
        named: Callable[[Callable[..., Any]], str],
        step: str,
        rows: Mapping[Variable, tuple[str, str]],
        lasting: Collection[Variable] | None,
        homes: Mapping[Any, str],
    ) -> None:
        """`rows` tells of the rooms of some values; what is `lasting` is read a step later.

        Where that is None, only rows are rooms. What has a home is an update of that array, done
        where it lies.
        """
        self._named = named
        self._step = step
        self._rows = rows
        self._lasting = lasting
        self.homes = homes
        self._left = _MOST
        self.everywhere = lasting is not None
        """Whether what is not kept has rooms, too."""

    def told(self, outputs: Iterable[Variable | Pack]) -> list[str]:
        """The arguments for what a function returns; scalars have no room."""
        return [x for v in outputs if _has_axes(v) for x in self._of(v)]

    def _of(self, v: Variable | Pack) -> Sequence[str]:
        if isinstance(v, Variable) and v in self._rows:
            return self._rows[v]
        results = 1 if isinstance(v, Pack) else len(getattr(v.type, "items", (v,)))
        if self._lasting is None:
            return NO_ROOM * results
        is_lasting = isinstance(v, Variable) and v in self._lasting
        many = [self._on_stack(is_lasting=is_lasting) for _ in range(results)]
        return [x for room in many for x in room]

    def _on_stack(self, *, is_lasting: bool) -> tuple[str, str]:
        self._left -= 1 + is_lasting
        if self._left < 0:
            return NO_ROOM
        room = alternate_room if is_lasting else stack_room
        return f"{self._named(room)}({self._step * is_lasting})", str(SIZE)


def lasting(
    graph: FunctionGraph, steps: Sequence[Step], kept: Sequence[bool]
) -> set[Variable] | None:
    """Whose memory the next step reads, but for what is computed where it is kept.

    The first outputs are the next states, of which some are kept. A loop inside may leave its last
    state where its first one lay. None if some may be memory
    of an input, which would be read in the step after the next one, too, or if somebody else's
    code may hold on to what it gets.
    """
    if not all_builtin(steps):
        return None
    computed = computed_by(steps)
    values: set[Variable] = set()
    for state, is_kept in zip(graph.outputs, kept, strict=False):
        own = memory_of(state, computed)
        if not own.isdisjoint(graph.inputs):
            return None
        values |= own - {state} if is_kept else own
        values |= {first for loop, first in map(entered, own) if loop is not None}
    return values


def all_builtin(steps: Iterable[Step]) -> bool:
    """Whether nobody else's code gets what the steps compute, and may hold on to it."""
    nodes = [v for s in steps for v in (s.nodes if isinstance(s, Fused) else (s,))]
    return all(uses_builtin_lowering(v.op) for v in nodes)


def computed_by(steps: Iterable[Step]) -> set[Variable | Pack]:
    """What loop nests compute, into memory of its own."""
    return {v for step in steps if isinstance(step, Fused) for v in step.outputs}


def entered(after: Any) -> tuple[Any, Variable]:
    """The loop whose last state this is, and its first one, which no other input of it is.

    Of what is no such state, None and itself.
    """
    loop: Any = after.inputs[0] if isinstance(after.op, Item) else None
    if loop is None or not isinstance(loop.op, Recurrence):
        return None, after
    firsts = loop.op.parts(loop.inputs[1:]).states[after.op.index : after.op.index + 1]
    is_alone = firsts and list(loop.inputs).count(firsts[0]) == 1
    return (loop, firsts[0]) if is_alone else (None, after)


def memory_of(v: Variable, computed: Collection[Variable | Pack]) -> set[Variable]:
    """The values whose memory `v` may be, it among them."""
    owners: set[Variable] = set()
    open_ = [v]
    while open_:
        v = open_.pop()
        if v in owners or isinstance(v.op, Constant) or not _has_axes(v):
            continue
        owners.add(v)
        if v not in computed:
            views = v.op.view_of
            open_ += v.inputs if views is None else [v.inputs[k] for k in views]
    return owners


def _has_axes(v: Variable | Pack) -> bool:
    return isinstance(v, Pack) or getattr(v.type, "ndim", 1) > 0
