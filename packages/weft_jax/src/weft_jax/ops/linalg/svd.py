"""Singular values in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import jax_funcify
from weft_tensor import SVD

__all__ = ["jax_funcify_svd", "singular_values"]


@jax_funcify.register(SVD)
def jax_funcify_svd(op: SVD, **kwargs: Any) -> Any:
    """`jax.numpy.linalg.svd`."""

    def svd(x: Any) -> Any:
        require_square(x)
        return singular_values(x)

    return svd


def singular_values(x: Any) -> tuple[Any, ...]:
    """`jax.numpy.linalg.svd`, with NaN for what is not finite."""
    finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
    u, s, v = jnp.linalg.svd(jnp.where(finite, x, 0))
    u, v = (jnp.where(finite, part, jnp.nan) for part in (u, v))
    return u, jnp.where(finite[..., 0], s, jnp.nan), v
