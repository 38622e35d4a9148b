"""QR factors in Numba: LAPACK's gelqf and orglq, and reflections for small matrices.

By columns, as LAPACK reads it, a matrix is its transpose: the lower factor of that is the upper
one here, and no factor need be transposed.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.batched_matrix import register_matrix
from weft_numba.numba_layer.linalg.blas import I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed, room
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy, shorter
from weft_numba.numba_layer.linalg.reflections import MOST, orthogonal, triangular
from weft_tensor import QR

__all__ = ["write_qr"]

_ONE: Final = I64(1)
_BLOCK: Final = 64


def write_qr(
    complete: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    given: list[Matrix],
    left: Value,
    right: Value,
) -> None:
    """By reflections written here for small matrices, else by LAPACK."""
    (x,) = given
    m, n = x.rows, x.columns
    s = shorter(builder, m, n)
    width = m if complete else s
    work = memory.matrix(x.dtype, m, n)
    copy(builder, x, work)
    triangle = contiguous(builder, x.dtype, right, width, n)
    unitary = contiguous(builder, x.dtype, left, m, width)
    by_lapack = cgutils.alloca_once(builder, ir.IntType(1))
    builder.store(ir.IntType(1)(1), by_lapack)
    if "complex" not in x.dtype:
        few = (builder.icmp_signed("<=", length, I64(MOST)) for length in (m, n))
        with builder.if_then(builder.and_(*few)):
            scales, row = (memory.matrix(x.dtype, _ONE, I64(MOST)) for _ in range(2))
            odd = triangular(builder, work, s, scales, row)
            builder.store(odd, by_lapack)
            with builder.if_then(builder.not_(odd)):
                _put_triangle(builder, work, triangle, s)
                orthogonal(builder, work, s, scales, row, unitary)
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


def _described(op: QR) -> tuple[str, partial[None], str]:
    name = "qr_complete" if op.complete else "qr"
    return name, partial(write_qr, op.complete), "mn mm mn" if op.complete else "mn ms sn"


register_matrix(QR, _described, "")
