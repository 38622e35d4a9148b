"""Cholesky factors in Numba, and inverses from them: LAPACK's potrf and lauum."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    element,
    local_function,
    number,
)
from weft_numba.numba_layer.linalg.registration import register_matrix, register_square
from weft_numba.numba_layer.linalg.unrolled import cholesky
from weft_tensor import Cholesky, CholeskyInverse

__all__ = ["write_cholesky", "write_cholesky_inverse"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)
_COLUMNS: Final = 8
_FEW: Final = 16
"""Up to so many rows, numbers are copied one by one."""
_SMALL_TRIANGLE: Final = 32


def write_cholesky(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """The lower factor by rows, from the lower half; by columns, as LAPACK has it, it is upper."""
    (x,) = inputs
    n = lengths["n"]
    factor = contiguous(builder, x.dtype, result, n, n)
    with builder.if_else(builder.icmp_signed("<=", n, I64(_FEW))) as (small, large):
        with small:
            _copy_each(builder, x, factor)
        with large:
            _copy_half(builder, x, factor)
            _clear_half(builder, factor)
    return informed(builder, x.dtype, "potrf", "U", n, result, at_least_one(builder, n))


def _write_cholesky_or_nan(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """The lower factor by rows, whose lower half is NaN if there is none."""
    n, dtype = lengths["n"], inputs[0].dtype
    failed = write_cholesky(builder, memory, lengths, inputs, result)
    with builder.if_then(builder.icmp_signed("!=", failed, _FINE), likely=False):
        factor = contiguous(builder, dtype, result, n, n)
        with (
            cgutils.for_range(builder, n) as row,
            cgutils.for_range(builder, builder.add(row.index, _ONE)) as column,
        ):
            factor.put(builder, row.index, column.index, number(dtype, math.nan))
    return _FINE


def _copy_each(builder: IRBuilder, x: Matrix, target: Matrix) -> None:
    """The lower half of `x`, and zeros: number by number, faster than two calls for each row."""
    zero = ir.Constant(element(x.dtype), None)
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.rows) as column:
        i, j = row.index, column.index
        below = builder.icmp_signed("<=", j, i)
        target.put(builder, i, j, builder.select(below, x.get(builder, i, j), zero))


def _copy_half(builder: IRBuilder, x: Matrix, target: Matrix) -> None:
    """The lower half of `x`, row by row."""
    with cgutils.for_range(builder, x.rows) as row:
        length = builder.add(row.index, _ONE)
        halves = (
            m._replace(data=m.at(builder, row.index, _ZERO), rows=_ONE, columns=length)
            for m in (x, target)
        )
        copy(builder, *halves)


def _clear_half(builder: IRBuilder, x: Matrix) -> None:
    """Zeros above the diagonal."""
    with cgutils.for_range(builder, x.rows) as row:
        after = builder.add(row.index, _ONE)
        count = builder.mul(builder.sub(x.columns, after), I64(x.size))
        cgutils.memset(builder, x.at(builder, row.index, after), count, 0)


def write_cholesky_inverse(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """By lauum, which gives one half: the upper one by columns, that is the lower one by rows."""
    (x,) = inputs
    n = lengths["n"]
    inverse = contiguous(builder, x.dtype, result, n, n)
    _copy_half(builder, x, inverse)
    apart = at_least_one(builder, n)
    singular = _invert_triangle(builder, x.dtype, result, n, apart)
    with builder.if_then(builder.icmp_signed("==", singular, _FINE)):
        informed(builder, x.dtype, "lauum", "U", n, result, apart)
        _mirror(builder, inverse)
    return singular


def _invert_triangle(builder: IRBuilder, dtype: str, data: Value, n: Value, apart: Value) -> Value:
    """Replace the upper half of a matrix by columns by its inverse; gives 0 if it has one.

    By halves, LAPACK's trtri for the small ones: at 200 rows that takes half of trtri's time.
    One half is inverted and the other divided by, never both inverted and multiplied: so the
    error grows with the condition of the matrix, not with that of its halves besides (Du Croz and
    Higham, "Stability of methods for matrix inversion", 1992).
    """
    name = f"weft_triangle_{dtype}"
    return local_function(builder, name, [data, n, apart], partial(_by_halves, dtype))


def _by_halves(dtype: str, builder: IRBuilder, data: Value, n: Value, apart: Value) -> Value:
    status = cgutils.alloca_once(builder, I32)
    small = builder.icmp_signed("<=", n, I64(_SMALL_TRIANGLE))
    with builder.if_else(small) as (at_once, by_halves):
        with at_once:
            builder.store(informed(builder, dtype, "trtri", "U", "N", n, data, apart), status)
        with by_halves:
            half, size = builder.ashr(n, _ONE), I64(np.dtype(dtype).itemsize)
            rest = builder.sub(n, half)
            right = builder.gep(data, [builder.mul(builder.mul(half, apart), size)])
            last = builder.gep(right, [builder.mul(half, size)])
            first = _invert_triangle(builder, dtype, data, half, apart)
            for name, side, sign, factor in (("trmm", "L", 1.0, data), ("trsm", "R", -1.0, last)):
                flags = side, "U", "N", "N", half, rest, number(dtype, sign)
                blas.call(builder, dtype, name, *flags, factor, apart, right, apart)
            second = _invert_triangle(builder, dtype, last, rest, apart)
            builder.store(builder.or_(first, second), status)
    return builder.load(status)


def _mirror(builder: IRBuilder, x: Matrix) -> None:
    """Copy the lower half to the upper one, a few columns at a time: they stay in the cache."""
    few = I64(_COLUMNS)
    blocks = builder.sdiv(builder.add(x.rows, I64(_COLUMNS - 1)), few)
    with cgutils.for_range(builder, blocks) as block:
        first = builder.mul(block.index, few)

        def move(row: Value, k: Value) -> None:
            column = builder.add(first, k)
            x.put(builder, column, row, x.get(builder, row, column))

        with cgutils.for_range(builder, builder.sub(x.rows, first)) as below:
            row = builder.add(first, below.index)
            near = builder.icmp_signed("<", below.index, few)
            with builder.if_else(near) as (in_triangle, under_it):
                with in_triangle, cgutils.for_range(builder, below.index) as one:
                    move(row, one.index)
                with under_it:
                    for k in range(_COLUMNS):
                        move(row, I64(k))


def _described(op: Cholesky) -> tuple[str, Callable[..., Any], str]:
    name = "cholesky_or_nan" if op.or_nan else "cholesky"
    return name, _write_cholesky_or_nan if op.or_nan else write_cholesky, "nn nn"


register_matrix(Cholesky, _described, "the matrix is not positive definite", small=cholesky)
register_square(
    CholeskyInverse, "cholesky_inverse", write_cholesky_inverse, ("nn",), "the matrix is singular"
)
