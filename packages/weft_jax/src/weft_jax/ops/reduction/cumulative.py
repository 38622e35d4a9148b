"""Sums and products so far in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import CumProd, CumSum, TensorVariable

__all__ = ["jax_funcify_cumulative"]


@jax_funcify.register(CumSum)
@jax_funcify.register(CumProd)
def jax_funcify_cumulative(op: Any, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy`'s function of the same name."""
    function, dtype = getattr(jnp, type(op).function.__name__), node.type.dtype
    return lambda x: function(x, axis=op.axis, dtype=dtype)
