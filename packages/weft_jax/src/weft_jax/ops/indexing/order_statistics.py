"""Elements at places in sorted order in JAX: on a CPU, a few of many numbers bit after bit."""

from __future__ import annotations

from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.analysis.contraction import ORDERING
from weft_jax.compile.tracing import range_of
from weft_jax.lowering import own_slopes
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.sort_keys import from_keys, keys, sorted_along
from weft_jax.lowering.sorting_network import in_order
from weft_jax.runtime.runtime_checks import require
from weft_tensor import OrderStatistics

__all__ = ["jax_funcify_order_statistics"]

ORDERING.add(OrderStatistics)
_FEW: Final = 8
"""With more bytes than this, of all places together, all is sorted, for which XLA takes as long."""
_SHORT: Final = 32
"""Lanes of so many numbers are sorted by a network, if it is known which of them are asked for."""
_SHORTER: Final = 64
"""Lanes of so many numbers are sorted otherwise."""
_LITTLE: Final = 256
"""So many numbers are sorted sooner than anything else, and compile in a third of the time."""


@jax_funcify.register(OrderStatistics)
def jax_funcify_order_statistics(op: OrderStatistics, **kwargs: object) -> Lowering:
    """The numbers that have so many below them; or `jax.numpy.sort`, then the places.

    A GPU sorts 10^6 numbers in a fifth of the time that their bits take.
    """

    def order_statistics(x: Array, places: Array) -> Array:
        x, count = jnp.asarray(x), np.size(places)
        if not x.shape[-1] and jnp.issubdtype(x.dtype, jnp.floating):
            x = jnp.full((*x.shape[:-1], 1), jnp.nan, x.dtype)
        n = x.shape[-1]
        error = IndexError(f"places in sorted order are out of bounds for {n} elements")
        if not count:
            return x[..., :0]
        if not n:
            raise error
        limits = range_of(places)
        if limits is None or limits.least < 0 or limits.greatest >= n:
            require(((places >= 0) & (places < n)).all(), error)
        if x.size <= _LITTLE:
            return _sorted(x, places)
        if n <= _SHORT and not isinstance(places, jax.core.Tracer):
            columns = in_order(x)
            return jnp.stack([columns[place] for place in np.asarray(places)], -1)
        if count * x.itemsize > _FEW or n <= _SHORTER or own_slopes.are_wanted():  # bits have none
            return _sorted(x, places)
        result: Array = jax.lax.platform_dependent(x, places, cpu=_each, default=_sorted)
        return result

    return order_statistics


def _sorted(x: Array, places: Array) -> Array:
    return sorted_along(x, x.ndim - 1)[..., places]


def _each(x: Array, places: Array) -> Array:
    numbers = [from_keys(_selected(keys(x), place), x) for place in places]
    return jnp.stack(numbers, -1)


def _selected(bits: Array, place: Array) -> Array:
    """The largest numbers that have at most `place` of the last axis below them."""
    size = 8 * bits.dtype.itemsize

    def step(k: Array, bound: Array) -> Array:
        more = bound | (jnp.array(1, bits.dtype) << (size - 1 - k).astype(bits.dtype))
        below = (bits < more[..., None]).sum(-1)
        return jnp.where(below <= place, more, bound)

    none = jnp.zeros(bits.shape[:-1], bits.dtype)
    result: Array = jax.lax.fori_loop(0, size, step, none)
    return result
