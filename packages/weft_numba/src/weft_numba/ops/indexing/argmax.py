"""Where the largest and the smallest element are, by NumPy's own functions for vectors."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.new_array import load_element
from weft_numba.numba_layer.vectors import Vectors
from weft_numba.numba_layer.views import with_axis_moved
from weft_tensor import ArgMax, ArgMin

__all__ = ["numba_funcify_argextremum"]

_I64: Final = ir.IntType(64)
_SHORT: Final = 12
"""Up to this length, a loop takes less time than a call."""
_EMPTY: Final = "the position of the largest or smallest of no elements"


@numba_funcify.register(ArgMax)
@numba_funcify.register(ArgMin)
def numba_funcify_argextremum(op: ArgMax | ArgMin, **kwargs: object) -> Any:
    """NumPy's function for vectors, a loop for short ones."""
    return _extremum("argmax" if isinstance(op, ArgMax) else "argmin", op.axis)


@cache
def _extremum(name: str, axis: int) -> Any:
    def typed(context: object, x: Any) -> Any:
        result = types.Array(types.int64, x.ndim - 1, "C") if x.ndim > 1 else types.int64
        return result(x), write

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Value:
        kind, result = sig.args[0], sig.return_type
        lanes = with_axis_moved(context, builder, kind, args[0], axis, kind.ndim - 1)
        x = Vectors(context, builder, *lanes)
        some = builder.icmp_signed("!=", x.length, x.length.type(0))
        require(context, builder, some, ValueError, _EMPTY)
        if not x.others:
            slot = cgutils.alloca_once(builder, _I64)
            source = x.contiguous()
            x.call(name, [source.data], [slot])
            x.drop(source)
            return builder.load(slot)
        positions = empty(context, builder, result, x.others)
        if isinstance(kind.dtype, types.Complex):
            _by_numpy(x, name, positions)
        else:
            is_short = builder.icmp_signed("<=", x.length, _I64(_SHORT))
            with builder.if_else(is_short) as (short, long):
                with short:
                    _one_by_one(x, name, positions)
                with long:
                    _by_numpy(x, name, positions)
        return impl_ret_new_ref(context, builder, result, positions._getvalue())

    return intrinsic(typed)


def _by_numpy(x: Vectors, name: str, positions: Any) -> None:
    source = x.contiguous()
    x.call(name, [source.data], [positions.data])
    x.drop(source)


def _one_by_one(x: Vectors, name: str, positions: Any) -> None:
    """By loops over each vector, for its extreme and for where that is: calls would take longer."""
    builder, dtype = x.builder, x.kind.dtype
    at = cgutils.alloca_once_value(builder, _I64(0))
    with cgutils.loop_nest(builder, x.others, _I64) as indices:
        get = partial(load_element, x.context, builder, x.kind, x.array)
        first = get([*indices, _I64(0)])
        extreme = cgutils.alloca_once_value(builder, first)
        missing = cgutils.alloca_once_value(builder, _is_missing(builder, dtype, first))
        with cgutils.for_range_slice(builder, _I64(1), x.length, _I64(1)) as (k, _):
            value, so_far = get([*indices, k]), builder.load(extreme)
            further = _compare(builder, dtype, ">" if name == "argmax" else "<", value, so_far)
            builder.store(builder.select(further, value, so_far), extreme)
            is_missing = builder.or_(builder.load(missing), _is_missing(builder, dtype, value))
            builder.store(is_missing, missing)
        best = cgutils.alloca_once_value(builder, _I64(0))
        with cgutils.for_range(builder, x.length) as backwards:
            place = builder.sub(builder.sub(x.length, _I64(1)), backwards.index)
            value = get([*indices, place])
            here = builder.select(
                builder.load(missing),
                _is_missing(builder, dtype, value),
                _compare(builder, dtype, "==", value, builder.load(extreme)),
            )
            builder.store(builder.select(here, place, builder.load(best)), best)
        builder.store(builder.load(best), builder.gep(positions.data, [builder.load(at)]))
        builder.store(builder.add(builder.load(at), _I64(1)), at)


def _compare(builder: IRBuilder, dtype: Any, sign: str, value: Value, other: Value) -> Value:
    if isinstance(dtype, types.Float):
        return builder.fcmp_ordered(sign, value, other)
    is_signed = getattr(dtype, "signed", False)
    return (builder.icmp_signed if is_signed else builder.icmp_unsigned)(sign, value, other)


def _is_missing(builder: IRBuilder, dtype: Any, value: Value) -> Value:
    """Whether `value` is no number: the first such is the extreme."""
    is_float = isinstance(dtype, types.Float)
    return builder.fcmp_unordered("uno", value, value) if is_float else ir.IntType(1)(0)
