"""The exponential of matrices in JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import Expm, ExpmFrechet
from weft_tensor.extend import EXPM_FRECHET_LARGEST, EXPM_LARGEST, EXPM_PADE

__all__ = ["jax_funcify_expm", "jax_funcify_expm_frechet", "product"]


@jax_funcify.register(Expm)
def jax_funcify_expm(op: Expm, **kwargs: object) -> Lowering:
    """Scaling and squaring (Higham, 2005), however often that must be."""

    def expm(x: Array) -> Array:
        require_square(x)
        x = jnp.asarray(x)
        if not x.size:
            return x
        finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
        exponential = _exponential(jnp.where(finite, x, 0), EXPM_LARGEST)
        return jnp.where(finite, exponential, _nan(x))

    return expm


@jax_funcify.register(ExpmFrechet)
def jax_funcify_expm_frechet(op: ExpmFrechet, **kwargs: object) -> Lowering:
    """The same steps and JAX's derivative of them: 3 products for each, not 8 as by blocks."""

    def expm_frechet(pair: Array) -> Array:
        n = pair.shape[-2]
        require_square(pair[..., : pair.shape[-1] // 2])
        if not pair.size:
            return pair
        finite = jnp.isfinite(pair).all((-2, -1), keepdims=True)
        given = jnp.where(finite, pair, 0)
        steps = partial(_exponential, largest=EXPM_FRECHET_LARGEST)
        both = jax.jvp(steps, (given[..., :n],), (given[..., n:],))
        return jnp.where(finite, jnp.concatenate(both, -1), _nan(pair))

    return expm_frechet


def _nan(x: Array) -> complex:
    return complex(jnp.nan, jnp.nan) if jnp.iscomplexobj(x) else jnp.nan


def _exponential(x: Array, largest: float) -> Array:
    """Of finite matrices, halved until no sum of a column is larger."""
    size = jnp.abs(jax.lax.stop_gradient(x)).sum(-2).max(-1)
    _, exponent = jnp.frexp(size / largest)
    times = jnp.maximum(exponent, 0)[..., None, None]
    halved = x * jnp.exp2(-times.astype(size.dtype)).astype(x.dtype)

    def squared(step: Any, r: Any) -> Array:
        return jnp.where(step < times, product(r, r), r)

    exponential: Array = jax.lax.fori_loop(0, times.max(), squared, _pade(halved))
    return exponential


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
