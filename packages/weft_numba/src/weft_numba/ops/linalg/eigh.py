"""Eigenvalues of symmetric matrices in Numba: LAPACK's syevd, as NumPy has it; small ones here."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.complex_numbers import conjugate, over, total
from weft_numba.numba_layer.linalg.lapack import at_least_one, by_columns, informed, real_size, room
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    by_rows,
    contiguous,
    copy,
    joined,
    number,
    scaled,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.numba_layer.linalg.row_blas import multiply
from weft_numba.numba_layer.linalg.row_writer import are_few
from weft_numba.numba_layer.linalg.tridiagonal import eigenvectors
from weft_tensor import Eigh, EighSlope, Eigvalsh, TensorVariable

__all__ = ["numba_funcify_eigh_slope", "write_eigh"]

_ONE: Final = I64(1)
_BLOCK: Final = 64


def write_eigh(
    lower: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    values: Value,
    vectors: Value | None = None,
) -> Value:
    """By steps written here where those are fewer, else by syevd."""
    (x,) = inputs
    if vectors is None or "complex" in x.dtype:
        return _by_lapack(lower, builder, memory, x, values, vectors)
    status = cgutils.alloca_once_value(builder, I32(1))
    with builder.if_then(are_few(builder, x)):
        builder.store(eigenvectors(builder, x, lower, values, vectors), status)
    with builder.if_then(builder.icmp_signed("!=", builder.load(status), I32(0))):
        builder.store(_by_lapack(lower, builder, memory, x, values, vectors), status)
    return builder.load(status)


def _by_lapack(
    lower: bool, builder: IRBuilder, memory: Memory, x: Matrix, values: Value, vectors: Value | None
) -> Value:
    """By syevd, which puts vectors in the place of the matrix, by columns."""
    n = x.rows
    work = by_columns(builder, memory, x)
    is_complex = "complex" in x.dtype
    size = room(builder, (1 if is_complex else 2, n, n), (_BLOCK, n, _ONE))
    flags = "N" if vectors is None else "V", "L" if lower else "U"
    arguments = [*flags, n, work.data, at_least_one(builder, n), values]
    arguments += [memory.take(size, x.size), size]
    if is_complex:
        reals = room(builder, (2, n, n), (5, n, _ONE))
        arguments += [memory.take(reals, real_size(x.dtype)), reals]
    integers = room(builder, (5, n, _ONE))
    arguments += [memory.take(integers, 4), integers]
    status = informed(builder, x.dtype, "heevd" if is_complex else "syevd", *arguments)
    if vectors is not None:
        copy(builder, work.transposed(), contiguous(builder, x.dtype, vectors, n, n))
    return status


def write_slope(
    lower: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """As `EighSlope.expansion`, by BLAS's products."""
    w, v, gw, gv = inputs
    n, zero = lengths["n"], I64(0)
    v, gv = (by_rows(builder, memory, x) for x in (v, gv))
    middle, product = (memory.matrix(v.dtype, n, n) for _ in range(2))
    whole = contiguous(builder, v.dtype, result, n, n)
    multiply(builder, "CN", 1.0, v, gv, 0.0, middle)
    with cgutils.for_range(builder, n) as row, cgutils.for_range(builder, n) as column:
        i, j = row.index, column.index
        gap = builder.fsub(w.get(builder, j, zero), w.get(builder, i, zero))
        same = builder.icmp_signed("==", i, j)
        beside = over(builder, middle.get(builder, i, j), gap, same)
        real = gw.get(builder, i, zero)
        on_it = joined(builder, beside.type, [real, real.type(0.0)][: 1 + ("c" in v.dtype)])
        middle.put(builder, i, j, builder.select(same, on_it, beside))
    multiply(builder, "NN", 1.0, v, middle, 0.0, product)
    multiply(builder, "NC", 1.0, product, v, 0.0, whole)
    with (
        cgutils.for_range(builder, n) as row,
        cgutils.for_range(builder, builder.add(row.index, _ONE)) as column,
    ):
        i, j = row.index, column.index
        one, other = whole.get(builder, i, j), whole.get(builder, j, i)
        both = total(builder, one, conjugate(builder, other))
        same = builder.icmp_signed("==", i, j)
        both = builder.select(same, scaled(builder, both, gap.type(0.5)), both)
        read, left = ((i, j), (j, i)) if lower else ((j, i), (i, j))
        whole.put(builder, *left, number(v.dtype, 0.0))
        whole.put(builder, *read, both if lower else conjugate(builder, both))


@numba_funcify.register(EighSlope)
def numba_funcify_eigh_slope(op: EighSlope, *, node: TensorVariable, **kwargs: object) -> Any:
    """BLAS's products."""
    w, v = (x.type.dtype for x in node.inputs[:2])
    parts = tuple(Part(*pair) for pair in [("no", w), ("nn", v)] * 2)
    name = f"eigh_slope_{'lower' if op.lower else 'upper'}"
    write = partial(write_slope, op.lower)
    return callable_operation(MatrixOperation(name, parts, parts[1:2], write, missing="o"))


def _described(op: Any) -> tuple[str, Any, str]:
    half = "lower" if op.lower else "upper"
    return f"{op}_{half}", partial(write_eigh, op.lower), "nn n nn" if type(op) is Eigh else "nn n"


for _kind in (Eigh, Eigvalsh):
    register_matrix(_kind, _described, "Eigenvalues did not converge")
