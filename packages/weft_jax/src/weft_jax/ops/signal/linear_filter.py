"""Filters with feedback in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import LinearFilter

__all__ = ["jax_funcify_linear_filter"]


static_positions.register(LinearFilter, no_positions)


@jax_funcify.register(LinearFilter)
def jax_funcify_linear_filter(op: LinearFilter, **kwargs: object) -> Lowering:
    """A loop over the last axis, with one array for each place of the state."""

    def linear_filter(b: Array, a: Array, x: Array, state: Array) -> Array:
        b, a, x, state = (jnp.asarray(v) for v in (b, a, x, state))
        order = b.shape[0] - 1
        if a.shape != b.shape or state.shape != (*x.shape[:-1], order):
            raise ValueError(op.differ)
        if not order:
            return x * b[0]

        def step(states: tuple[Array, ...], now: Array) -> tuple[tuple[Array, ...], Array]:
            result = b[0] * now + states[0]
            after: tuple[Any, ...] = (*states[1:], 0)
            return tuple(
                [b[k + 1] * now - a[k + 1] * result + after[k] for k in range(order)]
            ), result

        start = tuple([state[..., k] for k in range(order)])
        _, rows = jax.lax.scan(step, start, jnp.moveaxis(x, -1, 0))
        return jnp.moveaxis(rows, 0, -1)

    return linear_filter
