"""Sums to a shape in JAX."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import SumTo

__all__ = ["jax_funcify_sum_to"]


@jax_funcify.register(SumTo)
def jax_funcify_sum_to(op: SumTo, **kwargs: object) -> Lowering:
    """A sum over the axes that are found to differ while tracing."""

    def sum_to(x: Array, *lengths: int) -> Array:
        shape = np.shape(x)
        if np.broadcast_shapes(lengths, shape) != shape:
            raise ValueError(f"cannot sum {shape} to {lengths}, which does not broadcast to it")
        axes = tuple(a for a, n in enumerate(lengths) if n == 1 and shape[a] != 1)
        return jnp.sum(x, axis=axes, keepdims=True) if axes else x

    return sum_to
