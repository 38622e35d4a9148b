"""Convolution of many channels in JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

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
        convolved = partial(
            jax.lax.conv_general_dilated,
            feature_group_count=groups,
            precision=of_products(),
        )
        along = [op.strides, pads, spread, op.dilation]
        order = sorted(range(rank), key=lambda axis: w.shape[2 + axis])
        plain = partial(_ordered, convolved, along, [*range(rank)])
        if order[-1:] == [*range(rank)][-1:]:
            return plain(x, w)
        by_length = partial(_ordered, convolved, along, order)
        result: Array = jax.lax.platform_dependent(x, w, cpu=by_length, default=plain)
        return result

    return conv


def _ordered(
    convolved: Callable[..., Array],
    along: Sequence[Sequence[Any]],
    order: Sequence[int],
    x: Array,
    w: Array,
) -> Array:
    """The convolution with axes of space in this order, which XLA computes on a CPU: with the
    longest axis of the kernel last, a column of 81 weights takes a 15th of the time."""
    axes = (0, 1, *[2 + axis for axis in order])
    strides, pads, spread, dilation = ([values[axis] for axis in order] for values in along)
    x, w = (jnp.transpose(v, axes) for v in (x, w))
    result = convolved(x, w, strides, pads, lhs_dilation=spread, rhs_dilation=dilation)
    return jnp.transpose(result, sorted(range(len(axes)), key=axes.__getitem__))
