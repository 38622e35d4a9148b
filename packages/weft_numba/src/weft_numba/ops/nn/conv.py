"""Convolution of many channels in Numba: parts as columns of a matrix, and a product by BLAS.

What is done with numbers is one function for each rank and dtype, that takes strides, dilation and
so on as it takes lengths: a convolution and its derivatives share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from typing import Any, Final, NamedTuple

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
from weft_numba.lowering.users import change_count
from weft_numba.numba_layer.allocation import empty, give_back
from weft_numba.numba_layer.convolution import add_rows
from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.blas import I32, I64, LONGEST, POINTER
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    contiguous,
    local_function,
    number,
)
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.strided_copy import Axis, strided_copy
from weft_tensor import Conv

__all__ = ["numba_funcify_conv"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_PANEL: Final = 2**16
"""About how many elements of columns there are at once: they stay in the processor's cache."""
_LONG: Final = I64(16)
"""Shorter rows are not worth a call each."""


@numba_funcify.register(Conv)
def numba_funcify_conv(op: Conv, *, node: Any, **kwargs: object) -> Callable[..., object]:
    """For each example and group, columns of all parts, in panels, and the product with kernels."""
    return _convolution(op, node.type.dtype)


@cache
def _convolution(op: Conv, dtype: str) -> Callable[..., object]:
    rank = len(op.strides)

    def typed(context: object, *arguments: Any) -> Any:
        result = types.Array(numba.from_dtype(np.dtype(dtype)), rank + 2, "C")
        return result(*arguments), outlined(repr(op), partial(_write, op, dtype))

    function: Callable[..., object] = intrinsic(with_parameters(2 + 2 * rank, typed))
    return function


class _Axis(NamedTuple):
    """An axis of space."""

    length: Any
    kernel: Any
    start: Any
    count: Any
    step: Any
    apart: Any
    spread: Any


class _Reach(NamedTuple):
    """Where x and the parts lie in what holds both."""

    before: Any
    """How many zeros come before x."""
    whole: Any
    """How many elements there are, zeros included."""
    is_inside: Any
    """Whether x alone has all parts: one bit."""

    @classmethod
    def of(cls, builder: IRBuilder, axis: _Axis) -> _Reach:
        steps = builder.mul(_positive(builder, builder.sub(axis.count, _ONE)), axis.step)
        within = builder.mul(_positive(builder, builder.sub(axis.kernel, _ONE)), axis.apart)
        end = builder.add(builder.add(axis.start, steps), builder.add(within, _ONE))
        spread = builder.mul(builder.sub(axis.length, _ONE), axis.spread)
        length = _positive(builder, builder.add(spread, _ONE))
        before = _positive(builder, builder.neg(axis.start))
        longer = builder.select(builder.icmp_signed(">", end, length), end, length)
        is_inside = builder.and_(
            builder.icmp_signed("==", longer, axis.length), builder.icmp_signed("==", before, _ZERO)
        )
        is_inside = builder.and_(is_inside, builder.icmp_signed("==", axis.spread, _ONE))
        return cls(before, builder.add(before, longer), is_inside)


def _positive(builder: IRBuilder, value: Value) -> Value:
    """Zero for a negative number."""
    return builder.select(builder.icmp_signed("<", value, _ZERO), _ZERO, value)


def _product(builder: IRBuilder, values: Sequence[Value]) -> Value:
    return reduce(builder.mul, values, _ONE)


def _write(
    op: Conv, dtype: str, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]
) -> Value:
    """Check lengths, allocate memory, and call the function of the numbers."""
    rank = len(op.strides)
    x, w = (array_in_place(context, builder, sig.args[k], args[k]) for k in (0, 1))
    (examples, channels, *lengths), (results, own, *kernel) = (shape_of(builder, v) for v in (x, w))
    places = zip(args[2 : 2 + rank], args[2 + rank :], strict=True)
    steps = ([I64(n) for n in numbers] for numbers in (op.strides, op.dilation, op.spread))
    rows = zip(lengths, kernel, places, zip(*steps, strict=True), strict=True)
    axes = [_Axis(n, k, *place, *step) for n, k, place, step in rows]
    counts = [axis.count for axis in axes]
    _require(context, builder, [builder.icmp_signed(">=", n, _ZERO) for n in counts], _NEGATIVE)
    groups: Any = I64(op.groups)
    if not op.groups:
        fitting = builder.sdiv(channels, _at_least(builder, _ONE, own))
        groups = _at_least(builder, _ONE, fitting)
    fits = builder.icmp_signed("==", channels, builder.mul(own, groups))
    even = builder.icmp_signed("==", builder.srem(results, groups), _ZERO)
    message = "conv: kernels of another number of channels than the values have in each group"
    _require(context, builder, [fits, even], message)
    depth, parts = _product(builder, [own, *kernel]), _product(builder, counts)
    near = [builder.icmp_signed("<=", n, I64(LONGEST)) for n in (depth, parts)]
    _require(context, builder, near, "conv: an axis is too long for BLAS")

    memory: list[tuple[int, Any]] = []

    def new(kind: Any, *shape: Value) -> Any:
        array = empty(context, builder, kind, list(shape))
        memory.append((len(builder.function.blocks), array))
        return array

    out = new(sig.return_type, examples, results, *counts)
    reaches = [_Reach.of(builder, axis) for axis in axes]
    is_inside = reduce(builder.and_, [reach.is_inside for reach in reaches])
    held_channels = builder.select(is_inside, _ZERO, own)
    flat = [types.Array(sig.return_type.dtype, ndim, "C") for ndim in range(rank + 3)]
    padded = new(flat[rank + 1], held_channels, *(reach.whole for reach in reaches))
    each_row = builder.mul(depth, _product(builder, counts[1:]))
    panel = builder.sdiv(I64(_PANEL), _at_least(builder, _ONE, each_row))
    panel = _at_least(builder, _ONE, panel)
    panel = builder.select(builder.icmp_signed("<", panel, counts[0]), panel, counts[0])
    columns = new(flat[2], panel, each_row)
    kernels = w
    if sig.args[1].layout != "C":
        kernels = new(flat[rank + 2], results, own, *kernel)
        pairs = zip(
            (results, own, *kernel),
            *(strides_of(builder, v) for v in (w, kernels)),
            strict=True,
        )
        source, target = (builder.bitcast(v.data, POINTER) for v in (w, kernels))
        strided_copy(builder, dtype, source, target, [Axis(*pair) for pair in pairs])
    arguments = [builder.bitcast(v.data, POINTER) for v in (x, kernels, out, padded, columns)]
    arguments += [examples, groups, builder.sdiv(results, groups), own, panel]
    arguments += strides_of(builder, x)
    for axis in axes:
        arguments += axis
    with builder.if_then(builder.icmp_signed("!=", out.nitems, _ZERO)):
        local_function(builder, f"weft_conv_{rank}_{dtype}", arguments, _worker(rank, dtype))
    give_back(builder, memory)
    for _, array in memory[1:]:
        change_count(builder, "NRT_decref", array.meminfo)
    return impl_ret_new_ref(context, builder, sig.return_type, out._getvalue())


_NEGATIVE: Final = "negative dimensions are not allowed"


def _require(context: Any, builder: IRBuilder, holds: Sequence[Value], message: str) -> None:
    require(context, builder, reduce(builder.and_, holds), ValueError, message)


def _at_least(builder: IRBuilder, least: Value, value: Value) -> Value:
    return builder.select(builder.icmp_signed("<", value, least), least, value)


def _worker(rank: int, dtype: str) -> Callable[..., Value]:
    """What writes the function of numbers."""
    size = I64(np.dtype(dtype).itemsize)

    def write(builder: IRBuilder, *arguments: Value) -> Value:
        x, w, out, padded, columns, examples, groups, each, own, panel, *rest = arguments
        strides, flat = rest[: rank + 2], rest[rank + 2 :]
        axes = [_Axis(*flat[k : k + 7]) for k in range(0, len(flat), 7)]
        reaches = [_Reach.of(builder, axis) for axis in axes]
        is_inside = reduce(builder.and_, [reach.is_inside for reach in reaches])
        wholes = _suffixes(builder, [own, *(reach.whole for reach in reaches)], size)
        spaced = [
            builder.select(is_inside, mine, other)
            for mine, other in zip(strides[1:], wholes[1:], strict=True)
        ]
        extent = builder.select(is_inside, _ZERO, wholes[0])
        cgutils.memset(builder, padded, extent, 0)
        depth = _product(builder, [own, *(axis.kernel for axis in axes)])
        parts = _product(builder, [axis.count for axis in axes])
        source = cgutils.alloca_once(builder, POINTER)
        with (
            cgutils.for_range(builder, examples) as example,
            cgutils.for_range(builder, groups) as group,
        ):
            first = _ahead(builder, x, example.index, strides[0])
            channel = builder.mul(group.index, own)
            first = _ahead(builder, first, channel, strides[1])
            builder.store(first, source)
            with builder.if_then(builder.not_(is_inside)):
                inner = padded
                loops = [Axis(own, strides[1], wholes[1])]
                for axis, reach, stride, whole in zip(
                    axes, reaches, strides[2:], wholes[2:], strict=True
                ):
                    inner = _ahead(builder, inner, reach.before, whole)
                    loops.append(Axis(axis.length, stride, builder.mul(whole, axis.spread)))
                strided_copy(builder, dtype, first, inner, loops)
                builder.store(padded, source)
            begin = builder.load(source)
            for axis, stride in zip(axes, spaced[1:], strict=True):
                begin = _ahead(builder, begin, _positive(builder, axis.start), stride)
            many = builder.add(
                builder.mul(example.index, groups), group.index
            )  # results of a group lie one behind another
            memory = _ahead(builder, out, many, builder.mul(builder.mul(each, parts), size))
            mine = _ahead(builder, w, group.index, builder.mul(builder.mul(each, depth), size))
            kernels = contiguous(builder, dtype, mine, each, depth)
            is_row = _is_row(builder, each, axes, spaced, size)
            with builder.if_else(is_row) as (by_rows, by_product):
                with by_rows:
                    _by_rows(builder, dtype, begin, kernels.data, memory, own, axes, spaced)
                with by_product:
                    width = _product(builder, [axis.count for axis in axes[1:]])
                    with cgutils.for_range_slice(builder, _ZERO, axes[0].count, panel) as (row, _):
                        left = builder.sub(axes[0].count, row)
                        rows = builder.select(builder.icmp_signed("<", left, panel), left, panel)
                        here = [axes[0]._replace(count=rows), *axes[1:]]
                        step = builder.mul(spaced[1], axes[0].step)
                        at = _ahead(builder, begin, row, step)
                        panel_columns = _columns(
                            builder, dtype, at, columns, own, here, spaced, depth
                        )
                        place = _ahead(builder, memory, row, builder.mul(width, size))
                        result = Matrix(
                            dtype,
                            place,
                            each,
                            panel_columns.columns,
                            builder.mul(parts, size),
                            size,
                        )
                        _multiply(builder, kernels, panel_columns, result)
        return I32(0)

    return write


def _ahead(builder: IRBuilder, place: Value, times: Value, step: Value) -> Value:
    return builder.gep(place, [builder.mul(times, step)], source_etype=ir.IntType(8))


def _suffixes(builder: IRBuilder, lengths: Sequence[Value], unit: Value) -> list[Value]:
    """Products of all lengths from the first, the second, ... on, and none, times a unit."""
    products = [unit]
    for n in reversed(lengths):
        products.append(builder.mul(products[-1], n))
    return products[::-1]


def _columns(
    builder: IRBuilder,
    dtype: str,
    source: Value,
    target: Value,
    own: Value,
    axes: Sequence[_Axis],
    spaced: Sequence[Value],
    depth: Value,
) -> Matrix:
    """Copy all parts into the columns of a matrix; those that are longer than many, into rows."""
    size = I64(np.dtype(dtype).itemsize)
    count = _product(builder, [axis.count for axis in axes])
    last = axes[-1]
    by_parts = builder.icmp_signed(">", last.kernel, last.count)
    of_part = builder.mul(size, builder.select(by_parts, depth, _ONE))
    of_element = builder.mul(size, builder.select(by_parts, _ONE, count))
    across = _suffixes(builder, [axis.count for axis in axes], of_part)
    inside = _suffixes(builder, [axis.kernel for axis in axes], of_element)
    loops = [Axis(own, spaced[0], inside[0])]
    for k, axis in enumerate(axes):
        loops.append(Axis(axis.kernel, builder.mul(spaced[k + 1], axis.apart), inside[k + 1]))
        loops.append(Axis(axis.count, builder.mul(spaced[k + 1], axis.step), across[k + 1]))
    *outer, element, part = loops
    pairs = zip(element, part, strict=True)
    swapped = [(builder.select(by_parts, b, a), builder.select(by_parts, a, b)) for a, b in pairs]
    ends = [Axis(*values) for values in zip(*swapped, strict=True)]
    strided_copy(builder, dtype, source, target, [*outer, *ends])
    return Matrix(dtype, target, depth, count, of_element, of_part)


def _is_row(
    builder: IRBuilder, each: Value, axes: Sequence[_Axis], spaced: Sequence[Value], size: Value
) -> Value:
    """Whether there is one result for each part, and parts follow each other in memory."""
    last = axes[-1]
    equal = ((each, _ONE), (last.step, _ONE), (spaced[-1], size))
    are_equal = [builder.icmp_signed("==", a, b) for a, b in equal]
    return reduce(builder.and_, are_equal, builder.icmp_signed(">=", last.count, _LONG))


def _by_rows(
    builder: IRBuilder,
    dtype: str,
    source: Value,
    kernel: Value,
    target: Value,
    own: Value,
    axes: Sequence[_Axis],
    spaced: Sequence[Value],
) -> None:
    """Rows of results, each the sum of rows of the source times weights along one axis."""
    size, last = I64(np.dtype(dtype).itemsize), axes[-1]
    weights = _suffixes(builder, [own, *(axis.kernel for axis in axes)], size)[1:]
    strides = zip(axes, spaced[1:], strict=True)
    apart = [spaced[0], *(builder.mul(axis.apart, stride) for axis, stride in strides)]
    lengths = [own, *(axis.kernel for axis in axes)]
    along = list(zip(lengths, apart, weights, strict=True))
    if len(axes) > 1:  # the longer of two axes is that along which weights follow each other
        swaps = builder.icmp_signed(">", along[-2][0], along[-1][0])
        pairs = list(zip(*along[-2:], strict=True))
        along[-2:] = [
            tuple([builder.select(swaps, y, x) for x, y in pairs]),
            tuple([builder.select(swaps, x, y) for x, y in pairs]),
        ]
    *others, (count, step, weight) = along
    rows = _suffixes(builder, [axis.count for axis in axes], size)[1:]
    with cgutils.loop_nest(builder, [axis.count for axis in axes[:-1]], I64) as indices:
        to, begin = target, source
        for index, row, axis, stride in zip(indices, rows, axes, spaced[1:], strict=False):
            to = _ahead(builder, to, index, row)
            begin = _ahead(builder, begin, builder.mul(index, axis.step), stride)
        cgutils.memset(builder, to, builder.mul(last.count, size), 0)
        with cgutils.loop_nest(builder, [n for n, *_ in others], I64) as inside:
            place, first = begin, kernel
            for index, (_, far, wide) in zip(inside, others, strict=True):
                place, first = (
                    _ahead(builder, place, index, far),
                    _ahead(builder, first, index, wide),
                )
            add_rows(builder, dtype, to, place, first, last.count, count, step, weight)


def _multiply(builder: IRBuilder, a: Matrix, b: Matrix, c: Matrix) -> None:
    """The product of two matrices, of which the second may lie by columns."""
    if blas.letter(a.dtype) is None:
        _by_loops(builder, a, b, c)
        return
    by_columns = builder.icmp_signed("!=", b.right, I64(b.size))
    flag = builder.select(by_columns, ir.IntType(8)(ord("T")), ir.IntType(8)(ord("N")))
    apart = builder.select(by_columns, b.rows, b.columns)
    leading = [_at_least(builder, _ONE, n) for n in (apart, a.columns)]
    lengths = b.columns, a.rows, a.columns
    read = number(a.dtype, 1.0), b.data, leading[0], a.data, leading[1]
    result = number(a.dtype, 0.0), c.data, builder.sdiv(c.down, I64(c.size))
    blas.call(builder, a.dtype, "gemm", flag, "N", *lengths, *read, *result)


def _by_loops(builder: IRBuilder, a: Matrix, b: Matrix, c: Matrix) -> None:
    """The same for integers."""
    with cgutils.for_range(builder, a.rows) as row:
        place = c.at(builder, row.index, _ZERO)
        cgutils.memset(builder, place, builder.mul(c.columns, c.right), 0)
        with (
            cgutils.for_range(builder, a.columns) as inner,
            cgutils.for_range(builder, b.columns) as column,
        ):
            i, j, k = row.index, column.index, inner.index
            term = builder.mul(a.get(builder, i, k), b.get(builder, k, j))
            c.put(builder, i, j, builder.add(c.get(builder, i, j), term))
