"""Determinants in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.linalg.svd import singular_values
from weft_tensor import Cofactors, Det, SlogDet

__all__ = ["jax_funcify_cofactors", "jax_funcify_det", "jax_funcify_slogdet"]


@jax_funcify.register(Det)
def jax_funcify_det(op: Det, **kwargs: object) -> Lowering:
    """`jax.numpy.linalg.det`."""

    def det(x: Array) -> object:
        require_square(x)
        return jnp.linalg.det(x)

    return det


@jax_funcify.register(SlogDet)
def jax_funcify_slogdet(op: SlogDet, **kwargs: object) -> Lowering:
    """`jax.numpy.linalg.slogdet`."""

    def slogdet(x: Array) -> object:
        require_square(x)
        return tuple(jnp.linalg.slogdet(x))

    return slogdet


@jax_funcify.register(Cofactors)
def jax_funcify_cofactors(op: Cofactors, **kwargs: object) -> Lowering:
    """By the inverse, or by singular values where a determinant is no normal number.

    Of small matrices, by determinants of smaller ones, if these are finite.
    """

    def cofactors(x: Array) -> object:
        require_square(x)
        if not x.size:
            return x
        if x.shape[-1] not in (2, 3):
            return general(x)
        minors = _minors(x)
        return jax.lax.cond(jnp.isfinite(minors).all(), lambda: minors, lambda: general(x))

    def general(x: Array) -> Array:
        factors, pivots, order = jax.lax.linalg.lu(x)
        diagonal = jnp.diagonal(factors, axis1=-2, axis2=-1)
        size = jnp.exp(jnp.log(jnp.abs(diagonal)).sum(-1))
        turns = (pivots != jnp.arange(x.shape[-1])).sum(-1) % 2
        det = size * (1 - 2 * turns) * jnp.sign(diagonal).prod(-1)
        unusual = (size < np.finfo(x.dtype).tiny) | jnp.isinf(size)

        def by_inverse() -> Array:
            ones = (order[..., None] == jnp.arange(x.shape[-1])).astype(x.dtype)
            half = jax.lax.linalg.triangular_solve(
                factors, ones, left_side=True, lower=True, unit_diagonal=True
            )
            inverse = jax.lax.linalg.triangular_solve(factors, half, left_side=True)
            return det[..., None, None] * jnp.swapaxes(inverse, -1, -2)

        result: Array = jax.lax.cond(
            unusual.any(), lambda: _cofactors_by_singular_values(x), by_inverse
        )
        return result

    return cofactors


def _minors(x: Array) -> Array:
    """The cofactors of matrices of 2 or 3 rows; of 3, the cross products of rows."""
    if x.shape[-1] == 2:
        signs = np.array([[1, -1], [-1, 1]], x.dtype)
        return x[..., ::-1, ::-1] * signs
    one, other = jnp.roll(x, -1, -2), jnp.roll(x, -2, -2)
    return jnp.roll(one, -1, -1) * jnp.roll(other, -2, -1) - jnp.roll(one, -2, -1) * jnp.roll(
        other, -1, -1
    )


def _cofactors_by_singular_values(x: Array) -> Array:
    u, s, v = singular_values(x)
    ones = jnp.ones_like(s[..., :1])
    before = jnp.cumprod(jnp.concatenate([ones, s[..., :-1]], -1), -1)
    after = jnp.cumprod(jnp.concatenate([ones, s[..., :0:-1]], -1), -1)
    products = before * after[..., ::-1]
    sign = jnp.linalg.det(u) * jnp.linalg.det(v)
    parts = jnp.conj(jnp.matmul(u * products[..., None, :], v, precision="highest"))
    cofactors: Array = sign[..., None, None] * parts
    return cofactors
