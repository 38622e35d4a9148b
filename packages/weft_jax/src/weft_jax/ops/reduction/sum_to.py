"""Sums to a shape in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from weft_jax.lowering.dispatch import jax_funcify
from weft_tensor import SumTo

__all__ = ["jax_funcify_sum_to"]


@jax_funcify.register(SumTo)
def jax_funcify_sum_to(op: SumTo, **kwargs: Any) -> Any:
    """A sum over the axes that are found to differ while tracing."""

    def sum_to(x: Any, *lengths: int) -> Any:
        shape = np.shape(x)
        if np.broadcast_shapes(lengths, shape) != shape:
            raise ValueError(f"cannot sum {shape} to {lengths}, which does not broadcast to it")
        axes = tuple(a for a, n in enumerate(lengths) if n == 1 and shape[a] != 1)
        return jnp.sum(x, axis=axes, keepdims=True) if axes else x

    return sum_to
