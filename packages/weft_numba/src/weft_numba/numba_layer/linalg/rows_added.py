"""A row of numbers to which others are added, each times a weight: what convolutions consist of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.llvm.unrolling import with_vectors
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import element, local_function, plus, product

__all__ = ["add_rows"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_BLOCK: Final = I64(1024)
"""How many numbers of a row are worked at together: they stay in the nearest cache."""
_AT_ONCE: Final = 4
"""Rows that are added at once: the sums are read and written less often."""


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
