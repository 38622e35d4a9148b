"""Updates of small arrays in places that are known: what is read instead of what is written.

From JAX 0.11 on, XLA puts no scatter into a kernel with others: the density of a hierarchical
regression, with its slope, was three kernels. What each element gets is known, too, and reading
fuses with what is around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array

__all__ = ["at_known_places"]

_FEW: Final = 1024
"""So many elements are read sooner than some are written in a step of its own."""
_MANY: Final = 4096
_SPARE: Final = 4
"""How many times as many elements may be read as are written."""


def at_known_places(x: Array, y: Array, key: Sequence[Any], mode: str) -> Array | None:
    """`x` with y set or added in the places `key`; None where these are unknown, or x is large.

    >>> at_known_places(jnp.ones(3), jnp.array([1.0, 2.0, 4.0]), (np.array([0, 2, 0]),), "inc")
    Array([6., 1., 3.], dtype=float32)
    """
    is_known = any(isinstance(k, np.ndarray) for k in key) and all(
        isinstance(k, (int, slice, np.integer, np.ndarray)) or k is None for k in key
    )
    if mode not in _BY_READING or not is_known or x.dtype == bool or x.size > _MANY:
        return None
    places = np.arange(x.size).reshape(x.shape)[tuple(key)]
    if places.size > _MANY or not places.size or x.size > max(_FEW, _SPARE * places.size):
        return None
    values = jnp.broadcast_to(y, places.shape).reshape(-1)
    result = _BY_READING[mode](x.reshape(-1), values, places.ravel())
    return None if result is None else result.reshape(x.shape)


def _set(x: Array, values: Array, places: np.ndarray[Any, Any]) -> Array:
    source = np.full(x.size, -1, "int32")
    source[places] = np.arange(places.size)
    return jnp.where(source >= 0, _read(values, source), x)


def _increased(x: Array, values: Array, places: np.ndarray[Any, Any]) -> Array | None:
    """Each element with the sum of what is added to it, of all as many as of the one with most."""
    counts = np.bincount(places, minlength=x.size)
    most = counts.max()
    if most * x.size > max(_FEW, _SPARE * places.size):
        return None
    order = np.argsort(places, kind="stable")
    rank = np.arange(places.size) - np.repeat(counts.cumsum() - counts, counts)
    source = np.full((x.size, most), -1, "int32")
    source[places[order], rank] = order
    added = jnp.where(source >= 0, _read(values, source), 0)
    return jnp.where(counts > 0, x + added.sum(1), x)


def _read(values: Array, source: np.ndarray[Any, Any]) -> Array:
    return values.at[np.maximum(source, 0)].get(mode="clip", wrap_negative_indices=False)


_BY_READING: Final[dict[str, Callable[..., Array | None]]] = {"set": _set, "inc": _increased}
