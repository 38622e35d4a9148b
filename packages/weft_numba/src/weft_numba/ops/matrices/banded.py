"""Systems with banded matrices in Numba: LAPACK's gbsv."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, by_columns, informed
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy
from weft_tensor import SolveBanded, TensorVariable

__all__ = ["write_banded"]

_ZERO: Final = I64(0)


def write_banded(
    lower: int,
    upper: int,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """By gbsv, which wants room for as many more diagonals as there are below."""
    bands, b = inputs
    n, k = lengths["n"], lengths["k"]
    fits = builder.icmp_signed("==", bands.rows, I64(lower + upper + 1))
    status = cgutils.alloca_once_value(builder, I32(1))
    with builder.if_then(fits):
        rows = I64(2 * lower + upper + 1)
        work = memory.matrix(b.dtype, n, rows)
        part = work._replace(data=work.at(builder, _ZERO, I64(lower)), columns=bands.rows)
        copy(builder, bands.transposed(), part)
        right = by_columns(builder, memory, b)
        counts = n, I64(lower), I64(upper), k
        arguments = work.data, rows, memory.take(n, 4), right.data, at_least_one(builder, n)
        builder.store(informed(builder, b.dtype, "gbsv", *counts, *arguments), status)
        copy(builder, right.transposed(), contiguous(builder, b.dtype, result, n, k))
    return builder.load(status)


@cache
def _writer(lower: int, upper: int) -> partial[Value]:
    return partial(write_banded, lower, upper)


@numba_funcify.register(SolveBanded)
def numba_funcify_solve_banded(
    op: SolveBanded, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """LAPACK's gbsv."""
    dtype = node.type.dtype
    b = Part("nk", dtype)
    return callable_operation(
        MatrixOperation(
            f"solve_banded_{op.lower}_{op.upper}",
            (Part("dn", dtype), b),
            (b,),
            _writer(op.lower, op.upper),
            "solve_banded: the matrix is singular, or has not as many diagonals",
            work="ndd",
            parallel=parallel,
        )
    )
