"""Schur and Hessenberg forms in JAX, on CPUs; there is none of pairs of matrices."""

from __future__ import annotations

from typing import NoReturn

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import QZ, Hessenberg, Schur

__all__ = [
    *("jax_funcify_hessenberg", "jax_funcify_qz", "jax_funcify_schur", "require_cpu"),
    "triangular_factor",
]


def require_cpu(name: str) -> None:
    """Raise NotImplementedError, which says what to do, where JAX computes on another device."""
    device = jax.default_backend()
    if device != "cpu":
        raise NotImplementedError(
            f"{name}: JAX computes it on CPUs only, and this is for {device!r}: compute it with "
            'mode="numba", or put `jax.config.update("jax_platforms", "cpu")` before all else'
        )


@jax_funcify.register(Schur)
def jax_funcify_schur(op: Schur, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.schur`."""
    require_cpu("schur")

    def schur(x: Array) -> object:
        require_square(x)
        return triangular_factor(jnp.asarray(x))

    return schur


def triangular_factor(x: Array) -> tuple[Array, Array]:
    """T and Z; NaN for what is not finite."""
    if not x.size:
        return x, x
    finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
    t, z = jax.lax.linalg.schur(jnp.where(finite, x, 0))
    return jnp.where(finite, t, jnp.nan), jnp.where(finite, z, jnp.nan)


@jax_funcify.register(Hessenberg)
def jax_funcify_hessenberg(op: Hessenberg, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.hessenberg`, and its reflections multiplied."""
    require_cpu("hessenberg")

    def hessenberg(x: Array) -> object:
        require_square(x)
        n = x.shape[-1]
        whole = jnp.broadcast_to(jnp.eye(n, dtype=x.dtype), x.shape)
        if n < 3 or not x.size:  # SciPy leaves two rows as they are
            return x, whole
        packed, factors = jax.lax.linalg.hessenberg(jnp.asarray(x))
        turns = jax.lax.linalg.householder_product(packed[..., 1:, :-1], factors)
        return jnp.triu(packed, -1), whole.at[..., 1:, 1:].set(turns)

    return hessenberg


@jax_funcify.register(QZ)
def jax_funcify_qz(op: QZ, **kwargs: object) -> NoReturn:
    """There is none."""
    raise NotImplementedError(
        'qz: JAX has no Schur form of pairs of matrices: compute it with mode="numba", or take '
        "`schur(solve(B, A))` if B is regular"
    )
