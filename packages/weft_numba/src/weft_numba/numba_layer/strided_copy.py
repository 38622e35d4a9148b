"""Copies between arrays of any strides, as machine code: one function for each number of axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import reduce
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import element, local_function

__all__ = ["Axis", "strided_copy"]

_BYTE: Final = ir.IntType(8)
_SHORT: Final = 8
"""Fewer elements are not worth a call."""


class Axis(NamedTuple):
    """How many elements there are along an axis, and how many bytes apart on both sides."""

    length: Any
    source: Any
    target: Any


def strided_copy(
    builder: IRBuilder, dtype: str, source: Value, target: Value, axes: Sequence[Axis]
) -> None:
    """Copy elements of a dtype from one address to another; the last axis goes fastest.

    >>> pointer = ir.IntType(8).as_pointer()
    >>> function = ir.Function(ir.Module(), ir.FunctionType(I32, [pointer, pointer]), "f")
    >>> builder = ir.IRBuilder(function.append_basic_block())
    >>> strided_copy(builder, "int8", *function.args, [Axis(I64(3), I64(2), I64(1))])
    >>> [f.name for f in function.module.functions][:2]
    ['f', 'weft_strided_copy_1_int8']
    """
    table = [value for axis in axes for value in axis]
    name = f"weft_strided_copy_{len(axes)}_{dtype}"
    local_function(builder, name, [source, target, *table], _copier(dtype))


def _copier(dtype: str) -> Callable[..., Value]:
    kind, size = element(dtype).as_pointer(), I64(np.dtype(dtype).itemsize)

    def write(builder: IRBuilder, source: Value, target: Value, *table: Value) -> Value:
        axes = [Axis(*table[k : k + 3]) for k in range(0, len(table), 3)]
        *outer, inner = _joined(builder, axes)
        with ExitStack() as nest:
            for axis in outer:
                loop = nest.enter_context(cgutils.for_range(builder, axis.length))
                source = _moved(builder, source, loop.index, axis.source)
                target = _moved(builder, target, loop.index, axis.target)
            near = [builder.icmp_signed("==", step, size) for step in inner[1:]]
            near.append(builder.icmp_signed(">=", inner.length, I64(_SHORT)))
            with builder.if_else(reduce(builder.and_, near)) as (whole, one_by_one):
                with whole:
                    cgutils.raw_memcpy(builder, target, source, inner.length, size.constant)
                with one_by_one, cgutils.for_range(builder, inner.length) as loop:
                    origin, to = (
                        builder.bitcast(_moved(builder, place, loop.index, step), kind)
                        for place, step in ((source, inner.source), (target, inner.target))
                    )
                    builder.store(builder.load(origin, align=1), to, align=1)
        return I32(0)

    return write


def _joined(builder: IRBuilder, axes: Sequence[Axis]) -> list[Axis]:
    """The same elements in the same order, with as many as can be along the last axis."""
    *outer, inner = axes
    left: list[Axis] = []
    for axis in reversed(outer):
        steps = [
            builder.icmp_signed("==", step, builder.mul(inner.length, own))
            for step, own in zip(axis[1:], inner[1:], strict=True)
        ]
        follows = builder.and_(*steps)
        total = builder.mul(inner.length, axis.length)
        inner = inner._replace(length=builder.select(follows, total, inner.length))
        left.insert(0, axis._replace(length=builder.select(follows, I64(1), axis.length)))
    return [*left, inner]


def _moved(builder: IRBuilder, place: Value, times: Value, step: Value) -> Value:
    return builder.gep(place, [builder.mul(times, step)], source_etype=_BYTE)
