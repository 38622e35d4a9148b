"""Powers in JAX, where its own differ from NumPy's."""

from __future__ import annotations

from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.runtime.runtime_checks import require

__all__ = ["exp2", "float_power", "integer_power"]


def integer_power(x: Array, y: Array | np.ndarray) -> Array:
    """x**y by squaring; JAX's own is wrong for exponents of more than six bits."""
    shape = jnp.broadcast_shapes(x.shape, y.shape)
    is_constant = isinstance(y, np.ndarray)
    fine = y >= 0
    if not is_constant or not fine.all():
        fine = (
            jnp.full((), False) if is_constant else fine
        )  # XLA takes long to look at many constants
        nothing = jnp.asarray(prod(shape)) == 0
        require(fine | nothing, ValueError("integers to negative integer powers are not allowed"))
    if is_constant and y.ndim == 0:
        return jnp.broadcast_to(jax.lax.integer_pow(x, max(int(y), 0)), shape)

    def step(state: Any) -> Any:
        result, power, rest = state
        return jnp.where(rest & 1, result * power, result), power * power, rest >> 1

    start = (
        jnp.ones(shape, x.dtype),
        jnp.asarray(x),
        np.maximum(y, 0) if is_constant else jnp.maximum(y, 0),
    )
    return jax.lax.while_loop(lambda state: state[2].any(), step, start)[0]


def float_power(x: Array, y: Array) -> Array:
    """XLA takes a power of exp(a) for exp(a * y), which forgets that 1 is a power of NaN."""
    power = jnp.power(x, y)
    is_one = (x == 1) | (y == 0)
    return power if jnp.iscomplexobj(power) else jnp.where(is_one, jnp.ones_like(power), power)


def exp2(x: Array) -> Array:
    """As a power, which is right to the last bit: JAX's own rounds x * log(2) before."""
    return jnp.exp2(x) if jnp.iscomplexobj(x) else jnp.power(jnp.full_like(x, 2), x)
