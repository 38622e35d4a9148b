"""Rows of arrays that loops fill: what a step gives is written where it belongs, if it fits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.extending import intrinsic

from weft_numba.numba_layer.outlining import outlined

__all__ = ["same_shape", "write_row"]

_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()
_TRUE: Final = ir.IntType(1)(1)


@intrinsic
def write_row(typing_context: Any, target: Any, row: Any, value: Any) -> Any:
    """`target[row] = value`, and whether the shapes are equal: else nothing is written.

    `target` is contiguous, and `row` within its bounds.

    >>> import numba
    >>> import numpy as np
    >>> rows = np.zeros((2, 3))
    >>> numba.njit(lambda rows, x: write_row(rows, 1, x))(rows, np.arange(3.0))
    True
    >>> rows[1]
    array([0., 1., 2.])
    """
    name = f"write_row {target} {value}"
    return types.boolean(target, types.intp, value), outlined(name, _written)


@intrinsic
def same_shape(typing_context: Any, x: Any, y: Any) -> Any:
    """Whether two arrays have the same shape.

    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda x, y: same_shape(x, y))(np.zeros(2), np.zeros(3))
    False
    """

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        shapes = [
            cgutils.unpack_tuple(builder, context.make_array(kind)(context, builder, v).shape)
            for kind, v in zip(sig.args, args, strict=True)
        ]
        return _equal(builder, *shapes)

    return types.boolean(x, y), outlined("same_shape", write)


def _equal(builder: IRBuilder, left: Sequence[Value], right: Sequence[Value]) -> Value:
    pairs = zip(left, right, strict=True)
    return reduce(builder.and_, [builder.icmp_signed("==", a, b) for a, b in pairs], _TRUE)


def _written(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    target_kind, _, kind = sig.args
    target = context.make_array(target_kind)(context, builder, args[0])
    value = context.make_array(kind)(context, builder, args[2])
    lengths: list[Any] = cgutils.unpack_tuple(builder, value.shape)
    first, *steps = cgutils.unpack_tuple(builder, target.strides)
    fits = _equal(builder, cgutils.unpack_tuple(builder, target.shape)[1:], lengths)
    with builder.if_then(fits):
        place = builder.gep(builder.bitcast(target.data, _POINTER), [builder.mul(args[1], first)])
        source = builder.bitcast(value.data, _POINTER)
        if kind.layout == "C":  # which may have been computed there
            size = reduce(builder.mul, lengths, value.itemsize)
            with builder.if_then(builder.icmp_unsigned("!=", place, source)):
                cgutils.raw_memcpy(builder, place, source, size, _I64(1))
        else:
            strides = cgutils.unpack_tuple(builder, value.strides)
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
