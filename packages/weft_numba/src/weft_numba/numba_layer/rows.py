"""Rows of arrays that loops fill: what a step gives is written where it belongs, if it fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.np.numpy_support import as_dtype

from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.lowering.requirements import require
from weft_numba.lowering.users import with_another_user
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.new_array import store_element
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.strided_copy import Axis, strided_copy

__all__ = ["contiguous", "copied", "required", "same_shape", "shift_rows", "write_row"]

_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()
_TRUE: Final = ir.IntType(1)(1)
_DIFFER: Final = "tensors to be joined differ in a length"
_NO_ROW: Final = "loop: a state changes its shape from step to step: all must have one shape"


@cache
def write_row(message: str) -> Callable[..., None]:
    """The function that does `target[row] = value`, and raises `message` if the shapes differ.

    `target` is contiguous, and `row` within its bounds.

    >>> import numba
    >>> import numpy as np
    >>> rows, put = np.zeros((2, 3)), write_row("not as long as a row")
    >>> numba.njit(lambda rows, x: put(rows, 1, x))(rows, np.arange(3.0))
    >>> rows[1]
    array([0., 1., 2.])
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        fits = _written(context, builder, sig, args)
        require(context, builder, fits, ValueError, message)
        return context.get_dummy_value()

    def typed(typing_context: Any, target: Any, row: Any, value: Any) -> tuple[Any, Any]:
        return types.none(target, types.intp, value), outlined(f"write_row {message}", write)

    function: Callable[..., None] = intrinsic(typed)
    return function


@cache
def shift_rows(*, back: bool) -> Callable[..., None]:
    """The function that moves all rows of a contiguous array by one, and puts another at the end.

    That is the last place where they move `back`, else the first.

    >>> import numba
    >>> import numpy as np
    >>> x, move = np.arange(4.0), shift_rows(back=True)
    >>> numba.njit(lambda x, row: move(x, row))(x, 7.0)
    >>> x
    array([1., 2., 3., 7.])
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        kind, row_kind = sig.args
        array = array_in_place(context, builder, kind, args[0])
        (count, *lengths), (step, *steps) = shape_of(builder, array), strides_of(builder, array)
        some = builder.icmp_signed("!=", count, _I64(0))
        require(context, builder, some, ValueError, _NO_ROW)
        rest = builder.mul(builder.sub(count, _I64(1)), step)
        first = builder.bitcast(array.data, _POINTER)
        second, last = builder.gep(first, [step]), builder.gep(first, [rest])
        to, source, end = (first, second, last) if back else (second, first, first)
        row = None
        if lengths:
            row = array_in_place(context, builder, row_kind, args[1])
            same = _equal(builder, shape_of(builder, row), lengths)
            require(context, builder, same, ValueError, _DIFFER)
        cgutils.raw_memmove(builder, to, source, rest, 1)
        if row is None:
            where = builder.sub(count, _I64(1)) if back else _I64(0)
            store_element(context, builder, kind, array, [where], args[1])
        else:
            both = (lengths, strides_of(builder, row), steps)
            axes = [Axis(*axis) for axis in zip(*both, strict=True)]
            dtype = str(as_dtype(kind.dtype))
            strided_copy(builder, dtype, builder.bitcast(row.data, _POINTER), end, axes)
        return context.get_dummy_value()

    def typed(typing_context: Any, x: Any, row: Any) -> tuple[Any, Any]:
        of_one_kind = row if isinstance(row, types.Array) else x.dtype
        name = f"shift_rows {back}"
        return types.none(x, of_one_kind), outlined(name, write, repeated=False)

    function: Callable[..., None] = intrinsic(typed)
    return function


@cache
def same_shape(message: str) -> Callable[..., None]:
    """The function of two arrays that raises `message` if their shapes differ.

    >>> import numba
    >>> import numpy as np
    >>> check = same_shape("other lengths")
    >>> numba.njit(lambda x, y: check(x, y))(np.zeros(2), np.zeros(3))
    Traceback (most recent call last):
        ...
    ValueError: other lengths
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        shapes = [
            shape_of(builder, array_in_place(context, builder, kind, v))
            for kind, v in zip(sig.args, args, strict=True)
        ]
        require(context, builder, _equal(builder, *shapes), ValueError, message)
        return context.get_dummy_value()

    def typed(typing_context: Any, x: Any, y: Any) -> tuple[Any, Any]:
        return types.none(x, y), outlined(f"same_shape {message}", write)

    function: Callable[..., None] = intrinsic(typed)
    return function


@cache
def required(message: str) -> Callable[..., None]:
    """The function of a condition that raises `message` where it does not hold.

    For Numba, a statement that raises ends the lives of all variables in a place of their own.

    >>> import numba
    >>> check = required("too small")
    >>> numba.njit(lambda n: check(n > 2))(2)
    Traceback (most recent call last):
        ...
    ValueError: too small
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        require(context, builder, args[0], ValueError, message)
        return context.get_dummy_value()

    def typed(typing_context: Any, holds: Any) -> tuple[Any, Any]:
        return types.none(types.boolean), write

    function: Callable[..., None] = intrinsic(typed)
    return function


@intrinsic
def copied(typing_context: Any, array: Any) -> tuple[Any, Any]:
    """A contiguous array with the elements of another, written out once for each type of array.

    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda x: copied(x))(np.arange(4)[::2])
    array([0, 2])
    """
    return _copy(array)


@intrinsic
def contiguous(typing_context: Any, array: Any) -> tuple[Any, Any]:
    """The same, for who reads it only: an array that is contiguous is not copied.

    >>> import numba
    >>> import numpy as np
    >>> x = np.arange(4)
    >>> same = numba.njit(lambda x: contiguous(x))
    >>> np.shares_memory(same(x), x), np.shares_memory(same(x[::2]), x)
    (True, False)
    """
    if array.layout != "C":
        return _copy(array)

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        return with_another_user(builder, args[0])

    return array.copy(readonly=False)(array), write


def _copy(array: Any) -> tuple[Any, Any]:
    """The types of a copy, and its code."""
    kind = array.copy(layout="C", readonly=False)

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        source_array = array_in_place(context, builder, array, args[0])
        lengths = shape_of(builder, source_array)
        target_array = empty(context, builder, kind, lengths)
        steps = (strides_of(builder, x) for x in (source_array, target_array))
        axes = [Axis(*axis) for axis in zip(lengths, *steps, strict=True)]
        source, target = (builder.bitcast(x.data, _POINTER) for x in (source_array, target_array))
        strided_copy(builder, str(as_dtype(kind.dtype)), source, target, axes)
        return target_array._getvalue()

    return kind(array), outlined("copied", write)


def _equal(builder: IRBuilder, left: Sequence[Value], right: Sequence[Value]) -> Value:
    pairs = zip(left, right, strict=True)
    return reduce(builder.and_, [builder.icmp_signed("==", a, b) for a, b in pairs], _TRUE)


def _written(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    target_kind, _, kind = sig.args
    target = array_in_place(context, builder, target_kind, args[0])
    value = array_in_place(context, builder, kind, args[2])
    lengths: list[Any] = shape_of(builder, value)
    first, *steps = strides_of(builder, target)
    fits = _equal(builder, shape_of(builder, target)[1:], lengths)
    with builder.if_then(fits):
        place = builder.gep(builder.bitcast(target.data, _POINTER), [builder.mul(args[1], first)])
        source = builder.bitcast(value.data, _POINTER)
        if kind.layout == "C":  # which may have been computed there
            size = reduce(builder.mul, lengths, value.itemsize)
            with builder.if_then(builder.icmp_unsigned("!=", place, source)):
                cgutils.raw_memcpy(builder, place, source, size, _I64(1))
        else:
            strides = strides_of(builder, value)
            element = context.get_data_type(kind.dtype).as_pointer()
            with cgutils.loop_nest(builder, lengths, _I64) as indices:
                pointer = _at(builder, source, strides, indices, element)
                builder.store(builder.load(pointer), _at(builder, place, steps, indices, element))
    return fits


def _at(
    builder: IRBuilder, place: Value, strides: Sequence[Value], indices: Any, element: Any
) -> Value:
    offsets = [builder.mul(i, stride) for i, stride in zip(indices, strides, strict=True)]
    return builder.bitcast(builder.gep(place, [reduce(builder.add, offsets)]), element)
