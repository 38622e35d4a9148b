"""Linear algebra in Numba: LAPACK, one matrix of a stack after another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numba.core import cgutils

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer import blas
from weft_numba.numba_layer.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.blas import I32, I64
from weft_numba.numba_layer.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    is_zero,
    laid,
    local_function,
    number,
)
from weft_numba.ops.linalg.lu_uses import (
    at_least_one,
    divide,
    informed,
    write_det,
    write_inverse,
    write_slogdet,
    write_solve,
)
from weft_numba.ops.linalg.svd import write_cofactors, write_svd
from weft_tensor import (
    SVD,
    Cholesky,
    CholeskyInverse,
    Cofactors,
    Det,
    Inverse,
    SlogDet,
    Solve,
    SolveTriangular,
    TensorVariable,
)

__all__ = ["numba_funcify_linalg", "numba_funcify_solve", "numba_funcify_solve_triangular"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)
_COLUMNS: Final = 8
_SMALL_TRIANGLE: Final = 32
_SINGULAR: Final = "the matrix is singular"


def write_cholesky(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> Any:
    """The lower factor by rows, from the lower half; by columns, as LAPACK has it, it is upper."""
    (x,) = given
    n = lengths["n"]
    factor = contiguous(builder, x.dtype, result, n, n)
    _copy_half(builder, x, factor)
    _clear_half(builder, factor)
    return informed(builder, x.dtype, "potrf", "U", n, result, at_least_one(builder, n))


def _copy_half(builder: Any, x: Matrix, target: Matrix) -> None:
    """The lower half of `x`, row by row."""
    with cgutils.for_range(builder, x.rows) as row:
        length = builder.add(row.index, _ONE)
        halves = (
            m._replace(data=m.at(builder, row.index, _ZERO), rows=_ONE, columns=length)
            for m in (x, target)
        )
        copy(builder, *halves)


def _clear_half(builder: Any, x: Matrix) -> None:
    """Zeros above the diagonal."""
    with cgutils.for_range(builder, x.rows) as row:
        after = builder.add(row.index, _ONE)
        count = builder.mul(builder.sub(x.columns, after), I64(x.size))
        cgutils.memset(builder, x.at(builder, row.index, after), count, 0)


def write_cholesky_inverse(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> Any:
    """By lauum, which gives one half: the upper one by columns, that is the lower one by rows."""
    (x,) = given
    n = lengths["n"]
    inverse = contiguous(builder, x.dtype, result, n, n)
    _copy_half(builder, x, inverse)
    apart = at_least_one(builder, n)
    singular = _invert_triangle(builder, x.dtype, result, n, apart)
    with builder.if_then(builder.icmp_signed("==", singular, _FINE)):
        informed(builder, x.dtype, "lauum", "U", n, result, apart)
        _mirror(builder, inverse)
    return singular


def _invert_triangle(builder: Any, dtype: str, data: Any, n: Any, apart: Any) -> Any:
    """Replace the upper half of a matrix by columns by its inverse; gives 0 if it has one.

    By halves, LAPACK's trtri for the small ones: at 200 rows that takes half of trtri's time.
    One half is inverted and the other divided by, never both inverted and multiplied: so the
    error grows with the condition of the matrix, not with that of its halves besides (Du Croz and
    Higham, "Stability of methods for matrix inversion", 1992).
    """
    name = f"weft_triangle_{dtype}"
    return local_function(builder, name, [data, n, apart], partial(_by_halves, dtype))


def _by_halves(dtype: str, builder: Any, data: Any, n: Any, apart: Any) -> Any:
    status = cgutils.alloca_once(builder, I32)
    small = builder.icmp_signed("<=", n, I64(_SMALL_TRIANGLE))
    with builder.if_else(small) as (at_once, by_halves):
        with at_once:
            builder.store(informed(builder, dtype, "trtri", "U", "N", n, data, apart), status)
        with by_halves:
            half, size = builder.ashr(n, _ONE), I64(np.dtype(dtype).itemsize)
            rest = builder.sub(n, half)
            right = builder.gep(data, [builder.mul(builder.mul(half, apart), size)])
            last = builder.gep(right, [builder.mul(half, size)])
            first = _invert_triangle(builder, dtype, data, half, apart)
            for name, side, sign, factor in (("trmm", "L", 1.0, data), ("trsm", "R", -1.0, last)):
                flags = side, "U", "N", "N", half, rest, number(dtype, sign)
                blas.call(builder, dtype, name, *flags, factor, apart, right, apart)
            second = _invert_triangle(builder, dtype, last, rest, apart)
            builder.store(builder.or_(first, second), status)
    return builder.load(status)


def _mirror(builder: Any, x: Matrix) -> None:
    """Copy the lower half to the upper one, a few columns at a time: they stay in the cache."""
    few = I64(_COLUMNS)
    blocks = builder.sdiv(builder.add(x.rows, I64(_COLUMNS - 1)), few)
    with cgutils.for_range(builder, blocks) as block:
        first = builder.mul(block.index, few)

        def move(row: Any, k: Any) -> None:
            column = builder.add(first, k)
            x.put(builder, column, row, x.get(builder, row, column))

        with cgutils.for_range(builder, builder.sub(x.rows, first)) as below:
            row = builder.add(first, below.index)
            near = builder.icmp_signed("<", below.index, few)
            with builder.if_else(near) as (in_triangle, under_it):
                with in_triangle, cgutils.for_range(builder, below.index) as one:
                    move(row, one.index)
                with under_it:
                    for k in range(_COLUMNS):
                        move(row, I64(k))


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


_OF_ONE: Final[dict[type, tuple[str, Callable[..., Any], tuple[str, ...], str]]] = {
    Cholesky: ("cholesky", write_cholesky, ("nn",), "the matrix is not positive definite"),
    CholeskyInverse: (
        "cholesky_inverse",
        write_cholesky_inverse,
        ("nn",),
        "the matrix is singular",
    ),
    Inverse: ("inv", write_inverse, ("nn",), _SINGULAR),
    Cofactors: ("cofactors", write_cofactors, ("nn",), ""),
    Det: ("det", write_det, ("",), ""),
    SVD: ("svd", write_svd, ("nn", "n", "nn"), ""),
    SlogDet: ("slogdet", write_slogdet, ("", ""), ""),
}
"""Name, code, the axes of the results and the message of failure."""

_TRIANGULAR: Final = {
    (lower, unit): partial(write_triangular, lower, unit)
    for lower in (False, True)
    for unit in (False, True)
}


@numba_funcify.register(Cholesky)
@numba_funcify.register(CholeskyInverse)
@numba_funcify.register(Inverse)
@numba_funcify.register(Cofactors)
@numba_funcify.register(Det)
@numba_funcify.register(SVD)
@numba_funcify.register(SlogDet)
def numba_funcify_linalg(op: Any, *, node: Variable, parallel: bool = False, **kwargs: Any) -> Any:
    """Functions of one square matrix, or each of a stack."""
    name, write, letters, failure = _OF_ONE[type(op)]
    kinds: list[Any] = list(getattr(node.type, "items", (node.type,)))
    x: Any = node.inputs[0].type
    results = tuple(Part(p, t.dtype) for p, t in zip(letters, kinds, strict=True))
    return callable_operation(
        MatrixOperation(
            name,
            (Part("nn", x.dtype),),
            results,
            write,
            f"{name}: {failure}",
            work="nnn",
            parallel=parallel,
        )
    )


@numba_funcify.register(SolveTriangular)
def numba_funcify_solve_triangular(
    op: SolveTriangular, *, node: TensorVariable, parallel: bool = False, **kwargs: Any
) -> Any:
    """BLAS's trsm, or trsv for one column."""
    name = f"solve_{'lower' if op.lower else 'upper'}{'_unit' if op.unit_diagonal else ''}"
    write = _TRIANGULAR[op.lower, op.unit_diagonal]
    return _solution(name, node, write, "nnk", parallel)


@numba_funcify.register(Solve)
def numba_funcify_solve(
    op: Solve, *, node: TensorVariable, parallel: bool = False, **kwargs: Any
) -> Any:
    """LAPACK's getrf, then trsm; elimination for small matrices."""
    return _solution("solve", node, write_solve, "nnn", parallel)


def _solution(
    name: str, node: TensorVariable, write: Callable[..., Any], work: str, parallel: bool
) -> Any:
    dtype: str = node.type.dtype
    a, b = Part("nn", dtype), Part("nk", dtype)
    failure = f"{name}: {_SINGULAR}"
    return callable_operation(
        MatrixOperation(name, (a, b), (b,), write, failure, work=work, parallel=parallel)
    )
