"""The exponential of matrices in Numba: scaling and squaring of a rational function.

That is Padé's approximant of degree 13, exact to double precision for matrices whose sums of
columns are at most 5.37 (Higham, The scaling and squaring method for the matrix exponential
revisited, 2005).
"""

from __future__ import annotations

from typing import Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg import row_blas
from weft_numba.numba_layer.linalg.blas import I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed, is_finite
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    joined,
    number,
    parts,
    scaled,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.ops.linalg.svd import fill_nan, replace
from weft_tensor import Expm
from weft_tensor.extend import EXPM_LARGEST, EXPM_PADE

__all__ = ["combine", "largest_sum", "multiply", "write_expm"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)


def write_expm(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """By columns, in which the matrix is its transpose, as all of its functions are."""
    (x,) = inputs
    dtype, n = x.dtype, x.rows
    target = contiguous(builder, dtype, result, n, n)
    a = memory.matrix(dtype, n, n)
    copy(builder, x, a)
    two, four, six, odd, even, spare = (memory.matrix(dtype, n, n) for _ in range(6))
    ipiv = memory.take(n, 4)
    with builder.if_else(is_finite(builder, a)) as (fine, other):
        with other:
            fill_nan(builder, target)
        with fine:
            squarings = _scale(builder, a)
            for one, factor, power in ((a, a, two), (two, two, four), (four, two, six)):
                multiply(builder, one, factor, power)
            powers = [six, four, two]
            b = EXPM_PADE
            combine(builder, spare, powers, [b[13], b[11], b[9]], 0.0)
            multiply(builder, six, spare, odd)
            combine(builder, odd, [odd, *powers], [1.0, b[7], b[5], b[3]], b[1])
            multiply(builder, a, odd, spare)
            combine(builder, odd, powers, [b[12], b[10], b[8]], 0.0)
            multiply(builder, six, odd, even)
            combine(builder, even, [even, *powers], [1.0, b[6], b[4], b[2]], b[0])
            combine(builder, two, [even, spare], [1.0, -1.0], 0.0)
            combine(builder, four, [even, spare], [1.0, 1.0], 0.0)
            apart = at_least_one(builder, n)
            informed(builder, dtype, "getrf", n, n, two.data, apart, ipiv)
            arguments = "N", n, n, two.data, apart, ipiv, four.data, apart
            informed(builder, dtype, "getrs", *arguments)
            with cgutils.for_range(builder, squarings):
                multiply(builder, four, four, six)
                copy(builder, six, four)
            copy(builder, four, target)


def multiply(builder: IRBuilder, a: Matrix, b: Matrix, target: Matrix, flags: str = "NN") -> None:
    """The product of square matrices by columns, or of their adjoints, where a flag is "C"."""
    row_blas.multiply(builder, flags[::-1], 1.0, b, a, 0.0, target)  # by rows, all are transposed


def combine(
    builder: IRBuilder,
    target: Matrix,
    matrices: list[Matrix],
    factors: list[float],
    on_diagonal: float,
) -> None:
    """The sum of matrices times factors, and a number on the diagonal."""
    kind = number(target.dtype, 0.0).type
    with (
        cgutils.for_range(builder, target.rows) as row,
        cgutils.for_range(builder, target.columns) as column,
    ):
        i, j = row.index, column.index
        totals: list[Value] = []
        for x, factor in zip(matrices, factors, strict=True):
            pieces = [builder.fmul(p, p.type(factor)) for p in parts(builder, x.get(builder, i, j))]
            totals = [*map(builder.fadd, totals, pieces)] if totals else pieces
        if on_diagonal:
            same = builder.icmp_signed("==", i, j)
            real = totals[0]
            more = builder.fadd(real, real.type(on_diagonal))
            totals[0] = builder.select(same, more, real)
        target.put(builder, i, j, joined(builder, kind, totals))


def _scale(builder: IRBuilder, a: Matrix) -> Value:
    """Halve the matrix until it is small enough; gives how often."""
    size, factor = largest_sum(builder, a), cgutils.alloca_once(builder, _real(a))
    count = cgutils.alloca_once_value(builder, _ZERO)
    builder.store(_ZERO, count)
    builder.store(_real(a)(1.0), factor)
    half = _real(a)(0.5)

    def too_large() -> Value:
        scaled_size = builder.fmul(size, builder.load(factor))
        return builder.fcmp_ordered(">", scaled_size, scaled_size.type(EXPM_LARGEST))

    test, body, done = (builder.append_basic_block(name) for name in ("test", "half", "done"))
    builder.branch(test)
    builder.position_at_end(test)
    builder.cbranch(too_large(), body, done)
    builder.position_at_end(body)
    builder.store(builder.fmul(builder.load(factor), half), factor)
    builder.store(builder.add(builder.load(count), _ONE), count)
    builder.branch(test)
    builder.position_at_end(done)
    by = builder.load(factor)
    replace(builder, a, lambda value, j: scaled(builder, value, by))
    return builder.load(count)


def _real(a: Matrix) -> ir.Type:
    kind = number(a.dtype, 0.0).type
    return kind.element if isinstance(kind, ir.ArrayType) else kind


def largest_sum(builder: IRBuilder, a: Matrix) -> Value:
    """At least the greatest sum of absolute values in a row, of parts if they are complex."""
    kind = _real(a)
    largest, total = (cgutils.alloca_once(builder, kind) for _ in range(2))
    builder.store(kind(0.0), largest)
    absolute = builder.module.declare_intrinsic("llvm.fabs", [kind])
    with cgutils.for_range(builder, a.rows) as row:
        builder.store(kind(0.0), total)
        with cgutils.for_range(builder, a.columns) as column:
            for part in parts(builder, a.get(builder, row.index, column.index)):
                size = builder.call(absolute, [part])
                builder.store(builder.fadd(builder.load(total), size), total)
        high, value = builder.load(largest), builder.load(total)
        more = builder.fcmp_ordered(">", value, high)
        builder.store(builder.select(more, value, high), largest)
    return builder.load(largest)


register_matrix(Expm, lambda op: ("expm", write_expm, "nn nn"), "")
