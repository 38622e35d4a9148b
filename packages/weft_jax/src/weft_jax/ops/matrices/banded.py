"""Systems with banded matrices in JAX, which has none: with the whole matrix."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SolveBanded

__all__ = ["jax_funcify_solve_banded"]


@jax_funcify.register(SolveBanded)
def jax_funcify_solve_banded(op: SolveBanded, **kwargs: object) -> Lowering:
    """`jax.numpy.linalg.solve`; NaN or infinite if the matrix is singular."""

    def solve_banded(bands: Array, b: Array) -> object:
        count, n = bands.shape[-2:]
        if count != op.lower + op.upper + 1 or n != b.shape[-2]:
            raise ValueError(f"solve_banded: {bands.shape} and {b.shape} do not fit")
        places = jnp.arange(n)
        row = op.upper + places[:, None] - places
        inside = (row >= 0) & (row < count)
        elements = bands[..., jnp.clip(row, 0, count - 1), places]
        batch = jnp.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
        right = jnp.broadcast_to(b, (*batch, *b.shape[-2:]))
        return jnp.linalg.solve(jnp.where(inside, elements, 0), right)

    return solve_banded
