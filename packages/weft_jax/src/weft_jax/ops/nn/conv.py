"""Convolution of many channels in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from weft_graph import Variable
from weft_jax.analysis.static_values import static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.precision import of_products
from weft_tensor import Conv

__all__ = ["jax_funcify_conv"]


@static_positions.register(Conv)
def _(op: Conv, node: Variable) -> frozenset[int]:
    """Where parts begin, and how many there are: how far is padded."""
    return frozenset(range(2, 2 + 2 * len(op.strides)))


@jax_funcify.register(Conv)
def jax_funcify_conv(op: Conv, **kwargs: object) -> Lowering:
    """`jax.lax.conv_general_dilated`, of what is cut before where a part begins inside."""
    rank = len(op.strides)

    def conv(x: Array, w: Array, *places: int) -> Array:
        x, w = jnp.asarray(x), jnp.asarray(w)
        groups = op.groups_of(x.shape, w.shape)
        counts = [int(p) for p in places[rank:]]
        shape = (x.shape[0], w.shape[0], *counts)
        if min(shape) < 0:
            raise ValueError("negative dimensions are not allowed")
        if not x.size * w.size * min(shape):
            return jnp.zeros(shape, x.dtype)
        pads = []
        for axis, (start, count) in enumerate(zip(places[:rank], counts, strict=True)):
            whole = (x.shape[2 + axis] - 1) * op.spread[axis] + 1
            reach = (count - 1) * op.strides[axis] + (w.shape[2 + axis] - 1) * op.dilation[axis]
            pads.append((-int(start), int(start) + reach + 1 - whole))
        spread = op.spread
        if min(min(pad) for pad in pads) < 0:
            inner = [(*pad, s - 1) for pad, s in zip(pads, spread, strict=True)]
            x = jax.lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0), (0, 0, 0), *inner])
            pads, spread = [(0, 0)] * rank, (1,) * rank
        result: Array = jax.lax.conv_general_dilated(
            x,
            w,
            op.strides,
            pads,
            lhs_dilation=spread,
            rhs_dilation=op.dilation,
            feature_group_count=groups,
            precision=of_products(),
        )
        return result

    return conv
