"""How lengths combine when tensors are broadcast, or must agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from weft_tensor.types.symbolic_dims import Dim, Length, provably_differ, show_shape

__all__ = ["broadcast_length", "broadcast_shapes", "merged_length"]


def broadcast_length(a: Length, b: Length) -> Length:
    """The length of an axis that broadcasting makes of lengths `a` and `b`.

    Raises ValueError if they can't be broadcast. An unknown length may be 1 when the
    function is called, so it does not inherit the name of the other.

    >>> broadcast_length(1, 3), broadcast_length(None, 3), broadcast_length(None, None)
    (3, 3, None)
    """
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int) and (b is None or isinstance(b, Dim)):
        return a
    if isinstance(b, int) and (a is None or isinstance(a, Dim)):
        return b
    if not provably_differ(a, b):
        return None
    raise ValueError(f"lengths {a} and {b} can't be broadcast")


def broadcast_shapes(*shapes: Sequence[Length]) -> tuple[Length, ...]:
    """The shape that tensors of `shapes` are broadcast to.

    Raises ValueError, with all the shapes, if they can't be. Different names count as
    different lengths.

    >>> broadcast_shapes((3, 1), (None,), ())
    (3, None)
    """
    result: list[Length] = []
    for lengths in zip_longest(*[s[::-1] for s in shapes], fillvalue=1):
        length: Length = 1
        for other in lengths:
            try:
                length = broadcast_length(length, other)
            except ValueError as error:
                text = " and ".join(show_shape(tuple(s)) for s in shapes)
                raise ValueError(f"shapes {text} can't be broadcast together: {error}") from None
        result.append(length)
    return tuple(result[::-1])


def merged_length(lengths: Iterable[Length]) -> Length:
    """The one length that all of `lengths` are; ValueError if that can't be.

    >>> merged_length([None, 3, None])
    3
    """
    known_lengths = [n for n in lengths if n is not None]
    numbers = {n for n in known_lengths if isinstance(n, int)}
    names = {n for n in known_lengths if isinstance(n, Dim)}
    if len(numbers) > 1 or any(provably_differ(a, b) for a in names for b in names):
        raise ValueError(f"lengths {', '.join(map(str, known_lengths))} must be equal")
    agreed: list[Length] = [*numbers, *names]
    return agreed[0] if numbers or len(names) == 1 else None
