"""Elements put in between, left out and repeated to fill: as new tensors, not in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, ones, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, ge, le, neq, where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import positions
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import with_named_length
from weft_tensor.ops.shape.length import as_size, lengths_of, sizes_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims, ravel, reshape, with_axis
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import Axes, as_axes

__all__ = ["append", "delete", "insert", "resize", "trim_zeros"]


def append(x: TensorLike, values: TensorLike, axis: int | None = None) -> TensorVariable:
    """`values` behind `x` along `axis`; both flattened without. See `numpy.append`.

    >>> append([1, 2], [[3], [4]]).eval()
    array([1, 2, 3, 4])
    """
    return concatenate([as_tensor(x), as_tensor(values)], axis)


def insert(x: TensorLike, obj: Any, values: TensorLike, axis: int | None = None) -> TensorVariable:
    """`values` put before the places `obj` of `axis`; of the flattened `x` without.

    `obj` is a number, a slice, a mask or a vector of places, each of them counted before
    anything is inserted. See `numpy.insert`, which takes a vector of one place for a number;
    here only one of known length is.

    >>> insert([1, 2, 3], 1, 9).eval()
    array([1, 9, 2, 3])
    >>> insert([1, 2, 3], [0, 3], [8, 9]).eval()
    array([8, 1, 2, 3, 9])
    """
    x, along = with_axis(x, axis)
    new = as_tensor(values).astype(x.dtype)
    n = lengths_of(x)[along]
    places = _places(obj, n)
    message = f"insert: a place is out of bounds for axis {along} of {x!r}"
    places = check_and_raise(places, ge(places, -n) & le(places, n), IndexError, message)
    places = where(places < 0, places + n, places)
    if not places.ndim or places.type.shape == (1,):
        new = expand_dims(new, tuple(range(x.ndim - new.ndim))) if new.ndim < x.ndim else new
        if not places.ndim:
            new = moveaxis(new, 0, along)
        at = reshape(places, ())
        before = (slice(None),) * along
        lengths = list(lengths_of(x))
        lengths[along] = lengths_of(new)[along]
        parts = [index(x, (*before, slice(None, at))), broadcast_to(new, lengths)]
        whole = concatenate([*parts, index(x, (*before, slice(at, None)))], along)
        return with_named_length(whole, along, n + lengths[along])
    (count,) = lengths_of(places)
    order = argsort(places)
    earlier = updated(index(zeros(count, "int64"), order), "set", arange(count))
    counts = updated(index(zeros(n + 1, "int64"), places), "inc", 1)
    own_places = arange(n) + index(cumsum(counts), slice(None, -1))
    lengths = list(lengths_of(x))
    lengths[along] = n + count
    before = (slice(None),) * along
    result = updated(index(zeros(lengths, x.dtype), (*before, places + earlier)), "set", new)
    return updated(index(result, (*before, own_places)), "set", x)


def delete(x: TensorLike, obj: Any, axis: int | None = None) -> TensorVariable:
    """`x` without the places `obj` of `axis`; of the flattened `x` without an axis.

    `obj` is a number, a slice, a mask or a vector of places. See `numpy.delete`.

    >>> delete([1, 2, 3, 4], [0, 2]).eval()
    array([2, 4])
    """
    x, along = with_axis(x, axis)
    n = lengths_of(x)[along]
    before = (slice(None),) * along
    if not isinstance(obj, slice):
        obj = _as_index(obj)
        if obj.dtype == "bool":
            message = f"delete: the mask {obj!r} must be as long as axis {along} of {x!r}"
            mask = check_and_raise(~obj, eq(lengths_of(obj)[0], n), ValueError, message)
            (places,) = positions(mask)
            return index(x, (*before, places))
        if not obj.ndim:
            message = f"delete: {obj!r} is out of bounds for axis {along} of {x!r}"
            at = check_and_raise(obj, ge(obj, -n) & (obj < n), IndexError, message)
            at = where(at < 0, at + n, at)
            parts = [slice(None, at), slice(at + 1, None)]
            result = concatenate([index(x, (*before, part)) for part in parts], along)
            return with_named_length(result, along, n - 1)
    (places,) = positions(updated(index(ones(n, "bool"), obj), "set", False))
    return index(x, (*before, places))


def _as_index(obj: Any) -> TensorVariable:
    """`obj` as a tensor; an empty list is one of places."""
    if not isinstance(obj, Variable) and not np.size(obj):
        obj = np.zeros(np.shape(obj), "int64")
    places = as_tensor(obj)
    if places.dtype[0] not in "iub":
        raise IndexError(f"places are integers, a slice or a mask, not {places!r}")
    if places.ndim > 1:
        raise ValueError(f"places are a number or a vector, not {places!r} of rank {places.ndim}")
    if places.dtype == "bool" and not places.ndim:
        raise ValueError(f"a mask is a vector, not {places!r}")
    return places


def _places(obj: Any, n: Any) -> TensorVariable:
    """The places that `obj` means of an axis of length `n`, int64."""
    if isinstance(obj, slice):
        return index(arange(n), obj)
    places = _as_index(obj)
    if places.dtype != "bool":
        return places.astype("int64")
    (indices,) = positions(places)
    return indices


def resize(x: TensorLike, new_shape: SizeLike) -> TensorVariable:
    """The elements of `x`, repeated or cut to fill `new_shape`; zeros if there are none.

    See `numpy.resize`. Raises ValueError for negative lengths.

    >>> resize([1, 2, 3], (2, 2)).eval()
    array([[1, 2],
           [3, 1]])
    """
    flat = ravel(as_tensor(x))
    sizes = [as_size(n) for n in sizes_of(new_shape)]
    if any(isinstance(length := static_length(s), int) and length < 0 for s in sizes):
        raise ValueError(f"resize: lengths can't be negative: {new_shape}")
    total: Any = as_size(1)
    for size in sizes:
        total = total * size
    (n,) = lengths_of(flat)
    if not static_length(n):  # there may be no element
        flat = concatenate([flat, zeros(1, flat.dtype)])
    return reshape(index(flat, arange(total) % maximum(n, 1)), sizes)


def trim_zeros(x: TensorLike, trim: str = "fb", axis: Axes = None) -> TensorVariable:
    """`x` without the zeros at the front ("f") and the back ("b"), along `axis` or all axes.

    Cut off are the slices of zeros alone. See `numpy.trim_zeros`. Raises ValueError for another
    `trim` than 'f', 'b' and 'fb'.

    >>> trim_zeros([0, 0, 1, 0, 2, 0]).eval()
    array([1, 0, 2])
    """
    ends = trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: trim is 'f', 'b' or 'fb', not {trim!r}")
    x = as_tensor(x)
    nonzero = neq(x, 0)
    key: list[slice] = [slice(None)] * x.ndim
    for a in as_axes(axis, x.ndim):
        there = any_of(nonzero, [b for b in range(x.ndim) if b != a])
        n = where(any_of(there), lengths_of(there)[0], 0)
        start = _leading(there) if "f" in ends else None
        stop = n - _leading(index(there, slice(None, None, -1))) if "b" in ends else n
        key[a] = slice(start, maximum(stop, 0))
    return index(x, tuple(key))


def _leading(there: Any) -> TensorVariable:
    """How many places are before the first one that is true."""
    return argmax(concatenate([there, [True]]))
