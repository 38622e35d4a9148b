"""Sums and products so far in JAX."""

from __future__ import annotations

import jax.numpy as jnp

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import CumProd, CumSum, TensorVariable

__all__ = ["jax_funcify_cumprod", "jax_funcify_cumsum"]


@jax_funcify.register(CumSum)
def jax_funcify_cumsum(op: CumSum, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy.cumsum`."""
    dtype = node.type.dtype
    return lambda x: jnp.cumsum(x, axis=op.axis, dtype=dtype)


@jax_funcify.register(CumProd)
def jax_funcify_cumprod(op: CumProd, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy.cumprod`."""
    dtype = node.type.dtype
    return lambda x: jnp.cumprod(x, axis=op.axis, dtype=dtype)
