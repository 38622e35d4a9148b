"""Normal vectors and matrices, and t-distributed vectors."""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE, REAL
from weft_tensor.ops.distributions.multivariate.conditions import (
    DEFINITE,
    FACTOR,
    POSITIVES,
    SIZE,
    matrix,
    number,
    vector,
)
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate, Parameter
from weft_tensor.ops.distributions.multivariate.orthants import NormalVectors, log_orthant
from weft_tensor.ops.distributions.multivariate.spread import (
    Spread,
    log_diagonal,
    spread_of,
    whitened,
)
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_PI, log1p_over
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.ops.special.gamma import digamma, gammaln

__all__ = ["matrix_normal", "multivariate_normal", "multivariate_t", "normal_inverse_gamma"]

_WAYS: Final[dict[str, Parameter]] = {
    "precision": matrix(DEFINITE, optional=True),
    "scale_tril": matrix(FACTOR, optional=True),
    "factor": matrix(optional=True),
    "diagonal": vector(POSITIVES, optional=True),
}


def _normal_parts(mean: TensorVariable, **ways: TensorVariable) -> tuple[Any, ...]:
    return mean, spread_of("multivariate_normal", "cov", **ways)


def _normal_logpdf(x: TensorVariable, mean: TensorVariable, spread: Spread) -> TensorVariable:
    constant = HALF_LOG_2PI * spread.length
    return -0.5 * spread.square(x - mean) - spread.half_log_det() - constant


multivariate_normal: Final = NormalVectors(
    "multivariate_normal", "exp(-(x - mean)ᵀ cov⁻¹ (x - mean) / 2) / sqrt(det(2π cov))",
    {"mean": vector(), "cov": matrix(DEFINITE, optional=True), **_WAYS}, 1,
    prepared=_normal_parts, logpdf=_normal_logpdf,
    values={"cdf": lambda *v: exp(log_orthant(*v)), "logcdf": log_orthant},
    sample=lambda draws, mean, spread: mean + spread.colored(draws),
    mean=lambda mean, spread: mean, cov=lambda mean, spread: spread.cov(),
    entropy=lambda mean, spread: (
        (0.5 + HALF_LOG_2PI) * spread.length + spread.half_log_det()
    ),
)  # fmt: skip


def _t_parts(
    loc: TensorVariable, df: TensorVariable, shape: TensorVariable | None = None,
    **ways: TensorVariable,
) -> tuple[Any, ...]:  # fmt: skip
    return loc, spread_of("multivariate_t", "shape", shape, **ways), df


def _t_logpdf(
    x: TensorVariable, loc: TensorVariable, spread: Spread, df: TensorVariable
) -> TensorVariable:
    n, ratio = spread.length, spread.square(x - loc) / df
    constant_part = gammaln(0.5 * (df + n)) - gammaln(0.5 * df) - 0.5 * n * (log(df) + LOG_PI)
    tail = 0.5 * (df + n) * ratio * log1p_over(ratio)
    return constant_part - spread.half_log_det() - tail


def _t_entropy(loc: TensorVariable, spread: Spread, df: TensorVariable) -> TensorVariable:
    n = spread.length
    half, both = 0.5 * df, 0.5 * (df + n)
    constant_part = gammaln(half) - gammaln(both) + 0.5 * n * (log(df) + LOG_PI)
    return constant_part + both * (digamma(both) - digamma(half)) + spread.half_log_det()


def _t_sample(
    draws: Draws, loc: TensorVariable, spread: Spread, df: TensorVariable
) -> TensorVariable:
    return loc + spread.colored(draws) / sqrt(2 * draws.gamma(0.5 * df) / df)[..., None]


def _t_cov(loc: TensorVariable, spread: Spread, df: TensorVariable) -> TensorVariable:
    n = df[..., None, None]
    return where(n > 2, spread.cov() * (n / where(n > 2, n - 2, 1.0)), float("inf"))


multivariate_t: Final = Multivariate(
    "multivariate_t", "Γ((df+n)/2) / Γ(df/2) (1 + d²/df)^(-(df+n)/2) / sqrt(det(df π shape))",
    {"loc": vector(), "shape": matrix(DEFINITE, optional=True), "df": SIZE, **_WAYS}, 1,
    prepared=_t_parts, logpdf=_t_logpdf, sample=_t_sample,
    mean=lambda loc, spread, df: where(df[..., None] > 1, loc, float("nan")),
    cov=_t_cov, entropy=_t_entropy,
)  # fmt: skip


def _matrix_parts(
    mean: TensorVariable, rowcov: TensorVariable, colcov: TensorVariable
) -> tuple[TensorVariable, ...]:
    return mean, cholesky(rowcov), cholesky(colcov)


def _matrix_logpdf(
    x: TensorVariable, mean: TensorVariable, rows: TensorVariable, columns: TensorVariable
) -> TensorVariable:
    off = whitened(x - mean, rows, columns)
    n, p = rows.shape[-1], columns.shape[-1]
    half_log_det = p * log_diagonal(rows) + n * log_diagonal(columns)
    return -0.5 * (off * off).sum(axis=(-2, -1)) - half_log_det - n * p * HALF_LOG_2PI


def _matrix_sample(
    draws: Draws, mean: TensorVariable, rows: TensorVariable, columns: TensorVariable
) -> TensorVariable:
    z = draws.wider(rows.shape[-1], columns.shape[-1]).normal()
    return mean + matmul(matmul(rows, z), matrix_transpose(columns))


def _matrix_entropy(
    mean: TensorVariable, rows: TensorVariable, columns: TensorVariable
) -> TensorVariable:
    n, p = rows.shape[-1], columns.shape[-1]
    log_dets = p * log_diagonal(rows) + n * log_diagonal(columns)
    return log_dets + (0.5 + HALF_LOG_2PI) * n * p


matrix_normal: Final = Multivariate(
    "matrix_normal", "exp(-tr(colcov⁻¹ (x - mean)ᵀ rowcov⁻¹ (x - mean)) / 2), normalised",
    {"mean": matrix(), "rowcov": matrix(DEFINITE), "colcov": matrix(DEFINITE)}, 2,
    prepared=_matrix_parts, logpdf=_matrix_logpdf, sample=_matrix_sample,
    mean=lambda mean, rows, columns: mean, entropy=_matrix_entropy,
)  # fmt: skip


def _pair_logpdf(
    x: TensorVariable, mu: TensorVariable, lmbda: TensorVariable, a: TensorVariable,
    b: TensorVariable,
) -> TensorVariable:  # fmt: skip
    inside = x[..., 1] > 0
    place, variance = x[..., 0] - mu, where(inside, x[..., 1], 1.0)
    normal = 0.5 * (log(lmbda / variance) - lmbda * place * place / variance) - HALF_LOG_2PI
    density = normal + a * log(b) - gammaln(a) - (a + 1) * log(variance) - b / variance
    return where(inside, density, -inf)


def _pair_sample(
    draws: Draws, mu: TensorVariable, lmbda: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    variance = b / draws.gamma(a)
    return stack([mu + sqrt(variance / lmbda) * draws.normal(), variance], axis=-1)


def _pair_mean(
    mu: TensorVariable, lmbda: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    variance = where(a > 1, b / where(a > 1, a - 1, 1.0), inf)
    return stack([*broadcast_arrays(where(a > 0.5, mu, nan), variance + 0 * lmbda)], axis=-1)


def _pair_var(
    mu: TensorVariable, lmbda: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    """Infinite where it is not defined."""
    mean = where(a > 1, a - 1, 1.0)
    place = where(a > 1, b / (mean * lmbda), inf)
    left = where(a > 2, a - 2, 1.0)
    variance = where(a > 2, (b / mean) ** 2 / left, inf)
    return stack([*broadcast_arrays(place + 0 * mu, variance + 0 * lmbda)], axis=-1)


normal_inverse_gamma: Final = Multivariate(
    "normal_inverse_gamma",
    "sqrt(lmbda/(2π s2)) b^a / Γ(a) s2^(-a-1) exp(-(2b + lmbda (x - mu)²) / (2 s2)) of pairs x, s2",
    {
        "mu": number(REAL, 0.0), "lmbda": number(POSITIVE, 1.0), "a": number(POSITIVE, 1.0),
        "b": number(POSITIVE, 1.0),
    }, 1,
    logpdf=_pair_logpdf, sample=_pair_sample, mean=_pair_mean, var=_pair_var,
)  # fmt: skip
