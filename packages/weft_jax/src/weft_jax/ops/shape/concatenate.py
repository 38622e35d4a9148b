"""Joining in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.analysis.contraction import MOVING
from weft_jax.lowering.dispatch import COPYING, Lowering, jax_funcify
from weft_tensor import Concatenate, TensorVariable
from weft_tensor.extend import Stack

__all__ = ["jax_funcify_concatenate", "jax_funcify_stack"]

COPYING.add(Concatenate)
MOVING.add(Stack)


@jax_funcify.register(Concatenate)
def jax_funcify_concatenate(op: Concatenate, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy.concatenate`."""
    dtype = node.type.dtype
    axis = op.axis

    def concatenate(*xs: Array) -> Array:
        others = {(*x.shape[:axis], *x.shape[axis + 1 :]) for x in xs}
        if len(others) > 1:
            shapes = ", ".join(str(x.shape) for x in xs)
            raise ValueError(f"can't concatenate on axis {axis}, others differ: {shapes}")
        return jnp.concatenate([jnp.asarray(x, dtype) for x in xs], axis)

    return concatenate


@jax_funcify.register(Stack)
def jax_funcify_stack(op: Stack, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy.stack`."""
    dtype = node.type.dtype
    return lambda *xs: jnp.stack([jnp.asarray(x, dtype) for x in xs])
