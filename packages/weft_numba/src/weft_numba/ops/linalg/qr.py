"""QR factors in Numba: LAPACK's gelqf and orglq, and reflections for small matrices.

By columns, as LAPACK reads it, a matrix is its transpose: the lower factor of that is the upper
one here, and no factor need be transposed. Small real matrices take fewer steps than a call of
LAPACK does. Their reflections are LAPACK's, so that signs are, too; where a column is so short or
so long that its square is no normal number, they give up.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.complex_numbers import conjugate
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed, room, zero_on_diagonal
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    by_rows,
    contiguous,
    copy,
    element,
    joined,
    parts,
    shorter,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.numba_layer.linalg.row_blas import blocks, by_triangle, columns_from, multiply
from weft_tensor import QR, QRSlope, TensorVariable

__all__ = ["numba_funcify_qr_slope", "write_qr"]

_ONE: Final = I64(1)
_BLOCK: Final = 64
_ZERO: Final = I64(0)
_MOST: Final = 16
"""Up to so many rows and columns, reflections take less time than LAPACK."""
_SAFE: Final = {"float32": (1e-30, 1e36), "float64": (1e-280, 1e300)}


def write_qr(
    complete: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    left: Value,
    right: Value,
) -> None:
    """By reflections written here for small matrices, else by LAPACK."""
    (x,) = inputs
    m, n = x.rows, x.columns
    s = shorter(builder, m, n)
    width = m if complete else s
    work = memory.matrix(x.dtype, m, n)
    triangle = contiguous(builder, x.dtype, right, width, n)
    unitary = contiguous(builder, x.dtype, left, m, width)
    by_lapack = cgutils.alloca_once(builder, ir.IntType(1))
    builder.store(ir.IntType(1)(1), by_lapack)
    if "complex" not in x.dtype:
        few = (builder.icmp_signed("<=", length, I64(_MOST)) for length in (m, n))
        with builder.if_then(builder.and_(*few)):
            scales, row = (memory.matrix(x.dtype, _ONE, I64(_MOST)) for _ in range(2))
            copy(builder, x, work)
            odd = _triangular(builder, work, s, scales, row)
            builder.store(odd, by_lapack)
            with builder.if_then(builder.not_(odd)):
                _put_triangle(builder, work, triangle, s)
                _orthogonal(builder, work, s, scales, row, unitary)
    with builder.if_then(builder.load(by_lapack)):
        _by_lapack(builder, memory, x, work, triangle, unitary)


def _by_lapack(
    builder: IRBuilder,
    memory: Memory,
    x: Matrix,
    work: Matrix,
    triangle: Matrix,
    unitary: Matrix,
) -> None:
    (m, n), width = (x.rows, x.columns), unitary.columns
    s = shorter(builder, m, n)
    copy(builder, x, work)
    factors = memory.take(s, x.size)
    size = room(builder, (_BLOCK, m, _ONE), (_BLOCK, n, _ONE))
    space = memory.take(size, x.size)
    apart = at_least_one(builder, n)
    informed(builder, x.dtype, "gelqf", n, m, work.data, apart, factors, space, size)
    _put_triangle(builder, work, triangle, s)
    copy(builder, work._replace(columns=s), unitary)
    name = "unglq" if "complex" in x.dtype else "orglq"
    apart = at_least_one(builder, width)
    informed(builder, x.dtype, name, width, m, s, unitary.data, apart, factors, space, size)


def _put_triangle(builder: IRBuilder, source: Matrix, target: Matrix, rows: Value) -> None:
    """The upper half of so many rows, and zeros elsewhere."""
    size = I64(target.size)
    whole = builder.mul(builder.mul(target.rows, target.columns), size)
    cgutils.memset(builder, target.data, whole, 0)
    with cgutils.for_range(builder, rows) as row:
        i = row.index
        to, origin = (t.at(builder, i, i) for t in (target, source))
        count = builder.sub(target.columns, i)
        cgutils.raw_memcpy(builder, to, origin, count, size.constant)


def write_slope(
    complete: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """As `QRSlope.expansion`, in the place of the result."""
    x, q, r, gq, gr = (by_rows(builder, memory, v) for v in inputs)
    s = shorter(builder, x.rows, x.columns)
    target = contiguous(builder, x.dtype, result, x.rows, x.columns)
    by_first, by_rest = columns_from(builder, target, s)
    first, beyond = columns_from(builder, q, s)
    (corner, _, _), (by_corner, by_right, _) = (blocks(builder, v, s) for v in (r, gr))
    singular = zero_on_diagonal(builder, corner)
    with builder.if_then(builder.icmp_signed("!=", singular, I32(0)), likely=False):
        memory.leave(singular)
    by_q, by_beyond = columns_from(builder, gq, s)
    copy(builder, by_q, by_first)
    if complete:
        overlap = memory.matrix(x.dtype, by_beyond.columns, s)
        multiply(builder, "CN", 1.0, by_beyond, first, 0.0, overlap)
        multiply(builder, "NN", -1.0, beyond, overlap, 1.0, by_first)
    multiply(builder, "NC", 1.0, columns_from(builder, x, s)[1], by_right, 1.0, by_first)
    middle = memory.matrix(x.dtype, s, s)
    multiply(builder, "NC", 1.0, corner, by_corner, 0.0, middle)
    multiply(builder, "CN", -1.0, by_first, first, 1.0, middle)
    _mirror(builder, middle)
    multiply(builder, "NN", 1.0, first, middle, 1.0, by_first)
    by_triangle(builder, "trsm", "RUCN", corner, by_first)
    multiply(builder, "NN", 1.0, first, by_right, 0.0, by_rest)
    return I32(0)


def _mirror(builder: IRBuilder, x: Matrix) -> None:
    """Make the matrix Hermitian by its lower half."""
    with (
        cgutils.for_range(builder, x.rows) as row,
        cgutils.for_range(builder, builder.add(row.index, _ONE)) as column,
    ):
        below = x.get(builder, row.index, column.index)
        real, *imaginary = parts(builder, below)
        same = builder.icmp_signed("==", row.index, column.index)
        rest = [builder.select(same, v.type(0.0), v) for v in imaginary]
        one = joined(builder, below.type, [real, *rest])
        x.put(builder, row.index, column.index, one)
        x.put(builder, column.index, row.index, conjugate(builder, one))


def _triangular(builder: IRBuilder, a: Matrix, count: Value, scales: Matrix, row: Matrix) -> Value:
    """Put r in the upper half of `a`, and below it the reflections, whose scales go into a row.

    Gives whether the numbers are too small, too large or not finite: one bit.
    """
    kind = element(a.dtype)
    bit = ir.IntType(1)
    odd, total = cgutils.alloca_once(builder, bit), cgutils.alloca_once(builder, kind)
    builder.store(bit(0), odd)
    root = builder.module.declare_intrinsic("llvm.sqrt", [kind])
    least, most = (kind(v) for v in _SAFE[a.dtype])
    with cgutils.for_range(builder, count) as step:
        k = step.index
        after = builder.add(k, _ONE)
        first = a.get(builder, k, k)
        builder.store(kind(0.0), total)
        with cgutils.for_range_slice(builder, after, a.rows, _ONE) as (i, _):
            value = a.get(builder, i, k)
            builder.store(builder.fadd(builder.load(total), builder.fmul(value, value)), total)
        rest = builder.load(total)
        whole = builder.fadd(rest, builder.fmul(first, first))
        usual = builder.and_(
            builder.fcmp_ordered(">=", whole, least), builder.fcmp_ordered("<=", whole, most)
        )
        builder.store(builder.or_(builder.load(odd), builder.not_(usual)), odd)
        length = builder.call(root, [whole])
        ahead = builder.fcmp_ordered(">=", first, kind(0.0))
        last = builder.select(ahead, builder.fneg(length), length)
        nothing = builder.fcmp_ordered("==", rest, kind(0.0))
        difference = builder.fsub(last, first)
        scale = builder.select(nothing, kind(0.0), builder.fdiv(difference, last))
        factor = builder.select(nothing, kind(0.0), builder.fdiv(kind(-1.0), difference))
        scales.put(builder, _ZERO, k, scale)
        a.put(builder, k, k, builder.select(nothing, first, last))
        with cgutils.for_range_slice(builder, after, a.rows, _ONE) as (i, _):
            a.put(builder, i, k, builder.fmul(a.get(builder, i, k), factor))
        _reflect(builder, a, k, scale, a, after, row)
    return builder.load(odd)


def _orthogonal(
    builder: IRBuilder, a: Matrix, count: Value, scales: Matrix, row: Matrix, target: Matrix
) -> None:
    """Put the product of the reflections that `_triangular` left in `a` there."""
    size = I64(np.dtype(a.dtype).itemsize)
    whole = builder.mul(builder.mul(target.rows, target.columns), size)
    cgutils.memset(builder, target.data, whole, 0)
    with cgutils.for_range(builder, target.columns) as column:
        target.put(builder, column.index, column.index, element(a.dtype)(1.0))
    with cgutils.for_range(builder, count) as step:
        k = builder.sub(builder.sub(count, _ONE), step.index)
        _reflect(builder, a, k, scales.get(builder, _ZERO, k), target, k, row)


def _reflect(
    builder: IRBuilder, a: Matrix, k: Value, scale: Value, target: Matrix, first: Value, row: Matrix
) -> None:
    """Reflect columns of the target, from `first` on, by column k of `a`, which begins with 1."""
    below, end = builder.add(k, _ONE), target.columns
    with cgutils.for_range_slice(builder, first, end, _ONE) as (j, _):
        row.put(builder, _ZERO, j, target.get(builder, k, j))
    with cgutils.for_range_slice(builder, below, a.rows, _ONE) as (i, _):
        factor = a.get(builder, i, k)
        with cgutils.for_range_slice(builder, first, end, _ONE) as (j, _):
            more = builder.fmul(factor, target.get(builder, i, j))
            row.put(builder, _ZERO, j, builder.fadd(row.get(builder, _ZERO, j), more))
    with cgutils.for_range_slice(builder, first, end, _ONE) as (j, _):
        change = builder.fmul(scale, row.get(builder, _ZERO, j))
        row.put(builder, _ZERO, j, change)
        target.put(builder, k, j, builder.fsub(target.get(builder, k, j), change))
    with cgutils.for_range_slice(builder, below, a.rows, _ONE) as (i, _):
        factor = a.get(builder, i, k)
        with cgutils.for_range_slice(builder, first, end, _ONE) as (j, _):
            less = builder.fmul(factor, row.get(builder, _ZERO, j))
            target.put(builder, i, j, builder.fsub(target.get(builder, i, j), less))


def _described(op: QR) -> tuple[str, partial[None], str]:
    name = "qr_complete" if op.complete else "qr"
    return name, partial(write_qr, op.complete), "mn mm mn" if op.complete else "mn ms sn"


register_matrix(QR, _described, "")


@numba_funcify.register(QRSlope)
def numba_funcify_qr_slope(op: QRSlope, *, node: TensorVariable, **kwargs: object) -> Any:
    """BLAS's products and quotients."""
    letters = "mn mm mn" if op.complete else "mn ms sn"
    first, *results = [Part(p, node.type.dtype) for p in letters.split()]
    name = "qr_slope_complete" if op.complete else "qr_slope"
    parts, write = (first, *results, *results), partial(write_slope, op.complete)
    failure = "qr: the matrix is singular"
    return callable_operation(MatrixOperation(name, parts, (first,), write, failure))
