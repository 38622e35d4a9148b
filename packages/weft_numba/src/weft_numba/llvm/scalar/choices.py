"""What one side of a choice alone needs, and takes long, is computed where that side is taken.

Choices by one condition may be one branch: then what their sides have in common can be there once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from weft_graph.extend import Needs, needed_alone
from weft_numba.ir.llvm_writer import Code, Pair, Value

__all__ = ["Choices", "Step"]

K = TypeVar("K", bound=Hashable)


class Step(NamedTuple, Generic[K]):
    """What is known of one of the values that are computed one after another."""

    arguments: Sequence[K]
    register: str
    """The type of its register, or of each of two."""
    chooses: bool
    """Whether it is its second or third argument, as the first says."""
    takes_long: Callable[[], bool]
    """Whether it does: asked of what a choice alone needs, as it takes long to find out."""
    stays: bool
    """Whether it is computed in any case."""


class Choices(Generic[K]):
    """Some steps, in order, and which of them only one side of a choice needs.

    >>> call = Step([0, 1], "double", chooses=False, takes_long=lambda: True, stays=False)
    >>> where = Step([2, 3, 0], "double", True, lambda: False, stays=True)
    >>> code, values = Code(), {0: "%x", 1: "%y", 2: "%c"}
    >>> Choices({3: call, 4: where}).compute(code, [3, 4], values, lambda k: code("call ..."))
    >>> values[4], code.lines[-1]
    ('%v2', '%v2 = phi double [%v1, %v0_end_0], [%x, %v0_end_1]')
    """

    def __init__(self, steps: Mapping[K, Step[K]], *, together: bool = False) -> None:
        self._steps = steps
        self._alone = needed_alone(
            {k: Needs(s.arguments, s.chooses, s.takes_long, s.stays) for k, s in steps.items()}
        )
        self._inside = {k: side for side, group in self._alone.items() for k in group}
        self._leader: dict[K, K] = {}
        self._members: dict[K, list[K]] = {}
        if together:
            self._unite()

    def side_of(self, k: K) -> tuple[K, int] | None:
        """The choice and its argument that alone need a step; None if it is computed anyway."""
        side = self._inside.get(k)
        return side and (self._leader.get(side[0], side[0]), side[1])

    def _unite(self) -> None:
        """Choices by one condition, in one place, of which none needs another, are one branch."""
        numbers = {k: n for n, k in enumerate(self._steps)}
        choosing = {k for k, _ in self._alone}
        leaders: dict[tuple[K, tuple[K, int] | None], list[K]] = {}
        for k in reversed([k for k in self._steps if k in choosing]):  # outer ones first
            candidates = leaders.setdefault((self._steps[k].arguments[0], self.side_of(k)), [])
            needed = self._needed(numbers)
            for leader in candidates:
                members = self._members.setdefault(leader, [leader])
                if not any(
                    (needed[m] >> numbers[k] | needed[k] >> numbers[m]) & 1 for m in members
                ):
                    members.append(k)
                    self._leader[k] = leader
                    break
            else:
                candidates.append(k)

    def _needed(self, numbers: Mapping[K, int]) -> dict[K, int]:
        """A bit for each step that one needs, or that what is one branch with it needs."""
        needed = dict.fromkeys(numbers, 0)
        while True:
            before = dict(needed)
            for k, step in self._steps.items():
                for argument in step.arguments:
                    if argument in numbers:
                        needed[k] |= needed[argument] | 1 << numbers[argument]
            for members in self._members.values():
                for k in members:
                    for other in members:
                        needed[k] |= needed[other]
            if needed == before:
                return needed

    def compute(
        self, code: Code, order: Iterable[K], values: dict[K, Value], compute: Callable[[K], Value]
    ) -> None:
        """Put what `compute` gives for each step in `order` into `values`, by branches."""

        def put(k: K) -> None:
            k = self._leader.get(k, k)
            if k in values:
                return
            members = self._members.get(k, [k])
            sides = [self._group(members, place) for place in (1, 2)]
            if not any(sides):
                values[k] = compute(k)
                return
            if len(members) > 1:
                for other in self._missing(members, sides, values):
                    put(other)
            self._branches(code, members, sides, values, put)

        for k in order:
            if k not in self._inside:
                put(k)

    def _group(self, members: Sequence[K], place: int) -> list[K]:
        """What one side of the members alone needs, in order."""
        alone = {k for m in members for k in self._alone.get((m, place), ())}
        return (
            [k for k in self._steps if k in alone]
            if len(members) > 1
            else [*self._alone.get((members[0], place), ())]
        )

    def _missing(
        self, members: Sequence[K], sides: Sequence[Sequence[K]], values: Mapping[K, Value]
    ) -> list[K]:
        """What these need besides, and is not known yet, in order."""
        inside = {*members, *sides[0], *sides[1]}
        open_ = [*inside]
        missing = set[K]()
        while open_:
            for argument in self._steps[open_.pop()].arguments:
                known = argument in values or argument not in self._steps
                if not known and argument not in inside and argument not in missing:
                    missing.add(argument)
                    open_.append(argument)
        here = self.side_of(members[0])
        return [k for k in self._steps if k in missing and self.side_of(k) == here]

    def _branches(
        self,
        code: Code,
        members: Sequence[K],
        sides: Sequence[Sequence[K]],
        values: dict[K, Value],
        put: Callable[[K], None],
    ) -> None:
        """The values of choices, after one of their sides."""
        name = code.new()[1:]
        condition = values[self._steps[members[0]].arguments[0]]
        code.lines.append(f"br i1 {condition}, label %{name}_0, label %{name}_1")
        for side, group in enumerate(sides):
            code.lines.append(f"{name}_{side}:")
            for member in group:
                put(member)
            code.label(f"{name}_end_{side}")
            code.lines.append(f"br label %{name}")
        code.lines.append(f"{name}:")
        for k in members:
            _, *results = self._steps[k].arguments
            true, false = (values[r] for r in results)
            values[k] = _either(code, name, self._steps[k].register, true, false)


def _either(code: Code, name: str, register: str, true: Value, false: Value) -> Value:
    """What comes of the two ends of a branch."""

    def either(x: str, y: str) -> str:
        return code(f"phi {register} [{x}, %{name}_end_0], [{y}, %{name}_end_1]")

    if isinstance(true, Pair) and isinstance(false, Pair):
        return Pair(either(true.real, false.real), either(true.imag, false.imag))
    return either(str(true), str(false))
