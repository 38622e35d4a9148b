"""`shard_map` in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_graph import rewrite_graph
from weft_jax.analysis.mask_lifting import lift_masks
from weft_jax.analysis.sized_subscripts import book
from weft_jax.analysis.static_values import plan_for
from weft_jax.compile.tracing import program_of
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.parallel.mesh import device_mesh, sharding_of
from weft_jax.runtime.runtime_checks import Failure, noting, require
from weft_tensor import ShardMap

__all__ = ["jax_funcify_shard_map"]


@jax_funcify.register(ShardMap)
def jax_funcify_shard_map(op: ShardMap, **kwargs: object) -> Lowering:
    """`jax.shard_map`; what its graph requires, all devices together require."""
    graph = lift_masks(rewrite_graph(rewrite_graph(op.graph), [book]))
    plan = plan_for(graph)
    if plan.sizes:
        raise ValueError(
            "in a function for shard_map, shapes must not depend on the values of arguments: "
            "compute what depends on them outside, or make a constant of it"
        )
    traced, _ = program_of(plan, lambda v: jax_funcify(v.op, node=v))
    dtypes: list[Any] = [getattr(v.type, "dtype", None) for v in graph.outputs]
    failures: list[Failure] = []

    def part(*values: Array) -> tuple[Array, ...]:
        with noting() as checks:
            results = traced(*(values[k] for k in plan.arrays))
        failures[:] = checks.failures
        holds = jnp.stack([jnp.array(True), *checks.conditions])
        outputs = [jnp.asarray(r, dtype) for r, dtype in zip(results, dtypes, strict=True)]
        return holds[None], *outputs

    specs = [sharding_of(op.mesh, spec).spec for spec in [(op.mesh.names,), *op.out_specs]]
    mapped = jax.shard_map(
        part,
        mesh=device_mesh(op.mesh),
        in_specs=tuple(sharding_of(op.mesh, spec).spec for spec in op.in_specs),
        out_specs=tuple(specs),
        check_vma=False,
    )

    def run(*values: Array) -> object:
        for k, (x, spec) in enumerate(zip(values, op.in_specs, strict=True)):
            for n, names in zip(np.shape(x), spec, strict=True):
                op.mesh.share(n, names, f"argument {k} of shard_map")
        holds, *results = mapped(*map(jnp.asarray, values))
        for k, failure in enumerate(failures):
            require(holds[:, k + 1], failure.made)
        return tuple(results) if len(results) > 1 else results[0]

    return run
