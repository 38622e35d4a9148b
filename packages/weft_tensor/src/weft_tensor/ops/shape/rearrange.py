"""Elements repeated, and in another order: repeat, tile, flip, roll."""

from __future__ import annotations

from typing import Any, Final

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of, sizes_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, reshape, with_axis
from weft_tensor.types.axes import Axes, as_axes, listed

__all__ = ["flip", "fliplr", "flipud", "repeat", "roll", "tile"]

_NEGATIVE: Final = "repeats can't be negative"
# How often one axis is laid out by joining: on JAX, three times 10^5 numbers in .8 of the time that
# a broadcast takes, and the slope of a sum over them in .35; on Numba in the same.
_COPIED: Final = range(2, 9)


def repeat(
    x: TensorLike,
    repeats: TensorLike,
    axis: int | None = None,
    *,
    total_repeat_length: SizeLike | None = None,
) -> TensorVariable:
    """Each element (or slice along `axis`) `repeats` times, one number or one for each.

    Without `axis`, `x` is flattened. With `total_repeat_length`, there are so many, as in
    `jax.numpy.repeat`: what is more is left out, and the last one fills what is less, so that no
    length depends on values. See `numpy.repeat`. Raises TypeError if `repeats` is neither
    an integer nor a vector of integers.

    >>> repeat([5, 6], 2).eval(), repeat([5, 6], [1, 3]).eval()
    (array([5, 5, 6, 6]), array([5, 6, 6, 6]))
    >>> repeat([5, 6], [1, 3], total_repeat_length=3).eval()
    array([5, 6, 6])
    """
    times = as_tensor(repeats)
    if times.ndim > 1 or times.dtype[0] not in "iu":
        raise TypeError(f"repeats must be an integer or a vector of integers, not {times!r}")
    x, along = with_axis(x, axis)
    times = times.astype("int64")
    if times.ndim or not isinstance(times.op, Constant):
        times = check_and_raise(times, ge(times, 0), ValueError, _NEGATIVE)
    elif times.op.value < 0:
        raise ValueError(_NEGATIVE)
    if total_repeat_length is not None:
        each = broadcast_to(times, (lengths_of(x)[along],))
        return _taken(x, _first_of_each(each, as_size(total_repeat_length)), along)
    if not times.ndim:
        return _every(x, times, along)
    return _taken(x, _each(broadcast_to(times, (lengths_of(x)[along],))), along)


def _every(x: TensorVariable, times: TensorVariable, axis: int) -> TensorVariable:
    """Each element of an axis, `times` times."""
    lengths: list[Any] = list(lengths_of(x))
    repeated = [*lengths[: axis + 1], times, *lengths[axis + 1 :]]
    lengths[axis] = lengths[axis] * times
    return reshape(broadcast_to(expand_dims(x, axis + 1), repeated), lengths)


def _each(times: TensorVariable) -> TensorVariable:
    """0, 1, ..., each as often as `times` says: how many of them end before each place."""
    return _ended(cumsum(times), sum(times))


def _ended(ends: TensorVariable, length: TensorVariable) -> TensorVariable:
    """How many ends are not after each of so many places."""
    here = updated(index(zeros(length + 1, "int64"), ends), "inc", 1)
    return cumsum(index(here, slice(None, length)))


def _first_of_each(times: TensorVariable, length: TensorVariable) -> TensorVariable:
    """So many of 0, 1, ..., each as often as `times` says, and of the last one for the rest."""
    places = _ended(minimum(cumsum(times), length), length)
    return minimum(places, lengths_of(times)[0] - 1)


def _taken(x: TensorVariable, places: TensorLike, axis: int) -> TensorVariable:
    return index(x, (slice(None),) * axis + (places,))


def tile(x: TensorLike, reps: SizesLike) -> TensorVariable:
    """`x` laid out `reps` times along each axis. See `numpy.tile`.

    >>> tile([1, 2], (2, 2)).eval()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    x = as_tensor(x)
    times = [as_size(r) for r in sizes_of(reps)]
    ndim = max(len(times), x.ndim)
    times = [as_size(1)] * (ndim - len(times)) + times
    lengths = [as_size(1)] * (ndim - x.ndim) + list(lengths_of(x))
    known = [int(r.op.value) if isinstance(r.op, Constant) else None for r in times]
    many = [a for a, r in enumerate(known) if r != 1]
    if len(many) == 1 and (few := known[many[0]]) is not None and few in _COPIED:
        return concatenate([expand_dims(x, tuple(range(ndim - x.ndim)))] * few, many[0])
    apart = reshape(x, [n for length in lengths for n in (1, length)])
    pairs = list(zip(times, lengths, strict=True))
    laid_out = broadcast_to(apart, [n for pair in pairs for n in pair])
    return reshape(laid_out, [r * n for r, n in pairs])


def flip(x: TensorLike, axis: Axes = None) -> TensorVariable:
    """In reverse order along `axis`, all axes by default. See `numpy.flip`.

    >>> flip([[1, 2], [3, 4]], axis=1).eval()
    array([[2, 1],
           [4, 3]])
    """
    x = as_tensor(x)
    axes = as_axes(axis, x.ndim)
    return index(x, tuple(slice(None, None, -1 if a in axes else None) for a in range(x.ndim)))


def fliplr(x: TensorLike) -> TensorVariable:
    """The columns in reverse order. See `numpy.fliplr`.

    >>> fliplr([[1, 2]]).eval()
    array([[2, 1]])
    """
    return flip(x, 1)


def flipud(x: TensorLike) -> TensorVariable:
    """The rows in reverse order. See `numpy.flipud`.

    >>> flipud([[1], [2]]).eval()
    array([[2],
           [1]])
    """
    return flip(x, 0)


def roll(x: TensorLike, shift: Any, axis: Axes = None) -> TensorVariable:
    """The elements moved by `shift` along `axis`, those beyond the end to the beginning.

    Several shifts belong to several axes; without `axis`, `x` is flattened in between.
    See `numpy.roll`. Raises ValueError for another number of shifts than of axes.

    >>> roll([1, 2, 3, 4], 1).eval()
    array([4, 1, 2, 3])
    """
    result: TensorVariable = as_tensor(x)
    if axis is None:
        return reshape(roll(ravel(result), shift, 0), lengths_of(result))
    axes = [as_axes(a, result.ndim)[0] for a in listed(axis)]
    shifts = list(shift) if isinstance(shift, (list, tuple)) else [shift] * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"{len(shifts)} shifts for {len(axes)} axes")
    for a, by in zip(axes, shifts, strict=True):
        sizes = lengths_of(result)
        cut = sizes[a] - as_size(by) % maximum(sizes[a], 1)
        before = (slice(None),) * a
        ends = index(result, (*before, slice(cut, None))), index(result, (*before, slice(cut)))
        result = reshape(concatenate(ends, a), sizes)
    return result
