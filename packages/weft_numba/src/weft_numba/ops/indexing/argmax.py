"""Where the largest and the smallest element are, by NumPy's own functions for vectors."""

from __future__ import annotations

from functools import cache, partial, reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.places import array_in_place, shape_of
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
_WIDE: Final = 8
"""So many vectors that lie next to each other are gone through at once."""
_BLOCK: Final = 512
"""Of so many vectors, extremes and their places stay near."""
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
            soon = builder.icmp_signed("<=", x.length, _I64(_SHORT))
            if kind.layout == "C" and axis < kind.ndim - 1:
                array = array_in_place(context, builder, kind, args[0])
                behind = reduce(builder.mul, shape_of(builder, array)[axis + 1 :])
                soon = builder.or_(soon, builder.icmp_signed(">=", behind, _I64(_WIDE)))
                write_loop = partial(_side_by_side, builder, name, kind.dtype, array, axis)
            else:
                write_loop = partial(_one_by_one, x, name)
            with builder.if_else(soon) as (by_loop, by_calls):
                with by_loop:
                    write_loop(positions)
                with by_calls:
                    _by_numpy(x, name, positions)
        return impl_ret_new_ref(context, builder, result, positions._getvalue())

    return intrinsic(typed)


def _by_numpy(x: Vectors, name: str, positions: Any) -> None:
    source = x.contiguous()
    x.call(name, [source.data], [positions.data])
    x.drop(source)


def _one_by_one(x: Vectors, name: str, positions: Any) -> None:
    """By a loop over each vector: calls would take longer."""
    builder = x.builder
    at = cgutils.alloca_once_value(builder, _I64(0))
    with cgutils.loop_nest(builder, x.others, _I64) as indices:
        get = partial(load_element, x.context, builder, x.kind, x.array)
        extreme = cgutils.alloca_once_value(builder, get([*indices, _I64(0)]))
        best = cgutils.alloca_once_value(builder, _I64(0))
        with cgutils.for_range_slice(builder, _I64(1), x.length, _I64(1)) as (k, _):
            _keep_further(builder, name, x.kind.dtype, get([*indices, k]), k, extreme, best)
        builder.store(builder.load(best), builder.gep(positions.data, [builder.load(at)]))
        builder.store(builder.add(builder.load(at), _I64(1)), at)


def _side_by_side(
    builder: IRBuilder, name: str, dtype: Any, array: Any, axis: int, positions: Any
) -> None:
    """Along vectors that lie next to each other, of `_BLOCK` of them at once."""
    lengths = shape_of(builder, array)
    before, behind = (
        reduce(builder.mul, some, _I64(1)) for some in (lengths[:axis], lengths[axis + 1 :])
    )
    extremes = cgutils.alloca_once(builder, array.data.type.pointee, _I64(_BLOCK))
    step = builder.mul(lengths[axis], behind)
    with cgutils.for_range(builder, before) as matrix:
        data = builder.gep(array.data, [builder.mul(matrix.index, step)])
        places = builder.gep(positions.data, [builder.mul(matrix.index, behind)])
        with cgutils.for_range_slice(builder, _I64(0), behind, _I64(_BLOCK)) as (first, _):
            rest = builder.sub(behind, first)
            is_last = builder.icmp_signed("<", rest, _I64(_BLOCK))
            count = builder.select(is_last, rest, _I64(_BLOCK))
            begin, best = (builder.gep(start, [first]) for start in (data, places))
            size = builder.ptrtoint(builder.gep(extremes.type(None), [_I64(1)]), _I64)
            cgutils.raw_memcpy(builder, extremes, begin, count, size)
            cgutils.memset(builder, best, builder.mul(count, _I64(8)), 0)
            with cgutils.for_range_slice(builder, _I64(1), lengths[axis], _I64(1)) as (k, _):
                row = builder.gep(begin, [builder.mul(k, behind)])
                with cgutils.for_range(builder, count) as column:
                    value, *kept = (builder.gep(p, [column.index]) for p in (row, extremes, best))
                    _keep_further(builder, name, dtype, builder.load(value), k, *kept)


def _keep_further(
    builder: IRBuilder, name: str, dtype: Any, value: Value, k: Value, extreme: Value, best: Value
) -> None:
    """Store `value` and its place if it is further out; the first that is no number is furthest."""
    so_far, sign = builder.load(extreme), ">" if name == "argmax" else "<"
    if isinstance(dtype, types.Float):
        further = builder.fcmp_unordered(sign, value, so_far)
        further = builder.and_(further, builder.fcmp_ordered("ord", so_far, so_far))
    else:
        is_signed = getattr(dtype, "signed", False)
        compare = builder.icmp_signed if is_signed else builder.icmp_unsigned
        further = compare(sign, value, so_far)
    builder.store(builder.select(further, value, so_far), extreme)
    builder.store(builder.select(further, k, builder.load(best)), best)
