"""The positions of true elements in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from weft_jax.checks import require
from weft_jax.dispatch import jax_funcify
from weft_tensor import Nonzero

__all__ = ["jax_funcify_nonzero"]


@jax_funcify.register(Nonzero)
def jax_funcify_nonzero(op: Nonzero, **kwargs: Any) -> Any:
    """`jax.numpy.nonzero`, whose number of results is known."""
    axis = op.axis

    def nonzero(mask: Any, count: int, *length: Any) -> Any:
        mask = jnp.asarray(mask)
        own = mask.shape[axis]
        for n in length:
            message = f"axis {axis} of the boolean mask has length {own}, but of what it indexes"
            require(n == own, IndexError(f"{message}, another"))
        return jnp.nonzero(mask, size=count)[axis].astype("int64")

    return nonzero
