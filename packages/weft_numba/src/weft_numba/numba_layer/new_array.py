"""New arrays, whose memory may be what a freed array of that size leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.np import arrayobj

from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.places import array_in_place
from weft_numba.numba_layer.allocation import empty

__all__ = [
    *("filled", "load_element", "new_array", "number_at", "put_number", "store_element"),
]


@intrinsic
def new_array(typing_context: Any, shape: Any, dtype: Any) -> Any:
    """A contiguous array whose elements are not set; `shape` is a tuple of lengths of 0 or more.

    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda n: new_array((n, 3), np.float32))(2).shape
    (2, 3)
    """
    kind = types.Array(dtype.instance_type, len(shape), "C")

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        lengths = [
            context.cast(builder, n, t, types.intp)
            for n, t in zip(cgutils.unpack_tuple(builder, args[0]), shape, strict=True)
        ]
        return empty(context, builder, kind, lengths)._getvalue()

    return kind(shape, dtype), write


@intrinsic
def put_number(typing_context: Any, array: Any, place: Any, number: Any) -> Any:
    """`array[place] = number`, for a place within bounds: Numba's own looks for one below 0.

    >>> import numba
    >>> import numpy as np
    >>> x = np.zeros(2)
    >>> numba.njit(lambda x: put_number(x, 1, 3))(x)
    >>> x
    array([0., 3.])
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        target = array_in_place(context, builder, array, args[0])
        store_element(context, builder, array, target, [args[1]], args[2])
        return context.get_dummy_value()

    return types.none(array, types.intp, array.dtype), write


@intrinsic
def number_at(typing_context: Any, array: Any, place: Any) -> Any:
    """`array[place]` of a vector, for a place within bounds.

    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda x: number_at(x, 1))(np.arange(3.0))
    1.0
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        source = array_in_place(context, builder, array, args[0])
        return load_element(context, builder, array, source, [args[1]])

    return array.dtype(array, types.intp), write


def filled(
    context: Any,
    builder: IRBuilder,
    kind: types.Array,
    lengths: Sequence[Value],
    value: Callable[[Sequence[Value]], Value],
) -> Any:
    """Numba's structure of a contiguous array; `value` writes the element at indices."""
    array = empty(context, builder, kind, list(lengths))
    with cgutils.loop_nest(builder, lengths, ir.IntType(64)) as indices:
        store_element(context, builder, kind, array, indices, value(indices))
    return array


def load_element(
    context: Any, builder: IRBuilder, kind: types.Array, array: Any, indices: Sequence[Value]
) -> Value:
    """Write the reading of the element at indices, which are in bounds."""
    place = cgutils.get_item_pointer(context, builder, kind, array, indices, wraparound=False)
    return arrayobj.load_item(context, builder, kind, place)


def store_element(
    context: Any,
    builder: IRBuilder,
    kind: types.Array,
    array: Any,
    indices: Sequence[Value],
    value: Value,
) -> None:
    """Write the storing of the element at indices, which are in bounds."""
    place = cgutils.get_item_pointer(context, builder, kind, array, indices, wraparound=False)
    arrayobj.store_item(context, builder, kind, value, place)
