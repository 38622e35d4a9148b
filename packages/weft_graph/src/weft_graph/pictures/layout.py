"""Where to draw the boxes of a layered picture, whatever they show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

__all__ = ["Edge", "Link", "columns_of", "links_of", "rows_of"]

Edge = tuple[int, int, int]
"""From a box, to a box, as its argument of this position."""

Link = tuple[int, int, float]
"""A piece of an edge: from, to, and how far from the middle of the latter it ends."""

_LONGEST = 32
_GAP = 16.0
_SWEEPS = 20


def rows_of(count: int, edges: Iterable[Edge], free: Collection[int] = ()) -> list[int]:
    """The row of each of `count` boxes: below all that it uses, near what uses it.

    Boxes are numbered so that edges go from lower to higher numbers. Those in `free` are
    used once, without a place that they have to be near to.

    >>> rows_of(4, [(0, 2, 0), (2, 3, 0), (1, 3, 1)])
    [0, 1, 1, 2]
    """
    rows = [0] * count
    users: list[list[int]] = [[] for _ in rows]
    used = [0] * count
    for source, target, _ in edges:
        rows[target] = max(rows[target], rows[source] + 1)
        users[source].append(target)
        used[target] += source not in free
    for i in reversed(range(count)):
        if used[i] < len(users[i]):
            rows[i] = min(rows[user] for user in users[i]) - 1
    return rows


def links_of(rows: list[int], widths: list[float], edges: list[Edge]) -> list[Link]:
    """Edges cut into pieces from row to row, and where on its target's width each ends.

    The joints are added to `rows` and `widths`; edges from one box share them.
    """
    arguments = Counter(target for _, target, _ in edges)
    joints: dict[tuple[int, int], int] = {}
    links = []
    for source, target, position in edges:
        at = source
        short = rows[target] - rows[source] <= _LONGEST
        for row in range(rows[source] + 1, rows[target]) if short else ():
            if (source, row) not in joints:
                joints[source, row] = len(rows)
                links.append((at, len(rows), 0.0))
                rows.append(row)
                widths.append(4.0)
            at = joints[source, row]
        step = min(16.0, (widths[target] - 16) / arguments[target])
        links.append((at, target, step * (position - (arguments[target] - 1) / 2)))
    return links


def columns_of(rows: list[int], widths: list[float], links: list[Link]) -> list[float]:
    """Where boxes and joints stand in their rows: near what they are linked to."""
    above: list[list[tuple[int, float]]] = [[] for _ in rows]
    below: list[list[tuple[int, float]]] = [[] for _ in rows]
    for source, target, shift in links:
        above[target].append((source, -shift))
        below[source].append((target, shift))
    layers: list[list[int]] = [[] for _ in range(max(rows, default=-1) + 1)]
    for i, row in enumerate(rows):
        layers[row].append(i)
    x = [0.0] * len(rows)
    for layer in layers:
        _spread(layer, [0.0] * len(layer), widths, x)
    for sweep in range(2 * _SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else layers[::-1]:
            near = above if down else below
            wish = {i: _mean(near[i], x, x[i]) for i in layer}
            if sweep < _SWEEPS:
                layer.sort(key=wish.__getitem__)
            else:
                wish = {i: _mean(above[i] + below[i], x, x[i]) for i in layer}
            _spread(layer, [wish[i] for i in layer], widths, x)
    return x


def _mean(near: list[tuple[int, float]], x: list[float], default: float) -> float:
    return sum(x[i] + shift for i, shift in near) / len(near) if near else default


def _spread(layer: list[int], wishes: list[float], widths: list[float], x: list[float]) -> None:
    """Set `x` in this order without overlap, by least squares from the wishes."""
    offset, offsets = 0.0, []
    blocks: list[tuple[float, int]] = []
    for i, wish in zip(layer, wishes, strict=True):
        offset += widths[i] / 2
        offsets.append(offset)
        total, count = wish - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before = blocks.pop()
            total, count = total + before[0], count + before[1]
        blocks.append((total, count))
        offset += widths[i] / 2 + _GAP
    places = [total / count for total, count in blocks for _ in range(count)]
    for i, place, offset in zip(layer, places, offsets, strict=True):
        x[i] = place + offset
