"""Products in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from weft_graph import Variable
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.x64 import of_dtype
from weft_tensor import Matmul

__all__ = ["jax_funcify_matmul"]


@jax_funcify.register(Matmul)
def jax_funcify_matmul(op: Matmul, *, node: Variable, **kwargs: Any) -> Any:
    """`jax.numpy.matmul` at full precision."""
    dtype = node.type.dtype  # type: ignore[attr-defined]  # a tensor

    def matmul(a: Any, b: Any) -> Any:
        if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
            raise ValueError(f"matmul: the shapes {a.shape} and {b.shape} do not fit")
        a, b = of_dtype(a, dtype), of_dtype(b, dtype)
        if a.shape[:-2] != b.shape[:-2]:
            return jnp.matmul(a, b, precision="highest")
        batch = tuple(range(a.ndim - 2))  # traced without the `jit` that `jnp.matmul` is
        dimensions = ((a.ndim - 1,), (max(b.ndim - 2, 0),)), (batch, batch)
        return lax.dot_general(a, b, dimensions, "highest", preferred_element_type=dtype)

    return matmul
