"""Factors of symmetric matrices that need not be definite, on the last two axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt as root_of
from typing import Any, Final, NamedTuple

from weft_graph import OpFromGraph, Type, stop_gradient
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, minimum
from weft_tensor.ops.elementwise.comparison import eq, ge, neq, where
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import (
    adjoint_of,
    diagonal_of,
    mirrored,
    on_diagonal,
    square_type,
    tril,
)
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["LDLResult", "ldl"]

_SHARE: Final = (1 + root_of(17)) / 8
"""How large beside others what stands alone on the diagonal must be: so L grows least."""


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
    still = stop_gradient(whole)
    none = zeros_like(still.real.sum(-1))
    first = still, zeros_like(still), zeros_like(still), none.astype("int64") + arange(n)
    steps = _Elimination(n, x.is_complex and hermitian, lower)
    state = fori_loop(0, n, steps.step, (*first, neq(none.sum(-1), 0)))
    _, factor, d, order, _ = state
    factor = where(on_diagonal(factor), 1, factor)
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


class _Elimination:
    """Steps of a symmetric elimination of the lower half, with pivots of one and two rows."""

    def __init__(self, n: Any, is_hermitian: bool, takes_first: bool) -> None:
        self.n = n
        self.is_hermitian = is_hermitian
        self.takes_first = takes_first
        """Whether of equal elements the first is the largest; else the last, as from below."""

    def _adjoint(self, x: Any) -> Any:
        return x.conj() if self.is_hermitian else x

    def _size(self, x: Any) -> Any:
        """LAPACK's, which takes no root."""
        return abs(x.real) + abs(x.imag) if x.is_complex else abs(x)

    def _largest(self, sizes: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        """The largest, and where it is."""
        most, rows = max(sizes, -1, initial=0), arange(self.n)
        ranks = self.n - 1 - rows if self.takes_first else rows
        rank = max(where(eq(sizes, most.expand_dims(-1)), ranks, 0), -1, initial=0)
        return most, self.n - 1 - rank if self.takes_first else rank

    def _pivot(self, x: TensorVariable, i: Any) -> tuple[TensorVariable, TensorVariable]:
        """Which row goes before others, and whether row i does so with it."""
        rows = arange(self.n)
        column = where(rows > i, self._size(x[..., i]), 0)
        own, (most, at) = self._size(x[..., i, i]), self._largest(column)
        chosen = at.expand_dims((-2, -1))
        row = self._size(take_along_axis(x, chosen, -2).squeeze(-2))
        is_chosen = eq(rows, at.expand_dims(-1))
        beside = max(where((rows >= i) & ~is_chosen, row, 0), -1, initial=0)
        other = max(where(is_chosen, row, 0), -1, initial=0)
        growth = most / where(eq(beside, 0), 1, beside)
        stays = (own >= _SHARE * most) | (own >= _SHARE * most * growth)
        return where(stays, i, at), ~stays & (other < _SHARE * beside)

    def step(self, i: Any, state: Any) -> Any:
        """Row i, and where two rows are one pivot the next, but where it has been the second."""
        x, factor, d, order, is_second = state
        rows = arange(self.n)
        pivot, is_two = self._pivot(x, i)
        is_two = is_two & ~is_second
        pivot = where(is_second, i, pivot).expand_dims(-1)
        last = (i + is_two).expand_dims(-1)
        turn = where(eq(rows, last), pivot, where(eq(rows, pivot), last, rows))
        x = take_along_axis(x, turn.expand_dims(-1), -2)
        x = take_along_axis(x, turn.expand_dims(-2), -1)
        factor = take_along_axis(factor, turn.expand_dims(-1), -2)
        order = take_along_axis(order, turn, -1)
        j = minimum(i + 1, self.n - 1)
        a, b, c = x[..., i, i], x[..., j, i], x[..., j, j]
        if self.is_hermitian:
            a, c = a.real.astype(x.dtype), c.real.astype(x.dtype)
        is_left = (rows > last) & ~is_second.expand_dims(-1)
        first, second = (where(is_left, x[..., k], 0) for k in (i, j))
        pair = is_two.expand_dims(-1)
        one, other = self._quotients(a, b, c, first, second, pair)
        x = x - self._product(one, first) - self._product(other, second)
        at, beside = eq(rows, i), eq(rows, j) & pair
        kept = where(is_second, 0, a), where(is_two, b, 0), where(is_two, c, 0)
        a, b, c = (v.expand_dims((-2, -1)) for v in kept)
        column, row = at.expand_dims(-1), beside.expand_dims(-2)
        d = d + where(column & at, a, 0) + where(beside.expand_dims(-1) & at, b, 0)
        d = d + where(column & row, self._adjoint(b), 0)
        d = d + where(beside.expand_dims(-1) & row, c, 0)
        factor = factor + where(at, one.expand_dims(-1), 0) + where(row, other.expand_dims(-1), 0)
        return x, factor, d, order, is_two

    def _product(self, x: TensorVariable, y: TensorVariable) -> TensorVariable:
        return x.expand_dims(-1) * self._adjoint(y).expand_dims(-2)

    def _quotients(self, a: Any, b: Any, c: Any, first: Any, second: Any, pair: Any) -> Any:
        """Columns times the inverse of [[a, bᴴ], [b, c]], or of a."""
        a, b, c = (v.expand_dims(-1) for v in (a, b, c))
        b = where(pair, b, 1)
        u, v = c / b, a / self._adjoint(b)
        gap = where(pair, u * v - 1, 1)
        of_two = (first * u - second) / self._adjoint(b) / gap
        of_one = first / where(pair | eq(a, 0), 1, a)
        return where(pair, of_two, of_one), where(pair, (second * v - first) / b / gap, 0)
