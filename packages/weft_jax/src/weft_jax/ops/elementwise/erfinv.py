"""The inverse of the error function in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from weft_jax.ops.elementwise.erfcx import fraction
from weft_tensor import ERFINV_CENTRE, ERFINV_TAIL

__all__ = ["erfinv"]


def erfinv(x: Any) -> Any:
    """By `weft_tensor.ops.elementwise.erfinv`; JAX's own is off by many units near -1 and 1.

    >>> float(erfinv(jnp.float32(1.0)))
    inf
    """
    size = jnp.abs(x)
    inner = x * (0.875 + fraction(ERFINV_CENTRE, 0.5625 - x * x))
    s = jnp.sqrt(-jnp.log(1 - size))
    outer = jnp.where(size == 1, s, s - fraction(ERFINV_TAIL, s - 1))
    return jnp.where(size <= 0.75, inner, jnp.copysign(outer, x))
