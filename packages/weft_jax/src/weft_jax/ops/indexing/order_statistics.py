"""Elements at places in sorted order in JAX, where all are sorted: XLA has nothing else."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.runtime.runtime_checks import require
from weft_tensor import OrderStatistics

__all__ = ["jax_funcify_order_statistics"]


@jax_funcify.register(OrderStatistics)
def jax_funcify_order_statistics(op: OrderStatistics, **kwargs: object) -> Lowering:
    """`jax.numpy.sort`, then the places."""

    def order_statistics(x: Array, places: Array) -> Array:
        n = np.shape(x)[-1]
        error = IndexError(f"places in sorted order are out of bounds for {n} elements")
        if not np.size(places):
            return jnp.asarray(x)[..., :0]
        if not n:
            raise error
        require(((places >= 0) & (places < n)).all(), error)
        return jnp.sort(x, axis=-1)[..., places]

    return order_statistics
