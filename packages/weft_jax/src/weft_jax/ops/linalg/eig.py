"""Eigenvalues of any matrices in JAX, on CPUs: of numbers of about 1.

Some builds of LAPACK return those of the matrix that they have scaled: SciPy 1.17's, where numbers
are below 1e-138 or above 1e138 (1e-12 and 1e12 of 32 bits).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.linalg.schur import require_cpu
from weft_tensor import Eig, Eigvals

__all__ = ["jax_funcify_eig", "jax_funcify_eigvals"]


def _found(x: Array, vectors: bool) -> Any:
    """Values, and vectors; NaN for what is not finite."""
    require_square(x)
    x = jnp.asarray(x)
    finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
    x = jnp.where(finite, x, 0)
    parts = jnp.maximum(abs(x.real), abs(x.imag))
    exponent = jnp.frexp(parts.max((-2, -1), keepdims=True, initial=0))[1]
    most = np.finfo(x.dtype).maxexp - 4
    one = jnp.ones((), parts.dtype)
    size = jnp.ldexp(one, jnp.clip(exponent, -most, most))
    w, *v = jax.lax.linalg.eig(
        x / size, compute_left_eigenvectors=False, compute_right_eigenvectors=vectors
    )
    values = jnp.where(finite[..., 0], w * size[..., 0], jnp.nan)
    return (values, jnp.where(finite, v[0], jnp.nan)) if vectors else values


@jax_funcify.register(Eig)
def jax_funcify_eig(op: Eig, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.eig`."""
    require_cpu("eig")
    return lambda x: _found(x, True)


@jax_funcify.register(Eigvals)
def jax_funcify_eigvals(op: Eigvals, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.eig`, without vectors."""
    require_cpu("eigvals")
    return lambda x: _found(x, False)
