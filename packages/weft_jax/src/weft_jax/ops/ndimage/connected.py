"""What hangs together in JAX: each element points at one before it, and ways are halved."""

from __future__ import annotations

from functools import reduce

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import FirstConnected

__all__ = ["jax_funcify_first_connected"]

State = tuple[Array, Array, Array]
"""What each points at, what that points at, and whether the last step changed something."""


@jax_funcify.register(FirstConnected)
def jax_funcify_first_connected(op: FirstConnected, **kwargs: object) -> Lowering:
    """In about as many steps as the logarithm of the number of elements says.

    Y. Zhang, A. Azad and Z. Hu, FastSV: a distributed-memory connected component algorithm with
    fast convergence, 2020.
    """

    ways = [way for step in op.steps for way in (step, tuple([-s for s in step]))]

    def first_connected(mask: Array) -> Array:
        mask = jnp.asarray(mask)
        places = jnp.arange(mask.size)

        def least_near(image: Array) -> Array:
            wide = jnp.pad(image, 1, constant_values=mask.size)
            begins = [tuple([1 + s for s in way]) for way in ways]
            parts = [lax.dynamic_slice(wide, begin, mask.shape) for begin in begins]
            return reduce(jnp.minimum, parts, image)

        def step(state: State) -> State:
            parents, grand, _ = state
            image = jnp.where(mask, grand.reshape(mask.shape), mask.size)
            near = jnp.where(mask, least_near(image), mask.size).ravel()
            near = jnp.minimum(near, grand)
            lower = parents.at[parents].min(near, mode="promise_in_bounds")
            lower = jnp.minimum(lower, near)
            after = lower.at[lower].get(mode="promise_in_bounds")
            return lower, after, (after != grand).any()

        first = places, places, jnp.array(True)
        return lax.while_loop(lambda state: state[2], step, first)[1].reshape(mask.shape)

    return first_connected
