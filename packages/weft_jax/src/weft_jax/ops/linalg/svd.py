"""Singular values in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SVD, SingularValues

__all__ = ["jax_funcify_singular_values", "jax_funcify_svd", "singular_values"]


@jax_funcify.register(SVD)
def jax_funcify_svd(op: SVD, **kwargs: object) -> Lowering:
    """`jax.numpy.linalg.svd`, which gives NaN for what is not finite."""

    def svd(x: Array) -> object:
        return tuple(jnp.linalg.svd(x, full_matrices=op.full_matrices))

    return svd


@jax_funcify.register(SingularValues)
def jax_funcify_singular_values(op: SingularValues, **kwargs: object) -> Lowering:
    """Without vectors."""

    def svdvals(x: Array) -> object:
        return jnp.linalg.svd(x, compute_uv=False)

    return svdvals


def singular_values(x: Array) -> tuple[Array, ...]:
    """`jax.numpy.linalg.svd`, with NaN for what is not finite."""
    finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
    u, s, v = jnp.linalg.svd(jnp.where(finite, x, 0))
    u, v = (jnp.where(finite, part, jnp.nan) for part in (u, v))
    return u, jnp.where(finite[..., 0], s, jnp.nan), v
