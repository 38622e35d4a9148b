"""Changes of shape in JAX."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.analysis.contraction import MOVING
from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose

__all__ = [
    "jax_funcify_broadcast_to",
    "jax_funcify_expand_dims",
    "jax_funcify_reshape",
    "jax_funcify_squeeze",
    "jax_funcify_transpose",
]


MOVING.add(Reshape)


@jax_funcify.register(Reshape)
def jax_funcify_reshape(op: Reshape, **kwargs: object) -> Lowering:
    """`jax.numpy.reshape`, without lengths of -1."""

    def reshape(x: Array, *lengths: int) -> Array:
        shape = np.shape(x)
        if min(lengths, default=0) < 0 or math.prod(lengths) != math.prod(shape):
            if len(shape) == len(lengths) == 1:
                differ = f"a vector of length {shape[0]} is not of length {lengths[0]}"
                raise ValueError(f"{differ}: lengths that must agree differ")
            raise ValueError(f"cannot reshape {shape} into ({', '.join(map(str, lengths))})")
        return jnp.reshape(x, lengths)

    return reshape


@jax_funcify.register(Transpose)
def jax_funcify_transpose(op: Transpose, **kwargs: object) -> Lowering:
    """`jax.numpy.transpose`."""
    return lambda x: jnp.transpose(x, op.axes)


static_positions.register(ExpandDims, no_positions)


@jax_funcify.register(ExpandDims)
def jax_funcify_expand_dims(op: ExpandDims, **kwargs: object) -> Lowering:
    """`jax.numpy.expand_dims`."""
    return lambda x: jnp.expand_dims(x, op.axis)


@jax_funcify.register(Squeeze)
def jax_funcify_squeeze(op: Squeeze, **kwargs: object) -> Lowering:
    """`jax.numpy.squeeze`."""
    return lambda x: jnp.squeeze(x, op.axis)


@jax_funcify.register(BroadcastTo)
def jax_funcify_broadcast_to(op: BroadcastTo, **kwargs: object) -> Lowering:
    """`jax.numpy.broadcast_to`."""

    def broadcast_to(x: Array, *lengths: int) -> Array:
        if min(lengths, default=0) < 0:
            raise ValueError(f"lengths can't be negative: {lengths}")
        return jnp.broadcast_to(x, lengths)

    return broadcast_to
