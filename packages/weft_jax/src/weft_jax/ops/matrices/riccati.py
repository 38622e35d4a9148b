"""The discrete Riccati equation in JAX, by doubling."""

from __future__ import annotations

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.matrices.exponential import product
from weft_tensor import Riccati, TensorVariable

__all__ = ["jax_funcify_riccati"]

_STEPS: Final = 60


@jax_funcify.register(Riccati)
def jax_funcify_riccati(op: Riccati, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """Steps until the solution changes no more; NaN if that takes too many."""
    dtype = node.type.dtype
    precision = float(np.finfo(dtype).eps)

    def solution(a: Array, g: Array, h: Array) -> Array:
        def is_far(state: Any) -> Any:
            return (state[0] < _STEPS) & ~state[1]

        def step(state: Any) -> Any:
            count, _, x, y, z = state
            inner = jnp.eye(x.shape[-1], dtype=dtype) + product(y, z)
            of_x, of_y = jnp.linalg.solve(inner, x), jnp.linalg.solve(inner, y)
            change = product(x.conj().T, product(z, of_x))
            after = product(x, of_x), y + product(product(x, of_y), x.conj().T), z + change
            size, left = (jnp.abs(v).sum(-1).max(initial=0.0) for v in (after[2], change))
            return count + 1, (left <= precision * size) & jnp.isfinite(size), *after

        _, converged, _, _, limit = jax.lax.while_loop(is_far, step, (0, False, a, g, h))
        return jnp.where(converged, limit, jnp.nan)

    def riccati(a: Array, g: Array, h: Array) -> object:
        for x in (a, g, h):
            require_square(x)
        return jnp.vectorize(solution, signature="(n,n),(n,n),(n,n)->(n,n)")(a, g, h)

    return riccati
