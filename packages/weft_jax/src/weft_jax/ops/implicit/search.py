"""Where functions change sign, by inverse quadratic interpolation and bisection, in JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

__all__ = ["crossing"]

_Bracket = tuple[Array, Array, Array, Array, Array, Array, Array]
_MOST: Final = 200


def crossing(excess: Callable[[Array], Array], begin: Array, end: float) -> tuple[Array, Array]:
    """Where `excess` becomes positive between `begin` and `end`, to six tenths of the digits.

    And what it is there: to compute it again would be as much code for XLA as the search.
    As `weft_tensor.ops.implicit.search.crossing`, for functions that are JAX's.
    """
    nearly = float(np.finfo(begin.dtype).eps) ** 0.6
    far = jnp.full_like(begin, end)

    def goes_on(state: tuple[Array, _Bracket]) -> Array:
        return (state[0] < _MOST) & (state[1][-1] > 0).any()

    def narrow(state: tuple[Array, _Bracket]) -> tuple[Array, _Bracket]:
        count, (a, b, c, fa, fb, fc, part) = state
        x = a + part * (b - a)
        value = excess(x)
        value = jnp.where(jnp.isnan(value), -jnp.inf, value)
        same = (value > 0) == (fa > 0)
        b, fb, c, fc = (jnp.where(same, v, w) for v, w in ((b, a), (fb, fa), (a, b), (fa, fb)))
        closer = jnp.abs(value) < jnp.abs(fb)
        best = jnp.where(closer, x, b)
        near, width = nearly * (1 + jnp.abs(best)), jnp.abs(b - x)
        is_root = (value == 0) | (width < 2 * near)
        least = jnp.minimum(near / width, 0.5)
        xi, phi = (x - b) / (c - b), (value - fb) / (fc - fb)
        curved = value / (fb - value) * fc / (fb - fc)
        curved = curved + (c - x) / (b - x) * value / (fc - value) * fb / (fc - fb)
        fits = (phi * phi < xi) & ((1 - phi) ** 2 < 1 - xi)
        part = jnp.clip(jnp.where(fits, curved, 0.5), least, 1 - least)
        a, fa = jnp.where(is_root, best, x), jnp.where(is_root & ~closer, fb, value)
        return count + 1, (a, b, c, fa, fb, fc, jnp.where(is_root, 0.0, part))

    low, high = jnp.full_like(begin, -jnp.inf), jnp.full_like(begin, jnp.inf)
    first = (begin, far, far, low, high, high, jnp.full_like(begin, 0.5))
    _, bracket = lax.while_loop(goes_on, narrow, (jnp.zeros((), int), first))
    return bracket[0], bracket[3]
