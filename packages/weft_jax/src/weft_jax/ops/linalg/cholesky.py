"""Cholesky factors in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_graph import Variable
from weft_jax.compile.xla_options import REDUCING
from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.runtime.host_memory import is_one_gpu
from weft_jax.runtime.runtime_checks import require
from weft_tensor import Cholesky, CholeskyInverse, Transpose

__all__ = ["is_factor", "jax_funcify_cholesky", "jax_funcify_cholesky_inverse", "require_no_zero"]

REDUCING.add(Cholesky)  # it checks what it finds


@jax_funcify.register(Cholesky)
def jax_funcify_cholesky(op: Cholesky, **kwargs: object) -> Lowering:
    """From the lower half, as NumPy; where it may not be NaN, NaN in the input alone excuses it.

    Where LAPACK finds no factor, XLA makes all of it NaN. LAPACK itself goes on from NaN, which
    is in the first place of the factor if it was there in the matrix; other libraries may not.
    """

    def cholesky(x: Array) -> Array:
        require_square(x)
        half = jnp.tril(x)  # XLA turns what it computes faster than what it only copies
        factor = jax.lax.linalg.cholesky(half, symmetrize_input=False)
        if op.or_nan:
            return factor
        excuse = half if is_one_gpu() else half[..., :1, :1]
        failed = _has_nan(factor[..., :1, :1]) & ~_has_nan(excuse)
        require(~failed, np.linalg.LinAlgError("Matrix is not positive definite"))
        return factor

    return cholesky


def _has_nan(matrices: Array) -> Array:
    """Whether each has it."""
    return jnp.isnan(matrices).any((-2, -1))


@jax_funcify.register(CholeskyInverse)
def jax_funcify_cholesky_inverse(
    op: CholeskyInverse, *, node: Variable, **kwargs: object
) -> Lowering:
    """The product of the inverse of the factor with itself."""
    is_checked = is_factor(node.inputs[0])

    def cholesky_inverse(x: Array) -> Array:
        require_square(x)
        if not is_checked:
            require_no_zero(x)
        ones = jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape)
        inverse = jax.lax.linalg.triangular_solve(x, ones, left_side=True, lower=True)
        return jnp.matmul(jnp.swapaxes(inverse, -1, -2), inverse, precision="highest")

    return cholesky_inverse


def is_factor(v: Variable) -> bool:
    """Whether it is by Cholesky, which has required that no element on its diagonal is zero."""
    while isinstance(v.op, Transpose):
        v = v.inputs[0]
    return isinstance(v.op, Cholesky)


def require_no_zero(x: Array, text: str = "singular matrix") -> None:
    """LinAlgError if there is one on the diagonal."""
    diagonal = jnp.diagonal(x, axis1=-2, axis2=-1)
    require(diagonal != 0, np.linalg.LinAlgError(text))
