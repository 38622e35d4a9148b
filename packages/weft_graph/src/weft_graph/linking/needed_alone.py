"""Which values one side of a choice alone needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Needs", "needed_alone"]

K = TypeVar("K", bound=Hashable)


class Needs(NamedTuple, Generic[K]):
    """What is known of one of the values that are computed one after another."""

    arguments: Sequence[K]
    chooses: bool
    """Whether it is its second or third argument, as the first says."""
    takes_long: Callable[[], bool]
    """Whether it does: asked of what a choice alone needs, as it takes long to find out."""
    stays: bool = False
    """Whether it is computed in any case."""


def needed_alone(steps: Mapping[K, Needs[K]]) -> dict[tuple[K, int], list[K]]:
    """For each side with something that takes long, by its place, what nothing else needs.

    >>> call = Needs([0, 1], chooses=False, takes_long=lambda: True)
    >>> needed_alone({3: call, 4: Needs([2, 3, 0], chooses=True, takes_long=lambda: False)})
    {(4, 1): [3]}
    """
    if not any(step.chooses for step in steps.values()):
        return {}
    keys = list(steps)
    number = {k: n for n, k in enumerate(keys)}
    users: list[list[tuple[int, int]]] = [[] for _ in keys]
    for n, step in enumerate(steps.values()):
        for place, argument in enumerate(step.arguments):
            if argument in number:
                users[number[argument]].append((n, place))
    within: list[tuple[int, int] | None] = [None] * len(keys)

    def around(side: tuple[int, int] | None) -> list[tuple[int, int]]:
        sides = []
        while side is not None:
            sides.append(side)
            side = within[side[0]]
        return sides

    for n in reversed(range(len(keys))):
        common: list[tuple[int, int]] | None = None
        for u, place in () if steps[keys[n]].stays else users[n]:
            if common == []:
                break
            sides = around((u, place) if steps[keys[u]].chooses and place else within[u])
            common = sides if common is None else [side for side in common if side in sides]
        within[n] = common[0] if common else None
    inside = [n for n, side in enumerate(within) if side and steps[keys[n]].takes_long()]
    heavy = {side for n in inside for side in around(within[n])}
    alone: dict[tuple[K, int], list[K]] = {}
    for n, k in enumerate(keys):
        side = next((side for side in around(within[n]) if side in heavy), None)
        if side is not None:
            alone.setdefault((keys[side[0]], side[1]), []).append(k)
    return alone
