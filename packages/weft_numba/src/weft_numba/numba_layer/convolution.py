"""What convolutions are made of, as machine code: transforms by NumPy's loops, sums of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.llvm.unrolling import with_vectors
from weft_numba.numba_layer import numpy_functions
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import element, local_function, plus, product
from weft_numba.numba_layer.strided_copy import Axis, strided_copy

__all__ = ["add_rows", "points_for", "room_for", "slide_by_transforms"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_TWO: Final = I64(2)
_FACTORS: Final = (9, 10, 12, 15)
"""Numbers of points that transforms are fast for are these, or 16, times a power of two."""
_BLOCK: Final = I64(1024)
"""How many numbers of a row are worked at together: they stay in the nearest cache."""
_AT_ONCE: Final = 4
"""Rows that are added at once: the sums are read and written less often."""


def points_for(builder: IRBuilder, n: Value, m: Value, count: Value, per_point: int = 0) -> Value:
    """How many points transforms of floating vectors take; 0 where products are added up.

    Those are preferred as long as they are at most `per_point` for each point and its bits.

    >>> function = ir.Function(ir.Module(), ir.FunctionType(I64, [I64] * 3), "f")
    >>> builder = ir.IRBuilder(function.append_basic_block())
    >>> print(points_for(builder, *function.args).opname)
    select
    """
    both = builder.add(n, m)
    least = builder.select(builder.icmp_signed("<", n, m), n, m)
    work = builder.mul(least, count)
    limit = builder.mul(builder.mul(I64(per_point), both), _bits(builder, both))
    is_worth_it = builder.icmp_signed(">", work, limit)
    whole = builder.sub(both, _ONE)
    bits = _bits(builder, builder.sub(whole, _ONE))
    few = builder.icmp_signed("<", bits, I64(5))
    unit = builder.shl(_ONE, builder.select(few, _ONE, builder.sub(bits, I64(4))))
    points = builder.mul(I64(16), unit)
    for factor in reversed(_FACTORS):
        fewer = builder.mul(I64(factor), unit)
        points = builder.select(builder.icmp_signed(">=", fewer, whole), fewer, points)
    return builder.select(is_worth_it, points, _ZERO)


def _bits(builder: IRBuilder, n: Value) -> Value:
    """How many binary digits a number has."""
    return builder.sub(I64(64), builder.ctlz(n, ir.IntType(1)(0)))


def room_for(builder: IRBuilder, points: Value) -> Value:
    """How many elements of memory are needed: two vectors, and their transforms."""
    return builder.mul(I64(4), builder.add(points, _ONE))


def slide_by_transforms(
    builder: IRBuilder, dtype: str, addresses: Sequence[Value], points: Value
) -> None:
    """The sliding products of two vectors: their addresses, that of the result and of memory."""
    local_function(builder, f"weft_slide_fft_{dtype}", [*addresses, points], _writer(dtype))


def _writer(dtype: str) -> Callable[..., Value]:
    size = I64(np.dtype(dtype).itemsize)
    is_complex = "complex" in dtype
    real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    number, pair = element(real), element("complex64" if real == "float32" else "complex128")

    def write(builder: IRBuilder, *arguments: Value) -> Value:
        x, y, out, work, n, m, x_step, y_step, start, count, points = arguments
        vector = builder.mul(points, size)
        half = points if is_complex else builder.add(builder.ashr(points, _ONE), _ONE)
        of_pair = size if is_complex else builder.mul(size, _TWO)
        transform = builder.mul(half, of_pair)
        second, transforms = (_at(builder, work, builder.mul(vector, k)) for k in (_ONE, _TWO))
        cgutils.memset(builder, work, builder.mul(vector, _TWO), 0)
        strided_copy(builder, dtype, x, work, [Axis(n, x_step, size)])
        last = _at(builder, y, builder.mul(builder.sub(m, _ONE), y_step))
        strided_copy(builder, dtype, last, second, [Axis(m, builder.neg(y_step), size)])
        one = cgutils.alloca_once_value(builder, number(1.0))
        whole = builder.fdiv(number(1.0), builder.sitofp(points, number))
        share = cgutils.alloca_once_value(builder, whole)
        forth, back = ("fft", "fft") if is_complex else ("rfft_n_even", "irfft")
        numpy_functions.transform(
            builder,
            forth,
            real,
            (work, one, transforms),
            (_TWO, points, half),
            (vector, transform, size, of_pair),
        )
        first = builder.bitcast(transforms, pair.as_pointer())
        with cgutils.for_range(builder, half) as loop:
            place = builder.gep(first, [loop.index])
            other = builder.gep(place, [half])
            builder.store(product(builder, builder.load(place), builder.load(other)), place)
        numpy_functions.transform(
            builder,
            back,
            real,
            (transforms, share, work),
            (_ONE, half, points),
            (transform, vector, of_pair, size),
            inverse=True,
        )
        cgutils.memset(builder, out, builder.mul(count, size), 0)
        full = builder.sub(builder.add(n, m), _ONE)
        low = _larger(builder, builder.neg(start), _ZERO)
        left = builder.sub(full, start)
        high = builder.select(builder.icmp_signed("<", left, count), left, count)
        with builder.if_then(builder.icmp_signed("<", low, high)):
            source = _at(builder, work, builder.mul(builder.add(low, start), size))
            to = _at(builder, out, builder.mul(low, size))
            cgutils.raw_memcpy(builder, to, source, builder.sub(high, low), size.constant)
        return I32(0)

    return write


def _at(builder: IRBuilder, place: Value, offset: Value) -> Value:
    return builder.gep(place, [offset], source_etype=ir.IntType(8))


def _larger(builder: IRBuilder, a: Value, b: Value) -> Value:
    return builder.select(builder.icmp_signed(">", a, b), a, b)


def add_rows(
    builder: IRBuilder,
    dtype: str,
    to: Value,
    source: Value,
    weights: Value,
    length: Value,
    count: Value,
    step: Value,
    weight_step: Value,
) -> None:
    """Add `count` rows of so many numbers to that at `to`.

    One begins `step` bytes after the other, as does its weight. The numbers of a row are one behind
    another.
    """
    arguments = [to, source, weights, length, count, step, weight_step]
    local_function(builder, f"weft_add_rows_{dtype}", arguments, _adder(dtype))


def _adder(dtype: str) -> Callable[..., Value]:
    kind, size = element(dtype).as_pointer(), I64(np.dtype(dtype).itemsize)

    def write(builder: IRBuilder, *arguments: Value) -> Value:
        to, source, weights, length, count, step, weight_step = arguments
        many = builder.sub(count, builder.srem(count, I64(_AT_ONCE)))

        def at(place: Value, times: Value, by: Value) -> Value:
            ahead = builder.gep(place, [builder.mul(times, by)], source_etype=ir.IntType(8))
            return builder.bitcast(ahead, kind)

        with cgutils.for_range_slice(builder, _ZERO, length, _BLOCK) as (low, _):
            left = builder.sub(length, low)
            is_less = builder.icmp_signed("<", left, _BLOCK)
            numbers = builder.select(is_less, left, _BLOCK)
            sums, begin = at(to, low, size), at(source, low, size)
            for first, end, at_once in ((_ZERO, many, _AT_ONCE), (many, count, 1)):
                with cgutils.for_range_slice(builder, first, end, I64(at_once)) as (j, _):
                    places = [builder.add(j, I64(k)) for k in range(at_once)]
                    rows = [at(begin, place, step) for place in places]
                    factors = [builder.load(at(weights, place, weight_step)) for place in places]
                    with cgutils.for_range(builder, numbers) as loop:
                        body = builder.block
                        read = [builder.load(builder.gep(row, [loop.index])) for row in rows]
                        terms = map(partial(product, builder), read, factors)
                        place = builder.gep(sums, [loop.index])
                        total = reduce(partial(plus, builder), terms, builder.load(place))
                        builder.store(total, place)
                    with_vectors(body)
        return I32(0)

    return write
