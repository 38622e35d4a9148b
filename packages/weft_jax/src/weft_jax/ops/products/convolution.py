"""Sums of products of one vector with another that is moved along it, in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from weft_graph import Variable
from weft_jax.analysis.static_values import static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.precision import of_products
from weft_tensor import SlidingDot

__all__ = ["jax_funcify_sliding_dot"]


@static_positions.register(SlidingDot)
def _(op: SlidingDot, node: Variable) -> frozenset[int]:
    """Where it begins, and how much there is: how far vectors are padded."""
    return frozenset([2, 3])


@jax_funcify.register(SlidingDot)
def jax_funcify_sliding_dot(op: SlidingDot, **kwargs: object) -> Lowering:
    """XLA's convolution of vectors; of stacks one after another, as it is slow for many filters."""

    def sliding_dot(x: Array, y: Array, start: int, count: int) -> Array:
        x, y, start, count = jnp.asarray(x), jnp.asarray(y), int(start), int(count)
        if count < 0:
            raise ValueError("negative dimensions are not allowed")
        if x.shape[:-1] != y.shape[:-1]:
            raise ValueError("slidingdot takes equal axes before the last")
        if not x.size * y.size * count:
            return jnp.zeros((*x.shape[:-1], count), x.dtype)
        points = op.points(x.shape[-1], y.shape[-1], count, str(x.dtype))
        if points:
            return _by_transforms(x, y, start, count, points)
        if x.ndim == 1:
            return _slide(x, y, start, count)
        pairs = x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1])
        result: Array = jax.lax.map(lambda pair: _slide(pair[0], pair[1], start, count), pairs)
        return result.reshape(*x.shape[:-1], count)

    return sliding_dot


def _by_transforms(x: Array, y: Array, start: int, count: int, points: int) -> Array:
    """The product of Fourier transforms, for stacks, too."""
    whole = x.shape[-1] + y.shape[-1] - 1
    is_complex = jnp.issubdtype(x.dtype, jnp.complexfloating)
    forth, back = (jnp.fft.fft, jnp.fft.ifft) if is_complex else (jnp.fft.rfft, jnp.fft.irfft)
    result = back(forth(x, points) * forth(y[..., ::-1], points), points)[..., :whole]
    first, last = min(max(start, 0), whole), min(max(start + count, 0), whole)
    inside = result[..., first:last]
    before = min(max(-start, 0), count) if first < last else 0
    pads = [(0, 0)] * (x.ndim - 1) + [(before, count - before - inside.shape[-1])]
    return jnp.pad(inside, pads)


def _slide(x: Array, y: Array, start: int, count: int) -> Array:
    """What the Op does for two vectors."""
    if x.size < y.size:
        x, y = y[::-1], x[::-1]
    before = y.size - 1 - start
    x = x[max(-before, 0) :]
    behind = count - 1 + y.size - max(before, 0) - x.size
    if behind < 0:
        x = x[:behind]
    pads = (max(before, 0), max(behind, 0))
    if not x.size:
        return jnp.zeros(count, x.dtype)
    if not any(pads) or jnp.issubdtype(x.dtype, jnp.integer):
        return _convolved(x, y, pads)
    # XLA may multiply what it pads with: zero times infinity is NaN.
    result: Array = jax.lax.cond(
        jnp.isfinite(y).all(),
        lambda x, y: _convolved(x, y, pads),
        lambda x, y: _added_up(x, y, pads),
        x,
        y,
    )
    return result


def _convolved(x: Array, y: Array, pads: tuple[int, int]) -> Array:
    result = jax.lax.conv_general_dilated(
        x[None, None], y[None, None], (1,), [pads], precision=of_products()
    )
    return result[0, 0]


def _added_up(x: Array, y: Array, pads: tuple[int, int]) -> Array:
    """The same without products of padding, in a loop over the second."""
    padded, is_there = (jnp.pad(v, pads) for v in (x, jnp.ones(x.size, "bool")))
    count = padded.size - y.size + 1

    def step(k: int, total: Array) -> Array:
        part, inside = (jax.lax.dynamic_slice(v, (k,), (count,)) for v in (padded, is_there))
        return total + jnp.where(inside, part * y[k], 0)

    result: Array = jax.lax.fori_loop(0, y.size, step, jnp.zeros(count, x.dtype))
    return result
