"""Powers in JAX, where its own differ from NumPy's."""

from __future__ import annotations

from math import factorial, prod
from typing import Any, Final

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
    """XLA takes a power of exp(a) for exp(a * y), which forgets that 1 is a power of NaN.

    Its complex powers of 0 are NaN unless the exponent is real.
    """
    power = jnp.power(x, y)
    if jnp.iscomplexobj(power):
        return jnp.where((x == 0) & (jnp.real(y) > 0), jnp.zeros_like(power), power)
    return jnp.where((x == 1) | (y == 0), jnp.ones_like(power), power)


def exp2(x: Array) -> Array:
    """By the exponential series of what is left beside a whole power: no rounded x * log(2).

    XLA's own is wrong by 200 units in the last place near the largest; its exponential of what is
    left would be as precise as the series, and takes half as long again.
    """
    if str(x.dtype) not in _BITS:
        return jnp.exp2(x) if jnp.iscomplexobj(x) else jnp.power(jnp.full_like(x, 2), x)
    whole = jnp.round(x)
    rest = (x - whole) * np.log(2).astype(x.dtype)
    kind, places, middle, terms = _BITS[str(x.dtype)]
    part = jnp.full_like(x, 1 / factorial(terms))
    for k in reversed(range(terms)):
        part = part * rest + 1 / factorial(k)
    half = jnp.round(whole * 0.5)  # two factors, since the power may be no normal number
    factors = [
        jax.lax.bitcast_convert_type(
            jax.lax.bitcast_convert_type(n + (1.5 * 2**places + middle), kind) << places, x.dtype
        )
        for n in (half, whole - half)
    ]
    power = jnp.where(x >= middle + 1, jnp.inf, part * factors[0] * factors[1])
    return jnp.where(x < -middle - places - 1, 0, power)


_BITS: Final = {"float32": ("int32", 23, 127, 7), "float64": ("int64", 52, 1023, 13)}
"""The integers of equal size, the place and the middle of the exponent in them, and the terms of
the series that are not less than half a unit in the last place of the first."""
