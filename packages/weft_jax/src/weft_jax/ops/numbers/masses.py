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
    top, share, _, apart, _ = _of_count(k, m)
    mean = _rounded(m * x)
    u, ratio = (mean - top) * share, _rounded(mean * share)
    lost = (u - (ratio - 1)) * (2 - ratio)
    low = u < -_NEAR
    more = jnp.where(low, apart, jnp.where(u < _NEAR, lost, 0))
    return jnp.log(jnp.where(low, x, ratio)) + more


def _of_count(k: Array, m: Array) -> tuple[Array, ...]:
    """s, 1 / s, c and log(m / s); 1 where k is 0, of which any finite logarithm makes 0, else 0."""
    top, level, is_0 = jnp.maximum(k, 1), jnp.where(k < 1, 0, k), (k == 0).astype(k.dtype)
    return top, 1 / top, level, jnp.log(m) - jnp.log(top), is_0


def _rounded(x: Array) -> Array:
    whole = jnp.int64 if x.dtype == "float64" else jnp.int32
    return lax.bitcast_convert_type(lax.bitcast_convert_type(x, whole) & -2, x.dtype)


def _off_peak(k: Array, m: Array, x: Array) -> Array:
    _, _, level, _, more = _of_count(k, m)
    return k * _log_ratio(k, m, x + more) - (_rounded(m * x) - level)


ROWS: Final[dict[str, Callable[..., Array]]] = {
    "mass_off_peak": _off_peak,
    "mass_off_peak_slope": _log_ratio,
}
"""By the names of the scalar table."""
