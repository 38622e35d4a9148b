"""LU factors in Numba: LAPACK's getrf, one matrix of a stack after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy
from weft_tensor import LUFactor, PivotToPermutations

__all__ = ["numba_funcify_lu_factor", "numba_funcify_pivot_to_permutations"]


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
