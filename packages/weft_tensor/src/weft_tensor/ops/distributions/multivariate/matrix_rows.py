"""Random covariances and correlations."""

from __future__ import annotations

from math import inf, nan
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.distributions.composed.spaces import CORR_CHOLESKY
from weft_tensor.ops.distributions.constraints import Constraint, Relation
from weft_tensor.ops.distributions.multivariate.conditions import (
    DEFINITE,
    SIZE,
    is_definite,
    matrix,
    unit_of,
    vector,
)
from weft_tensor.ops.distributions.multivariate.direction_rows import haar
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate
from weft_tensor.ops.distributions.multivariate.spread import log_diagonal, whitened
from weft_tensor.ops.distributions.ratios import LOG_2, LOG_PI
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log, sigmoid
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import tril
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.ops.special.gamma import digamma, gammaln

__all__ = ["invwishart", "lkj", "lkj_cholesky", "matrix_t", "random_correlation", "wishart"]


def _log_gamma(a: TensorVariable, n: TensorVariable) -> TensorVariable:
    """Of n by n matrices."""
    terms = gammaln(a[..., None] - 0.5 * arange(n)).sum(axis=-1)
    return terms + 0.25 * LOG_PI * n * (n - 1)


def _definite(x: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Where matrices are, these with others replaced, and the logarithms of determinants."""
    inside = is_definite(x)
    safe = where(inside[..., None, None], x, unit_of(x))
    return inside, safe, 2 * log_diagonal(cholesky(safe))


_ENOUGH: Final = Relation(
    ("scale", "df"), "above the rows of scale less one", lambda v, df: df > v.shape[-1] - 1
)


def _scaled(df: TensorVariable, scale: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """In the order of the formulas: df, and the factor of scale."""
    return df, cholesky(scale)


def _trace_ratio(below: TensorVariable, above: TensorVariable) -> TensorVariable:
    """tr(A⁻¹ B), by their factors."""
    ratio = solve_triangular(below, above, lower=True)
    return (ratio * ratio).sum(axis=(-2, -1))


def _wishart(x: TensorVariable, df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    inside, safe, log_det = _definite(x)
    n = factor.shape[-1]
    density = 0.5 * ((df - n - 1) * log_det - _trace_ratio(factor, cholesky(safe)))
    density = density - df * log_diagonal(factor) - 0.5 * df * n * LOG_2 - _log_gamma(0.5 * df, n)
    return where(inside, density, -inf)


def _bartlett(draws: Draws, df: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The factor of draws with an identity as scale."""
    half = 0.5 * (df[..., None] - arange(n))
    wide = draws.wider(n)
    roots = sqrt(2 * wide.gamma(broadcast_to(half, wide.sizes)))
    below = tril(draws.wider(n, n).normal(), -1)
    return below + roots[..., None] * eye(n).astype(below.dtype)


def _squared(x: TensorVariable) -> TensorVariable:
    return matmul(x, matrix_transpose(x))


def _wishart_sample(draws: Draws, df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    return _squared(matmul(factor, _bartlett(draws, df, factor.shape[-1])))


def _log_gamma_slope(df: TensorVariable, n: TensorVariable) -> TensorVariable:
    return digamma(0.5 * (df[..., None] - arange(n))).sum(axis=-1)


def _products(factor: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The scale v, and v² and v[i, i] v[j, j]."""
    v = _squared(factor)
    diagonal = v.diagonal(axis1=-2, axis2=-1)
    return v, v * v, diagonal[..., :, None] * diagonal[..., None, :]


def _wishart_var(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    _, square, outer = _products(factor)
    return df[..., None, None] * (square + outer)


def _wishart_mode(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    """NaN where the density has no bounds."""
    power = (df - factor.shape[-1] - 1)[..., None, None]
    return where(power >= 0, power * _squared(factor), nan)


def _wishart_entropy(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    n = factor.shape[-1]
    size = (n + 1) * (log_diagonal(factor) + 0.5 * n * LOG_2) + 0.5 * n * df
    return size + _log_gamma(0.5 * df, n) - 0.5 * (df - n - 1) * _log_gamma_slope(df, n)


wishart: Final = Multivariate(
    "wishart", "det(x)^((df-n-1)/2) exp(-tr(scale⁻¹ x)/2), normalised",
    {"df": SIZE, "scale": matrix(DEFINITE)}, 2, relations=[_ENOUGH], prepared=_scaled,
    logpdf=_wishart, sample=_wishart_sample,
    mean=lambda df, factor: df[..., None, None] * _squared(factor), var=_wishart_var,
    mode=_wishart_mode, entropy=_wishart_entropy,
)  # fmt: skip


def _inverse(x: TensorVariable, df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    inside, safe, log_det = _definite(x)
    n = factor.shape[-1]
    density = -0.5 * ((df + n + 1) * log_det + _trace_ratio(cholesky(safe), factor))
    density = density + df * log_diagonal(factor) - 0.5 * df * n * LOG_2 - _log_gamma(0.5 * df, n)
    return where(inside, density, -inf)


def _inverse_sample(draws: Draws, df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    n = factor.shape[-1]
    root = _bartlett(draws, where(df > n - 1, df, n), n)
    right = broadcast_to(matrix_transpose(factor), root.shape)
    return _squared(matrix_transpose(solve_triangular(root, right, lower=True)))


def _inverse_mean(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    left = (df - factor.shape[-1] - 1)[..., None, None]
    return where(left > 0, _squared(factor) / where(left > 0, left, 1.0), inf)


def _inverse_var(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    """Infinite where it is not defined."""
    _, square, outer = _products(factor)
    left = (df - factor.shape[-1])[..., None, None]
    exists = left > 3
    k = where(exists, left, 4.0)
    size = ((k + 1) * square + (k - 1) * outer) / (k * (k - 1) ** 2 * (k - 3))
    return where(exists, size, inf)


def _inverse_mode(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    return _squared(factor) / (df + factor.shape[-1] + 1)[..., None, None]


def _inverse_entropy(df: TensorVariable, factor: TensorVariable) -> TensorVariable:
    n = factor.shape[-1]
    size = (n + 1) * (log_diagonal(factor) - 0.5 * n * LOG_2) + 0.5 * n * df
    return size + _log_gamma(0.5 * df, n) - 0.5 * (df + n + 1) * _log_gamma_slope(df, n)


invwishart: Final = Multivariate(
    "invwishart", "det(x)^(-(df+n+1)/2) exp(-tr(scale x⁻¹)/2), normalised",
    {"df": SIZE, "scale": matrix(DEFINITE)}, 2, relations=[_ENOUGH], prepared=_scaled,
    logpdf=_inverse, sample=_inverse_sample, mean=_inverse_mean, var=_inverse_var,
    mode=_inverse_mode, entropy=_inverse_entropy,
)  # fmt: skip


def _lkj_constant(eta: TensorVariable, n: TensorVariable) -> TensorVariable:
    k = arange(1, n)
    constant = (n - 1) * gammaln(eta + 0.5 * (n - 1)) - 0.25 * LOG_PI * n * (n - 1)
    return constant - gammaln(eta[..., None] + 0.5 * (n - 1 - k)).sum(axis=-1)


def _lkj(x: TensorVariable, eta: TensorVariable) -> TensorVariable:
    diagonal = x.diagonal(axis1=-2, axis2=-1)
    inside, _, log_det = _definite(x)
    inside = inside & (abs(diagonal - 1) < 1e-5).all(axis=-1)
    return where(inside, _lkj_constant(eta, x.shape[-1]) + (eta - 1) * log_det, -inf)


def _lkj_factor(x: TensorVariable, eta: TensorVariable) -> TensorVariable:
    inside = CORR_CHOLESKY.holds(x)
    n = x.shape[-1]
    safe = where(inside[..., None, None], x, eye(n).astype(x.dtype))
    logs = log(safe.diagonal(axis1=-2, axis2=-1))
    powers = n - 1 - arange(n) + 2 * eta[..., None] - 2
    return where(inside, _lkj_constant(eta, n) + (powers * logs)[..., 1:].sum(axis=-1), -inf)


def _onion(draws: Draws, eta: TensorVariable, n: TensorVariable) -> TensorVariable:
    """Row by row, all at once: how long the part below the diagonal is, and where it points."""
    row = arange(n)
    wide = draws.wider(n)
    after = broadcast_to(eta[..., None] + 0.5 * (n - 1 - row), wide.sizes)
    before = broadcast_to(maximum(0.5 * row, 0.5).astype(after.dtype), wide.sizes)
    share = sigmoid(wide.log_gamma(before) - wide.log_gamma(after))
    share = where(row > 0, share, 0.0)
    places = tril(draws.wider(n, n).normal(), -1)
    size = sqrt((places * places).sum(axis=-1, keepdims=True))
    below = places / where(size > 0, size, 1.0) * sqrt(share)[..., None]
    return below + sqrt(1 - share)[..., None] * eye(n).astype(below.dtype)


def _ones(eta: TensorVariable, n: TensorVariable) -> TensorVariable:
    return eye(n) + 0 * eta[..., None, None]


lkj: Final = Multivariate(
    "lkj", "det(x)^(eta-1) over correlations, normalised", {"eta": SIZE}, 2,
    length="n", scipy=None, logpdf=_lkj,
    sample=lambda draws, eta, n: _squared(_onion(draws, eta, n)),
    mean=_ones,
)  # fmt: skip
lkj_cholesky: Final = Multivariate(
    "lkj_cholesky", "Π x[k, k]^(n-k+2eta-2) for k from 2 to n, over factors of correlations",
    {"eta": SIZE}, 2, length="n", scipy=None, logpdf=_lkj_factor, sample=_onion,
)  # fmt: skip


def _spread_factors(
    mean: TensorVariable, row_spread: TensorVariable, col_spread: TensorVariable,
    df: TensorVariable,
) -> tuple[TensorVariable, ...]:  # fmt: skip
    return mean, cholesky(row_spread), cholesky(col_spread), df


def _matrix_t(
    x: TensorVariable, mean: TensorVariable, rows: TensorVariable, columns: TensorVariable,
    df: TensorVariable,
) -> TensorVariable:  # fmt: skip
    m, n = rows.shape[-1], columns.shape[-1]
    off = whitened(x - mean, rows, columns)
    power = 0.5 * (df + m + n - 1)
    log_det = 2 * log_diagonal(cholesky(unit_of(columns) + _squared(off)))
    constant = _log_gamma(power, n) - _log_gamma(power - 0.5 * m, n) - 0.5 * LOG_PI * m * n
    return constant - n * log_diagonal(rows) - m * log_diagonal(columns) - power * log_det


def _matrix_t_sample(
    draws: Draws, mean: TensorVariable, rows: TensorVariable, columns: TensorVariable,
    df: TensorVariable,
) -> TensorVariable:  # fmt: skip
    """Normal matrices whose spread of rows is one of `invwishart`."""
    m, n = rows.shape[-1], columns.shape[-1]
    upper = matrix_transpose(_bartlett(draws, df + (m - 1), m))
    z = solve_triangular(upper, draws.wider(m, n).normal(), lower=False)
    return mean + matmul(matmul(rows, z), matrix_transpose(columns))


matrix_t: Final = Multivariate(
    "matrix_t",
    "det(1 + col_spread⁻¹ (x - mean)ᵀ row_spread⁻¹ (x - mean))^(-(df+m+n-1)/2), normalised",
    {
        "mean": matrix(), "row_spread": matrix(DEFINITE), "col_spread": matrix(DEFINITE),
        "df": SIZE,
    }, 2,
    prepared=_spread_factors, logpdf=_matrix_t, sample=_matrix_t_sample,
    mean=lambda mean, rows, columns, df: where(df[..., None, None] > 1, mean, nan),
)  # fmt: skip


def _turned(m: TensorVariable, row: TensorVariable) -> TensorVariable:
    """By a rotation of this row and one below, after which its element of the diagonal is 1."""
    places = arange(m.shape[-1])
    here = eq(places, row)
    diagonal = m.diagonal(axis1=-2, axis2=-1)
    excess = (diagonal * here).sum(axis=-1, keepdims=True) - 1
    fits = (places > row) & (where(excess > 0, 1 - diagonal, diagonal - 1) > 0)
    there = eq(places, argmax(fits, axis=-1)[..., None]) & fits
    lack = (diagonal * there).sum(axis=-1, keepdims=True) - 1
    across = (m * (here[..., :, None] & there[..., None, :])).sum(axis=(-2, -1))[..., None]
    root = sqrt(maximum(across * across - excess * lack, 0.0))
    some = there.any(axis=-1, keepdims=True)
    ratio = (across + where(across < 0, -root, root)) / where(some, lack, 1.0)
    c = where(some, 1 / hypot(1.0, ratio), 1.0)
    s = where(some, c * ratio, 0.0)
    own = where(here | there, c, 1.0)[..., None] * eye(m.shape[-1])
    pairs = here[..., :, None] & there[..., None, :]
    turn = own + s[..., None] * (pairs - matrix_transpose(pairs).astype(m.dtype))
    return matmul(matmul(matrix_transpose(turn), m), turn)


def _correlations(draws: Draws, eigs: TensorVariable) -> TensorVariable:
    """By P. I. Davies and N. J. Higham (Numerically stable generation of correlation matrices and
    their factors, BIT 40, 2000): a matrix with these eigenvalues, turned row by row.
    """
    n = eigs.shape[-1]
    q = haar(draws, n)
    start = matmul(q * eigs[..., None, :], matrix_transpose(q))
    turned: TensorVariable = fori_loop(0, n - 1, lambda row, m: _turned(m, row), start)
    return where(eye(n, dtype="bool"), 1.0, turned)


def _sums_to_length(v: TensorVariable) -> TensorVariable:
    near = 1e-5 if v.dtype == "float32" else 1e-10
    return (v >= 0).all(axis=-1) & (abs(v.mean(axis=-1) - 1) < near)


random_correlation: Final = Multivariate(
    "random_correlation", "a correlation matrix with eigenvalues eigs",
    {"eigs": vector(Constraint("0 or positive, with 1 as mean", _sums_to_length))}, 2,
    sample=_correlations,
)  # fmt: skip
