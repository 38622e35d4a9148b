"""Orders of elements that cosine transforms need, in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import EvensFirst

__all__ = ["jax_funcify_evens_first"]


@jax_funcify.register(EvensFirst)
def jax_funcify_evens_first(op: EvensFirst, **kwargs: object) -> Lowering:
    """Two halves, one behind the other; or interleaved, the first one element longer if need be."""

    def forth(x: Array) -> Array:
        return jnp.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], -1)

    def back(x: Array) -> Array:
        middle = (x.shape[-1] + 1) // 2
        evens, odds = x[..., :middle], x[..., middle:][..., ::-1]
        result = jnp.empty_like(x).at[..., ::2].set(evens)
        return result.at[..., 1::2].set(odds)

    return back if op.inverse else forth
