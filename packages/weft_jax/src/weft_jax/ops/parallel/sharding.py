"""A value that is divided among the devices of a mesh, in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from weft_graph import Op
from weft_jax.lowering.dispatch import Lowering
from weft_jax.ops.parallel.mesh import sharding_of
from weft_tensor import Mesh, Shard

__all__ = ["constraint"]


def constraint(op: Op, mesh: Mesh) -> Lowering | None:
    """What `shard` is where a graph is compiled for `mesh`; None of other Ops.

    Raises ValueError for axes that the mesh has not.

    >>> place = constraint(Shard((("data",),)), Mesh(data=1))
    >>> tuple(place([1.0, 2.0]).sharding.spec)
    ('data',)
    """
    if not isinstance(op, Shard):
        return None
    mesh.check(op.spec, str(op))
    sharding = sharding_of(mesh, op.spec)
    constrained: Any = jax.lax.with_sharding_constraint
    return lambda x: constrained(jnp.asarray(x), sharding)
