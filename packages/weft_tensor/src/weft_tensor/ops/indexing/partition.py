"""Order by several keys, and the largest or smallest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.comparison import eq, ge, isnan, lt, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.order_statistics import OrderStatistics
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.extremes_one_by_one import found_one_by_one, one_by_one
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import expand_dims, with_axis
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis

__all__ = ["argpartition", "argtopk", "lexsort", "partition", "topk"]


def lexsort(keys: TensorLike | Sequence[TensorLike], axis: int = -1) -> TensorVariable:
    """Positions that sort by the last key, those of equal ones by the one before, and so on.

    The number of keys, of one shape, must be known. See `numpy.lexsort`. Raises TypeError without
    any key, ValueError for keys of different shapes.

    >>> lexsort(([9, 4, 0], [1, 1, 0])).eval()
    array([2, 1, 0])
    """
    items = list(keys) if isinstance(keys, (list, tuple)) else [*as_tensor(keys)]
    if not items:
        raise TypeError("lexsort needs a key at least")
    first, *others = (as_tensor(key) for key in items)
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


def _in_bounds(
    x: TensorLike, kth: TensorLike, axis: int | None, name: str
) -> tuple[TensorVariable, int]:
    """`x`, flattened without an axis, if the places `kth` are on the axis; and the axis."""
    (x, along), places = with_axis(x, axis), as_tensor(kth)
    if places.dtype[0] not in "iu":
        raise TypeError(f"{name}: kth is of integers, not {places!r}")
    n = lengths_of(x)[along]
    fits = all_of(ge(places, -n) & lt(places, n))
    return check_and_raise(x, fits, ValueError, f"{name}: kth={kth} is out of bounds"), along


def partition(x: TensorLike, kth: TensorLike, axis: int | None = -1) -> TensorVariable:
    """`x` with the elements `kth` of `axis` where sorting puts them, smaller ones before.

    On either side of one, elements keep their order, which NumPy does not promise; with a vector
    of places, and of complex numbers, all are sorted. See `numpy.partition`.

    >>> partition([3, 0, 1, 2], 2).eval()
    array([0, 1, 2, 3])
    """
    x, along = _in_bounds(x, kth, axis, "partition")
    if _is_one(x, kth):
        return _parted(x, x, kth, along)
    return sort(x, along)


def argpartition(x: TensorLike, kth: TensorLike, axis: int | None = -1) -> TensorVariable:
    """Positions with which `x` is as `partition` makes it. See `numpy.argpartition`.

    >>> argpartition([3, 0, 1, 2], 2).eval()
    array([1, 2, 3, 0])
    """
    values, along = _in_bounds(x, kth, axis, "argpartition")
    if _is_one(values, kth):
        others = [a for a in range(values.ndim) if a != along]
        places = expand_dims(arange(lengths_of(values)[along]), others)
        return _parted(values, places, kth, along)
    return argsort(values, along)


def _is_one(x: Any, kth: TensorLike) -> bool:
    """Whether there is one place, of elements that can be selected."""
    return not as_tensor(kth).ndim and not x.is_complex


def _parted(x: Any, values: Any, kth: TensorLike, axis: int) -> TensorVariable:
    """`values`, which broadcast with `x`, in the order in which that is parted at one place."""
    lanes, values = moveaxis(x, axis, -1), moveaxis(values, axis, -1)
    lengths = lengths_of(lanes)
    n = lengths[-1]
    pivot = OrderStatistics()(lanes, expand_dims(as_tensor(kth).astype("int64") % n, 0))
    less, more = _is_before(lanes, pivot), _is_before(pivot, lanes)
    so_less, so_more = cumsum(less, -1), cumsum(more, -1)
    all_less, all_more = sum(less, -1, keepdims=True), sum(more, -1, keepdims=True)
    equal_before = arange(n) - so_less - so_more
    place = where(
        less, so_less - 1, where(more, n - all_more + so_more - 1, all_less + equal_before)
    )
    key = [
        expand_dims(arange(length), [b for b in range(x.ndim) if b != a])
        for a, length in enumerate(lengths[:-1])
    ]
    result = index(zeros(lengths, values.dtype), (*key, place))
    return moveaxis(updated(result, "set", broadcast_to(values, lengths)), -1, axis)


def _is_before(a: Any, b: Any) -> TensorVariable:
    """Whether `a` is sorted before `b`: NaN behind all."""
    return lt(a, b) | (isnan(b) & ~isnan(a)) if a.type.differentiable else lt(a, b)


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
    if found_one_by_one(x, abs(k), along):
        return moveaxis(one_by_one(moveaxis(x, along, -1), k), -1, along)
    order = argsort(x, along) if k < 0 else n - 1 - flip(argsort(flip(x, along), along), along)
    return index(order, (slice(None),) * along + (slice(None, abs(k)),))
