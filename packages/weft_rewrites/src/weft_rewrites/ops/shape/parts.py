"""Parts of parts of known lengths: places and slices of a slice are such of what it is part of.

What holds of unknown lengths too is with `reading`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import equation, letter, others
from weft_tensor import Index, Reshape, Squeeze, TensorVariable
from weft_tensor.extend import Slice

__all__ = ["rules"]

_FULL: Final = Slice(None, None, None)


def _is_plain(f: Index) -> bool:
    """Whether all its entries are numbers, and slices of numbers."""
    return not f.lifted and all(
        type(e) is int or (isinstance(e, Slice) and not any(isinstance(p, str) for p in e))
        for e in f.entries
    )


def _taken(entry: Slice, length: Any) -> range | None:
    """The places that a slice takes of an axis; None if its length is not known."""
    return _part(range(length), entry) if isinstance(length, int) else None


def _part(places: range, entry: Any) -> range:
    return places[slice(*entry)]


def _entry(places: range, length: Any) -> Slice:
    """The slice of an axis that takes these places, of which there is one at least.

    >>> _entry(range(10)[::-1][::-1], 10).is_full, _entry(range(3, -1, -2), 4)
    (True, Slice(start=None, stop=None, step=-2))
    """
    first, last = (0, length) if places.step > 0 else (length - 1, -1)
    beyond = places.stop >= last if places.step > 0 else places.stop <= last
    return Slice(
        None if places.start == first else places.start,
        None if beyond else places.stop,
        None if places.step == 1 else places.step,
    )


def _part_of_part(inner: Index, outer: list[Any], x: TensorVariable) -> TensorVariable | None:
    """`x[inner][outer]`, with an entry of `outer` for each axis of the part, as one index.

    None where a slice takes nothing, or part of an axis of unknown length.
    """
    rest: Iterator[Any] = iter(outer)
    entries: list[Any] = []
    whole = [*inner.entries, *[_FULL] * (x.ndim - len(inner.entries))]
    for entry, length in zip(whole, x.type.shape, strict=True):
        if not isinstance(entry, Slice):
            entries.append(entry)
            continue
        then = next(rest)
        if entry.is_full or (isinstance(then, Slice) and then.is_full):
            entries.append(then if entry.is_full else entry)
            continue
        places = _taken(entry, length)
        if not places:
            return None
        if isinstance(then, Slice):
            places = _part(places, then)
            if not places:
                return None
            entries.append(_entry(places, length))
        else:
            entries.append(places[then])
    return Index(tuple(entries))(x)


def _again(f: Index, g: Index, x: TensorVariable) -> TensorVariable | None:
    """f(g(x)) in one step."""
    axes = x.ndim - sum(not isinstance(e, Slice) for e in g.entries)
    return _part_of_part(g, [*f.entries, *[_FULL] * (axes - len(f.entries))], x)


def _only_places(f: Squeeze, g: Index, x: TensorVariable) -> TensorVariable | None:
    """An axis of a slice of one element, dropped: that element."""
    axes = x.ndim - sum(not isinstance(e, Slice) for e in g.entries)
    return _part_of_part(g, [0 if a in f.axis else _FULL for a in range(axes)], x)


def _has_one_element(x: TensorVariable) -> bool:
    return x.ndim > 0 and all(n == 1 for n in x.type.shape)


x, i = letter("x"), others("i")
_PART = Each(Index, "g")(x)

rules: tuple[Rule, ...] = (
    equation(
        Each(Index, "f")(_PART),
        _again,
        of=None,
        when=lambda f, g: _is_plain(f) and _is_plain(g),
        name="part of a part of known length",
    ),
    equation(
        Each(Squeeze, "f")(_PART),
        _only_places,
        of=None,
        when=lambda g: _is_plain(g),
        name="squeeze of a part of known length",
    ),
    equation(
        Reshape()(x),
        lambda x: x.squeeze(tuple(range(x.ndim))),
        of=None,
        when=_has_one_element,
        name="reshape of one element to a scalar",
    ),
)
"""All of them."""
