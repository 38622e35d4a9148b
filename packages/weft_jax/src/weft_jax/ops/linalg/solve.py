"""Linear systems and inverses in JAX, with the errors that NumPy raises."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_graph import Variable
from weft_jax.compile.xla_options import REDUCING
from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.linalg.cholesky import is_factor, require_no_zero
from weft_jax.runtime.runtime_checks import require
from weft_tensor import Inverse, Solve, SolveTriangular

__all__ = ["jax_funcify_inverse", "jax_funcify_solve", "jax_funcify_solve_triangular"]


REDUCING.update((Inverse, Solve))  # they check what they find


@jax_funcify.register(Solve)
def jax_funcify_solve(op: Solve, **kwargs: object) -> Lowering:
    """`jax.numpy.linalg.solve`, stacks broadcast."""

    def solve(a: Array, b: Array) -> object:
        require_square(a)
        if a.shape[-1] != b.shape[-2]:
            raise ValueError(f"solve: shapes {a.shape} and {b.shape} do not fit")
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        b = jnp.broadcast_to(b, batch + b.shape[-2:])
        result = jnp.linalg.solve(a, b)
        _require_regular(result, a, b)
        return result

    return solve


@jax_funcify.register(SolveTriangular)
def jax_funcify_solve_triangular(
    op: SolveTriangular, *, node: Variable, **kwargs: object
) -> Lowering:
    """`jax.lax.linalg.triangular_solve`, stacks broadcast."""
    is_checked = op.unit_diagonal or is_factor(node.inputs[0])

    def solve(a: Array, b: Array) -> Array:
        if a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
            raise ValueError(f"solve_triangular: shapes {a.shape} and {b.shape} do not fit")
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = jnp.broadcast_to(a, batch + a.shape[-2:])
        b = jnp.broadcast_to(b, batch + b.shape[-2:])
        if not is_checked:
            require_no_zero(a)
        return jax.lax.linalg.triangular_solve(
            a, b, left_side=True, lower=op.lower, unit_diagonal=op.unit_diagonal
        )

    return solve


@jax_funcify.register(Inverse)
def jax_funcify_inverse(op: Inverse, **kwargs: object) -> Lowering:
    """`jax.numpy.linalg.inv`."""

    def inverse(x: Array) -> object:
        require_square(x)
        result = jnp.linalg.inv(x)
        _require_regular(result, x)
        return result

    return inverse


def _require_regular(result: Array, *inputs: Array) -> None:
    """LinAlgError if the result is not finite though all that was given is."""

    def excused() -> Array:
        return ~jnp.stack([jnp.isfinite(x).all() for x in inputs]).all()

    fine = jnp.isfinite(result).all()
    require(jax.lax.cond(fine, lambda: fine, excused), np.linalg.LinAlgError("Singular matrix"))
