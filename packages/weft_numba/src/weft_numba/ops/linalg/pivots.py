"""Symmetric elimination with pivots of one and two rows in Numba: LAPACK's sytrf and hetrf."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, by_columns, informed, room
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    element,
    joined,
    number,
    parts,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_tensor import SymmetricPivots

__all__ = ["write_pivots"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_BLOCK: Final = 64


def write_pivots(
    is_hermitian: bool,
    takes_first: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    *results: Value,
) -> None:
    """By sytrf or hetrf, of a copy by columns: of its upper half, if the last row is to be first.

    LAPACK leaves rows of L as they were when their column was made, and so exchanges here follow.
    """
    (x,) = inputs
    n = x.rows
    work = by_columns(builder, memory, x if takes_first else _turned(builder, x))
    apart, size = at_least_one(builder, n), room(builder, (_BLOCK, n, _ONE))
    exchanged, space = memory.take(n, 4), memory.take(size, x.size)
    name = "hetrf" if is_hermitian and "complex" in x.dtype else "sytrf"
    half = "L" if takes_first else "U"
    informed(builder, x.dtype, name, half, n, work.data, apart, exchanged, space, size)
    given = work.transposed()
    given = given if takes_first else _turned(builder, given)
    factor, d = (contiguous(builder, x.dtype, place, n, n) for place in results[:2])
    order = builder.bitcast(results[2], I64.as_pointer())
    bytes_ = builder.mul(n, builder.mul(n, I64(x.size)))
    cgutils.memset(builder, d.data, bytes_, 0)
    _copy_below(builder, given, factor, order)
    row = memory.take(n, x.size)
    places = builder.bitcast(exchanged, I32.as_pointer())
    is_second = cgutils.alloca_once_value(builder, ir.IntType(1)(0))
    builder.store(ir.IntType(1)(0), is_second)
    with cgutils.for_range(builder, n) as loop:
        k, last = loop.index, builder.sub(n, _ONE)
        place = k if takes_first else builder.sub(last, k)
        pivot = builder.sext(builder.load(builder.gep(places, [place])), I64)
        is_pair = builder.icmp_signed("<", pivot, _ZERO)
        with builder.if_else(builder.load(is_second)) as (after, begins):
            with after:
                builder.store(ir.IntType(1)(0), is_second)
            with begins:
                builder.store(is_pair, is_second)
                other = builder.sub(builder.select(is_pair, builder.neg(pivot), pivot), _ONE)
                other = other if takes_first else builder.sub(last, other)
                end = builder.add(k, builder.zext(is_pair, I64))
                _exchange_rows(builder, factor, k, end, other, row)
                one, two = (builder.gep(order, [i]) for i in (end, other))
                first, second = builder.load(one), builder.load(two)
                builder.store(second, one)
                builder.store(first, two)
                _put_block(builder, is_hermitian, (given, factor, d), k, is_pair)


def _turned(builder: IRBuilder, x: Matrix) -> Matrix:
    """The same memory, from the last row and column to the first."""
    last = [builder.sub(length, _ONE) for length in (x.rows, x.columns)]
    data = builder.select(
        builder.icmp_signed("<", last[0], _ZERO), x.data, x.at(builder, last[0], last[1])
    )
    return x._replace(data=data, down=builder.neg(x.down), right=builder.neg(x.right))


def _copy_below(builder: IRBuilder, given: Matrix, factor: Matrix, order: Value) -> None:
    """L as it is given, with ones on the diagonal; the rows in order."""
    with cgutils.for_range(builder, factor.rows) as row:
        i = row.index
        builder.store(i, builder.gep(order, [i]))
        start = factor.at(builder, i, _ZERO)
        cgutils.memset(builder, start, builder.mul(factor.columns, I64(factor.size)), 0)
        with cgutils.for_range(builder, i) as column:
            factor.put(builder, i, column.index, given.get(builder, i, column.index))
        factor.put(builder, i, i, number(factor.dtype, 1.0))


def _exchange_rows(
    builder: IRBuilder, x: Matrix, count: Value, one: Value, other: Value, row: Value
) -> None:
    """Exchange the beginnings of two rows."""
    first, second = (x.at(builder, i, _ZERO) for i in (one, other))
    for target, source in ((row, first), (first, second), (second, row)):
        cgutils.raw_memcpy(builder, target, source, count, x.size)


def _put_block(
    builder: IRBuilder, is_hermitian: bool, of: tuple[Matrix, ...], k: Value, is_pair: Value
) -> None:
    """Put the block of one or two rows into D."""
    given, factor, d = of

    def on_diagonal(i: Value) -> Value:
        value = given.get(builder, i, i)
        real = parts(builder, value)[0]
        is_real = is_hermitian and isinstance(value.type, ir.ArrayType)
        return joined(builder, value.type, [real, real.type(0.0)]) if is_real else value

    d.put(builder, k, k, on_diagonal(k))
    with builder.if_then(is_pair):
        after = builder.add(k, _ONE)
        value = given.get(builder, after, k)
        turned = parts(builder, value)
        if is_hermitian:
            turned = [turned[0], *(builder.fneg(v) for v in turned[1:])]
        d.put(builder, after, after, on_diagonal(after))
        d.put(builder, after, k, value)
        d.put(builder, k, after, joined(builder, value.type, turned))
        factor.put(builder, after, k, ir.Constant(element(factor.dtype), None))


def _described(op: SymmetricPivots) -> tuple[str, Callable[..., Any], str]:
    write = partial(write_pivots, op.is_hermitian, op.takes_first)
    return f"symmetric_pivots_{op.is_hermitian:d}{op.takes_first:d}", write, "nn nn nn n"


register_matrix(SymmetricPivots, _described, "")
