"""LU factors in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.runtime.runtime_checks import require
from weft_tensor import LUFactor, PivotToPermutations

__all__ = ["jax_funcify_lu_factor", "jax_funcify_pivot_to_permutations"]


@jax_funcify.register(LUFactor)
def jax_funcify_lu_factor(op: LUFactor, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.lu`, which has no case for matrices without rows or columns."""

    def lu_factor(x: Array) -> object:
        x = jnp.asarray(x)
        *batch, rows, columns = x.shape
        if x.size:
            return tuple(jax.lax.linalg.lu(x))
        order = jnp.broadcast_to(jnp.arange(rows, dtype="int32"), (*batch, rows))
        return x, jnp.zeros((*batch, min(rows, columns)), "int32"), order

    return lu_factor


@jax_funcify.register(PivotToPermutations)
def jax_funcify_pivot_to_permutations(op: PivotToPermutations, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.lu_pivots_to_permutation`."""

    def pivot_to_permutation(pivots: Array) -> Array:
        rows = pivots.shape[-1]
        fine = (pivots >= 0) & (pivots < rows)
        require(fine.all(), IndexError(f"a pivot is out of bounds for {rows} rows"))
        if not pivots.size:
            return jnp.zeros(pivots.shape, "int32")
        return jax.lax.linalg.lu_pivots_to_permutation(jnp.asarray(pivots, "int32"), rows)

    return pivot_to_permutation
