"""Factors of symmetric matrices that need not be definite, on the last two axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from weft_graph import OpFromGraph, Type, stop_gradient
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq, ge, neq, where
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.pivots import SymmetricPivots
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import (
    adjoint_of,
    diagonal_of,
    mirrored,
    on_diagonal,
    square_type,
    tril,
)
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["LDLResult", "ldl"]


class LDLResult(NamedTuple):
    """What `ldl` returns."""

    lu: TensorVariable
    d: TensorVariable
    perm: TensorVariable


def ldl(A: TensorLike, lower: bool = True, hermitian: bool = True) -> LDLResult:
    """Factors of symmetric or Hermitian matrices that need not be definite: A = L D Lᴴ.

    By J. R. Bunch and L. Kaufman, Some stable methods for calculating inertia and solving symmetric
    linear systems, 1977. See `scipy.linalg.ldl`.

    Parameters
    ----------
    A
        Square matrices (..., n, n), of which one half is read.
    lower
        Whether that is the lower half, and L lower triangular; else both are the upper.
    hermitian
        Whether complex matrices are Hermitian; else they are symmetric, and A = L D Lᵀ.

    Returns
    -------
    `lu`, the factor L, whose rows are in another order; `d`, with blocks of one and two rows on its
    diagonal; `perm`, the order in which `lu[perm]` is triangular, with ones on its diagonal. They
    have derivatives, in the order that they have.

    Raises
    ------
    LinAlgError
        for matrices that are not square.

    Examples
    --------
    >>> L, d, order = ldl([[2.0, -1.0], [-1.0, 0.0]])
    >>> L.eval().tolist(), d.eval().tolist(), order.eval().tolist()
    ([[1.0, 0.0], [-0.5, 1.0]], [[2.0, 0.0], [0.0, -0.5]], [0, 1])
    """
    x = as_floating(A)
    square_type(x.type, "ldl")
    n = lengths_of(x)[-1]
    read = x if lower else x[..., ::-1, ::-1]
    if x.is_complex and not hermitian:
        rows = arange(n)
        whole = where(ge(rows.expand_dims(1), rows), read, read.mT)
    else:
        whole = mirrored(read)
    pivoted = SymmetricPivots(x.is_complex and hermitian, lower)
    factor, d, order = pivoted(stop_gradient(whole))
    rows = order.expand_dims(-1)
    whole = take_along_axis(take_along_axis(whole, rows, -2), rows.mT, -1)
    factor, d = _factors_of((whole.type, factor.type, d.type), hermitian)(whole, factor, d)
    factor = take_along_axis(factor, argsort(order).expand_dims(-1), -2)
    if lower:
        return LDLResult(factor, d, order)
    turned = n - 1 - order[..., ::-1]
    return LDLResult(factor[..., ::-1, ::-1], d[..., ::-1, ::-1], turned)


@lru_cache(maxsize=256)
def _factors_of(types: Sequence[Type], is_hermitian: bool) -> OpFromGraph:
    """The Op that takes a matrix, and its factors for what they are."""
    free: list[Any] = [kind() for kind in types]
    return OpFromGraph(free, free[1:], "ldl", _Pullback(is_hermitian))


@dataclass(frozen=True)
class _Pullback:
    """With A = L D Lᴴ and M = L⁻¹ dA L⁻ᴴ: dD is M in the blocks, dL is L M D⁻¹ below them."""

    is_hermitian: bool

    def _turned(self, x: TensorVariable) -> TensorVariable:
        return adjoint_of(x) if self.is_hermitian else x.mT

    def __call__(self, inputs: Any, outputs: Any, cotangents: Any) -> list[TensorVariable | None]:
        (factor, d), (of_factor, of_d) = outputs, cotangents
        in_block = on_diagonal(d) | neq(d, 0) | neq(d.mT, 0)
        below = tril(matmul(matmul(adjoint_of(factor), of_factor), adjoint_of(_inverse(d))))
        half = self._divided(factor, where(in_block, of_d, below))
        return [self._turned(self._divided(factor, self._turned(half))), None, None]

    def _divided(self, factor: TensorVariable, x: TensorVariable) -> TensorVariable:
        return solve_triangular(factor, x, "C", lower=True, unit_diagonal=True, b_ndim=2)


def _inverse(d: TensorVariable) -> TensorVariable:
    """Of blocks [[a, b], [c, e]], by a / b and e / c; 1 for blocks of 0."""
    beside = where(on_diagonal(d), 0, d)
    along, down, own = sum(beside, -1), sum(beside, -2), diagonal_of(d)
    is_alone = eq(along, 0)
    along, down = where(is_alone, 1, along), where(is_alone, 1, down)
    other = matmul(neq(beside, 0).astype(d.dtype), own.expand_dims(-1)).squeeze(-1) / down
    gap = where(is_alone, 1, own / along * other - 1)
    alone = 1 / where(is_alone & neq(own, 0), own, 1)
    inverse = where(is_alone, alone, other / along / gap).expand_dims(-1)
    return where(
        on_diagonal(d), inverse, where(neq(beside, 0), -1 / (down * gap).expand_dims(-1), 0)
    )
