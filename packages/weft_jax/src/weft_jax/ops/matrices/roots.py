"""Square roots and logarithms of matrices in JAX, on CPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.linalg.schur import require_cpu, triangular_factor
from weft_jax.ops.matrices.exponential import product
from weft_tensor import Logm, Sqrtm, TensorVariable

__all__ = ["jax_funcify_logm", "jax_funcify_sqrtm"]

_NODES: Final = 8
"""So many are exact to double precision where what is left has a norm of at most 0.25."""


@jax_funcify.register(Sqrtm)
def jax_funcify_sqrtm(op: Sqrtm, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """The root of the triangular factor of a Schur form: `jax.scipy.linalg.sqrtm`."""
    require_cpu("sqrtm")
    return _of_triangle(_root, node.type.dtype, 0.0)


@jax_funcify.register(Logm)
def jax_funcify_logm(op: Logm, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """Roots of the triangular factor, and a rational function (Higham, 2008, section 11.4)."""
    require_cpu("logm")
    return _of_triangle(_logarithm, node.type.dtype, 1.0)


def _of_triangle(compute: Callable[[Array], Array], dtype: str, floor: float) -> Lowering:
    """A function of matrices, by one of triangular ones; NaN where the result is not real.

    Parts that are small beside the result, or beside `floor`, count as errors of rounding.
    """
    limit = float(np.sqrt(np.finfo(dtype).eps))
    whole = "complex64" if dtype in ("float32", "complex64") else "complex128"

    def of_matrix(x: Array) -> Array:
        require_square(x)
        x = jnp.asarray(x)
        if not x.size:
            return x
        t, z = triangular_factor(x.astype(whole))
        f = jnp.vectorize(compute, signature="(n,n)->(n,n)")(t)
        result = product(product(z, f), jnp.swapaxes(z.conj(), -1, -2))
        if "complex" in dtype:
            return result
        size, imaginary = (jnp.abs(v).max((-2, -1), keepdims=True) for v in (result, result.imag))
        return jnp.where(imaginary <= limit * jnp.maximum(size, floor), result.real, jnp.nan)

    return of_matrix


def _root(t: Array) -> Array:
    """The root of a triangular matrix, whose Schur form it is itself."""
    return jax.scipy.linalg.sqrtm(t)


def _logarithm(t: Array) -> Array:
    ones = jnp.eye(t.shape[-1], dtype=t.dtype)

    def is_far(state: Any) -> Any:
        step, power = state
        return (step < 100) & (jnp.abs(power - ones).sum(0).max() > 0.25)

    def nearer(state: Any) -> Any:
        return state[0] + 1, _root(state[1])

    times, power = jax.lax.while_loop(is_far, nearer, (0, t))
    rest = power - ones
    total = jnp.zeros_like(t)
    for point, weight in zip(*np.polynomial.legendre.leggauss(_NODES), strict=True):
        matrix = ones + float(point + 1) / 2 * rest
        total += float(weight) / 2 * jax.lax.linalg.triangular_solve(matrix, rest, left_side=True)
    total = total * jnp.exp2(jnp.asarray(times, t.real.dtype)).astype(t.dtype)
    return jnp.where(ones == 1, jnp.diag(jnp.log(jnp.diag(t))), jnp.triu(total))
