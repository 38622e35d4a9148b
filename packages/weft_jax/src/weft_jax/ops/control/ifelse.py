"""Choices between arrays in JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.x64 import as_array
from weft_tensor import IfElse
from weft_tensor.extend import Undefined

__all__ = ["jax_funcify_ifelse", "jax_funcify_undefined", "refuse_other_shapes"]


static_positions.register(IfElse, no_positions)  # both branches must have one shape


@jax_funcify.register(IfElse)
def jax_funcify_ifelse(op: IfElse, **kwargs: object) -> Lowering:
    """`jax.lax.cond`, for branches of one shape."""
    n = op.n_outs

    def ifelse(condition: Array, *values: Array) -> object:
        then, otherwise = map(as_array, values[:n]), map(as_array, values[n:])
        first, second = tuple(then), tuple(otherwise)
        for a, b in zip(first, second, strict=True):
            refuse_other_shapes(a.shape, b.shape)
        results = jax.lax.cond(condition, lambda: first, lambda: second)
        return results if n > 1 else results[0]

    return ifelse


@jax_funcify.register(Undefined)
def jax_funcify_undefined(op: Undefined, **kwargs: object) -> Lowering:
    """Zeros."""
    return lambda anything: jnp.zeros(op.least, op.dtype)


def refuse_other_shapes(a: Sequence[Any], b: Sequence[Any]) -> None:
    """ValueError if two values of a choice have the shapes `a` and `b`, which differ."""
    if a != b:
        raise ValueError(
            f"with JAX, both values of ifelse must have one shape, not {a} and {b}: compile with "
            "mode='py' or 'numba', or give them one shape"
        )
