"""Tensors cut into parts along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.length import as_size, lengths_of, static_length
from weft_tensor.types.axes import as_axes

__all__ = ["array_split", "split"]


def split(x: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[TensorVariable]:
    """`x` in that many equal parts along `axis`, or cut where the indices say.

    The indices may be variables. ValueError if the parts can't be equal. See `numpy.split`.

    >>> [part.eval() for part in split([1, 2, 3, 4], 2)]
    [array([1, 2]), array([3, 4])]
    >>> [part.eval() for part in split([1, 2, 3, 4], [1])]
    [array([1]), array([2, 3, 4])]
    """
    x = as_tensor(x)
    (along,) = as_axes(axis, x.ndim)
    if not isinstance(indices_or_sections, int):
        return _cut(x, _ends(indices_or_sections), along)
    sections = _positive(indices_or_sections)
    n = lengths_of(x)[along]
    known = static_length(n)
    message = f"split: axis {along} can't be cut into {sections} equal parts"
    if isinstance(known, int) and known % sections:
        raise ValueError(f"{message}: its length is {known}; use array_split")
    if not isinstance(known, int):
        n = check_and_raise(n, eq(n % sections, 0), ValueError, message)
    return _cut(x, [n // sections * k for k in range(1, sections)], along)


def array_split(x: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[TensorVariable]:
    """As `split`, but the first parts are longer by one if need be. See `numpy.array_split`.

    >>> [part.eval() for part in array_split([1, 2, 3], 2)]
    [array([1, 2]), array([3])]
    """
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    x = as_tensor(x)
    (along,) = as_axes(axis, x.ndim)
    sections = _positive(indices_or_sections)
    n = lengths_of(x)[along]
    each, longer = n // sections, n % sections
    return _cut(x, [each * k + minimum(longer, k) for k in range(1, sections)], along)


def _positive(sections: int) -> int:
    if sections < 1:
        raise ValueError(f"the number of parts must be positive, not {sections}")
    return sections


def _ends(given: Any) -> Sequence[Any]:
    """Where to cut: from a sequence, or a vector variable of known length."""
    if isinstance(given, Sequence):
        return given
    places = as_tensor(given)
    if places.ndim != 1 or not isinstance(places.type.shape[0], int):
        raise TypeError(
            f"the number of parts must be known when the graph is built, but {places!r} tells "
            "none: give an int, a list of indices, or a vector of known length"
        )
    return [places[k] for k in range(len(places))]


def _cut(x: TensorVariable, ends: Sequence[SizeLike], axis: int) -> list[TensorVariable]:
    places = [None, *(_end(e) for e in ends), None]
    before = (slice(None),) * axis
    return [index(x, (*before, slice(a, b))) for a, b in pairwise(places)]


def _end(value: Any) -> Any:
    size = as_size(value)
    return int(size.op.value) if isinstance(size.op, Constant) else size
