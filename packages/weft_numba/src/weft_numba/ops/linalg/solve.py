"""Systems of equations and inverses in Numba: by elimination where small, else by LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from llvmlite import ir
from numba.core import cgutils

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.batched_matrix import (
    MatrixOperation,
    Part,
    callable_operation,
    register_square,
)
from weft_numba.numba_layer.blas import I32, I64
from weft_numba.numba_layer.elimination import LARGEST, WIDEST, eliminate
from weft_numba.numba_layer.lapack import (
    at_least_one,
    divide,
    exchanged_with,
    factors_of,
    invert_factors,
)
from weft_numba.numba_layer.matrices import Laid, Matrix, Memory, contiguous, copy, is_zero, laid
from weft_tensor import Inverse, Solve, SolveTriangular

__all__ = ["numba_funcify_solve", "numba_funcify_solve_triangular"]

_ONE: Final = I64(1)
_FINE: Final = I32(0)
_SINGULAR: Final = "the matrix is singular"


def write_solve(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> Any:
    """The solution of a x = b: by elimination where it is small, else by LAPACK's factors."""
    a, b = given
    x = contiguous(builder, b.dtype, result, lengths["n"], lengths["k"])
    return _small_or_large(builder, a, b, x, lambda: _solved(builder, memory, a, b, x))


def _small_or_large(
    builder: Any, a: Matrix, b: Matrix | None, x: Matrix, large: Callable[[], Any]
) -> Any:
    """By elimination if a and x are small and real, else by what `large` writes."""
    if "complex" in a.dtype:
        return large()
    few = builder.icmp_signed("<=", a.rows, I64(LARGEST))
    narrow = builder.icmp_signed("<=", x.columns, I64(WIDEST))
    status = cgutils.alloca_once(builder, I32)
    with builder.if_else(builder.and_(few, narrow)) as (by_elimination, by_factors):
        with by_elimination:
            builder.store(eliminate(builder, a, b, x), status)
        with by_factors:
            builder.store(large(), status)
    return builder.load(status)


def _solved(builder: Any, memory: Memory, a: Matrix, b: Matrix, x: Matrix) -> Any:
    """With aᵀ = P L U: solve xᵀ P L U = bᵀ."""
    work = memory.matrix(a.dtype, a.rows, a.rows)
    exchanged, info = factors_of(builder, memory, a, work)
    with builder.if_then(builder.icmp_signed("==", info, _FINE)):
        copy(builder, b, x)
        found = Laid(work.data, ir.IntType(1)(1), at_least_one(builder, a.rows))
        divide(builder, x, found, "U", "N")
        divide(builder, x, found, "L", "U")
        last = builder.sub(a.rows, _ONE)
        with cgutils.for_range(builder, a.rows) as row:
            i = builder.sub(last, row.index)
            other = exchanged_with(builder, exchanged, i)
            with builder.if_then(builder.icmp_signed("!=", i, other)):
                _exchange(builder, x, i, other)
    return info


def _exchange(builder: Any, x: Matrix, i: Any, other: Any) -> None:
    with cgutils.for_range(builder, x.columns) as column:
        j = column.index
        one, two = x.get(builder, i, j), x.get(builder, other, j)
        x.put(builder, i, j, two)
        x.put(builder, other, j, one)


def write_inverse(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> Any:
    """The inverse: by elimination where it is small, else by LAPACK's factors."""
    (x,) = given
    inverse = contiguous(builder, x.dtype, result, x.rows, x.rows)
    return _small_or_large(
        builder, x, None, inverse, lambda: _inverted(builder, memory, x, inverse)
    )


def _inverted(builder: Any, memory: Memory, x: Matrix, inverse: Matrix) -> Any:
    """By getri: the inverse of the transpose is the transpose of the inverse."""
    exchanged, info = factors_of(builder, memory, x, inverse)
    with builder.if_then(builder.icmp_signed("==", info, _FINE)):
        invert_factors(builder, memory, inverse, exchanged)
    return info


register_square(Inverse, "inv", write_inverse, ("nn",), _SINGULAR)


def write_triangular(
    lower: bool,
    unit: bool,
    builder: Any,
    memory: Memory,
    lengths: dict[str, Any],
    given: list[Matrix],
    result: Any,
) -> Any:
    """The solution of a x = b, in the place of a copy of b."""
    a, b = given
    target = contiguous(builder, b.dtype, result, lengths["n"], lengths["k"])
    copy(builder, b, target)
    found = laid(builder, memory, a)
    half = found.flag(builder, *("UL" if lower else "LU"))
    status = _FINE if unit else _zero_on_diagonal(builder, a)
    with builder.if_then(builder.icmp_signed("==", status, _FINE)):
        divide(builder, target, found, half, "U" if unit else "N")
    return status


def _zero_on_diagonal(builder: Any, a: Matrix) -> Any:
    """1 if a number on the diagonal is zero, else 0."""
    found = cgutils.alloca_once_value(builder, _FINE)
    with cgutils.for_range(builder, a.rows) as row:
        zero = is_zero(builder, a.get(builder, row.index, row.index))
        builder.store(builder.or_(builder.load(found), builder.zext(zero, I32)), found)
    return builder.load(found)


_TRIANGULAR: Final = {
    (lower, unit): partial(write_triangular, lower, unit)
    for lower in (False, True)
    for unit in (False, True)
}


@numba_funcify.register(SolveTriangular)
def numba_funcify_solve_triangular(
    op: SolveTriangular, *, node: Variable, parallel: bool = False, **kwargs: Any
) -> Any:
    """BLAS's trsm, or trsv for one column."""
    name = f"solve_{'lower' if op.lower else 'upper'}{'_unit' if op.unit_diagonal else ''}"
    write = _TRIANGULAR[op.lower, op.unit_diagonal]
    return _solution(name, node, write, "nnk", parallel)


@numba_funcify.register(Solve)
def numba_funcify_solve(op: Solve, *, node: Variable, parallel: bool = False, **kwargs: Any) -> Any:
    """LAPACK's getrf, then trsm; elimination for small matrices."""
    return _solution("solve", node, write_solve, "nnn", parallel)


def _solution(
    name: str, node: Variable, write: Callable[..., Any], work: str, parallel: bool
) -> Any:
    dtype: str = node.type.dtype  # type: ignore[attr-defined]  # a tensor
    a, b = Part("nn", dtype), Part("nk", dtype)
    failure = f"{name}: {_SINGULAR}"
    return callable_operation(
        MatrixOperation(name, (a, b), (b,), write, failure, work=work, parallel=parallel)
    )
