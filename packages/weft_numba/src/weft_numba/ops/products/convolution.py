"""Sums of products of one vector with another that is moved along it, in Numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.llvm.unrolling import with_vectors
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.allocation import empty, give_back
from weft_numba.numba_layer.convolution import points_for, room_for, slide_by_transforms
from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.matrices import element, local_function, plus, product
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.strided_copy import Axis, strided_copy
from weft_tensor import SlidingDot

__all__ = ["numba_funcify_sliding_dot"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_BLOCK: Final = I64(1024)
"""How many results are worked at together: they stay in the processor's nearest cache."""
_AT_ONCE: Final = 4
"""Products that are added to a result at once: it is read and written less often."""
_PER_POINT: Final = 12
"""As `SlidingDot.per_point`, of what machine code does with vectors."""
_DIFFER: Final = "slidingdot takes equal axes before the last"
_NEGATIVE: Final = "negative dimensions are not allowed"


@numba_funcify.register(SlidingDot)
def numba_funcify_sliding_dot(op: SlidingDot, *, node: Any, **kwargs: Any) -> Callable[..., object]:
    """Each element of the shorter by a part of the longer, which machine code does in vectors."""
    return _moved(op, node.type.dtype)


@cache
def _moved(op: SlidingDot, dtype: str) -> Callable[..., object]:
    def typed(context: object, x: Any, y: Any, start: Any, count: Any) -> Any:
        result = types.Array(numba.from_dtype(np.dtype(dtype)), x.ndim, "C")
        return result(x, y, start, count), outlined(repr(op), partial(_write, op, dtype))

    function: Callable[..., object] = intrinsic(with_parameters(4, typed))
    return function


def _write(
    op: SlidingDot, dtype: str, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]
) -> Value:
    """Check lengths, allocate memory, and call the function of two vectors for each pair."""
    start, count = args[2:]
    x, y = (array_in_place(context, builder, sig.args[k], args[k]) for k in (0, 1))
    (*lanes, n), (*others, m) = (shape_of(builder, v) for v in (x, y))
    countable = builder.icmp_signed(">=", count, _ZERO)
    require(context, builder, countable, ValueError, _NEGATIVE)
    for length, other in zip(lanes, others, strict=True):
        same = builder.icmp_signed("==", length, other)
        require(context, builder, same, ValueError, _DIFFER)
    out = empty(context, builder, sig.return_type, [*lanes, count])
    blocks = len(builder.function.blocks)
    flat = types.Array(sig.return_type.dtype, 1, "C")
    points: Any = _ZERO
    may_transform = op.method != "direct" and dtype[0] in "fc"
    if may_transform:
        points = points_for(builder, n, m, count, _PER_POINT if op.method == "auto" else 0)
    is_direct = builder.icmp_signed("==", points, _ZERO)
    room = builder.select(is_direct, builder.add(n, m), room_for(builder, points))
    work = empty(context, builder, flat, [room])
    size = I64(np.dtype(dtype).itemsize)
    first, second, target = (builder.bitcast(v.data, POINTER) for v in (x, y, out))
    (*steps, x_step), (*other_steps, y_step) = (strides_of(builder, v) for v in (x, y))
    each = builder.mul(count, size)
    with cgutils.loop_nest(builder, lanes, I64) as indices:
        place: Any = _ZERO
        for index, step, other, length in zip(indices, steps, other_steps, lanes, strict=True):
            first, second = (
                _ahead(builder, first, index, step),
                _ahead(builder, second, index, other),
            )
            place = builder.add(builder.mul(place, length), index)
        data = [first, second, _ahead(builder, target, place, each)]
        data.append(builder.bitcast(work.data, POINTER))
        arguments = [*data, n, m, x_step, y_step, start, count]
        with builder.if_else(is_direct) as (direct, transformed):
            with direct:
                local_function(builder, f"weft_slide_{dtype}", arguments, _slider(dtype))
            with transformed:
                if may_transform:
                    slide_by_transforms(builder, dtype, arguments, points)
    give_back(builder, [(blocks, out)])
    context.nrt.decref(builder, flat, work._getvalue())
    return impl_ret_new_ref(context, builder, sig.return_type, out._getvalue())


def _ahead(builder: IRBuilder, place: Value, times: Value, step: Value) -> Value:
    return builder.gep(place, [builder.mul(times, step)], source_etype=ir.IntType(8))


def _slider(dtype: str) -> Callable[..., Value]:
    """What writes the function of two vectors, a result, and memory for those of other strides."""
    kind, size = element(dtype), I64(np.dtype(dtype).itemsize)

    def write(builder: IRBuilder, *arguments: Value) -> Value:
        x, y, out, work, n, m, x_step, y_step, start, count = arguments
        _alone(out)
        swaps = builder.icmp_signed("<", n, m)
        ends = [
            (place, builder.select(swaps, builder.sub(length, _ONE), _ZERO), length, step)
            for place, length, step in ((x, n, x_step), (y, m, y_step))
        ]
        copies = [work, _ahead(builder, work, n, size)]
        for k, (place, at, length, step) in enumerate(ends):
            own_step = builder.select(swaps, builder.neg(step), step)
            begin, to = _ahead(builder, place, at, step), copies[k]
            is_apart = builder.icmp_signed("!=", own_step, size)
            with builder.if_then(is_apart):
                strided_copy(builder, dtype, begin, to, [Axis(length, own_step, size)])
            copies[k] = builder.select(is_apart, to, begin)
        pairs = (copies, (n, m))
        (longer, shorter), (n, m) = (
            (builder.select(swaps, b, a), builder.select(swaps, a, b)) for a, b in pairs
        )
        longer, shorter, out = (
            builder.bitcast(place, kind.as_pointer()) for place in (longer, shorter, out)
        )
        many = builder.sub(m, builder.srem(m, I64(_AT_ONCE)))
        with cgutils.for_range_slice(builder, _ZERO, count, _BLOCK) as (low, _):
            high = _least(builder, builder.add(low, _BLOCK), count)
            block = builder.mul(builder.sub(high, low), size)
            cgutils.memset(builder, builder.gep(out, [low]), block, 0)
            bounds = (low, high, n)
            place = builder.sub(start, builder.sub(m, _ONE))
            with cgutils.for_range_slice(builder, _ZERO, many, I64(_AT_ONCE)) as (j, _):
                at = builder.add(place, j)
                last = builder.add(at, I64(_AT_ONCE - 1))
                inside = builder.and_(
                    builder.icmp_signed(">=", builder.add(low, at), _ZERO),
                    builder.icmp_signed("<=", builder.add(high, last), n),
                )
                with builder.if_else(inside) as (together, one_by_one):
                    with together:
                        _add(builder, out, longer, shorter, j, place, bounds, _AT_ONCE)
                    with one_by_one, cgutils.for_range(builder, I64(_AT_ONCE)) as k:
                        one = builder.add(j, k.index)
                        _add_part(builder, out, longer, shorter, one, place, bounds)
            with cgutils.for_range_slice(builder, many, m, _ONE) as (j, _):
                _add_part(builder, out, longer, shorter, j, place, bounds)
        return I32(0)

    return write


def _alone(place: Any) -> None:
    """Say of a parameter that no other leads to the same memory: LLVM does not ask then."""
    place.add_attribute("noalias")


def _least(builder: IRBuilder, a: Value, b: Value) -> Value:
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def _add_part(
    builder: IRBuilder,
    out: Value,
    x: Value,
    y: Value,
    j: Value,
    place: Value,
    bounds: tuple[Value, Value, Value],
) -> None:
    """Add what one element of y gives, as far as there is such x: by a function, as it is rare."""
    low, high, n = bounds

    def write(builder: IRBuilder, *arguments: Value) -> Value:
        out, x, y, j, place, low, high, n = arguments
        _alone(out)
        at = builder.add(place, j)
        before = builder.neg(at)
        low = builder.select(builder.icmp_signed("<", low, before), before, low)
        high = _least(builder, high, builder.sub(n, at))
        _add(builder, out, x, y, j, place, (low, high, n), 1)
        return I32(0)

    name = f"weft_slide_one_{out.type.pointee}".translate(str.maketrans(" [", "__", "]"))
    local_function(builder, name, [out, x, y, j, place, low, high, n], write)


def _add(
    builder: IRBuilder,
    out: Value,
    x: Value,
    y: Value,
    j: Value,
    place: Value,
    bounds: tuple[Value, Value, Value],
    count: int,
) -> None:
    """Add what `count` elements of y from j on give to all results within the bounds."""
    low, high, _ = bounds
    factors = [builder.load(builder.gep(y, [builder.add(j, I64(k))])) for k in range(count)]
    shifts = [builder.add(place, builder.add(j, I64(k))) for k in range(count)]
    with cgutils.for_range_slice(builder, low, high, _ONE) as (i, _):
        body = builder.block
        terms = [
            product(builder, builder.load(builder.gep(x, [builder.add(i, shift)])), factor)
            for factor, shift in zip(factors, shifts, strict=True)
        ]
        total = reduce(partial(plus, builder), terms)
        to = builder.gep(out, [i])
        builder.store(plus(builder, builder.load(to), total), to)
    with_vectors(body)
