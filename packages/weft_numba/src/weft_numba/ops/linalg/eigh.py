"""Eigenvalues of symmetric matrices in Numba: LAPACK's syevd, as NumPy has it; small ones here."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, by_columns, informed, real_size, room
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.numba_layer.linalg.row_writer import are_few
from weft_numba.numba_layer.linalg.tridiagonal import eigenvectors
from weft_tensor import Eigh, Eigvalsh

__all__ = ["write_eigh"]

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


def _described(op: Any) -> tuple[str, Any, str]:
    half = "lower" if op.lower else "upper"
    return f"{op}_{half}", partial(write_eigh, op.lower), "nn n nn" if type(op) is Eigh else "nn n"


for _kind in (Eigh, Eigvalsh):
    register_matrix(_kind, _described, "Eigenvalues did not converge")
