"""Systems of equations and inverses in Numba: by elimination where small, else by LAPACK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.elimination import LARGEST, WIDEST, eliminate
from weft_numba.numba_layer.linalg.lanes import for_lanes
from weft_numba.numba_layer.linalg.lapack import (
    at_least_one,
    divide,
    exchanged_with,
    factors_of,
    invert_factors,
    zero_on_diagonal,
)
from weft_numba.numba_layer.linalg.matrices import (
    BlasOperand,
    Matrix,
    Memory,
    as_blas_operand,
    contiguous,
    copy,
    element,
)
from weft_numba.numba_layer.linalg.registration import register_square
from weft_numba.numba_layer.linalg.unrolled import inverse, solution, triangular_solution
from weft_tensor import Inverse, Solve, SolveTriangular, TensorVariable

__all__ = ["numba_funcify_solve", "numba_funcify_solve_triangular"]

_ONE: Final = I64(1)
_FINE: Final = I32(0)
_FEW: Final = 32
"""Up to so many rows, a column is divided by faster than BLAS is called: 8 rows in 0.7 of it."""
_SINGULAR: Final = "the matrix is singular"


def write_solve(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """The solution of a x = b: by elimination where it is small, else by LAPACK's factors."""
    a, b = inputs
    x = contiguous(builder, b.dtype, result, lengths["n"], lengths["k"])
    return _small_or_large(builder, a, b, x, lambda: _solved(builder, memory, a, b, x))


def _small_or_large(
    builder: IRBuilder, a: Matrix, b: Matrix | None, x: Matrix, large: Callable[[], Any]
) -> Value:
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


def _solved(builder: IRBuilder, memory: Memory, a: Matrix, b: Matrix, x: Matrix) -> Value:
    """With aᵀ = P L U: solve xᵀ P L U = bᵀ."""
    work = memory.matrix(a.dtype, a.rows, a.rows)
    ipiv, info = factors_of(builder, memory, a, work)
    with builder.if_then(builder.icmp_signed("==", info, _FINE)):
        copy(builder, b, x)
        operand = BlasOperand(work.data, ir.IntType(1)(1), at_least_one(builder, a.rows))
        divide(builder, x, operand, "U", "N")
        divide(builder, x, operand, "L", "U")
        last = builder.sub(a.rows, _ONE)
        with cgutils.for_range(builder, a.rows) as row:
            i = builder.sub(last, row.index)
            other = exchanged_with(builder, ipiv, i)
            with builder.if_then(builder.icmp_signed("!=", i, other)):
                _exchange(builder, x, i, other)
    return info


def _exchange(builder: IRBuilder, x: Matrix, i: Value, other: Value) -> None:
    with cgutils.for_range(builder, x.columns) as column:
        j = column.index
        one, two = x.get(builder, i, j), x.get(builder, other, j)
        x.put(builder, i, j, two)
        x.put(builder, other, j, one)


def write_inverse(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """The inverse: by elimination where it is small, else by LAPACK's factors."""
    (x,) = inputs
    target = contiguous(builder, x.dtype, result, x.rows, x.rows)
    return _small_or_large(builder, x, None, target, lambda: _inverted(builder, memory, x, target))


def _inverted(builder: IRBuilder, memory: Memory, x: Matrix, target: Matrix) -> Value:
    """By getri: the inverse of the transpose is the transpose of the inverse."""
    ipiv, info = factors_of(builder, memory, x, target)
    with builder.if_then(builder.icmp_signed("==", info, _FINE)):
        invert_factors(builder, memory, target, ipiv)
    return info


register_square(Inverse, "inv", write_inverse, ("nn",), _SINGULAR, small=inverse)


def write_triangular(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
    lower: Value,
    unit: Value,
) -> Value:
    """The solution of a x = b, in the place of a copy of b."""
    a, b = inputs
    target = contiguous(builder, b.dtype, result, lengths["n"], lengths["k"])
    copy(builder, b, target)
    status = builder.select(unit, _FINE, zero_on_diagonal(builder, a))

    def with_blas() -> None:
        operand = as_blas_operand(builder, memory, a)
        above = builder.icmp_unsigned("==", operand.by_rows, lower)
        half, diagonal = _either(builder, above, "UL"), _either(builder, unit, "UN")
        divide(builder, target, operand, half, diagonal)

    with builder.if_then(builder.icmp_signed("==", status, _FINE)):
        if "complex" in a.dtype:
            with_blas()
            return status
        vector = builder.icmp_signed("==", target.columns, _ONE)
        few = builder.icmp_signed("<=", a.rows, I64(_FEW))
        with builder.if_else(builder.and_(vector, few)) as (small, large):
            with small:
                _substitute(builder, a, target, lower, unit)
            with large:
                with_blas()
    return status


def _either(builder: IRBuilder, first: Value, letters: str) -> Value:
    """The first letter or the second."""
    one, other = (ir.IntType(8)(ord(letter)) for letter in letters)
    return builder.select(first, one, other)


def _substitute(builder: IRBuilder, a: Matrix, x: Matrix, lower: Value, unit: Value) -> None:
    """Solve a y = x for y, which replaces the one column of x, row by row."""
    last, first = builder.sub(a.rows, _ONE), I64(0)
    with cgutils.for_range(builder, a.rows) as step:
        i = builder.select(lower, step.index, builder.sub(last, step.index))
        start = builder.select(lower, first, builder.add(i, _ONE))
        rest = cgutils.alloca_once(builder, element(a.dtype))
        builder.store(x.get(builder, i, first), rest)
        stop = builder.select(lower, i, a.rows)
        with cgutils.for_range_slice(builder, start, stop, _ONE) as (j, _):
            product = builder.fmul(a.get(builder, i, j), x.get(builder, j, first))
            builder.store(builder.fsub(builder.load(rest), product), rest)
        value = builder.load(rest)
        divisor = builder.select(unit, value.type(1.0), a.get(builder, i, i))
        x.put(builder, i, first, builder.fdiv(value, divisor))


@numba_funcify.register(SolveTriangular)
def numba_funcify_solve_triangular(
    op: SolveTriangular, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """BLAS's trsm, or trsv for one column; one function for each half, with ones or without."""
    flags = op.lower, op.unit_diagonal
    return _solution(
        "solve_triangular", node, write_triangular, "nnk", parallel, triangular_solution, flags
    )


@numba_funcify.register(Solve)
def numba_funcify_solve(
    op: Solve, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """LAPACK's getrf, then trsm; elimination for small matrices."""
    return _solution("solve", node, write_solve, "nnn", parallel, solution)


def _solution(
    name: str,
    node: TensorVariable,
    write: Callable[..., Any],
    work: str,
    parallel: bool,
    small: Callable[..., Any],
    flags: tuple[bool, ...] = (),
) -> Any:
    dtype: str = node.type.dtype
    a, b = Part("nn", dtype), Part("nk", dtype)
    failure = f"{name}: {_SINGULAR}"
    lanes = for_lanes(small, node.inputs[0].type) if node.type.shape[-1] in (1, None) else None
    return callable_operation(
        MatrixOperation(
            name,
            (a, b),
            (b,),
            write,
            failure,
            work=work,
            parallel=parallel,
            flags=flags,
            lanes=lanes,
        )
    )
