"""Tensors cut into parts along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from itertools import accumulate, pairwise
from operator import and_
from typing import Any

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, ge
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.known_shape import with_named_length
from weft_tensor.ops.shape.length import as_size, lengths_of, static_length
from weft_tensor.types.axes import as_axis

__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]


def split(
    x: TensorLike,
    indices_or_sections: Any = None,
    axis: int = 0,
    *,
    splits_size: Any = None,
    n_splits: int | None = None,
) -> list[TensorVariable]:
    """`x` in that many equal parts along `axis`, or cut where the indices say.

    The indices may be variables. ValueError if the parts can't be equal. In their place,
    `splits_size` says how long each part is, together as long as the axis; of a vector of
    unknown length, `n_splits` says how many there are. See `numpy.split`. Raises TypeError unless
    one of `indices_or_sections` and `splits_size` is given, and for `n_splits` without the latter.

    >>> [part.eval() for part in split([1, 2, 3, 4], 2)]
    [array([1, 2]), array([3, 4])]
    >>> [part.eval() for part in split([1, 2, 3, 4], [1])]
    [array([1]), array([2, 3, 4])]
    >>> [part.eval() for part in split([1, 2, 3, 4], splits_size=[3, 1])]
    [array([1, 2, 3]), array([4])]
    """
    x = as_tensor(x)
    along = as_axis(axis, x.ndim)
    if (indices_or_sections is None) == (splits_size is None):
        raise TypeError("split takes indices_or_sections, or the lengths of the parts, splits_size")
    if splits_size is not None:
        return _of_sizes(x, splits_size, n_splits, along)
    if n_splits is not None:
        raise TypeError("split: n_splits goes with splits_size=, the lengths of the parts")
    if not isinstance(indices_or_sections, int):
        return _cut(x, _ends(indices_or_sections), along)
    sections = _positive(indices_or_sections)
    n = lengths_of(x)[along]
    length = static_length(n)
    message = f"split: axis {along} can't be cut into {sections} equal parts"
    if isinstance(length, int) and length % sections:
        raise ValueError(f"{message}: its length is {length}; use array_split")
    each = n // sections
    if not isinstance(length, int):
        n = check_and_raise(n, eq(n % sections, 0), ValueError, message)
    parts = _cut(x, [n // sections * k for k in range(1, sections)], along)
    return [with_named_length(part, along, each) for part in parts]


def _of_sizes(x: Any, sizes: Any, count: int | None, axis: int) -> list[TensorVariable]:
    """Parts as long as `sizes` say."""
    if count is not None and not isinstance(sizes, Sequence):
        vector = as_tensor(sizes)
        sizes = [vector[k] for k in range(count)]
    lengths = [as_size(size) for size in _ends(sizes)]
    if not lengths or count not in (None, len(lengths)):
        raise ValueError(f"split: {len(lengths)} lengths of parts, with n_splits={count}")
    ends = list(accumulate(lengths))
    n = lengths_of(x)[axis]
    message = f"split: splits_size must be positive, and add up to the length of axis {axis}"
    numbers = [v for v in map(static_length, lengths) if isinstance(v, int)]
    whole = static_length(n)
    differ = len(numbers) == len(lengths) and isinstance(whole, int) and sum(numbers) != whole
    if differ or min(numbers, default=0) < 0:
        raise ValueError(f"{message}: {numbers} for the length {whole}")
    fits = fold(and_, [ge(length, 0) for length in lengths], eq(ends[-1], n))
    return _cut(check_and_raise(x, fits, ValueError, message), ends[:-1], axis)


def vsplit(x: TensorLike, indices_or_sections: Any) -> list[TensorVariable]:
    """`x`, of rank 2 at least, cut along the first axis. See `numpy.vsplit` and `split`.

    >>> [part.eval() for part in vsplit([[1, 2], [3, 4]], 2)]
    [array([[1, 2]]), array([[3, 4]])]
    """
    return split(_with_axes(x, 2, "vsplit"), indices_or_sections, 0)


def hsplit(x: TensorLike, indices_or_sections: Any) -> list[TensorVariable]:
    """`x` cut along the second axis, a vector along its only one. See `numpy.hsplit`.

    >>> [part.eval() for part in hsplit([[1, 2], [3, 4]], 2)]
    [array([[1],
           [3]]), array([[2],
           [4]])]
    """
    x = _with_axes(x, 1, "hsplit")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def dsplit(x: TensorLike, indices_or_sections: Any) -> list[TensorVariable]:
    """`x`, of rank 3 at least, cut along the third axis. See `numpy.dsplit`.

    >>> [part.eval() for part in dsplit([[[1, 2]]], 2)]
    [array([[[1]]]), array([[[2]]])]
    """
    return split(_with_axes(x, 3, "dsplit"), indices_or_sections, 2)


def _with_axes(x: TensorLike, ndim: int, name: str) -> TensorVariable:
    x = as_tensor(x)
    if x.ndim < ndim:
        raise ValueError(f"{name} takes a tensor of rank {ndim} at least, not {x!r}")
    return x


def array_split(x: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[TensorVariable]:
    """As `split`, but the first parts are longer by one if need be. See `numpy.array_split`.

    >>> [part.eval() for part in array_split([1, 2, 3], 2)]
    [array([1, 2]), array([3])]
    """
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    x = as_tensor(x)
    along = as_axis(axis, x.ndim)
    sections = _positive(indices_or_sections)
    n = lengths_of(x)[along]
    each, longer = n // sections, n % sections
    return _cut(x, [each * k + minimum(longer, k) for k in range(1, sections)], along)


def _positive(sections: int) -> int:
    if sections < 1:
        raise ValueError(f"the number of parts must be positive, not {sections}")
    return sections


def _ends(cuts: Any) -> Sequence[Any]:
    """Where to cut: from a sequence, or a vector variable of known length."""
    if isinstance(cuts, Sequence):
        return cuts
    places = as_tensor(cuts)
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
