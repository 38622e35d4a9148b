"""Rooms: memory that is there before a loop begins, for what each of its steps computes.

A function is told of a room by two integers, the address and the number of bytes. What does not
fit gets memory of its own, as does what has no room (`NO_ROOM`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.places import (
    array_in_place,
    memory,
    new_array,
    shape_of,
    strides_of,
    value_in_place,
)

__all__ = [
    "NO_ROOM",
    "SIZE",
    "alternate_room",
    "borrowed",
    "borrowed_row",
    "row_room",
    "row_size",
    "stack_room",
    "uncounted",
]

SIZE: Final = 1024
"""Bytes of a room on the stack: for more than this, the time to ask for memory is nothing."""
NO_ROOM: Final = ("0", "0")

_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()
_ROOM: Final = ir.ArrayType(ir.IntType(64), SIZE // 8)


@intrinsic
def stack_room(typing_context: Any) -> Any:
    """The address of `SIZE` bytes; each place in the source has its own."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        return builder.ptrtoint(_on_stack(builder, 1), _I64)

    return types.intp(), write


@intrinsic
def alternate_room(typing_context: Any, step: Any) -> Any:
    """The same of two rooms in turns: what one step puts there, the next one can read."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        odd = builder.and_(args[0], _I64(1))
        return builder.ptrtoint(builder.gep(_on_stack(builder, 2), [odd]), _I64)

    return types.intp(step), write


def _on_stack(builder: IRBuilder, count: int) -> Value:
    room = memory(builder, ir.ArrayType(_ROOM, count))  # Numba's would be filled with zeros
    room.align = 64
    return builder.bitcast(room, _ROOM.as_pointer())


@intrinsic
def row_room(typing_context: Any, array: Any, row: Any) -> Any:
    """The address of a row of a contiguous array, where `row` is within bounds."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        view = array_in_place(context, builder, array, args[0])
        skipped = builder.mul(args[1], strides_of(builder, view)[0])
        return builder.add(builder.ptrtoint(view.data, _I64), skipped)

    return types.intp(array, types.intp), write


@intrinsic
def row_size(typing_context: Any, array: Any) -> Any:
    """How many bytes each row of a contiguous array has."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        view = array_in_place(context, builder, array, args[0])
        return strides_of(builder, view)[0]

    return types.intp(array), write


@intrinsic
def borrowed(typing_context: Any, array: Any) -> Any:
    """The array, of which nobody counts the uses, which would keep threads from one another.

    Who gives it must hold it meanwhile.
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        view = array_in_place(context, builder, array, args[0])
        axes = shape_of(builder, view), strides_of(builder, view)
        return uncounted(context, builder, array, view, view.data, *axes)

    return array(array), write


@intrinsic
def borrowed_row(typing_context: Any, array: Any, row: Any) -> Any:
    """`array[row]`, borrowed too; `row` is within bounds, and `array` has two axes or more."""
    layout = "C" if array.layout == "CS" and array.ndim == 2 else array.layout
    kind = array.copy(ndim=array.ndim - 1, layout=layout)

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        whole = array_in_place(context, builder, array, args[0])
        lengths, strides = shape_of(builder, whole), strides_of(builder, whole)
        first = cgutils.pointer_add(builder, whole.data, builder.mul(args[1], strides[0]))
        return uncounted(context, builder, kind, whole, first, lengths[1:], strides[1:])

    return kind(array, types.intp), write


def uncounted(
    context: Any,
    builder: IRBuilder,
    kind: Any,
    array: Any,
    data: Value,
    lengths: Sequence[Value],
    strides: Sequence[Value],
) -> Value:
    """A part of an array, of which nobody counts the uses."""
    part = new_array(
        context,
        builder,
        kind,
        data=data,
        lengths=lengths,
        strides=strides,
        itemsize=array.itemsize,
        meminfo=_POINTER(None),
    )
    return value_in_place(builder, part)
