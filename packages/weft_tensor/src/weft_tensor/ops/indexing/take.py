"""Elements chosen along an axis, by position or by condition; and how often numbers occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Gather, Pointwise, View
from weft_tensor.build.op import kind_of
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge, neq, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import min as smallest
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import Reshape, expand_dims, with_axis

__all__ = ["bincount", "compress", "take", "take_along_axis"]


def take(
    x: TensorLike,
    indices: TensorLike,
    axis: int | None = None,
    mode: str = "raise",
    *,
    fill_value: TensorLike | None = None,
) -> TensorVariable:
    """The elements at `indices` along `axis`; of the flattened `x` without. See `numpy.take`.

    `mode` says what is done with those out of bounds: "raise" an IndexError at the call, "wrap"
    around, "clip", or, as in `jax.numpy.take`, "fill" with `fill_value`, which is NaN or, of
    integers, the least that there is; of those without a sign and bools, the largest. JAX's
    "promise_in_bounds" is "raise". Raises ValueError for an unknown `mode`, and for a `fill_value`
    with another one.

    >>> take([[1, 2, 3], [4, 5, 6]], [2, 0], axis=1).eval()
    array([[3, 1],
           [6, 4]])
    """
    x, along = with_axis(x, axis)
    places: Any = as_tensor(indices)
    places = places.astype("int64") if places.dtype == "bool" else places
    moved, inside = moved_places("take", x, places, along, mode, fill_value)
    values = index(x, ((slice(None),) * along + (moved,)))
    return _or_fill(values, inside, x.ndim - along - 1, fill_value) if mode == "fill" else values


def moved_places(
    owner: str, x: TensorVariable, places: Any, along: int, mode: str, fill_value: object = None
) -> tuple[TensorVariable, Any]:
    """Places along an axis of `x` as `mode` has them, and which were in bounds; see `take`.

    NumPy clips negative places of `take` to 0, JAX counts those of others from the end before.

    >>> moved_places("take", as_tensor([1, 2]), as_tensor([-1, 2]), 0, "clip")[0].eval()
    array([0, 1])
    """
    if mode not in ("raise", "promise_in_bounds", "wrap", "clip", "fill"):
        raise ValueError(f"{owner}: mode is 'raise', 'wrap', 'clip' or 'fill', not {mode!r}")
    if fill_value is not None and mode != "fill":
        raise ValueError(f"{owner}: fill_value is for mode='fill', not for {mode!r}")
    if mode in ("raise", "promise_in_bounds"):
        return places, True
    n = lengths_of(x)[along]
    message = f"{owner}: axis {along} of {x!r} has no elements"
    n = check_and_raise(n, ge(n, 1), IndexError, message)
    inside = ge(places, -n) & (places < n)
    if mode != "clip":
        return places % n, inside
    counted = places if owner == "take" else where(places < 0, places + n, places)
    return maximum(minimum(counted, n - 1), 0), inside


def _or_fill(
    values: TensorVariable, inside: TensorVariable, further: int, fill_value: TensorLike | None
) -> TensorVariable:
    """`values`, or `fill_value` for those that are not inside; they have so many axes after."""
    if fill_value is None:
        kind = values.dtype[0]
        limits = np.iinfo(values.dtype) if kind in "iu" else None
        of_others = np.nan if kind in "fc" else True
        fill_value = (limits.max if kind == "u" else limits.min) if limits else of_others
    places = expand_dims(inside, range(inside.ndim, inside.ndim + further)) if further else inside
    return where(places, values, as_tensor(fill_value).astype(values.dtype))


def first_of_mask(mask: TensorVariable, size: int) -> tuple[TensorVariable, TensorVariable]:
    """The first `size` places where a vector is true, and which of them there are.

    What there is not is at place 0.

    >>> [v.eval() for v in first_of_mask(as_tensor([False, True]), 2)]
    [array([1, 0]), array([ True, False])]
    """
    length = as_size(lengths_of(mask)[0])
    (places,) = nonzero(mask, size=size, fill_value=length)
    there = places < length
    return where(there, places, 0), there


def filled(
    x: TensorLike, mask: TensorVariable, axis: int, size: int, fill_value: Any = 0
) -> TensorVariable:
    """The first `size` slices of `x` along an axis that a vector says, then ones of `fill_value`.

    >>> filled([[1, 2], [3, 4]], as_tensor([False, True]), 0, 2, 9).eval()
    array([[3, 4],
           [9, 9]])
    """
    x = as_tensor(x)
    places, there = first_of_mask(mask, size)
    values = index(x, (slice(None),) * axis + (places,))
    fill = as_tensor(fill_value).astype(x.dtype)
    others = [a for a in range(x.ndim) if a != axis]
    return where(expand_dims(there, others) if others else there, values, fill)


def take_along_axis(
    x: TensorLike,
    indices: TensorLike,
    axis: int | None = -1,
    mode: str = "raise",
    fill_value: TensorLike | None = None,
) -> TensorVariable:
    """The elements at `indices` along `axis`, a choice for each place on the others.

    Without an axis, of the flattened `x`. `mode` and `fill_value` are those of `take`, but that
    "clip" counts negative indices from the end, as JAX has it. See `numpy.take_along_axis`, and
    `jax.numpy.take_along_axis`, whose mode is "fill". Raises ValueError if the indices have another
    rank than `x`, IndexError if they are no integers.

    >>> take_along_axis([[3, 1], [5, 6]], [[1], [0]], axis=1).eval()
    array([[1],
           [5]])
    """
    (x, along), places = with_axis(x, axis), as_tensor(indices)
    if places.ndim != x.ndim:
        raise ValueError(f"indices of rank {places.ndim} for a tensor of rank {x.ndim}")
    if places.dtype[0] not in "iu":
        raise IndexError(f"take_along_axis takes integers as indices, not {places!r}")
    moved, inside = moved_places("take_along_axis", x, places, along, mode, fill_value)
    values = index(x, key_along(x, moved, along))
    return _or_fill(values, inside, 0, fill_value) if mode == "fill" else values


def key_along(x: TensorVariable, places: TensorVariable, axis: int) -> tuple[TensorVariable, ...]:
    """What has `places` along an axis of `x`, and along the others the place itself.

    >>> x = as_tensor([[3, 1], [5, 6]])
    >>> [v.type.shape for v in key_along(x, x, 1)]
    [(2, 1), (2, 2)]
    """
    key = []
    for a, n in enumerate(lengths_of(x)):
        others = tuple(b for b in range(x.ndim) if b != a)
        key.append(places if a == axis else expand_dims(arange(n), others))
    return tuple(key)


def compress(
    condition: TensorLike,
    x: TensorLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: TensorLike = 0,
) -> TensorVariable:
    """The slices of `x` along `axis` for which `condition`, a vector, is true.

    With `size`, the first so many, as in `jax.numpy.compress`: no length depends on values, and
    what there is not stands as `fill_value`. See `numpy.compress`. Raises ValueError if the
    condition is no vector.

    >>> compress([False, True, True], [4, 5, 6]).eval()
    array([5, 6])
    >>> compress([False, True, True], [4, 5, 6], size=3, fill_value=-1).eval()
    array([ 5,  6, -1])
    """
    mask = as_tensor(condition)
    if mask.ndim != 1:
        raise ValueError(f"compress takes a vector of conditions, not {mask!r}: write x[mask]")
    if size is None:
        return take(x, nonzero(mask)[0], axis)
    whole, along = with_axis(x, axis)
    return filled(whole, mask if mask.dtype == "bool" else neq(mask, 0), along, size, fill_value)


_NEGATIVE: Final = "bincount takes no negative numbers"


def bincount(
    x: TensorLike,
    weights: TensorLike | None = None,
    minlength: SizeLike = 0,
    *,
    length: SizeLike | None = None,
) -> TensorVariable:
    """How often 0, 1, 2, ... occur in a vector; with `weights`, the sums of these.

    The result reaches to the largest of them, and has `minlength` elements at least; or it has
    `length` elements, and what is not below that is not counted, as `jax.numpy.bincount` has it.
    In a loop on JAX it needs a `length`. See `numpy.bincount`. Raises TypeError for others than
    integers and bools, and for complex weights, ValueError for what is no vector, for another
    number of weights, and for a negative `minlength`.

    >>> bincount([1, 3, 1]).eval(), bincount([1, 3, 1], length=2).eval()
    (array([0, 2, 0, 1]), array([0, 2]))
    """
    x = as_tensor(x)
    if x.dtype[0] not in "biu":
        raise TypeError(f"bincount takes a vector of integers, not {x!r}")
    if x.ndim != 1:
        raise ValueError(f"bincount takes a vector of integers, not {x!r}")
    if length is not None:
        low, high = _range_of(x)
        x, n = x.astype("int64"), as_size(length)
        if isinstance(length, int) and low >= 0 and high < length:
            return _counted(x, weights, n)
        places = check_and_raise(minimum(x, n), _none_negative(x), ValueError, _NEGATIVE)
        return index(_counted(places, weights, n + 1), slice(n))
    least, (low, high) = as_size(minlength), _range_of(x)
    if isinstance(minlength, int) and low >= 0 and high < minlength:
        return _counted(x.astype("int64"), weights, least)
    least = check_and_raise(least, ge(least, 0), ValueError, "minlength of bincount is 0 or more")
    x = x.astype("int64")
    reach = largest(x, initial=-1) + 1
    reach = check_and_raise(reach, _none_negative(x), ValueError, _NEGATIVE)
    return _counted(x, weights, maximum(reach, least))


def _none_negative(x: TensorVariable) -> TensorVariable:
    """Said of the least, not of each: what says the length says this."""
    return ge(smallest(x, initial=0), 0)


def _counted(x: TensorVariable, weights: TensorLike | None, n: TensorVariable) -> TensorVariable:
    if weights is None:
        return updated(index(zeros(n, "int64"), x), "inc", 1)
    amounts: Any = as_tensor(weights)
    if amounts.is_complex:
        raise TypeError(f"bincount takes real weights, not {amounts!r}")
    amounts = (specify_shape(amounts, lengths_of(x)) if amounts.ndim else amounts).astype("float64")
    return updated(index(zeros(n), x), "inc", amounts)


_Range = tuple[int, int]


def _ends(values: Sequence[int]) -> _Range:
    return min(values), max(values)


_RANGES: Final[dict[str, Callable[..., _Range | None]]] = {
    "cast": lambda x: x,
    "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "sub": lambda x, y: (x[0] - y[1], x[1] - y[0]),
    "mul": lambda x, y: _ends([a * b for a, b in product(x, y)]),
    "floor_div": lambda x, y: _ends([a // b for a, b in product(x, y)]) if y[0] > 0 else None,
    "mod": lambda x, y: (0, y[1] - 1) if y[0] > 0 else None,
    "minimum": lambda x, y: (min(x[0], y[0]), min(x[1], y[1])),
    "maximum": lambda x, y: (max(x[0], y[0]), max(x[1], y[1])),
    "where": lambda _, x, y: _ends([*x, *y]),
}
"""By function of integers: the least and largest result, of those of the arguments."""


def _range_of(x: Any, deepest: int = 8) -> _Range:
    """The least and the largest that an integer of `x` can be, as far as its Ops tell."""
    of_all = np.iinfo(x.dtype) if x.dtype != "bool" else None
    limits = (int(of_all.min), int(of_all.max)) if of_all else (0, 1)
    if isinstance(x.op, Constant) and x.op.value.size:
        return int(x.op.value.min()), int(x.op.value.max())
    if not deepest or any(getattr(i, "dtype", "other")[0] not in "biu" for i in x.inputs):
        return limits
    kind, result = kind_of(x), None
    if isinstance(kind, View | Gather) or isinstance(x.op, Reshape):
        return _range_of(x.inputs[0], deepest - 1)
    if isinstance(kind, Pointwise) and kind.of in _RANGES:
        result = _RANGES[kind.of](*[_range_of(i, deepest - 1) for i in x.inputs])
    fits = result and limits[0] <= result[0] and result[1] <= limits[1]  # else it may overflow
    return result if result and fits else limits
