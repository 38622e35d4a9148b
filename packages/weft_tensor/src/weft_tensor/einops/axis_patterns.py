"""Axes named in a text, as einops names them: "b (h w) c -> b h w c"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from weft_graph.extend import called

__all__ = ["Axis", "Group", "Pattern", "filled", "groups_of", "pattern_of", "shown"]

_TOKENS: Final = re.compile(r"\.\.\.|…|[()]|(?:(?!\.\.\.)[^\s()…])+")


class Axis(NamedTuple):
    """One axis: a name, one of those that ... stands for, or one with a length and no name."""

    name: str
    length: int | None = None
    place: int = -1

    def __str__(self) -> str:
        return self.name


Group = tuple[Axis, ...]
"""Axes that are one axis of a tensor; none of them for one of length 1."""
REST: Final = Axis("...")
_AFTER: Final = 1_000_000
"""No number before the arrow is the same axis as one after it."""


class Pattern(NamedTuple):
    """The axes before and after an arrow."""

    before: tuple[Group, ...]
    after: tuple[Group, ...]


def shown(axes: Iterable[Axis]) -> str:
    """As they are written.

    >>> shown([Axis("h"), Axis("w")])
    '(h w)'
    """
    names = [str(axis) for axis in axes]
    return names[0] if len(names) == 1 else f"({' '.join(names)})"


def pattern_of(who: str, text: str) -> Pattern:
    """Both sides of a pattern; ValueError, which begins with `who`, for what is none.

    >>> pattern = pattern_of("rearrange", "b (h w) -> (b w) 1 h")
    >>> [shown(group) for group in pattern.before], [shown(group) for group in pattern.after]
    (['b', '(h w)'], ['(b w)', '()', 'h'])
    """
    sides = text.split("->")
    if len(sides) != 2:
        raise ValueError(
            f"{who}: a pattern has one -> between two sides, unlike {text!r}{called()}"
        )
    before, after = groups_of(who, sides[0]), groups_of(who, sides[1], _AFTER)
    if any(REST in group and len(group) > 1 for group in before):
        raise ValueError(f"{who}: ... stands alone before ->, in {text!r}{called()}")
    return Pattern(before, after)


def groups_of(who: str, side: str, first: int = 0) -> tuple[Group, ...]:
    """The axes of one side, each a group. Places of numbers are counted from `first` on.

    Raises ValueError for an axis that is there twice, for parentheses in others or without their
    other half, and for what is no name.
    """
    groups: list[Group] = []
    inside: list[Axis] | None = None
    for at, token in enumerate(_TOKENS.findall(side), first):
        if token == "(" and inside is None:
            inside = []
        elif token == ")" and inside is not None:
            groups.append(tuple(inside))
            inside = None
        elif token in "()":
            raise ValueError(f"{who}: parentheses of {side.strip()!r} don't match{called()}")
        else:
            axes = _axes(who, token, at, side)
            if inside is None:
                groups.append(axes)
            else:
                inside.extend(axes)
    if inside is not None:
        raise ValueError(f"{who}: parentheses of {side.strip()!r} don't match{called()}")
    counts = Counter(axis for group in groups for axis in group if axis.name != "_")
    for axis, count in counts.items():
        if count > 1:
            raise ValueError(f"{who}: the axis {axis} is twice in {side.strip()!r}{called()}")
    return tuple(groups)


def _axes(who: str, token: str, at: int, side: str) -> Group:
    if token in ("...", "…"):
        return (REST,)
    if token.isdecimal():
        return () if token == "1" else (Axis(token, int(token), at),)
    if not token.isidentifier():
        raise ValueError(f"{who}: {token!r} in {side.strip()!r} is no name of an axis{called()}")
    return (Axis(token),)


def filled(groups: Sequence[Group], count: int) -> tuple[Group, ...]:
    """With `count` axes for `...`, each a group where it stands alone.

    >>> [shown(group) for group in filled(groups_of("rearrange", "a ... (b ...)"), 1)]
    Traceback (most recent call last):
    ...
    ValueError: rearrange: the axis ... is twice in 'a ... (b ...)'
    >>> len(filled(groups_of("rearrange", "a ..."), 2))
    3
    """
    rest = tuple(Axis(f"...[{k}]", place=k) for k in range(count))
    found: list[Group] = []
    for group in groups:
        if group == (REST,):
            found += [(axis,) for axis in rest]
        else:
            found.append(tuple(a for axis in group for a in (rest if axis == REST else (axis,))))
    return tuple(found)
