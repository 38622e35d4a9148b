"""LU factors in Numba, by LAPACK's getrf, and their derivative, by BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed, zero_on_diagonal
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    by_rows,
    contiguous,
    copy,
    element,
    shorter,
)
from weft_numba.numba_layer.linalg.row_blas import blocks, by_triangle, multiply, rows_from
from weft_tensor import LUFactor, LUSlope, PivotToPermutations, TensorVariable

__all__ = [
    "numba_funcify_lu_factor",
    "numba_funcify_lu_slope",
    "numba_funcify_pivot_to_permutations",
]


def write_lu(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    packed: Value,
    pivots: Value,
    order: Value,
) -> None:
    """The factors of a copy by columns, as LAPACK wants it."""
    (x,) = inputs
    m, n = lengths["m"], lengths["n"]
    work = memory.matrix(x.dtype, n, m)
    copy(builder, x.transposed(), work)
    informed(builder, x.dtype, "getrf", m, n, work.data, at_least_one(builder, m), pivots)
    copy(builder, work.transposed(), contiguous(builder, x.dtype, packed, m, n))
    places, rows = (builder.bitcast(place, I32.as_pointer()) for place in (pivots, order))
    _count_up(builder, rows, m)
    with cgutils.for_range(builder, lengths["s"]) as row:
        place = builder.gep(places, [row.index])
        other = builder.sub(builder.load(place), I32(1))
        builder.store(other, place)
        _exchange(builder, *(builder.gep(rows, [k]) for k in (row.index, other)))


def write_slope(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """As `LUSlope.expansion`, by blocks: the square corner, and what is right of it or below.

    With U' = L⁻¹ x' right of the corner, its cotangent g' gives L⁻ᴴ g' for x', and takes that
    times U'ᴴ from L's; the same holds below it.
    """
    packed, order, g = inputs
    m, n = g.rows, g.columns
    s = shorter(builder, m, n)
    factors = by_rows(builder, memory, packed)
    rows = memory.matrix(g.dtype, builder.add(m, s), n)
    work, rest = rows_from(builder, rows, m)
    of_upper = contiguous(builder, g.dtype, rest.data, s, s)
    copy(builder, g, work)
    (corner, right, below), (by_corner, by_right, by_below) = (
        blocks(builder, x, s) for x in (factors, work)
    )
    copy(builder, by_corner, of_upper)
    singular = zero_on_diagonal(builder, corner)
    with builder.if_then(builder.icmp_signed("!=", singular, I32(0)), likely=False):
        memory.leave(singular)
    by_triangle(builder, "trsm", "LLCU", corner, by_right)
    by_triangle(builder, "trsm", "RUCN", corner, by_below)
    multiply(builder, "NC", -1.0, by_right, right, 1.0, by_corner)
    multiply(builder, "CN", -1.0, below, by_below, 1.0, of_upper)
    _keep_halves(builder, by_corner, of_upper)
    by_triangle(builder, "trmm", "LLCU", corner, by_corner)
    by_triangle(builder, "trmm", "RUCN", corner, of_upper)
    _keep_halves(builder, by_corner, of_upper, together=True)
    by_triangle(builder, "trsm", "LLCU", corner, by_corner)
    by_triangle(builder, "trsm", "RUCN", corner, by_corner)
    target = contiguous(builder, g.dtype, result, m, n)
    with cgutils.for_range(builder, m) as row:
        place = builder.sext(order.get(builder, row.index, I64(0)), I64)
        to, origin = target.at(builder, place, I64(0)), work.at(builder, row.index, I64(0))
        cgutils.raw_memcpy(builder, to, origin, n, g.size)
    return I32(0)


def _keep_halves(
    builder: IRBuilder, lower: Matrix, upper: Matrix, *, together: bool = False
) -> None:
    """Put zeros on and above the diagonal of one, and below that of the other.

    With `together`, put the upper half of the other on and above the diagonal of the first.
    """
    zero = ir.Constant(element(lower.dtype), None)
    with (
        cgutils.for_range(builder, lower.rows) as row,
        cgutils.for_range(builder, lower.rows) as column,
    ):
        i, j = row.index, column.index
        with builder.if_else(builder.icmp_signed(">", i, j)) as (under, over):
            with under:
                if not together:
                    upper.put(builder, i, j, zero)
            with over:
                lower.put(builder, i, j, upper.get(builder, i, j) if together else zero)


def write_permutation(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    order: Value,
) -> Value:
    """One exchange after another; 1 if a pivot is out of bounds."""
    (pivots,) = inputs
    n, rows = lengths["m"], builder.bitcast(order, I32.as_pointer())
    signed = np.dtype(pivots.dtype).kind == "i"
    _count_up(builder, rows, n)
    with cgutils.for_range(builder, n) as row:
        pivot = pivots.get(builder, row.index, I64(0))
        if pivot.type.width < n.type.width:
            pivot = (builder.sext if signed else builder.zext)(pivot, I64)
        with builder.if_then(builder.icmp_unsigned(">=", pivot, n), likely=False):
            builder.ret(I32(1))
        _exchange(builder, *(builder.gep(rows, [k]) for k in (row.index, pivot)))
    return I32(0)


def _count_up(builder: IRBuilder, places: Value, n: Value) -> None:
    with cgutils.for_range(builder, n) as loop:
        builder.store(builder.trunc(loop.index, I32), builder.gep(places, [loop.index]))


def _exchange(builder: IRBuilder, one: Value, other: Value) -> None:
    first, second = builder.load(one), builder.load(other)
    builder.store(second, one)
    builder.store(first, other)


@numba_funcify.register(LUFactor)
def numba_funcify_lu_factor(op: LUFactor, *, node: Variable, **kwargs: object) -> Any:
    """LAPACK's getrf."""
    x: Any = node.inputs[0].type
    matrix = Part("mn", x.dtype)
    results = matrix, Part("s", "int32"), Part("m", "int32")
    return callable_operation(MatrixOperation("lu_factor", (matrix,), results, write_lu))


@numba_funcify.register(LUSlope)
def numba_funcify_lu_slope(op: LUSlope, *, node: TensorVariable, **kwargs: object) -> Any:
    """BLAS's products and quotients."""
    matrix = Part("mn", node.type.dtype)
    parts = matrix, Part("mo", "int32"), matrix
    failure = "lu: the matrix is singular"
    return callable_operation(
        MatrixOperation("lu_slope", parts, (matrix,), write_slope, failure, missing="o")
    )


@numba_funcify.register(PivotToPermutations)
def numba_funcify_pivot_to_permutations(
    op: PivotToPermutations, *, node: Variable, **kwargs: object
) -> Any:
    """One exchange after another."""
    pivots: Any = node.inputs[0].type
    return callable_operation(
        MatrixOperation(
            "pivot_to_permutation",
            (Part("mo", pivots.dtype),),
            (Part("m", "int32"),),
            write_permutation,
            "a pivot is out of bounds",
            missing="o",
            error=IndexError,
        )
    )
