"""The incomplete gamma and beta functions in JAX, with SciPy's limits, and their inverses.

Positive numbers are ordered as their bits are: halving the integers between two of them finds in 64
steps the last bit of where a function reaches a value, however small that is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import Array, lax

from weft_jax.ops.special.gamma_tails import LARGE, SMALL, of_large, of_small

__all__ = ["ROWS"]

_HUGE: Final = 1e30
"""From here on, steps at a are as steep as numbers can tell; JAX's loops would not end."""


def gammainc(a: Array, x: Array) -> Array:
    """From 0 to x."""
    return _gamma(_lower, a, x, 0.0, 1.0)


def gammaincc(a: Array, x: Array) -> Array:
    """From x to infinity."""
    return _gamma(_upper, a, x, 1.0, 0.0)


def _gamma(
    function: Callable[[Array, Array], Array], a: Array, x: Array, at_0: float, at_inf: float
) -> Array:
    a, x = jnp.broadcast_arrays(a, x)
    inside = (a > 0) & (x > 0) & (a < _HUGE) & (x < _HUGE)
    found = function(jnp.where(inside, a, 1), jnp.where(inside, x, 1))
    step = jnp.where(x < a, at_0, jnp.where(x > a, at_inf, 0.5))
    both = ((a == 0) & (x == 0)) | (jnp.isinf(a) & jnp.isinf(x))
    wrong = (a < 0) | (x < 0) | jnp.isnan(a) | jnp.isnan(x) | both
    return jnp.where(wrong, jnp.nan, jnp.where(inside, found, step))


def _lower(a: Array, x: Array) -> Array:
    large = a > LARGE
    found = jsp.gammainc(jnp.where(large, 1, a), jnp.where(large, 1, x))
    return jnp.where(large, of_large(a, x, -1), found)


def _upper(a: Array, x: Array) -> Array:
    large, small = a > LARGE, (a < SMALL) & (x < 1)
    found = jsp.gammaincc(jnp.where(large, 1, a), jnp.where(large, 1, x))
    found = jnp.where(small, of_small(jnp.where(small, a, SMALL), jnp.where(small, x, 1)), found)
    return jnp.where(large, of_large(a, x, 1), found)


def betainc(a: Array, b: Array, x: Array) -> Array:
    """From 0 to x."""
    return _beta(a, b, x, 1 - x)


def betaincc(a: Array, b: Array, x: Array) -> Array:
    """From x to 1."""
    return _beta(b, a, 1 - x, x)


def _beta(a: Array, b: Array, x: Array, rest: Array) -> Array:
    a, b, x, rest = jnp.broadcast_arrays(a, b, x, rest)
    inside = (a > 0) & (b > 0) & (a < _HUGE) & (b < _HUGE) & (x > 0) & (rest > 0)
    given = [jnp.where(inside, v, 0.5) for v in (a, b, x)]
    found = jsp.betainc(*given)
    at_end = (x == 0) | ((b == 0) | (a >= _HUGE)) & (rest > 0)
    both = ((a == 0) & (b == 0)) | (jnp.isinf(a) & jnp.isinf(b))
    fine = (a >= 0) & (b >= 0) & (x >= 0) & (rest >= 0) & ~both
    return jnp.where(fine, jnp.where(inside, found, jnp.where(at_end, 0.0, 1.0)), jnp.nan)


def gammaincinv(a: Array, y: Array) -> Array:
    """The x for which `gammainc` is y."""
    a, y = jnp.broadcast_arrays(a, y)
    top = jnp.full_like(y, jnp.inf)
    found = jnp.where(y == 1, top, _least(lambda x: gammainc(a, x) >= y, top))
    return _inverse(found, y, (a > 0) & jnp.isfinite(a))


def gammainccinv(a: Array, y: Array) -> Array:
    """The x for which `gammaincc` is y."""
    a, y = jnp.broadcast_arrays(a, y)
    top = jnp.full_like(y, jnp.inf)
    found = jnp.where(y == 0, top, _least(lambda x: gammaincc(a, x) <= y, top))
    return _inverse(found, y, (a > 0) & jnp.isfinite(a))


def betaincinv(a: Array, b: Array, y: Array) -> Array:
    """The x for which `betainc` is y."""
    a, b, y = jnp.broadcast_arrays(a, b, y)
    one = jnp.ones_like(y)
    found = jnp.where(y == 1, one, _least(lambda x: betainc(a, b, x) >= y, one))
    return _inverse(found, y, (a > 0) & (b > 0))


def betainccinv(a: Array, b: Array, y: Array) -> Array:
    """The x for which `betaincc` is y."""
    a, b, y = jnp.broadcast_arrays(a, b, y)
    one = jnp.ones_like(y)
    found = jnp.where(y == 0, one, _least(lambda x: betaincc(a, b, x) <= y, one))
    return _inverse(found, y, (a > 0) & (b > 0))


def _least(reached: Callable[[Array], Array], top: Array) -> Array:
    """The least number from 0 to `top` that has reached it."""
    integer = jnp.int64 if top.dtype == jnp.float64 else jnp.int32
    bits = 8 * top.dtype.itemsize

    def halve(_: int, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = low + (high - low) // 2
        is_reached = reached(lax.bitcast_convert_type(middle, top.dtype))
        return jnp.where(is_reached, low, middle + 1), jnp.where(is_reached, middle, high)

    ends = jnp.zeros(top.shape, integer), lax.bitcast_convert_type(top, integer)
    _, high = lax.fori_loop(0, bits, halve, ends)
    return lax.bitcast_convert_type(high, top.dtype)


def _inverse(found: Array, y: Array, fine: Array) -> Array:
    return jnp.where(fine & (y >= 0) & (y <= 1), found, jnp.nan)


ROWS: Final[dict[str, Callable[..., Array]]] = {
    "betainc": betainc,
    "betaincc": betaincc,
    "betainccinv": betainccinv,
    "betaincinv": betaincinv,
    "gammainc": gammainc,
    "gammaincc": gammaincc,
    "gammainccinv": gammainccinv,
    "gammaincinv": gammaincinv,
}
"""By the names of the scalar table."""
