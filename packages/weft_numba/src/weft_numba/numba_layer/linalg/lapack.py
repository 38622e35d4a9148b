"""Calls of LAPACK for one matrix, which it reads by columns where our rows are.

So it makes the factors of the transpose.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.blas import I32, I64, LONGEST
from weft_numba.numba_layer.linalg.matrices import (
    BlasOperand,
    Matrix,
    Memory,
    copy,
    is_zero,
    number,
    parts,
)

__all__ = [
    "at_least_one",
    "by_columns",
    "divide",
    "exchanged_with",
    "factors_of",
    "informed",
    "invert_factors",
    "is_finite",
    "real_size",
    "room",
    "zero_on_diagonal",
]

_ONE: Final = I64(1)
_FINE: Final = I32(0)
_BLOCK: Final = 64
"""How many columns LAPACK works on at once: what it needs memory for."""


def at_least_one(builder: IRBuilder, n: Value) -> Value:
    """The length, or 1 where it is 0: what LAPACK calls a leading dimension."""
    return builder.select(builder.icmp_signed(">", n, _ONE), n, _ONE)


def informed(builder: IRBuilder, dtype: str, name: str, *arguments: Value | str) -> Value:
    """A call of LAPACK; gives what it says of its success, 0 for the best."""
    info = cgutils.alloca_once_value(builder, _FINE)
    builder.store(_FINE, info)
    blas.call(builder, dtype, name, *arguments, builder.bitcast(info, blas.POINTER))
    return builder.load(info)


def room(builder: IRBuilder, *terms: tuple[int, Value, Value]) -> Value:
    """How many numbers LAPACK may work in: the sum of products, and some more; at most 2**31."""
    size = I64(8)
    for times, m, n in terms:
        size = builder.add(size, builder.mul(I64(times), builder.mul(m, n)))
    return builder.select(builder.icmp_signed("<", size, I64(LONGEST)), size, I64(LONGEST))


def real_size(dtype: str) -> int:
    """How many bytes a real number of that precision has.

    >>> real_size("complex64")
    4
    """
    return np.dtype(dtype).itemsize // (2 if "complex" in dtype else 1)


def by_columns(builder: IRBuilder, memory: Memory, x: Matrix) -> Matrix:
    """A copy whose memory has one column after another: its rows are the columns of x."""
    work = memory.matrix(x.dtype, x.columns, x.rows)
    copy(builder, x.transposed(), work)
    return work


def is_finite(builder: IRBuilder, x: Matrix) -> Value:
    """Whether all elements are: then each less itself is 0, and so is the sum."""
    real = parts(builder, number(x.dtype, 0.0))[0].type
    total = cgutils.alloca_once(builder, real)
    builder.store(real(0.0), total)
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        for part in parts(builder, x.get(builder, row.index, column.index)):
            nothing = builder.fsub(part, part)
            builder.store(builder.fadd(builder.load(total), nothing), total)
    return builder.fcmp_ordered("==", builder.load(total), real(0.0))


def zero_on_diagonal(builder: IRBuilder, a: Matrix) -> Value:
    """1 if a number on the diagonal is zero, else 0."""
    flag = cgutils.alloca_once_value(builder, _FINE)
    with cgutils.for_range(builder, a.rows) as row:
        zero = is_zero(builder, a.get(builder, row.index, row.index))
        builder.store(builder.or_(builder.load(flag), builder.zext(zero, I32)), flag)
    return builder.load(flag)


def divide(builder: IRBuilder, x: Matrix, a: BlasOperand, half: Value | str, diagonal: str) -> None:
    """Solve a y = x for y, which replaces x: by columns, that is yᵀ aᵀ = xᵀ.

    `half` says which half of a's memory counts, by columns: "L" or "U"; `diagonal` is "U" if
    there are ones on the diagonal.
    """
    with builder.if_else(builder.icmp_signed("==", x.columns, _ONE)) as (vector, matrix):
        with vector:
            flags = half, a.flag(builder, "T", "N"), diagonal
            blas.call(builder, x.dtype, "trsv", *flags, x.rows, *a[::2], x.data, _ONE)
        with matrix:
            sides = "R", half, a.flag(builder, "N", "T"), diagonal
            factor = x.columns, x.rows, number(x.dtype, 1.0)
            apart = at_least_one(builder, x.columns)
            blas.call(builder, x.dtype, "trsm", *sides, *factor, *a[::2], x.data, apart)


def factors_of(builder: IRBuilder, memory: Memory, x: Matrix, work: Matrix) -> tuple[Value, Value]:
    """Put the factors of xᵀ, by columns, into `work`; gives the exchanged rows, and info."""
    exchanged = memory.take(x.rows, 4)
    copy(builder, x, work)
    leading = at_least_one(builder, x.rows)
    arguments = x.rows, x.rows, work.data, leading, exchanged
    return exchanged, informed(builder, x.dtype, "getrf", *arguments)


def exchanged_with(builder: IRBuilder, exchanged: Value, i: Value) -> Value:
    """The row that row i was exchanged with: itself, or a later one."""
    places = builder.bitcast(exchanged, I32.as_pointer())
    return builder.sub(builder.sext(builder.load(builder.gep(places, [i])), I64), _ONE)


def invert_factors(builder: IRBuilder, memory: Memory, factors: Matrix, exchanged: Value) -> Value:
    """Put the inverse of what `factors_of` has made in its place; gives info."""
    n = factors.rows
    size = at_least_one(builder, builder.mul(n, I64(_BLOCK)))
    space = memory.take(size, factors.size)
    arguments = n, factors.data, at_least_one(builder, n), exchanged, space, size
    return informed(builder, factors.dtype, "getri", *arguments)
