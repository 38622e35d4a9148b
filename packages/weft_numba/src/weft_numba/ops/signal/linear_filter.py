"""Filters with feedback in Numba: one loop, with the state in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.matrices import (
    element,
    joined,
    local_function,
    number,
    parts,
    product,
)
from weft_numba.numba_layer.outlining import outlined
from weft_tensor import LinearFilter

__all__ = ["numba_funcify_linear_filter"]

_MOST: Final = 16
"""Steps with so many factors are written out."""


@numba_funcify.register(LinearFilter)
def numba_funcify_linear_filter(
    op: LinearFilter, *, node: Any, **kwargs: Any
) -> Callable[..., object]:
    """A function of the whole arrays."""
    n = node.inputs[0].type.shape[0]
    return _filter(node.type.dtype, n - 1 if isinstance(n, int) and n <= _MOST else None)


@cache
def _filter(dtype: str, order: int | None) -> Callable[..., object]:
    def typed(context: object, b: Any, a: Any, x: Any, state: Any) -> Any:
        result = types.Array(numba.from_dtype(np.dtype(dtype)), x.ndim, "C")
        name = f"linearfilter {dtype} {order}"
        return result(b, a, x, state), outlined(name, partial(_write, dtype, order))

    function: Callable[..., object] = intrinsic(with_parameters(4, typed))
    return function


def _write(
    dtype: str,
    static_order: int | None,
    context: Any,
    builder: IRBuilder,
    sig: Any,
    args: Sequence[Value],
) -> Value:
    """Check lengths, allocate memory, and call the function of one lane for each."""
    b, a, x, state = (
        array_in_place(context, builder, kind, v) for kind, v in zip(sig.args, args, strict=True)
    )
    *lanes, n = shape_of(builder, x)
    *others, m = shape_of(builder, state)
    (count,), (factors,) = (shape_of(builder, v) for v in (b, a))
    order = builder.sub(count, I64(1))
    for length, other in zip([*lanes, order, count], [*others, m, factors], strict=True):
        same = builder.icmp_signed("==", length, other)
        require(context, builder, same, ValueError, LinearFilter.differ)
    out = empty(context, builder, sig.return_type, [*lanes, n])
    flat = types.Array(sig.return_type.dtype, 1, "C")
    work = empty(context, builder, flat, [count])
    size = I64(np.dtype(dtype).itemsize)
    (*steps, x_step), (*state_steps, state_step) = (strides_of(builder, v) for v in (x, state))
    (b_step,), (a_step,) = (strides_of(builder, v) for v in (b, a))
    source, start, target, ahead, behind, room = (
        builder.bitcast(v.data, POINTER) for v in (x, state, out, b, a, work)
    )
    with cgutils.loop_nest(builder, lanes, I64) as indices:
        place: Any = I64(0)
        for i, step, state_gap, length in zip(indices, steps, state_steps, lanes, strict=True):
            source, start = _at(builder, source, i, step), _at(builder, start, i, state_gap)
            place = builder.add(builder.mul(place, length), i)
        to = _at(builder, target, place, builder.mul(n, size))
        arguments = [ahead, b_step, behind, a_step, source, x_step, start, state_step]
        arguments += [to, n, room, order]
        name = f"weft_filter_{dtype}_{static_order}"
        local_function(builder, name, arguments, partial(_lane, dtype, static_order))
    context.nrt.decref(builder, flat, work._getvalue())
    return impl_ret_new_ref(context, builder, sig.return_type, out._getvalue())


def _at(builder: IRBuilder, place: Value, times: Value, step: Value) -> Value:
    return builder.gep(place, [builder.mul(times, step)], source_etype=ir.IntType(8))


def _lane(dtype: str, static_order: int | None, builder: IRBuilder, *arguments: Value) -> Value:
    """One vector: the transposed direct form of `scipy.signal.lfilter`."""
    b, b_step, a, a_step, x, x_step, state, state_step, out, n, room, order = arguments
    kind, size = element(dtype), I64(np.dtype(dtype).itemsize)
    memory = builder.bitcast(room, kind.as_pointer())
    if static_order is not None:
        memory, order = cgutils.alloca_once(builder, kind, static_order + 1), I64(static_order)

    def element_of(place: Value, k: Value, step: Value) -> Value:
        return builder.bitcast(_at(builder, place, k, step), kind.as_pointer())

    def factors(k: Value) -> tuple[Value, Value]:
        after = builder.add(k, I64(1))
        b_next, a_next = element_of(b, after, b_step), element_of(a, after, a_step)
        return builder.load(b_next), builder.load(a_next)

    def slot(k: Value) -> Value:
        return builder.gep(memory, [k])

    with cgutils.for_range(builder, order) as loop:
        value = builder.load(element_of(state, loop.index, state_step))
        builder.store(value, slot(loop.index))
    builder.store(number(dtype, 0.0), slot(order))
    first = builder.load(element_of(b, I64(0), b_step))
    pairs = [factors(I64(k)) for k in range(static_order or 0)]
    with cgutils.for_range(builder, n) as loop:
        now = builder.load(element_of(x, loop.index, x_step))
        result = _sum(builder, product(builder, first, now), builder.load(slot(I64(0))))
        builder.store(result, element_of(out, loop.index, size))

        def follow(k: Value, forward: Value, back: Value) -> None:
            ahead, behind = product(builder, forward, now), product(builder, back, result)
            later = builder.load(slot(builder.add(k, I64(1))))
            builder.store(_sum(builder, _difference(builder, ahead, behind), later), slot(k))

        for k, pair in enumerate(pairs):
            follow(I64(k), *pair)
        if static_order is None:
            with cgutils.for_range(builder, order) as inner:
                follow(inner.index, *factors(inner.index))
    return I32(0)


def _sum(builder: IRBuilder, x: Value, y: Value) -> Value:
    pairs = zip(parts(builder, x), parts(builder, y), strict=True)
    return joined(builder, x.type, [builder.fadd(p, q) for p, q in pairs])


def _difference(builder: IRBuilder, x: Value, y: Value) -> Value:
    pairs = zip(parts(builder, x), parts(builder, y), strict=True)
    return joined(builder, x.type, [builder.fsub(p, q) for p, q in pairs])
