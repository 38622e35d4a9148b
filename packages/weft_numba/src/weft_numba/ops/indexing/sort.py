"""Order, written in LLVM's terms: NumPy's own functions, for one vector after another."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.vectors import Vectors
from weft_numba.numba_layer.views import with_axis_moved
from weft_tensor import ArgSort, Sort

__all__ = ["numba_funcify_sort", "ordered"]

_ANY_ORDER: Final = ("int32", "int64", "uint32", "uint64", "float32", "float64")
"""Dtypes that are sorted faster where the order of equal elements may be any."""


@numba_funcify.register(Sort)
@numba_funcify.register(ArgSort)
def numba_funcify_sort(op: Sort | ArgSort, **kwargs: object) -> Any:
    """NumPy's function for vectors."""
    return ordered("sort" if isinstance(op, Sort) else "argsort", op.axis)


@cache
def ordered(name: str, axis: int) -> Any:
    """The function of an array that calls one of `numpy_functions` along an axis.

    >>> import numba
    >>> import numpy as np
    >>> positions = ordered("argsort", 0)
    >>> numba.njit(lambda x: positions(x))(np.array([3.0, 1.0, 2.0]))
    array([1, 2, 0])
    """

    def typed(context: object, x: Any) -> Any:
        item = x.dtype if name == "sort" else types.int64
        result = types.Array(item, x.ndim, "C" if axis == x.ndim - 1 else "A")
        return result(x), outlined(f"{name} {axis}", write)

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Value:
        result, last = sig.return_type, sig.args[0].ndim - 1
        lanes = with_axis_moved(context, builder, sig.args[0], args[0], axis, last)
        x = Vectors(context, builder, *lanes)
        if name == "sort":
            out = x.copied()
            x.call(name, [out.data])
        else:
            source, out = x.contiguous(), x.new(types.int64, lambda indices: indices[-1])
            is_fast = str(x.kind.dtype) in _ANY_ORDER
            x.call(name if is_fast else "stable_argsort", [source.data, out.data])
            if is_fast:
                x.each(partial(_order_equal_ones, x, source.data, out.data))
            x.drop(source)
        kind = types.Array(result.dtype, result.ndim, "C")
        _, array = with_axis_moved(context, builder, kind, out._getvalue(), last, axis)
        return impl_ret_new_ref(context, builder, result, array)

    return intrinsic(typed)


def _order_equal_ones(x: Vectors, data: Value, positions: Value, _: Value, start: Value) -> None:
    """Sort the positions of equal elements, which follow each other, in the vector from `start`."""
    builder = x.builder
    values, places = (builder.gep(p, [start]) for p in (data, positions))
    begin = cgutils.alloca_once_value(builder, start.type(0))
    before = cgutils.alloca_once(builder, values.type.pointee, zfill=True)

    def end_run(end: Value) -> None:
        first = builder.load(begin)
        count = builder.sub(end, first)
        with builder.if_then(builder.icmp_signed(">", count, count.type(1)), likely=False):
            x.run("sort", "int64", builder.gep(places, [first]), count)
        builder.store(end, begin)

    builder.store(start.type(0), begin)
    with cgutils.for_range(builder, x.length) as loop:
        value = builder.load(builder.gep(values, [builder.load(builder.gep(places, [loop.index]))]))
        with builder.if_then(_differ(builder, builder.load(before), value), likely=True):
            end_run(loop.index)
        builder.store(value, before)
    end_run(x.length)


def _differ(builder: IRBuilder, x: Value, y: Value) -> Value:
    """Whether two numbers are not in the same place of the order; NaN and NaN are."""
    if isinstance(x.type, ir.IntType):
        return builder.icmp_signed("!=", x, y)
    one_is_number = builder.or_(*[builder.fcmp_ordered("ord", v, v) for v in (x, y)])
    return builder.and_(one_is_number, builder.fcmp_unordered("!=", x, y))
