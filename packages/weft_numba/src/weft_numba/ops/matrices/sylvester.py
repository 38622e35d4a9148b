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
from weft_numba.numba_layer.linalg.lapack import at_least_one, by_columns, informed
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
from weft_tensor import StableLyapunov, Sylvester, TensorVariable

__all__ = ["write_sylvester"]

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
    dtype, (m, n) = inputs[0].dtype, (lengths["m"], lengths["n"])
    first, second, right = (by_columns(builder, memory, x) for x in inputs)
    u, v = memory.matrix(dtype, m, m), memory.matrix(dtype, n, n)
    half = memory.matrix(dtype, n, m)
    one, zero = number(dtype, 1.0), number(dtype, 0.0)
    rows, columns = at_least_one(builder, m), at_least_one(builder, n)

    def times_left(flag: str, source: Matrix, target: Matrix) -> None:
        read = one, u.data, rows, source.data, rows
        blas.call(builder, dtype, "gemm", flag, "N", m, n, m, *read, zero, target.data, rows)

    def times_right(flag: str, factor: Value, target: Matrix) -> None:
        read = factor, half.data, rows, v.data, columns
        blas.call(builder, dtype, "gemm", "N", flag, m, n, n, *read, zero, target.data, rows)

    status = builder.or_(
        schur_form(builder, memory, first, u), schur_form(builder, memory, second, v)
    )
    with builder.if_then(builder.icmp_signed("==", status, _FINE)):
        times_left("C", right, half)
        times_right("N", one, right)
        unit = parts(builder, one)[0]
        scale = cgutils.alloca_once_value(builder, unit)
        place = builder.bitcast(scale, POINTER)
        read = first.data, rows, second.data, columns, right.data, rows
        informed(builder, dtype, "trsyl", "N", "N", I64(1), m, n, *read, place)
        times_left("N", right, half)
        factor = scaled(builder, one, builder.fdiv(unit, builder.load(scale)))
        times_right("C", factor, right)
        copy(builder, right.transposed(), contiguous(builder, dtype, result, m, n))
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
    limit = builder.fmul(size, size.type(float(np.finfo(dtype).eps)))
    builder.store(builder.add(builder.load(count), I64(1)), count)
    more = builder.icmp_signed("<", builder.load(count), I64(_STEPS))
    more = builder.and_(more, builder.fcmp_ordered(">", left, limit))
    builder.cbranch(more, step, done)
    builder.position_at_end(done)


@numba_funcify.register(StableLyapunov)
def numba_funcify_stable_lyapunov(
    op: StableLyapunov, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """By doubling."""
    part = Part("nn", node.type.dtype)
    name = "stable_lyapunov"
    return callable_operation(
        MatrixOperation(name, (part,) * 2, (part,), write_stable, work="nnn", parallel=parallel)
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
