"""Sylvester's equation in JAX, on CPUs: by Schur forms, and a triangle for each column.

R. H. Bartels and G. W. Stewart, Solution of the matrix equation AX + XB = C, 1972.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.array_checks import require_square
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.linalg.schur import require_cpu, triangular_factor
from weft_tensor import Sylvester, TensorVariable

__all__ = ["jax_funcify_sylvester"]


@jax_funcify.register(Sylvester)
def jax_funcify_sylvester(op: Sylvester, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """One Schur form where the second matrix is the adjoint of the first, else two."""
    require_cpu("solve_sylvester")
    dtype = node.type.dtype
    first, second, _ = node.inputs
    is_adjoint = _adjoint(first) is second or _adjoint(second) is first
    solve = jnp.vectorize(partial(_solved, is_adjoint), signature="(m,m),(n,n),(m,n)->(m,n)")

    def sylvester(a: Array, b: Array, q: Array) -> object:
        require_square(a)
        require_square(b)
        if (a.shape[-1], b.shape[-1]) != q.shape[-2:]:
            raise ValueError(f"solve_sylvester: {a.shape}, {b.shape} and {q.shape} do not fit")
        if not q.size:
            batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
            return jnp.zeros((*batch, *q.shape[-2:]), dtype)
        solution = solve(*(jnp.asarray(v, dtype) for v in (a, b, q)))
        return (solution if "complex" in dtype else solution.real).astype(dtype)

    return sylvester


def _adjoint(x: Any) -> TensorVariable:
    adjoint: TensorVariable = (x.conj() if x.is_complex else x).mT
    return adjoint


def _solved(is_adjoint: bool, a: Array, b: Array, q: Array) -> Array:
    """With a = u r uᴴ and b = v s vᴴ: r y + y s = uᴴ q v, and x = u y vᴴ."""
    r, u = _complex_triangle(a)
    s, v = (r.conj().T[::-1, ::-1], u[:, ::-1]) if is_adjoint else _complex_triangle(b)
    ones = jnp.eye(len(r), dtype=r.dtype)
    right = (u.conj().T @ q @ v).T

    def column(j: Array, done: Array) -> Array:
        """What rows of `done` are columns of y."""
        left = right[j] - s[:, j] @ done
        shifted = r + s[j, j] * ones
        found = jax.lax.linalg.triangular_solve(shifted, left[:, None], left_side=True)
        return done.at[j].set(found[:, 0])

    y = jax.lax.fori_loop(0, len(right), column, jnp.zeros_like(right))
    x: Array = u @ y.T @ v.conj().T
    return x


def _complex_triangle(x: Array) -> tuple[Array, Array]:
    """T and Z; of real matrices by the real form, which is found in less than half of the time.

    On its diagonal are blocks [[a, b], [c, d]] of pairs of eigenvalues, each with a turn to the
    eigenvector (b, z - a) of one of these.
    """
    t, z = triangular_factor(x)
    if jnp.iscomplexobj(x):
        return t, z
    own, above, below = (jnp.diagonal(t, k) for k in (0, 1, -1))
    is_pair = below != 0
    half = 0.5 * (own[1:] - own[:-1])
    root = jnp.sqrt(jnp.maximum(-half * half - above * below, 0))
    first, second = above + 0j, half + 1j * root
    size = jnp.where(is_pair, jnp.hypot(abs(first), abs(second)), 1)
    first, second = (jnp.where(is_pair, v, 0) / size for v in (first, second))
    begins, ends = jnp.append(is_pair, False), jnp.insert(is_pair, 0, False)
    diagonal = jnp.where(begins, jnp.append(first, 0), 1)
    diagonal = jnp.where(ends, jnp.insert(first.conj(), 0, 0), diagonal)
    turn = jnp.diag(diagonal) + jnp.diag(second, -1) - jnp.diag(second.conj(), 1)
    return jnp.triu(turn.conj().T @ t @ turn), z @ turn
