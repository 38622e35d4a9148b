"""What devices tell each other, in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import AllGather, AxisIndex, PMean, PSum, PSumScatter

__all__ = [
    "jax_funcify_all_gather",
    "jax_funcify_axis_index",
    "jax_funcify_pmean",
    "jax_funcify_psum",
    "jax_funcify_psum_scatter",
]

lax: Any = jax.lax


@jax_funcify.register(PSum)
def jax_funcify_psum(op: PSum, **kwargs: object) -> Lowering:
    """`jax.lax.psum`."""
    return lambda x: lax.psum(jnp.asarray(x), op.names)


@jax_funcify.register(PMean)
def jax_funcify_pmean(op: PMean, **kwargs: object) -> Lowering:
    """`jax.lax.pmean`."""
    return lambda x: lax.pmean(jnp.asarray(x), op.names)


@jax_funcify.register(AllGather)
def jax_funcify_all_gather(op: AllGather, **kwargs: object) -> Lowering:
    """`jax.lax.all_gather`, in one axis."""
    return lambda x: lax.all_gather(jnp.asarray(x), op.names, axis=op.axis, tiled=True)


@jax_funcify.register(PSumScatter)
def jax_funcify_psum_scatter(op: PSumScatter, **kwargs: object) -> Lowering:
    """`jax.lax.psum_scatter`, in one axis."""

    def scattered(x: Array) -> object:
        return lax.psum_scatter(jnp.asarray(x), op.names, scatter_dimension=op.axis, tiled=True)

    return scattered


@jax_funcify.register(AxisIndex)
def jax_funcify_axis_index(op: AxisIndex, **kwargs: object) -> Lowering:
    """`jax.lax.axis_index`, in 64 bits."""
    return lambda: jnp.asarray(lax.axis_index(op.names), "int64")
