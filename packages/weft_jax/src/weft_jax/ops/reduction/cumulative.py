"""Sums, products and extremes so far in JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import CumMax, CumMin, CumProd, CumSum, TensorVariable

__all__ = ["jax_funcify_cummax", "jax_funcify_cummin", "jax_funcify_cumulative"]


@jax_funcify.register(CumSum)
@jax_funcify.register(CumProd)
def jax_funcify_cumulative(op: Any, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy`'s function of the same name."""
    function, dtype = getattr(jnp, type(op).function.__name__), node.type.dtype
    return lambda x: function(x, axis=op.axis, dtype=dtype)


@jax_funcify.register(CumMax)
def jax_funcify_cummax(op: CumMax, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.lax.cummax`."""
    return _of_numbers(lax.cummax, op.axis)


@jax_funcify.register(CumMin)
def jax_funcify_cummin(op: CumMin, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.lax.cummin`."""
    return _of_numbers(lax.cummin, op.axis)


def _of_numbers(function: Callable[..., jax.Array], axis: int) -> Lowering:
    """A scan of JAX that takes no bools."""

    def compute(x: jax.Array) -> jax.Array:
        numbers = x.astype("int8") if x.dtype == bool else x
        return function(numbers, axis=axis).astype(x.dtype)

    return compute
