"""Order by several keys, and the largest or smallest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.comparison import eq, ge, lt
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort, sort, take_along_axis
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import with_axis
from weft_tensor.types.axes import as_axis

__all__ = ["argpartition", "argtopk", "lexsort", "partition", "topk"]


def lexsort(keys: TensorLike | Sequence[TensorLike], axis: int = -1) -> TensorVariable:
    """Positions that sort by the last key, those of equal ones by the one before, and so on.

    The number of keys, of one shape, must be known. See `numpy.lexsort`. Raises TypeError without
    any key, ValueError for keys of different shapes.

    >>> lexsort(([9, 4, 0], [1, 1, 0])).eval()
    array([2, 1, 0])
    """
    given = list(keys) if isinstance(keys, (list, tuple)) else [*as_tensor(keys)]
    if not given:
        raise TypeError("lexsort needs a key at least")
    first, *others = (as_tensor(key) for key in given)
    order = argsort(first, axis)
    for key in others:
        if key.ndim != first.ndim:
            raise ValueError(f"lexsort takes keys of one shape, not {first!r} and {key!r}")
        for n, own in zip(lengths_of(first), lengths_of(key), strict=True):
            if not same_size(n, own):
                message = "lexsort: all keys must be of one shape"
                key = check_and_raise(key, eq(n, own), ValueError, message)
        order = take_along_axis(order, argsort(take_along_axis(key, order, axis), axis), axis)
    return order


def _in_bounds(x: TensorLike, kth: TensorLike, axis: int | None, name: str) -> tuple[Any, int]:
    """`x`, flattened without an axis, if the places `kth` are on the axis; and the axis."""
    (x, along), places = with_axis(x, axis), as_tensor(kth)
    if places.dtype[0] not in "iu":
        raise TypeError(f"{name}: kth is of integers, not {places!r}")
    n = lengths_of(x)[along]
    fits = all_of(ge(places, -n) & lt(places, n))
    return check_and_raise(x, fits, ValueError, f"{name}: kth={kth} is out of bounds"), along


def partition(x: TensorLike, kth: TensorLike, axis: int | None = -1) -> TensorVariable:
    """`x` with the elements `kth` of `axis` where sorting puts them, smaller ones before.

    All the others are sorted, too, which NumPy does not promise. See `numpy.partition`.

    >>> partition([3, 1, 2], 1).eval()
    array([1, 2, 3])
    """
    return sort(*_in_bounds(x, kth, axis, "partition"))


def argpartition(x: TensorLike, kth: TensorLike, axis: int | None = -1) -> TensorVariable:
    """Positions with which `x` is as `partition` makes it. See `numpy.argpartition`.

    >>> argpartition([3, 1, 2], 1).eval()
    array([1, 2, 0])
    """
    return argsort(*_in_bounds(x, kth, axis, "argpartition"))


def topk(x: TensorLike, k: int, axis: int = -1) -> TensorVariable:
    """The `k` largest elements along `axis`, the largest first; of negative k, the smallest.

    >>> topk([3, 1, 2], 2).eval(), topk([3, 1, 2], -2).eval()
    (array([3, 2]), array([1, 2]))
    """
    x = as_tensor(x)
    return take_along_axis(x, argtopk(x, k, axis), axis)


def argtopk(x: TensorLike, k: int, axis: int = -1) -> TensorVariable:
    """The positions of what `topk` gives; of equal elements, the first ones.

    Raises TypeError if `k` is no int.

    >>> argtopk([3, 1, 3], 2).eval()
    array([0, 2])
    """
    x = as_tensor(x)
    along = as_axis(axis, x.ndim)
    if not isinstance(k, int):
        raise TypeError(f"topk: k is an int, not {k!r}: for a variable, slice what sort gives")
    n = lengths_of(x)[along]
    message = f"topk: there are fewer elements than k={k}"
    x = check_and_raise(x, ge(n, abs(k)), ValueError, message)
    order = argsort(x, along) if k < 0 else n - 1 - flip(argsort(flip(x, along), along), along)
    return index(order, (slice(None),) * along + (slice(None, abs(k)),))
