"""What log-masses have less beside their peak, in JAX: by one logarithm and what is lost of it.

Of the ratio w to the peak, as it is rounded, log(w) is right; w - 1 is exact near the peak, and
less (x - s) / s it is what w lacks, which over w is what log(w) lacks. So w has to be the same
number in both places, and so has x: XLA may take differences of products before they are rounded,
but not with the last bit cleared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import jax.numpy as jnp
from jax import Array, lax

__all__ = ["ROWS"]

_NEAR: Final = 0.5
"""So near to the peak, w - 1 is exact; far below it, w may underflow."""


def _log_ratio(k: Array, m: Array, x: Array) -> Array:
    """log(m x / s)."""
    top, mean = jnp.maximum(k, 1), _rounded(m * x)
    share = 1 / top
    u, ratio = (mean - top) * share, _rounded(mean * share)
    low, lost = u < -_NEAR, (u - (ratio - 1)) * (2 - ratio)
    more = jnp.where(low, jnp.log(m) - jnp.log(top), jnp.where(u < _NEAR, lost, 0))
    return jnp.log(jnp.where(low, x, ratio)) + more


def _rounded(x: Array) -> Array:
    whole = jnp.int64 if x.dtype == "float64" else jnp.int32
    return lax.bitcast_convert_type(lax.bitcast_convert_type(x, whole) & -2, x.dtype)


def _off_peak(k: Array, m: Array, x: Array) -> Array:
    power = jnp.where(k == 0, 0, k * _log_ratio(k, m, x))
    return power - (_rounded(m * x) - jnp.where(k < 1, 0, k))


ROWS: Final[dict[str, Callable[..., Array]]] = {
    "mass_off_peak": _off_peak,
    "mass_off_peak_slope": _log_ratio,
}
"""By the names of the scalar table."""
