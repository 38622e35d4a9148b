"""Systems whose matrix is constant along each diagonal, in time quadratic in their size.

N. Levinson, The Wiener RMS error criterion in filter design and prediction, 1946; G. Golub and
C. Van Loan, Matrix computations, 4.7: each step solves the system of one row more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from weft_graph import OpFromGraph, Type, pullback
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import adjoint_of
from weft_tensor.ops.matrices.systems import toeplitz
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["solve_toeplitz"]


def solve_toeplitz(
    c_or_cr: TensorLike | tuple[TensorLike, TensorLike], b: TensorLike
) -> TensorVariable:
    """x with t x = b for t = `toeplitz(c)`, or `toeplitz(c, r)` of a tuple (c, r).

    c and r are vectors (..., n), or stacks of them, b is a vector (n,), or (..., n, k). By
    Levinson's recursion, which divides by the determinants of all leading blocks: where one is 0
    the result is NaN or infinite, though `solve` may have one. See `scipy.linalg.solve_toeplitz`.
    Raises ValueError for numbers.

    >>> print(solve_toeplitz(([2.0, 1.0], [2.0, 0.0]), [2.0, 3.0]).eval())
    [1. 1.]
    """
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    column, right = as_floating(c), as_floating(b)
    row = column.conj() if r is None else as_floating(r)
    for v in (column, row, right):
        if not v.ndim:
            raise ValueError(f"solve_toeplitz takes vectors, not the number {v!r}{called()}")
    dtype = promote([v.dtype for v in (column, row, right)])
    column, row, right = (v.astype(dtype) for v in (column, row, right))
    columns = right.expand_dims(-1) if right.ndim == 1 else right
    batch = lengths_of(toeplitz(column, row))[:-2]
    columns = broadcast_to(columns, (*batch, *lengths_of(columns)[-2:])) if batch else columns
    found: TensorVariable = _op((column.type, row.type, columns.type))(column, row, columns)
    return found[..., 0] if right.ndim == 1 else found


@lru_cache(maxsize=256)
def _op(types: Sequence[Type]) -> OpFromGraph:
    """The Op that takes a first column, a first row and the right-hand sides."""
    free: list[Any] = [kind() for kind in types]
    return OpFromGraph(free, _solved(*free), "solve_toeplitz", _pullback)


def _pullback(inputs: Any, outputs: Any, cotangents: Any) -> list[TensorVariable]:
    """Of x = t⁻¹ b: that of b is the solution with tᴴ, that of t is -tᴴ⁻¹ xˉ xᴴ."""
    (column, row, b), (x,), (of_x,) = inputs, outputs, cotangents
    turned = concatenate([column[..., :1], row[..., 1:]], -1).conj(), column.conj()
    of_b = _op((row.type, column.type, b.type))(*turned, of_x)
    of_matrix = -matmul(of_b, adjoint_of(x))
    by_diagonal = _diagonal_sums((column.type, row.type, of_matrix.type))
    return [*by_diagonal(column, row, of_matrix), of_b]


@lru_cache(maxsize=256)
def _diagonal_sums(types: Sequence[Type]) -> OpFromGraph:
    """The Op that brings what the elements have to the first column and row, though they be one."""
    column, row, of_matrix = free = [kind() for kind in types]
    return OpFromGraph(free, pullback(toeplitz(column, row), [column, row], of_matrix))


class _Solved(NamedTuple):
    """Of the leading block: what makes a first and a last unit vector, and the right-hand side."""

    first: Any
    last: Any
    x: Any


def _solved(column: TensorVariable, row: TensorVariable, b: TensorVariable) -> TensorVariable:
    n = lengths_of(column)[-1]
    y, unit = b.mT, eq(arange(n), 0)
    along = concatenate([row[..., 1:], zeros_like(row[..., :1])], -1)
    back = concatenate([column[..., ::-1], zeros_like(column)], -1)

    def step(m: TensorVariable, state: _Solved) -> _Solved:
        before = back[..., n - 1 - m : 2 * n - 1 - m]
        off_first = sum(before * state.first, -1, keepdims=True)
        off_last = sum(along * state.last, -1, keepdims=True)
        moved = concatenate([zeros_like(along[..., :1]), state.last[..., :-1]], -1)
        scale = 1 / (1 - off_first * off_last)
        first = scale * (state.first - off_first * moved)
        last = scale * (moved - off_last * state.first)
        left = y[..., m] - sum(before.expand_dims(-2) * state.x, -1)
        return _Solved(first, last, state.x + left.expand_dims(-1) * last.expand_dims(-2))

    alone = where(unit, 1 / column[..., :1], 0)
    found: _Solved = fori_loop(
        1, n, step, _Solved(alone, alone, where(unit, y[..., :1], 0) * alone.expand_dims(-2))
    )
    return found.x.mT
