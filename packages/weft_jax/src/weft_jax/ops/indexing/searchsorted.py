"""Places in sorted vectors in JAX."""

from __future__ import annotations

from typing import Final

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SearchSorted

__all__ = ["jax_funcify_searchsorted"]

_FEW: Final = 32


@jax_funcify.register(SearchSorted)
def jax_funcify_searchsorted(op: SearchSorted, **kwargs: object) -> Lowering:
    """`jax.numpy.searchsorted`; of few numbers, by comparing with all: a search is a loop."""

    def searchsorted(a: Array, v: Array) -> Array:
        a, v = jnp.asarray(a), jnp.asarray(v)
        if not a.size:
            return jnp.zeros(v.shape, "int64")
        size: object = a.size  # or a symbol, in exported graphs
        method = "compare_all" if isinstance(size, int) and size <= _FEW else "scan"
        return jnp.searchsorted(a, v, side=op.side, method=method).astype("int64")

    return searchsorted
