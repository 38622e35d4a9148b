"""Sylvester's equation in JAX, on CPUs: by Schur forms."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.linalg.schur import require_cpu
from weft_tensor import Sylvester, TensorVariable

__all__ = ["jax_funcify_sylvester"]


@jax_funcify.register(Sylvester)
def jax_funcify_sylvester(op: Sylvester, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.scipy.linalg.solve_sylvester`."""
    require_cpu("solve_sylvester")
    dtype = node.type.dtype

    def sylvester(a: Array, b: Array, q: Array) -> object:
        require_square(a)
        require_square(b)
        if (a.shape[-1], b.shape[-1]) != q.shape[-2:]:
            raise ValueError(f"solve_sylvester: {a.shape}, {b.shape} and {q.shape} do not fit")
        if not q.size:
            batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
            return jnp.zeros((*batch, *q.shape[-2:]), dtype)
        solution = jax.scipy.linalg.solve_sylvester(a, b, q, tol=0.0)
        return (solution if "complex" in dtype else solution.real).astype(dtype)

    return sylvester
