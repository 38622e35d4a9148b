"""Keys of axes that are parts of others: what slices take, and what they make together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from weft_graph import Constant, Item, Variable
from weft_tensor import Cut, Dim, Gather, Length, Pointwise, TensorType, expand
from weft_tensor.extend import Slice, inferred_shapes, kind_of

__all__ = [
    "SIZE",
    "Space",
    "View",
    "and_a_number",
    "changed",
    "cut",
    "inferred_lengths",
    "is_length",
    "joined",
    "more_than",
    "order",
    "put",
    "straight",
    "updated_part",
    "wholes",
]

Space = tuple[Hashable, ...]
"""One key per axis; axes of equal keys have equal lengths.

A key is a number, a name, an axis (of a variable), a scalar of the graph, what a slice takes of
an axis of some key (which begins with a word), or a set of keys that broadcast to the length.
"""

View = tuple[int | None, ...]
"""Per axis of what is computed, the axis of a variable that is read along it, if any."""

SIZE: Final = TensorType("int64")
"""The type of lengths."""


def order(key: Hashable, where: Any, position: Mapping[Any, int]) -> tuple[int, int, int]:
    """Numbers come before names, names before what has neither; then as in the inputs.

    `where` a call finds this length: an input, or one and its axis; `position` are those of inputs.
    """
    rank = 0 if isinstance(key, int) else 1 if isinstance(key, Dim) else 2
    if isinstance(where, tuple):
        return rank, position[where[0]], where[1]
    return rank, position.get(where, 0), 0


def put(key: Any, place_of: Mapping[Hashable, Hashable]) -> Hashable:
    """The key with others in its parts; None if one of these is not known."""
    if isinstance(key, int | Dim):
        return key
    if key in place_of:
        return place_of[key]
    if isinstance(key, frozenset):
        parts = [put(k, place_of) for k in key]
        return None if None in parts else frozenset(parts)
    if isinstance(key, tuple) and isinstance(key[0], str):
        n = put(key[1], place_of)
        rest = [place_of.get(k, k) for k in key[2:]]
        return None if n is None else (key[0], n, *rest)
    return None


def wholes(keys: Iterable[Any]) -> list[Hashable]:
    """The keys of which these are equal parts; none if they are not."""
    parts = [k if isinstance(k, tuple) and isinstance(k[0], str) else None for k in keys]
    kinds = {k and (k[0], *k[2:]) for k in parts}
    return [k[1] for k in parts if k] if len(kinds) == 1 else []


def cut(part: Slice, n: Hashable, arguments: Sequence[Hashable]) -> Hashable:
    """The key of what a slice takes of an axis of key `n`; equal for x[1:] and x[:-1]."""
    start, stop, step = part
    if step == -1 and start is None and stop is None:
        return n
    low = start or 0
    if step in (None, 1) and isinstance(low, int) and isinstance(stop, int | None):
        if low >= 0 and (stop is None or stop < 0):
            whole, more = more_than(n)
            return changed(whole, more - (low - (stop or 0)))
        if (low < 0 and stop is None) or (low == 0 and stop is not None):
            count = stop or -low
            return count if more_than(n)[1] >= count else ("at most", n, count)
    return "slice", n, part, *arguments


def joined(*parts: Any) -> Hashable:
    """The key of what two parts are joined to: all, if one begins where the other ends.

    >>> joined(("without", "n", 3), ("at most", "n", 3)), joined("n", 3)
    ('n', None)
    """
    kinds = {k[0]: k[1:] for k in parts if isinstance(k, tuple)}
    first, rest = kinds.get("at most"), kinds.get("without")
    return first[0] if first and first == rest else None


def and_a_number(size: Variable) -> tuple[Variable, int]:
    """A scalar as another one and a number to be added.

    >>> from weft_tensor import vector
    >>> n = vector("x").shape[0]
    >>> base, more = and_a_number(1 + (n - 4))
    >>> base is n, more
    (True, -3)
    """
    more = 0
    while isinstance(kind := kind_of(size), Pointwise) and kind.of in ("add", "sub"):
        if size.type is not SIZE:
            break
        numbers = [int(i.op.value) for i in size.inputs if isinstance(i.op, Constant)]
        others = [i for i in size.inputs if not isinstance(i.op, Constant)]
        if len(others) != 1 or (kind.of == "sub" and others[0] is not size.inputs[0]):
            break
        more += -sum(numbers) if kind.of == "sub" else sum(numbers)
        size = others[0]
    return size, more


def more_than(key: Any) -> tuple[Hashable, int]:
    """Another key, and how many more, or fewer but at least none, there are of this one.

    >>> more_than("n"), more_than(("without", "n", 3)), more_than(("longer", "n", 3))
    (('n', 0), ('n', -3), ('n', 3))
    """
    if isinstance(key, tuple) and key[0] in ("without", "longer"):
        return key[1], key[2] if key[0] == "longer" else -key[2]
    return key, 0


def changed(key: Hashable, more: int) -> Hashable:
    """The key of so many more, or fewer.

    >>> changed("n", 0), changed("n", -3), changed("n", 3)
    ('n', ('without', 'n', 3), ('longer', 'n', 3))
    """
    if not more:
        return key
    return ("longer", key, more) if more > 0 else ("without", key, -more)


def inferred_lengths(v: Any) -> Sequence[Any]:
    """The lengths of `v` as scalars of the graph, or None for each.

    >>> from weft_tensor import exp, vector
    >>> [str(n.op) for n in inferred_lengths(exp(vector("x")))]
    ['length[0]']
    """
    is_item = isinstance(v.op, Item)
    shapes = inferred_shapes(v.inputs[0] if is_item else v)
    if shapes is None:
        return [None] * int(v.ndim)
    return list(shapes[v.op.index if is_item else 0])


def is_length(size: Variable) -> bool:
    """Whether a scalar is the length of an axis, or of a slice, and so never less than none.

    >>> from weft_tensor import lscalar, vector
    >>> is_length(vector("x")[1:].shape[0]), is_length(lscalar("n"))
    (True, False)
    """
    kind = kind_of(size)
    stretched = isinstance(kind, Pointwise) and kind.of == "broadcast_length"
    return isinstance(size.op, Length) or isinstance(kind, Cut) or stretched


def straight(ndim: int, own: int) -> View:
    """The view of a variable of rank `own` where `ndim` axes are computed: the last ones.

    >>> straight(3, 2)
    (None, 0, 1)
    """
    return tuple([None] * (ndim - own)) + tuple(range(own))


def updated_part(v: Any, at: Any) -> Any:
    """What the update `v` replaces, or adds to: its table, read at the same places.

    >>> import weft_tensor as wt
    >>> x, i = wt.vector("x"), wt.lvector("i")
    >>> updated_part(x[i].inc(1.0), (wt.extend.ARRAY,)) is x[i]
    True
    """
    table, _, *places = v.inputs
    return expand(Gather(at), v.op, (table, *places))
