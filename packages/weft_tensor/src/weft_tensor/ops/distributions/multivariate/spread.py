"""Covariances, by a matrix, its inverse, a factor, or a low rank and a diagonal."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import inv, solve_triangular
from weft_tensor.ops.linalg.square import tril
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = ["Spread", "applied", "log_diagonal", "solved", "spread_of", "whitened"]


class Spread(NamedTuple):
    """What densities and draws need of a covariance."""

    square: Callable[[TensorVariable], TensorVariable]
    """xᵀ Σ⁻¹ x."""
    half_log_det: Callable[[], TensorVariable]
    colored: Callable[[Draws], TensorVariable]
    """Vectors with this covariance and mean 0."""
    cov: Callable[[], TensorVariable]
    length: TensorVariable


def solved(factor: TensorVariable, x: TensorVariable) -> TensorVariable:
    """factor⁻¹ x for vectors x along the last axis, all at once if there is one factor."""
    if factor.ndim > 2 or x.ndim == 1:
        return solve_triangular(factor, x[..., None], lower=True).squeeze(-1)
    flat = x.reshape(-1, x.shape[-1])
    return solve_triangular(factor, flat.T, lower=True).T.reshape(*x.shape)


def applied(matrix: TensorVariable, x: TensorVariable) -> TensorVariable:
    """matrix x for vectors x along the last axis."""
    if matrix.ndim == 2:
        return matmul(x, matrix_transpose(matrix))
    return matmul(matrix, x[..., None])[..., 0]


def whitened(off: TensorVariable, rows: TensorVariable, columns: TensorVariable) -> TensorVariable:
    """The transpose of rows⁻¹ off columns⁻ᵀ, by the factors of the spreads of both."""
    part = solve_triangular(rows, off, lower=True)
    return solve_triangular(columns, matrix_transpose(part), lower=True)


def log_diagonal(factor: TensorVariable) -> TensorVariable:
    """The sum of the logarithms of a diagonal."""
    return log(factor.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)


def _squares(x: TensorVariable) -> TensorVariable:
    return (x * x).sum(axis=-1)


def _of_factor(factor: TensorVariable, cov: TensorVariable | None = None) -> Spread:
    n = factor.shape[-1]
    return Spread(
        lambda x: _squares(solved(factor, x)),
        lambda: log_diagonal(factor),
        lambda draws: applied(factor, draws.wider(n).normal()),
        lambda: matmul(factor, matrix_transpose(factor)) if cov is None else cov,
        n,
    )


def _of_precision(precision: TensorVariable) -> Spread:
    factor = cholesky(precision)
    upper = matrix_transpose(factor)
    n = factor.shape[-1]
    return Spread(
        lambda x: _squares(applied(upper, x)),
        lambda: -log_diagonal(factor),
        lambda draws: solve_triangular(upper, draws.wider(n).normal()[..., None])[..., 0],
        lambda: inv(precision),
        n,
    )


def _of_low_rank(factor: TensorVariable, diagonal: TensorVariable) -> Spread:
    """By Woodbury's identity, with a matrix no larger than the rank."""
    n, rank = factor.shape[-2:]
    weighted = factor / diagonal[..., None]
    inner = cholesky(eye(rank).astype(factor.dtype) + matmul(matrix_transpose(factor), weighted))
    across = matrix_transpose(weighted)
    return Spread(
        lambda x: (x * x / diagonal).sum(axis=-1) - _squares(solved(inner, applied(across, x))),
        lambda: 0.5 * log(diagonal).sum(axis=-1) + log_diagonal(inner),
        lambda draws: (
            sqrt(diagonal) * draws.wider(n).normal() + applied(factor, draws.wider(rank).normal())
        ),
        lambda: (
            eye(n).astype(factor.dtype) * diagonal[..., None]
            + matmul(factor, matrix_transpose(factor))
        ),
        n,
    )


def spread_of(
    name: str,
    called: str,
    cov: TensorVariable | None = None,
    precision: TensorVariable | None = None,
    scale_tril: TensorVariable | None = None,
    factor: TensorVariable | None = None,
    diagonal: TensorVariable | None = None,
) -> Spread:
    """The covariance, by that of the ways to tell it that is given; TypeError unless it is one."""
    ways = {
        called: cov, "precision": precision, "scale_tril": scale_tril,
        "factor and diagonal": factor if diagonal is not None else None,
    }  # fmt: skip
    names = [n for n, v in ways.items() if v is not None]
    if len(names) != 1 or (factor is None) != (diagonal is None):
        raise TypeError(f"{name} takes one of {', '.join(ways)}, not {', '.join(names) or 'none'}")
    if cov is not None:
        return _of_factor(cholesky(cov), cov)
    if precision is not None:
        return _of_precision(precision)
    if factor is not None and diagonal is not None:
        return _of_low_rank(factor, diagonal)
    assert scale_tril is not None
    return _of_factor(tril(scale_tril))
