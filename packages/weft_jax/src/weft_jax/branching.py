"""Branches in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from weft_jax.dispatch import jax_funcify
from weft_tensor import IfElse

__all__ = ["jax_funcify_ifelse"]


@jax_funcify.register(IfElse)
def jax_funcify_ifelse(op: IfElse, **kwargs: Any) -> Any:
    """`jax.lax.cond`, for branches of one shape."""
    n = op.n_outs

    def ifelse(condition: Any, *values: Any) -> Any:
        then, otherwise = map(jnp.asarray, values[:n]), map(jnp.asarray, values[n:])
        first, second = tuple(then), tuple(otherwise)
        for a, b in zip(first, second, strict=True):
            if a.shape != b.shape:
                raise ValueError(
                    f"with JAX, both values of ifelse must have one shape, not {a.shape} and "
                    f"{b.shape}: compile with mode='py' or 'numba', or give them one shape"
                )
        chosen = jax.lax.cond(condition, lambda: first, lambda: second)
        return chosen if n > 1 else chosen[0]

    return ifelse
