"""Sylvester's equation in Numba: by Schur forms, and LAPACK's trsyl."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.lapack import (
    at_least_one,
    by_columns,
    factors_of,
    informed,
    invert_factors,
)
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    number,
    parts,
    scaled,
)
from weft_numba.numba_layer.linalg.row_blas import multiply
from weft_numba.ops.linalg.schur import schur_form
from weft_numba.ops.matrices.exponential import combine, largest_sum
from weft_numba.ops.matrices.exponential import multiply as by_columns_product
from weft_tensor import (
    ContinuousLyapunov,
    DiscreteLyapunov,
    StableLyapunov,
    Sylvester,
    TensorVariable,
)

__all__ = ["inverted", "write_continuous", "write_discrete", "write_stable", "write_sylvester"]

_FINE: Final = I32(0)
_STEPS: Final = 60
"""Each step squares what is left to do."""


def write_sylvester(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """With a = u r uᴴ and b = v s vᴴ: r y + y s = uᴴ q v, and x = u y vᴴ; all by columns."""
    m, n = lengths["m"], lengths["n"]
    first, second, right = (by_columns(builder, memory, x) for x in inputs)
    u, v = (memory.matrix(right.dtype, k, k) for k in (m, n))
    half = memory.matrix(right.dtype, n, m)
    status = builder.or_(
        schur_form(builder, memory, first, u), schur_form(builder, memory, second, v)
    )
    with builder.if_then(builder.icmp_signed("==", status, _FINE)):
        _solve_triangles(builder, (first, u), (second, v), "N", right, half)
        copy(builder, right.transposed(), contiguous(builder, right.dtype, result, m, n))
    return status


def _solve_triangles(
    builder: IRBuilder,
    left: tuple[Matrix, Matrix],
    beside: tuple[Matrix, Matrix],
    flag: str,
    right: Matrix,
    half: Matrix,
) -> None:
    """Replace `right` by the solution, from Schur forms: triangle and vectors on each side.

    With a `flag` other than N, the second triangle stands for its adjoint. `half` is lost.
    """
    (first, u), (second, v) = left, beside
    dtype, m, n = right.dtype, right.columns, right.rows
    one, zero = number(dtype, 1.0), number(dtype, 0.0)
    rows, columns = at_least_one(builder, m), at_least_one(builder, n)

    def times_left(flag: str, source: Matrix, target: Matrix) -> None:
        read = one, u.data, rows, source.data, rows
        blas.call(builder, dtype, "gemm", flag, "N", m, n, m, *read, zero, target.data, rows)

    def times_right(flag: str, factor: Value, target: Matrix) -> None:
        read = factor, half.data, rows, v.data, columns
        blas.call(builder, dtype, "gemm", "N", flag, m, n, n, *read, zero, target.data, rows)

    times_left("C", right, half)
    times_right("N", one, right)
    unit = parts(builder, one)[0]
    scale = cgutils.alloca_once_value(builder, unit)
    place = builder.bitcast(scale, POINTER)
    read = first.data, rows, second.data, columns, right.data, rows
    informed(builder, dtype, "trsyl", "N", flag, I64(1), m, n, *read, place)
    times_left("N", right, half)
    factor = scaled(builder, one, builder.fdiv(unit, builder.load(scale)))
    times_right("C", factor, right)


def write_discrete(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """As `DiscreteLyapunov.expansion`, with b = (a + 1)⁻¹ (a - 1): b x + x bᴴ = -2 w q wᴴ.

    w is the inverse in b, of which one Schur form serves both sides.
    """
    n, dtype = lengths["n"], inputs[0].dtype
    a, q = (by_columns(builder, memory, x) for x in inputs)
    w, b, half = (memory.matrix(dtype, n, n) for _ in range(3))
    pivots, apart = memory.take(n, 4), at_least_one(builder, n)
    combine(builder, b, [a], [1.0], 1.0)
    combine(builder, w, [a], [0.0], 1.0)
    combine(builder, a, [a], [1.0], -1.0)
    info = informed(builder, dtype, "getrf", n, n, b.data, apart, pivots)
    informed(builder, dtype, "getrs", "N", n, n, b.data, apart, pivots, w.data, apart)
    by_columns_product(builder, w, a, b)
    by_columns_product(builder, w, q, half)
    by_columns_product(builder, half, w, q, "NC")
    combine(builder, q, [q], [-2.0])
    status = builder.or_(info, schur_form(builder, memory, b, w))
    with builder.if_then(builder.icmp_signed("==", status, _FINE)):
        adjoint = "C" if "complex" in dtype else "T"
        _solve_triangles(builder, (b, w), (b, w), adjoint, q, half)
        copy(builder, q.transposed(), contiguous(builder, dtype, result, n, n))
    return status


def write_stable(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """By doubling: x + a x aᴴ for a, a², a⁴, ... until that changes no more.

    Smith, Matrix equation XA + BX = C (1968).
    """
    a, q = inputs
    n, dtype = lengths["n"], q.dtype
    power, half, change = (memory.matrix(dtype, n, n) for _ in range(3))
    x = contiguous(builder, dtype, result, n, n)
    copy(builder, a, power)
    copy(builder, q, x)
    _double(builder, power, x, half, change)


def write_continuous(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """As `ContinuousLyapunov.expansion`."""
    a, q = inputs
    n, dtype = lengths["n"], q.dtype
    power, inverse, half, change = (memory.matrix(dtype, n, n) for _ in range(4))
    x = contiguous(builder, dtype, result, n, n)
    copy(builder, a, power)
    copy(builder, q, half)
    shift = largest_sum(builder, power)
    twice = builder.fadd(shift, shift)
    combine(builder, change, [power], [0.0], 1.0)
    combine(builder, power, [power, change], [1.0, builder.fneg(shift)])
    info = inverted(builder, memory, power, inverse)
    multiply(builder, "NN", 1.0, inverse, half, 0.0, change)
    multiply(builder, "NC", 1.0, change, inverse, 0.0, x)
    combine(builder, x, [x], [twice])
    combine(builder, power, [inverse], [twice], 1.0)
    _double(builder, power, x, half, change)
    return info


def inverted(builder: IRBuilder, memory: Memory, x: Matrix, target: Matrix) -> Value:
    """Put the inverse of a matrix, by rows or columns, into `target`; gives LAPACK's info."""
    exchanged, info = factors_of(builder, memory, x, target)
    invert_factors(builder, memory, target, exchanged)
    return info


def _double(builder: IRBuilder, power: Matrix, x: Matrix, half: Matrix, change: Matrix) -> None:
    """Put the solution in the place of x, q before; the others are lost."""
    count = cgutils.alloca_once_value(builder, I64(0))
    builder.store(I64(0), count)
    step, done = (builder.append_basic_block(name) for name in ("step", "done"))
    builder.branch(step)
    builder.position_at_end(step)
    multiply(builder, "NN", 1.0, power, x, 0.0, half)
    multiply(builder, "NC", 1.0, half, power, 0.0, change)
    combine(builder, x, [x, change], [1.0, 1.0], 0.0)
    multiply(builder, "NN", 1.0, power, power, 0.0, half)
    copy(builder, half, power)
    size, left = largest_sum(builder, x), largest_sum(builder, change)
    limit = builder.fmul(size, size.type(float(np.finfo(x.dtype).eps)))
    builder.store(builder.add(builder.load(count), I64(1)), count)
    more = builder.icmp_signed("<", builder.load(count), I64(_STEPS))
    more = builder.and_(more, builder.fcmp_ordered(">", left, limit))
    builder.cbranch(more, step, done)
    builder.position_at_end(done)


_WRITERS: Final[dict[type, Any]] = {
    ContinuousLyapunov: write_continuous,
    DiscreteLyapunov: write_discrete,
    StableLyapunov: write_stable,
}


@numba_funcify.register(DiscreteLyapunov)
def numba_funcify_discrete_lyapunov(
    op: DiscreteLyapunov, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """By a Schur form; by doubling if powers, or exponentials, of the matrix vanish."""
    part = Part("nn", node.type.dtype)
    write = _WRITERS[type(op)]
    failure = "solve_discrete_lyapunov: -1 is an eigenvalue, or a Schur form was not found"
    return callable_operation(
        MatrixOperation(
            str(op), (part,) * 2, (part,), write, failure, work="nnn", parallel=parallel
        )
    )


@numba_funcify.register(Sylvester)
def numba_funcify_sylvester(
    op: Sylvester, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """By Schur forms."""
    dtype = node.type.dtype
    a, b, q = Part("mm", dtype), Part("nn", dtype), Part("mn", dtype)
    failure = "solve_sylvester: a Schur form was not found"
    return callable_operation(
        MatrixOperation(
            "solve_sylvester",
            (a, b, q),
            (q,),
            write_sylvester,
            failure,
            work="mmm",
            parallel=parallel,
        )
    )
