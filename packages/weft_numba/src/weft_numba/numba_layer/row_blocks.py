"""Blocks of rows, which several kernels go over before the next block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.numba_layer.rooms import uncounted

__all__ = ["borrowed_rows", "rows_of_block", "size_of_row"]

_BYTES: Final = 2**14
"""What a block reads and writes: it stays in the nearest cache while all kernels go over it."""
_ALL: Final = 2**40
_I64: Final = ir.IntType(64)
_ONE: Final = _I64(1)


@intrinsic
def borrowed_rows(typing_context: Any, array: Any, begin: Any, end: Any) -> Any:
    """`array[begin:end]`, borrowed; both are within bounds."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        whole = array_in_place(context, builder, array, args[0])
        (_, *others), strides = shape_of(builder, whole), strides_of(builder, whole)
        first = cgutils.pointer_add(builder, whole.data, builder.mul(args[1], strides[0]))
        lengths = [builder.sub(args[2], args[1]), *others]
        return uncounted(context, builder, array, whole, first, lengths, strides)

    kind = array if array.layout == "C" else array.copy(layout="A")
    return kind(array, types.intp, types.intp), write


@intrinsic
def size_of_row(typing_context: Any, array: Any) -> Any:
    """How many bytes lie between rows; below 0 if these do not lie one after another."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        view = array_in_place(context, builder, array, args[0])
        first, *others = strides_of(builder, view)
        for stride in others:
            apart = builder.icmp_signed(">=", first, stride)
            first = builder.select(apart, first, _I64(-_ALL))
        return first

    return types.intp(array), write


@intrinsic
def rows_of_block(typing_context: Any, size: Any) -> Any:
    """How many rows of so many bytes go through several kernels together."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        some = builder.select(builder.icmp_signed(">", args[0], _ONE), args[0], _ONE)
        rows = builder.udiv(_I64(_BYTES), some)
        rows = builder.select(builder.icmp_signed(">", rows, _ONE), rows, _ONE)
        return builder.select(builder.icmp_signed("<", args[0], _I64(0)), _I64(_ALL), rows)

    return types.intp(size), write
