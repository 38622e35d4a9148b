"""Eigenvalues of symmetric matrices in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import Eigh, Eigvalsh

__all__ = ["jax_funcify_eigh", "jax_funcify_eigvalsh"]


@jax_funcify.register(Eigh)
def jax_funcify_eigh(op: Eigh, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.eigh` of one half."""

    def eigh(x: Array) -> object:
        require_square(x)
        v, w = jax.lax.linalg.eigh(jnp.asarray(x), lower=op.lower, symmetrize_input=False)
        return w, v

    return eigh


@jax_funcify.register(Eigvalsh)
def jax_funcify_eigvalsh(op: Eigvalsh, **kwargs: object) -> Lowering:
    """Eigenvalues alone. XLA computes their vectors, too, on CPUs."""

    def eigvalsh(x: Array) -> object:
        require_square(x)
        return jax.lax.linalg.eigh(jnp.asarray(x), lower=op.lower, symmetrize_input=False)[1]

    return eigvalsh
