"""QR factors in Numba: LAPACK's gelqf and orglq.

By columns, as LAPACK reads it, a matrix is its transpose: the lower factor of that is the upper
one here, and no factor need be transposed.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.batched_matrix import register_matrix
from weft_numba.numba_layer.blas import I64
from weft_numba.numba_layer.lapack import at_least_one, informed, room
from weft_numba.numba_layer.matrices import Matrix, Memory, contiguous, copy, shorter
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
) -> Value:
    """Factors of a copy; the reflections then make the orthogonal factor."""
    (x,) = given
    m, n = x.rows, x.columns
    s = shorter(builder, m, n)
    width = m if complete else s
    work = memory.matrix(x.dtype, m, n)
    copy(builder, x, work)
    factors = memory.take(s, x.size)
    size = room(builder, (_BLOCK, m, _ONE), (_BLOCK, n, _ONE))
    space = memory.take(size, x.size)
    apart = at_least_one(builder, n)
    informed(builder, x.dtype, "gelqf", n, m, work.data, apart, factors, space, size)
    _put_triangle(builder, work, contiguous(builder, x.dtype, right, width, n), s)
    orthogonal = contiguous(builder, x.dtype, left, m, width)
    copy(builder, work._replace(columns=s), orthogonal)
    name = "unglq" if "complex" in x.dtype else "orglq"
    apart = at_least_one(builder, width)
    return informed(builder, x.dtype, name, width, m, s, left, apart, factors, space, size)


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


def _described(op: QR) -> tuple[str, partial[Value], str]:
    name = "qr_complete" if op.complete else "qr"
    return name, partial(write_qr, op.complete), "mn mm mn" if op.complete else "mn ms sn"


register_matrix(QR, _described, "")
