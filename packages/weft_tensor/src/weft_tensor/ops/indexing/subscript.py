"""What stands between the brackets of `x[...]`: read into a static part and variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeGuard

import numpy as np

from weft_graph import Constant, Variable
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import Size, TensorLike, TensorVariable
from weft_tensor.ops.indexing.nonzero import positions
from weft_tensor.ops.indexing.slices import SCALAR, Slice
from weft_tensor.ops.shape.length import as_size
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.as_array import as_array
from weft_tensor.types.symbolic_dims import Length

__all__ = [
    "ARRAY",
    "NEW",
    "SCALAR",
    "Entry",
    "Slice",
    "advanced_place",
    "build_key",
    "parse",
    "with_axes_for_bools",
]

ARRAY: Final = "array"
"""Stands for an array of integers among an Op's inputs."""
NEW: Final = "new"
"""A new axis."""


Entry = int | str | Slice
"""An int, SCALAR, ARRAY, NEW, or a Slice."""


def with_axes_for_bools(subscript: object, ndim: int) -> tuple[object, tuple[int, ...]]:
    """`subscript` with a mask of one element for each single bool, and the new axes these are for.

    As in NumPy, a bool takes no axis: it stands for a mask of a new one, of length 1. The axes are
    counted in what has them already.

    >>> with_axes_for_bools((0, True), 2)
    ((0, array([ True])), (1,))
    """
    items = subscript if isinstance(subscript, tuple) else (subscript,)
    if not any(map(_is_single_bool, items)):
        return subscript, ()
    key: list[Any] = []
    axes: list[int] = []
    place = 0
    used = sum(_axes_taken(_mask_or_index(i)) for i in items if not _is_single_bool(i))
    for index in items:
        if _is_single_bool(index):
            axes.append(place)
            is_variable = isinstance(index, Variable)
            index = expand_dims(index, 0) if is_variable else np.array([index], bool)
            place += 1
        else:
            place += ndim - used if index is Ellipsis else _axes_taken(_mask_or_index(index))
        key.append(index)
    return tuple(key), tuple(axes)


def _is_single_bool(index: object) -> bool:
    return isinstance(index, (bool, np.bool_)) or (_is_mask(index) and not index.ndim)


def parse(
    subscript: object, shape: Sequence[Length], lengths: Sequence[Size] = ()
) -> tuple[tuple[Entry, ...], list[TensorVariable]]:
    """`subscript` as entries for axes of lengths `shape`, and the variables they stand for.

    `lengths`: the same as variables, with which masks are compared when they are computed.
    There are no single bools in it (see `with_axes_for_bools`). Raises IndexError as NumPy
    does, and TypeError for what is no index.

    >>> parse((slice(1, None), ..., 0), (3, 4, None))
    ((Slice(start=1, stop=None, step=None), Slice(start=None, stop=None, step=None), 0), [])
    """
    items = [
        _mask_or_index(i) for i in (subscript if isinstance(subscript, tuple) else [subscript])
    ]
    used = sum(map(_axes_taken, items))
    if used > len(shape):
        raise IndexError(f"too many indices: {used} for a tensor of rank {len(shape)}")
    if sum(index is Ellipsis for index in items) > 1:
        raise IndexError("an index can have only one ellipsis (...)")
    if not any(index is Ellipsis for index in items):
        items.append(Ellipsis)
    place = next(i for i, index in enumerate(items) if index is Ellipsis)
    items[place : place + 1] = [slice(None)] * (len(shape) - used)
    values: list[TensorVariable] = []
    entries: list[Entry] = []
    axis = 0
    for index in items:
        if _is_mask(index):
            _check_mask(index, shape, axis)
            entries += [_entry(numbers, values) for numbers in _chosen(index, lengths[axis:])]
        else:
            entries.append(_entry(index, values))
        axis += _axes_taken(index)
    return tuple(entries), values


def _is_mask(index: object) -> TypeGuard[np.ndarray | TensorVariable]:
    return isinstance(index, (np.ndarray, Variable)) and getattr(index, "dtype", None) == "bool"


def _chosen(mask: np.ndarray | TensorVariable, lengths: Sequence[Size]) -> Sequence[TensorLike]:
    """The positions of the true elements of `mask` along each axis of it."""
    if isinstance(mask, np.ndarray):
        return np.nonzero(mask)
    return positions(mask, lengths[: mask.ndim])


def _axes_taken(index: object) -> int:
    if index is None or index is Ellipsis:
        return 0
    return index.ndim if _is_mask(index) else 1


def _mask_or_index(index: object) -> object:
    """`index`, made an array if it amounts to a constant boolean mask."""
    if isinstance(index, Variable) and getattr(index.type, "dtype", None) == "bool":
        return index.op.value if isinstance(index.op, Constant) else index
    if not (isinstance(index, (list, tuple)) or _is_array(index)) or _has_variable(index):
        return index
    array = as_array(index)
    return array if array.dtype == bool else index


def _check_mask(mask: np.ndarray | TensorVariable, shape: Sequence[Length], axis: int) -> None:
    own = mask.shape if isinstance(mask, np.ndarray) else mask.type.shape
    for i, (n, length) in enumerate(zip(own, shape[axis:], strict=False), axis):
        if isinstance(length, int) and isinstance(n, int) and n != length:
            raise IndexError(
                f"the boolean mask has length {n} for axis {i}, which has length {length}"
            )


def _is_array(index: object) -> bool:
    """NumPy's, or one of others, as a column of a table."""
    return hasattr(index, "__array__") and not isinstance(index, (Variable, np.generic))


def _has_variable(index: object) -> bool:
    return isinstance(index, (list, tuple)) and any(
        isinstance(i, Variable) or _has_variable(i) for i in index
    )


def _entry(index: Any, values: list[TensorVariable]) -> Entry:
    if index is None:
        return NEW
    if isinstance(index, slice):
        return Slice(*[_part(p, values) for p in (index.start, index.stop, index.step)])
    if not (isinstance(index, (Variable, list, tuple)) or _is_array(index)):
        try:
            return int(index.__index__())
        except AttributeError:
            raise TypeError(
                f"{index!r} is no index: use integers, slices, arrays, None, ..."
            ) from None
    is_empty = isinstance(index, (list, tuple)) and not index
    indices = constant(index, "int64") if is_empty else as_tensor(index)
    if indices.type.dtype[0] not in "iu":
        raise TypeError(f"an index must be of integers, but {indices!r} is {indices.type.dtype}")
    if not indices.ndim:
        return _part(indices, values)  # type: ignore[return-value]  # never None here
    values.append(indices.astype("int64"))
    return ARRAY


def _part(value: Any, values: list[TensorVariable]) -> int | str | None:
    if value is None:
        return None
    if isinstance(value, Variable):
        size = as_size(value)
        if isinstance(size.op, Constant):
            return int(size.op.value)
        values.append(size)
        return SCALAR
    try:
        return int(value.__index__())
    except AttributeError:
        raise TypeError(f"a slice is made of integers or None, not {value!r}") from None


def build_key(entries: Sequence[Entry], values: Sequence[Any], scalar: Callable[[Any], Any]) -> Any:
    """The index for NumPy, from the values of the variables; `scalar` converts single ones."""
    rest = iter(values)

    def part(p: int | str | None) -> Any:
        return scalar(next(rest)) if p == SCALAR else p

    def entry(e: Entry) -> Any:
        if isinstance(e, Slice):
            return slice(*map(part, e))
        if e == NEW:
            return None
        return next(rest) if e == ARRAY else part(e)

    return tuple([entry(e) for e in entries])


def advanced_place(entries: Sequence[Entry]) -> int | None:
    """Where in the result the axes of index arrays stand; None if there are none.

    NumPy's rule: in the place of the arrays (integers among them) if these are
    neighbours, else at the front.

    >>> full = Slice(None, None, None)
    >>> advanced_place((full, ARRAY, 0)), advanced_place((ARRAY, full, 0)), advanced_place((0,))
    (1, 0, None)
    """
    if ARRAY not in entries:
        return None
    at = [i for i, e in enumerate(entries) if not isinstance(e, Slice) and e != NEW]
    return at[0] if at == list(range(at[0], at[-1] + 1)) else 0
