"""Products in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.x64 import of_dtype
from weft_tensor import Matmul, TensorVariable

__all__ = ["jax_funcify_matmul"]


static_positions.register(Matmul, no_positions)


@jax_funcify.register(Matmul)
def jax_funcify_matmul(op: Matmul, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy.matmul` at full precision."""
    dtype = node.type.dtype

    def matmul(a: Array, b: Array) -> Array:
        if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
            raise ValueError(f"matmul: the shapes {a.shape} and {b.shape} do not fit")
        a, b = of_dtype(a, dtype), of_dtype(b, dtype)
        if a.shape[:-2] != b.shape[:-2]:
            return jnp.matmul(a, b, precision="highest")
        batch = tuple(range(a.ndim - 2))  # traced without the `jit` that `jnp.matmul` is
        dimensions = ((a.ndim - 1,), (max(b.ndim - 2, 0),)), (batch, batch)
        return lax.dot_general(a, b, dimensions, "highest", preferred_element_type=dtype)

    return matmul
