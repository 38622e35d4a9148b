"""Systems with banded matrices in JAX, which knows those with three diagonals."""

from __future__ import annotations

from functools import partial
from typing import Final

import jax
import jax.numpy as jnp
from jax import Array, lax

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SolveBanded

__all__ = ["jax_funcify_solve_banded"]

Window = tuple[Array, Array]
"""Rows of a matrix, and of right sides."""

_LONG: Final = 256
"""From so many rows on, a loop over them is faster than the whole matrix."""


@jax_funcify.register(SolveBanded)
def jax_funcify_solve_banded(op: SolveBanded, **kwargs: object) -> Lowering:
    """By LAPACK's gtsv, a loop over rows or the whole matrix; not finite if that is singular."""
    lower, upper = op.lower, op.upper

    def solve_banded(bands: Array, b: Array) -> object:
        count, n = bands.shape[-2:]
        if count != lower + upper + 1 or n != b.shape[-2]:
            raise ValueError(f"solve_banded: {bands.shape} and {b.shape} do not fit")
        dtype = jnp.promote_types(bands.dtype, b.dtype)
        batch = jnp.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
        bands = jnp.broadcast_to(bands, (*batch, count, n)).astype(dtype)
        b = jnp.broadcast_to(b, (*batch, *b.shape[-2:])).astype(dtype)
        if n < _LONG:
            return jnp.linalg.solve(_whole(bands, upper), b)
        by_rows = partial(_by_three if (lower, upper) == (1, 1) else _by_rows, lower, upper)
        for _ in batch:
            by_rows = jax.vmap(by_rows)
        return by_rows(bands, b)

    return solve_banded


def _whole(bands: Array, upper: int) -> Array:
    count, n = bands.shape[-2:]
    places = jnp.arange(n)
    row = upper + places[:, None] - places
    elements = bands[..., jnp.clip(row, 0, count - 1), places]
    return jnp.where((row >= 0) & (row < count), elements, 0)


def _by_three(lower: int, upper: int, bands: Array, b: Array) -> Array:
    above, main, below = bands
    return lax.linalg.tridiagonal_solve(
        jnp.roll(below, 1).at[0].set(0), main, jnp.roll(above, -1).at[-1].set(0), b
    )


def _by_rows(lower: int, upper: int, bands: Array, b: Array) -> Array:
    """Gaussian elimination with exchanges of rows, of which a window is enough.

    Golub and Van Loan, Matrix Computations (2013), 4.3.5.
    """
    n, width = bands.shape[1], lower + upper + 1
    place = jnp.arange(n)[:, None] + jnp.arange(-lower, upper + 1)
    inside = (place >= 0) & (place < n)
    band = lower + upper - jnp.arange(width)
    rows = jnp.where(inside, bands[band, jnp.clip(place, 0, n - 1)], 0)
    rows = jnp.pad(rows, ((0, lower + 1), (0, 0)))
    right = jnp.pad(b, ((0, lower + 1), (0, 0)))
    top = [jnp.pad(rows[k, lower - k :], (0, lower - k)) for k in range(lower + 1)]

    def eliminate(window: Window, new: Window) -> tuple[Window, Window]:
        table, sides = window
        pivot = jnp.argmax(jnp.abs(table[:, 0]))
        order = jnp.arange(lower + 1).at[0].set(pivot).at[pivot].set(0)
        table, sides = table[order], sides[order]
        factors = (table[1:, 0] / table[0, 0])[:, None]
        rest = jnp.pad((table[1:] - factors * table[0])[:, 1:], ((0, 0), (0, 1)))
        left = sides[1:] - factors * sides[0]
        after = jnp.concatenate([rest, new[0][None]]), jnp.concatenate([left, new[1][None]])
        return after, (table[0], sides[0])

    start = jnp.stack(top), right[: lower + 1]
    _, (triangle, sides) = lax.scan(eliminate, start, (rows[lower + 1 :], right[lower + 1 :]))

    def substitute(below: Array, row: Window) -> Window:
        factors, side = row
        x = (side - jnp.matmul(factors[1:], below, precision="highest")) / factors[0]
        return jnp.concatenate([x[None], below])[: width - 1], x

    ends = jnp.zeros((width - 1, b.shape[1]), bands.dtype)
    x: Array = lax.scan(substitute, ends, (triangle, sides), reverse=True)[1]
    return x
