"""Symmetric elimination with pivots of one and two rows in JAX, which has no function for it."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SymmetricPivots

__all__ = ["jax_funcify_symmetric_pivots"]

_SHARE: Final = (1 + sqrt(17)) / 8
"""How large beside others what stands alone on the diagonal must be: so L grows least."""


@jax_funcify.register(SymmetricPivots)
def jax_funcify_symmetric_pivots(op: SymmetricPivots, **kwargs: object) -> Lowering:
    """Column by column, each from the matrix as it was and the columns of L before it.

    By J. R. Bunch and L. Kaufman, Some stable methods for calculating inertia and solving symmetric
    linear systems, 1977. Nothing but one row of two matrices is written in a step, so that XLA
    writes in place.
    """

    def symmetric_pivots(x: Array) -> tuple[Array, ...]:
        require_square(x)
        x = jnp.asarray(x)
        if not x.size:
            return x, x, jnp.zeros(x.shape[:-1], "int64")
        flat = x.reshape(-1, *x.shape[-2:])
        of_one = _Elimination(op.is_hermitian and jnp.iscomplexobj(x), op.takes_first).factors
        found = jax.vmap(of_one)(flat) if len(flat) > 1 else [v[None] for v in of_one(flat[0])]
        return tuple(v.reshape(x.shape[: v.ndim + x.ndim - 3]) for v in found)

    return symmetric_pivots


class _Elimination:
    """Of one matrix."""

    def __init__(self, is_hermitian: bool, takes_first: bool) -> None:
        self.is_hermitian = is_hermitian
        self.takes_first = takes_first
        """Whether of equal elements the first is the largest; else the last, as from below."""

    def _adjoint(self, x: Array) -> Array:
        return x.conj() if self.is_hermitian else x

    def _own(self, x: Array) -> Array:
        return x.real.astype(x.dtype) if self.is_hermitian else x

    def _size(self, x: Array) -> Array:
        """LAPACK's, which takes no root."""
        return abs(x.real) + abs(x.imag) if jnp.iscomplexobj(x) else abs(x)

    def _largest(self, sizes: Array) -> Array:
        return jnp.argmax(sizes) if self.takes_first else len(sizes) - 1 - jnp.argmax(sizes[::-1])

    def factors(self, x: Array) -> tuple[Array, ...]:
        """L, D and the order."""
        n = len(x)
        places, zeros = jnp.arange(n), jnp.zeros_like(x)
        none = zeros[0], zeros[0], zeros[:1, 0], zeros[:1, 0]
        pairs = jnp.zeros((2, n), x.dtype)
        begun = zeros, zeros, places, pairs, jnp.array(False), none
        columns, _, order, (own, beside), *_ = jax.lax.fori_loop(0, n, self._step(x), begun)
        under = beside[:-1]
        d = jnp.diag(own) + jnp.diag(under, -1) + jnp.diag(self._adjoint(under), 1)
        return columns.T[order] + jnp.eye(n, dtype=x.dtype), d, order

    def _step(self, x: Array) -> Callable[[Array, Any], tuple[Any, ...]]:
        n = len(x)
        places = jnp.arange(n)

        def step(i: Array, state: Any) -> tuple[Any, ...]:
            """Column i of L; `nexts` is what the next step writes if this one has two rows.

            The rows of `columns`, those of L, and of `rights`, those of L D, are as in x.
            """
            columns, rights, order, blocks, is_second, nexts = state

            def rest(k: Array) -> Array:
                """Column k of what is left, rows in order."""
                row = order[k]
                left: Array = (self._adjoint(x[row]) - rights[:, row] @ columns)[order]
                return left

            column = rest(i)
            at, is_two = self._pivot(i, column, rest, is_second)
            last = i + is_two
            turn = jnp.where(places == last, at[0], jnp.where(places == at[0], last, places))
            order, first, second = order[turn], at[1][turn], at[2][turn]
            a, b, c = self._own(first[i]), first[jnp.minimum(i + 1, n - 1)], second[last]
            c = self._own(c)
            first, second = (jnp.where(places > last, v, 0) for v in (first, second))
            one, other = self._quotients(a, b, c, first, second, is_two)
            back = jnp.zeros_like(order).at[order].set(places)
            adjoints = [self._adjoint(v)[back] for v in (first, second)]
            own = one[back], adjoints[0], a[None], jnp.where(is_two, b, 0)[None]
            values = [jnp.where(is_second, w, v) for v, w in zip(own, nexts, strict=True)]
            columns = columns.at[i].set(values[0])
            rights = rights.at[i].set(values[1])
            blocks = blocks.at[:, i].set(jnp.concatenate(values[2:]))
            nexts = other[back], adjoints[1], c[None], jnp.zeros_like(c)[None]
            return columns, rights, order, blocks, is_two, nexts

        return step

    def _pivot(
        self, i: Array, column: Array, rest: Callable[[Array], Array], is_second: Array
    ) -> tuple[tuple[Array, Array, Array], Array]:
        """Which row goes before others, with columns of both; whether row i does so with it."""
        places = jnp.arange(len(column))
        sizes = self._size(column)
        below = jnp.where(places > i, sizes, 0)
        at = self._largest(below)
        own, most, chosen = sizes[i], below[at], rest(at)
        row = self._size(chosen)
        beside = jnp.max(jnp.where((places >= i) & (places != at), row, 0))
        growth = most / jnp.where(beside == 0, 1, beside)
        stays = is_second | (own >= _SHARE * most) | (own >= _SHARE * most * growth)
        is_two = ~stays & (row[at] < _SHARE * beside)
        return (jnp.where(stays, i, at), jnp.where(stays | is_two, column, chosen), chosen), is_two

    def _quotients(
        self, a: Array, b: Array, c: Array, first: Array, second: Array, is_two: Array
    ) -> tuple[Array, Array]:
        """Columns times the inverse of [[a, bᴴ], [b, c]], or of a."""
        b = jnp.where(is_two, b, 1)
        u, v = c / b, a / self._adjoint(b)
        gap = jnp.where(is_two, u * v - 1, 1)
        of_two = (first * u - second) / self._adjoint(b) / gap
        of_one = first / jnp.where(is_two | (a == 0), 1, a)
        return jnp.where(is_two, of_two, of_one), jnp.where(
            is_two, (second * v - first) / b / gap, 0
        )
