"""Which values one side of a choice alone needs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Needs", "needed_alone"]

K = TypeVar("K", bound=Hashable)


class Needs(NamedTuple, Generic[K]):
    """What is known of one of the values that are computed one after another."""

    arguments: Sequence[K]
    chooses: bool
    """Whether it is its second or third argument, as the first says."""
    takes_long: bool
    stays: bool
    """Whether it is computed in any case."""


def needed_alone(steps: Mapping[K, Needs[K]]) -> dict[tuple[K, int], list[K]]:
    """For each side with something that takes long, by its place, what nothing else needs.

    >>> call = Needs([0, 1], chooses=False, takes_long=True, stays=False)
    >>> needed_alone({3: call, 4: Needs([2, 3, 0], chooses=True, takes_long=False, stays=True)})
    {(4, 1): [3]}
    """
    if not any(step.takes_long for step in steps.values()):
        return {}
    users: dict[K, list[tuple[K, int]]] = {}
    for k, step in steps.items():
        for place, argument in enumerate(step.arguments):
            users.setdefault(argument, []).append((k, place))
    within: dict[K, tuple[K, int] | None] = {}

    def around(side: tuple[K, int] | None) -> Iterator[tuple[K, int]]:
        while side is not None:
            yield side
            side = within[side[0]]

    for k in reversed(list(steps)):
        uses = () if steps[k].stays else users.get(k, ())
        chains = [
            list(around((u, place) if steps[u].chooses and place else within[u]))
            for u, place in uses
        ]
        common = [side for side in chains[0] if all(side in c for c in chains)] if chains else []
        within[k] = common[0] if common else None
    heavy = {side for k, step in steps.items() if step.takes_long for side in around(within[k])}
    alone: dict[tuple[K, int], list[K]] = {}
    for k in steps:
        side = next((side for side in around(within[k]) if side in heavy), None)
        if side is not None:
            alone.setdefault(side, []).append(k)
    return alone
