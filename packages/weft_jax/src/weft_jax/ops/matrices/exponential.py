"""The exponential of matrices in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import Expm
from weft_tensor.extend import EXPM_LARGEST, EXPM_PADE

__all__ = ["jax_funcify_expm", "product"]


@jax_funcify.register(Expm)
def jax_funcify_expm(op: Expm, **kwargs: object) -> Lowering:
    """Scaling and squaring (Higham, 2005), however often that must be."""

    def expm(x: Array) -> Array:
        require_square(x)
        x = jnp.asarray(x)
        if not x.size:
            return x
        finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
        x = jnp.where(finite, x, 0)
        size = jnp.abs(x).sum(-2).max(-1)
        _, exponent = jnp.frexp(size / EXPM_LARGEST)
        times = jnp.maximum(exponent, 0)[..., None, None]
        halved = x * jnp.exp2(-times.astype(size.dtype)).astype(x.dtype)

        def squared(step: Any, r: Any) -> Array:
            return jnp.where(step < times, product(r, r), r)

        exponential = jax.lax.fori_loop(0, times.max(), squared, _pade(halved))
        nothing = complex(jnp.nan, jnp.nan) if jnp.iscomplexobj(x) else jnp.nan
        return jnp.where(finite, exponential, nothing)

    return expm


def product(a: Array, b: Array) -> Array:
    """The product at full precision."""
    return jnp.matmul(a, b, precision="highest")


def _pade(a: Array) -> Array:
    """The approximant of degree 13."""
    b, ones = EXPM_PADE, jnp.eye(a.shape[-1], dtype=a.dtype)
    two = product(a, a)
    four = product(two, two)
    six = product(four, two)
    odd = product(six, b[13] * six + b[11] * four + b[9] * two)
    odd = product(a, odd + b[7] * six + b[5] * four + b[3] * two + b[1] * ones)
    even = product(six, b[12] * six + b[10] * four + b[8] * two)
    even = even + b[6] * six + b[4] * four + b[2] * two + b[0] * ones
    approximant: Array = jnp.linalg.solve(even - odd, even + odd)
    return approximant
