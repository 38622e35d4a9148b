"""Cholesky factors of matrices with bands in Numba: LAPACK's pbtrf, and their derivative."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.complex_numbers import conjugate, difference
from weft_numba.numba_layer.linalg.lapack import by_columns, informed
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    element,
    joined,
    parts,
    product,
    scaled,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.ops.linalg.svd import fill_nan
from weft_tensor import CholeskyBanded, CholeskyBandedSlope, TensorVariable

__all__ = ["write_factor", "write_slope"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)


def write_factor(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """By pbtrf; NaN where it fails."""
    (bands,) = inputs
    work = by_columns(builder, memory, bands)
    rows = bands.rows
    arguments = "L", bands.columns, builder.sub(rows, _ONE), work.data, rows
    status = informed(builder, bands.dtype, "pbtrf", *arguments)
    with builder.if_then(builder.icmp_signed("!=", status, I32(0)), likely=False):
        fill_nan(builder, work)
    target = contiguous(builder, bands.dtype, result, rows, bands.columns)
    copy(builder, work.transposed(), target)
    _clear_ends(builder, target)


def _clear_ends(builder: IRBuilder, bands: Matrix) -> None:
    """Zeros for what is beyond the last row."""
    n = bands.columns
    zero = ir.Constant(element(bands.dtype), None)
    with cgutils.for_range(builder, bands.rows) as row:
        start = builder.sub(n, row.index)
        start = builder.select(builder.icmp_signed("<", start, _ZERO), _ZERO, start)
        with cgutils.for_range_slice(builder, start, n, _ONE) as (column, _):
            bands.put(builder, row.index, column, zero)


def write_slope(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """As `CholeskyBandedSlope.expansion`, in the place of the cotangent."""
    factor, g = inputs
    n, rows = factor.columns, factor.rows
    slope = contiguous(builder, g.dtype, result, rows, n)
    copy(builder, g, slope)
    _clear_ends(builder, slope)
    with cgutils.for_range(builder, n) as column:
        k = builder.sub(builder.sub(n, _ONE), column.index)
        left = builder.sub(n, k)
        count = builder.select(builder.icmp_signed("<", left, rows), left, rows)
        with (
            cgutils.for_range_slice(builder, _ONE, count, _ONE) as (j, _),
            cgutils.for_range_slice(builder, j, count, _ONE) as (i, _),
        ):
            other = slope.get(builder, builder.sub(i, j), builder.add(k, j))
            for at, by, value in ((i, j, other), (j, i, conjugate(builder, other))):
                change = product(builder, value, factor.get(builder, by, k))
                old = slope.get(builder, at, k)
                slope.put(builder, at, k, difference(builder, old, change))
        _divide_column(builder, factor, slope, k, count)


def _divide_column(
    builder: IRBuilder, factor: Matrix, slope: Matrix, k: Value, count: Value
) -> None:
    """From the column of the factor to that of the matrix."""
    first = parts(builder, factor.get(builder, _ZERO, k))[0]
    inverse = builder.fdiv(first.type(1.0), first)
    head = slope.get(builder, _ZERO, k)
    total = cgutils.alloca_once_value(builder, parts(builder, head)[0])
    with cgutils.for_range_slice(builder, _ONE, count, _ONE) as (j, _):
        value = scaled(builder, slope.get(builder, j, k), inverse)
        slope.put(builder, j, k, value)
        taken = product(builder, conjugate(builder, value), factor.get(builder, j, k))
        real = parts(builder, taken)[0]
        builder.store(builder.fsub(builder.load(total), real), total)
    half = builder.fmul(builder.fmul(builder.load(total), inverse), first.type(0.5))
    pieces: list[Any] = [half, first.type(0.0)][: len(parts(builder, head))]
    slope.put(builder, _ZERO, k, joined(builder, head.type, pieces))


@numba_funcify.register(CholeskyBandedSlope)
def numba_funcify_cholesky_banded_slope(
    op: CholeskyBandedSlope, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """In place."""
    part = Part("dn", node.type.dtype)
    return callable_operation(
        MatrixOperation(str(op), (part,) * 2, (part,), write_slope, work="ddn", parallel=parallel)
    )


register_matrix(CholeskyBanded, lambda op: ("cholesky_banded", write_factor, "dn dn"), "")
