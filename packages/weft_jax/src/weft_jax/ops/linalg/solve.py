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
from weft_tensor import Inverse, Solve, SolveTriangular
from weft_tensor.extend import is_transpose

__all__ = ["jax_funcify_inverse", "jax_funcify_solve", "jax_funcify_solve_triangular"]


REDUCING.update((Inverse, Solve))  # they check what they find


@jax_funcify.register(Solve)
def jax_funcify_solve(op: Solve, *, node: Variable, **kwargs: object) -> Lowering:
    """By LU factors, stacks broadcast.

    Those of a transposed matrix are the matrix's own, which XLA computes once: a slope has both
    systems.
    """
    matrix = node.inputs[0]
    is_turned = bool(matrix.inputs) and is_transpose(matrix, matrix.inputs[0])

    def solve(a: Array, b: Array) -> object:
        require_square(a)
        if a.shape[-1] != b.shape[-2]:
            raise ValueError(f"solve: shapes {a.shape} and {b.shape} do not fit")
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if not a.size or not b.size:
            return jnp.broadcast_to(b, batch + b.shape[-2:])
        factors, order = _factored(jnp.matrix_transpose(a) if is_turned else a)
        if is_turned:
            order = _inverse_order(order)
        factors = jnp.broadcast_to(factors, batch + a.shape[-2:])
        order = jnp.broadcast_to(order, batch + order.shape[-1:])
        b = jnp.broadcast_to(b, batch + b.shape[-2:])
        if is_turned:
            solution = _by_turned_factors(factors, b)
            return jnp.take_along_axis(solution, order[..., None], -2, mode="promise_in_bounds")
        rows = jnp.take_along_axis(b, order[..., None], -2, mode="promise_in_bounds")
        return _by_factors(factors, rows)

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
    """By LU factors, of the system with the identity."""

    def inverse(x: Array) -> object:
        require_square(x)
        if not x.size:
            return x
        factors, order = _factored(x)
        rows = order[..., None] == np.arange(x.shape[-1])
        return _by_factors(factors, rows.astype(x.dtype))

    return inverse


def _factored(x: Array) -> tuple[Array, Array]:
    """L and U, and the order of rows; LinAlgError if a pivot is zero, as NumPy."""
    factors, _, order = jax.lax.linalg.lu(x)
    require_no_zero(factors, "Singular matrix")
    return factors, order


def _by_factors(factors: Array, b: Array) -> Array:
    """The solution, from rows of b in the order of the factors."""
    half = jax.lax.linalg.triangular_solve(
        factors, b, left_side=True, lower=True, unit_diagonal=True
    )
    return jax.lax.linalg.triangular_solve(factors, half, left_side=True)


def _by_turned_factors(factors: Array, b: Array) -> Array:
    """The solution for the transpose of what was factored, its rows in the order of the factors."""
    half = jax.lax.linalg.triangular_solve(factors, b, left_side=True, transpose_a=True)
    return jax.lax.linalg.triangular_solve(
        factors, half, left_side=True, lower=True, unit_diagonal=True, transpose_a=True
    )


def _inverse_order(order: Array) -> Array:
    """Where each place is in `order`: without a sort, which takes as long as few rows do."""
    places = np.arange(order.shape[-1], dtype=order.dtype)
    return jnp.where(order[..., None, :] == places[:, None], places, 0).sum(-1, dtype=order.dtype)
