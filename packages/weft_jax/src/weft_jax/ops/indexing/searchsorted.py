"""Places in sorted vectors in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SearchSorted

__all__ = ["jax_funcify_searchsorted"]


@jax_funcify.register(SearchSorted)
def jax_funcify_searchsorted(op: SearchSorted, **kwargs: object) -> Lowering:
    """`jax.numpy.searchsorted`."""

    def searchsorted(a: Array, v: Array) -> Array:
        a, v = jnp.asarray(a), jnp.asarray(v)
        if not a.size:
            return jnp.zeros(v.shape, "int64")
        return jnp.searchsorted(a, v, side=op.side).astype("int64")

    return searchsorted
