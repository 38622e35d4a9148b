"""`associative_scan`: what an associative function gives of all elements so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph.extend import leaves_like
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.control.structures import flat, packed
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape, squeeze
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axes
from weft_tensor.types.symbolic_dims import provably_differ

__all__ = ["associative_scan"]


def associative_scan(
    fn: Callable[[Any, Any], Any], xs: Any, axis: int = 0, reverse: bool = False
) -> Any:
    """`fn` of all elements so far, for each place along `axis`. See `jax.lax.associative_scan`.

    `fn` works on many elements at once. Where the type knows how many there are, n, whole arrays
    are put together log(n) times, which suits machines that compute much at a time; else a loop
    goes from element to element.

    Parameters
    ----------
    fn
        Takes two structures like `xs`, of which it puts together each pair of elements along
        `axis`, and returns such a structure. It must be associative: `fn(fn(a, b), c)` is
        `fn(a, fn(b, c))`.
    xs
        A tensor, or a nested structure of tensors (dict, list, tuple, dataclass), of one length
        along `axis`.
    axis
        An axis that all of them have.
    reverse
        Whether to begin at the end.

    Raises
    ------
    TypeError
        if `fn` returns another structure, or changes a dtype.
    ValueError
        if there is no such axis, or the lengths differ.

    Examples
    --------
    >>> from weft_tensor import maximum, vector
    >>> x = vector("x")
    >>> associative_scan(maximum, x).eval({x: [1.0, 3.0, 2.0, 5.0]})
    array([1., 3., 3., 5.])
    """
    leaves = [as_tensor(leaf) for leaf in flat(xs, "xs")[0]]
    if not leaves:
        raise ValueError("associative_scan needs a tensor to take elements from")
    along = [as_axes(axis, x.ndim)[0] for x in leaves]
    n = leaves[0].type.shape[along[0]]
    for x, a in zip(leaves, along, strict=True):
        if provably_differ(x.type.shape[a], n):
            raise ValueError(
                f"associative_scan: {x!r} has {x.type.shape[a]} elements, and {leaves[0]!r} has {n}"
            )

    def combined(first: Sequence[Any], second: Sequence[Any]) -> list[TensorVariable]:
        value = fn(packed(xs, first), packed(xs, second))
        results = [as_tensor(v) for v in leaves_like(value, xs, "what fn returns")]
        for new, x in zip(results, leaves, strict=True):
            if (new.dtype, new.ndim) != (x.dtype, x.ndim):
                raise TypeError(
                    f"associative_scan: fn gives {new.type} of {x.type}: it must keep dtype and "
                    "rank"
                )
        return results

    level = _Level(combined, along)
    elements = level.cut(leaves, slice(None, None, -1)) if reverse else leaves
    results = level.scanned(elements, n) if isinstance(n, int) else level.stepped(elements)
    return packed(xs, level.cut(results, slice(None, None, -1)) if reverse else results)


class _Level:
    """Lists of tensors of one length along an axis of each."""

    def __init__(self, combined: Callable[..., list[Any]], along: Sequence[int]) -> None:
        self.combined, self.along = combined, along

    def cut(self, values: Sequence[Any], part: slice) -> list[TensorVariable]:
        """A part of each."""
        return [
            index(v, (*[slice(None)] * a, part)) for v, a in zip(values, self.along, strict=True)
        ]

    def joined(self, *parts: Sequence[Any]) -> list[TensorVariable]:
        """Parts of each, one after the other."""
        return [
            concatenate(list(values), axis=a) for *values, a in zip(*parts, self.along, strict=True)
        ]

    def scanned(self, values: Sequence[Any], n: int) -> list[TensorVariable]:
        """Pairs are put together, and scanned; what lies between follows from these."""
        if n < 2:
            return list(values)
        half = n // 2
        pairs = self.combined(
            self.cut(values, slice(0, 2 * half, 2)), self.cut(values, slice(1, None, 2))
        )
        odd = self.scanned(pairs, half)
        first = self.cut(values, slice(0, 1))
        if n == 2:
            return self.joined(first, odd)
        before = self.cut(odd, slice(None, (n - 1) // 2))
        even = self.joined(first, self.combined(before, self.cut(values, slice(2, None, 2))))
        return self._interleaved(even, odd, half)

    def _interleaved(
        self, even: Sequence[Any], odd: Sequence[Any], half: int
    ) -> list[TensorVariable]:
        results = []
        for first, second, a in zip(self.cut(even, slice(0, half)), odd, self.along, strict=True):
            both = stack([first, second], axis=a + 1)
            shape = lengths_of(first)
            results.append(reshape(both, (*shape[:a], 2 * half, *shape[a + 1 :])))
        return self.joined(results, self.cut(even, slice(half, None)))

    def stepped(self, values: Sequence[Any]) -> list[TensorVariable]:
        """Element after element."""
        first = self.cut(values, slice(0, 1))
        rest = self.cut(values, slice(1, None))
        sequences = [moveaxis(v, a, 0) for v, a in zip(rest, self.along, strict=True)]

        def step(before: Sequence[Any], element: Sequence[Any]) -> Any:
            one = [expand_dims(v, a) for v, a in zip(element, self.along, strict=True)]
            after = self.combined(before, one)
            return after, [squeeze(v, a) for v, a in zip(after, self.along, strict=True)]

        _, results = scan(step, first, sequences)
        back = [moveaxis(v, 0, a) for v, a in zip(results, self.along, strict=True)]
        return self.joined(first, back)
