"""Linear algebra in JAX, with the errors that NumPy raises."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import Variable
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.runtime.runtime_checks import require
from weft_tensor import (
    SVD,
    Cholesky,
    CholeskyInverse,
    Cofactors,
    Det,
    Inverse,
    SlogDet,
    Solve,
    SolveTriangular,
    Transpose,
)

__all__ = [
    "jax_funcify_cholesky",
    "jax_funcify_cholesky_inverse",
    "jax_funcify_cofactors",
    "jax_funcify_det",
    "jax_funcify_inverse",
    "jax_funcify_slogdet",
    "jax_funcify_solve",
    "jax_funcify_solve_triangular",
    "jax_funcify_svd",
]


def _square(x: Any) -> None:
    if x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"the last two axes must be square, not {x.shape[-2:]}")


def _require_regular(result: Any, *given: Any) -> None:
    """LinAlgError if the result is not finite though all that was given is."""

    def excused() -> Any:
        return ~jnp.stack([jnp.isfinite(x).all() for x in given]).all()

    fine = jnp.isfinite(result).all()
    require(jax.lax.cond(fine, lambda: fine, excused), np.linalg.LinAlgError("Singular matrix"))


@jax_funcify.register(Cholesky)
def jax_funcify_cholesky(op: Cholesky, **kwargs: Any) -> Any:
    """From the lower half, as NumPy; NaN in the result is an error unless the input has one."""

    def cholesky(x: Any) -> Any:
        _square(x)
        factor = jax.lax.linalg.cholesky(jnp.asarray(x), symmetrize_input=False)
        fine = ~jnp.isnan(factor[..., :1, :1]) | jnp.isnan(x).any()  # all is NaN, or nothing
        require(fine, np.linalg.LinAlgError("Matrix is not positive definite"))
        return factor

    return cholesky


@jax_funcify.register(CholeskyInverse)
def jax_funcify_cholesky_inverse(op: CholeskyInverse, *, node: Variable, **kwargs: Any) -> Any:
    """The product of the inverse of the factor with itself."""
    is_checked = _is_factor(node.inputs[0])

    def cholesky_inverse(x: Any) -> Any:
        _square(x)
        if not is_checked:
            _require_no_zero(x)
        ones = jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape)
        inverse = jax.lax.linalg.triangular_solve(x, ones, left_side=True, lower=True)
        return jnp.matmul(jnp.swapaxes(inverse, -1, -2), inverse)

    return cholesky_inverse


def _is_factor(v: Variable) -> bool:
    """Whether it is by Cholesky, which has required that no element on its diagonal is zero."""
    while isinstance(v.op, Transpose):
        v = v.inputs[0]
    return isinstance(v.op, Cholesky)


def _require_no_zero(x: Any) -> None:
    """LinAlgError if there is one on the diagonal."""
    diagonal = jnp.diagonal(x, axis1=-2, axis2=-1)
    require(diagonal != 0, np.linalg.LinAlgError("singular matrix"))


@jax_funcify.register(SolveTriangular)
def jax_funcify_solve_triangular(op: SolveTriangular, *, node: Variable, **kwargs: Any) -> Any:
    """`jax.lax.linalg.triangular_solve`, stacks broadcast."""
    is_checked = op.unit_diagonal or _is_factor(node.inputs[0])

    def solve(a: Any, b: Any) -> Any:
        if a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
            raise ValueError(f"solve_triangular: shapes {a.shape} and {b.shape} do not fit")
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = jnp.broadcast_to(a, batch + a.shape[-2:])
        b = jnp.broadcast_to(b, batch + b.shape[-2:])
        if not is_checked:
            _require_no_zero(a)
        return jax.lax.linalg.triangular_solve(
            a, b, left_side=True, lower=op.lower, unit_diagonal=op.unit_diagonal
        )

    return solve


@jax_funcify.register(Inverse)
def jax_funcify_inverse(op: Inverse, **kwargs: Any) -> Any:
    """`jax.numpy.linalg.inv`."""

    def inverse(x: Any) -> Any:
        _square(x)
        result = jnp.linalg.inv(x)
        _require_regular(result, x)
        return result

    return inverse


@jax_funcify.register(Det)
def jax_funcify_det(op: Det, **kwargs: Any) -> Any:
    """`jax.numpy.linalg.det`."""

    def det(x: Any) -> Any:
        _square(x)
        return jnp.linalg.det(x)

    return det


@jax_funcify.register(Cofactors)
def jax_funcify_cofactors(op: Cofactors, **kwargs: Any) -> Any:
    """By the inverse, or by singular values where a determinant is no normal number."""

    def cofactors(x: Any) -> Any:
        _square(x)
        if not x.size:
            return x
        packed, pivots, order = jax.lax.linalg.lu(x)
        diagonal = jnp.diagonal(packed, axis1=-2, axis2=-1)
        size = jnp.exp(jnp.log(jnp.abs(diagonal)).sum(-1))
        turns = (pivots != jnp.arange(x.shape[-1])).sum(-1) % 2
        det = size * (1 - 2 * turns) * jnp.sign(diagonal).prod(-1)
        unusual = (size < np.finfo(x.dtype).tiny) | jnp.isinf(size)

        def by_inverse() -> Any:
            ones = (order[..., None] == jnp.arange(x.shape[-1])).astype(x.dtype)
            half = jax.lax.linalg.triangular_solve(
                packed, ones, left_side=True, lower=True, unit_diagonal=True
            )
            inverse = jax.lax.linalg.triangular_solve(packed, half, left_side=True)
            return det[..., None, None] * jnp.swapaxes(inverse, -1, -2)

        return jax.lax.cond(unusual.any(), lambda: _cofactors_by_singular_values(x), by_inverse)

    return cofactors


def _cofactors_by_singular_values(x: Any) -> Any:
    u, s, v = _svd(x)
    ones = jnp.ones_like(s[..., :1])
    before = jnp.cumprod(jnp.concatenate([ones, s[..., :-1]], -1), -1)
    after = jnp.cumprod(jnp.concatenate([ones, s[..., :0:-1]], -1), -1)
    products = before * after[..., ::-1]
    sign = jnp.linalg.det(u) * jnp.linalg.det(v)
    return sign[..., None, None] * jnp.conj(jnp.matmul(u * products[..., None, :], v))


def _svd(x: Any) -> tuple[Any, ...]:
    """NaN for what is not finite."""
    finite = jnp.isfinite(x).all((-2, -1), keepdims=True)
    u, s, v = jnp.linalg.svd(jnp.where(finite, x, 0))
    u, v = (jnp.where(finite, part, jnp.nan) for part in (u, v))
    return u, jnp.where(finite[..., 0], s, jnp.nan), v


@jax_funcify.register(SVD)
def jax_funcify_svd(op: SVD, **kwargs: Any) -> Any:
    """`jax.numpy.linalg.svd`."""

    def svd(x: Any) -> Any:
        _square(x)
        return _svd(x)

    return svd


@jax_funcify.register(Solve)
def jax_funcify_solve(op: Solve, **kwargs: Any) -> Any:
    """`jax.numpy.linalg.solve`, stacks broadcast."""

    def solve(a: Any, b: Any) -> Any:
        _square(a)
        if a.shape[-1] != b.shape[-2]:
            raise ValueError(f"solve: shapes {a.shape} and {b.shape} do not fit")
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        b = jnp.broadcast_to(b, batch + b.shape[-2:])
        result = jnp.linalg.solve(a, b)
        _require_regular(result, a, b)
        return result

    return solve


@jax_funcify.register(SlogDet)
def jax_funcify_slogdet(op: SlogDet, **kwargs: Any) -> Any:
    """`jax.numpy.linalg.slogdet`."""

    def slogdet(x: Any) -> Any:
        _square(x)
        return tuple(jnp.linalg.slogdet(x))

    return slogdet
