"""Barriers in JAX: XLA must not merge what is computed again with what was computed before."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_graph.extend import Barrier
from weft_jax.lowering.dispatch import Lowering, jax_funcify

__all__ = ["jax_funcify_barrier"]

_kept_apart: Any = jax.lax.optimization_barrier


@jax_funcify.register(Barrier)
def jax_funcify_barrier(op: Barrier, **kwargs: object) -> Lowering:
    """`jax.lax.optimization_barrier`; on CPUs, where XLA drops that before it merges, a branch."""
    return lambda *values: jax.lax.platform_dependent(*values, cpu=_branch, default=_barrier)


def _barrier(*values: Array) -> Any:
    return _kept_apart(values)[0]


def _branch(x: Array, *after: Array) -> Any:
    """`x` either way, which XLA does not see."""
    elements = jnp.concatenate([jnp.ravel(g)[:1] != 0 for g in after])
    return jax.lax.cond(elements.any(), _kept_apart, lambda x: x, x)
