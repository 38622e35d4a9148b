"""Noncentral chi-square and F, Halphen's distribution, the difference of two Poisson numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

from weft_graph import grad, stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE, POSITIVE, REAL
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.discrete_rows import poisson
from weft_tensor.ops.distributions.ratios import LOG_2
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.trigonometric import arcsinh
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.special.noncentral.chi_square import log_ncx2cdf, log_ncx2pdf, log_ncx2sf
from weft_tensor.ops.special.noncentral.f_ratio import log_ncfcdf, log_ncfpdf, log_ncfsf
from weft_tensor.ops.special.noncentral.halphen import (
    halphen_height,
    log_geninvgauss_cdf,
    log_geninvgauss_sf,
    log_kv_integral,
)

__all__ = ["geninvgauss", "ncf", "ncx2", "skellam"]

Formula = Callable[..., TensorLike]
_ROUNDS: Final = 155
"""Of the sampler of Halphen's: each refuses 3/4 of its proposals, 155 rounds 2**-64."""


def _along_quantile(
    drawn: TensorVariable, logcdf: Formula, logpdf: Formula, *parameters: TensorVariable
) -> TensorVariable:
    """Draws, as the inverse of the distribution function has them by the parameters."""

    def slopes(x: TensorVariable, *p: TensorVariable) -> list[TensorVariable]:
        share = as_tensor(logcdf(x, *p))
        over = exp(share - as_tensor(logpdf(x, *p)))
        return [-slope * over for slope in grad(share.sum(), p)]

    return following(drawn, slopes, *parameters)


def _raised(draws: Draws, df: TensorVariable, nc: TensorVariable) -> TensorVariable:
    """df / 2, raised by a Poisson number: the shape of the gamma number that is drawn."""
    more = poisson.sampled(draws, broadcast_to(0.5 * nc, draws.sizes))
    return 0.5 * df + more.astype(draws.kind)


def _square_draw(draws: Draws, df: TensorVariable, nc: TensorVariable) -> TensorVariable:
    drawn = 2 * draws.gamma(_raised(draws, df, nc))
    return _along_quantile(drawn, log_ncx2cdf, log_ncx2pdf, df, nc)


ncx2: Final = Continuous(
    "ncx2", "exp(-(nc + x)/2) (x/nc)^((df - 2)/4) I(sqrt(nc x)) / 2, I of order df/2 - 1",
    {"df": POSITIVE, "nc": NONNEGATIVE}, (0.0, inf), open_ends=True,
    logpdf=log_ncx2pdf, logcdf=log_ncx2cdf, logsf=log_ncx2sf,
    mean=lambda df, nc: df + nc, var=lambda df, nc: 2 * (df + 2 * nc), sample=_square_draw,
)  # fmt: skip


def _ratio_draw(
    draws: Draws, dfn: TensorVariable, dfd: TensorVariable, nc: TensorVariable
) -> TensorVariable:
    drawn = dfd / dfn * draws.gamma_ratio(_raised(draws, dfn, nc), 0.5 * dfd)
    return _along_quantile(drawn, log_ncfcdf, log_ncfpdf, dfn, dfd, nc)


def _ratio_var(dfn: TensorVariable, dfd: TensorVariable, nc: TensorVariable) -> TensorVariable:
    exists = dfd > 4
    n = where(exists, dfd, 5.0)
    spread = (dfn + nc) ** 2 + (dfn + 2 * nc) * (n - 2)
    return where(exists, 2 * (n / dfn) ** 2 * spread / ((n - 2) ** 2 * (n - 4)), inf)


ncf: Final = Continuous(
    "ncf",
    "that of (X / dfn) / (Y / dfd), X noncentral, Y a chi-square number; dfn + dfd from 0.1 on",
    {"dfn": POSITIVE, "dfd": POSITIVE, "nc": NONNEGATIVE}, (0.0, inf), open_ends=True,
    logpdf=log_ncfpdf, logcdf=log_ncfcdf, logsf=log_ncfsf,
    mean=lambda m, n, nc: where(n > 2, n * (m + nc) / (m * where(n > 2, n - 2, 1.0)), inf),
    var=_ratio_var, sample=_ratio_draw,
)  # fmt: skip


def _difference(k: TensorVariable, m: TensorVariable, n: TensorVariable) -> TensorVariable:
    low = k < 0
    first, second = where(low, n, m), where(low, m, n)
    return LOG_2 + log_ncx2pdf(2 * first, 2 * abs(k) + 2, 2 * second)


def _difference_logcdf(k: TensorVariable, m: TensorVariable, n: TensorVariable) -> TensorVariable:
    """Of a chi-square number with twice as many degrees of freedom as the events from there on."""
    low = k < 0
    square: Any = (2 * where(low, n, m), where(low, -2 * k, 2 * (k + 1)), 2 * where(low, m, n))
    return where(low, log_ncx2cdf(*square), log_ncx2sf(*square))


def _poisson_draw(draws: Draws, mean: TensorVariable) -> TensorVariable:
    return poisson.sampled(draws, broadcast_to(mean, draws.sizes))


skellam: Final = Discrete(
    "skellam", "exp(-mu1 - mu2) (mu1/mu2)^(k/2) I(2 sqrt(mu1 mu2)), I of order |k|",
    {"mu1": POSITIVE, "mu2": POSITIVE}, (-inf, inf),
    logpmf=_difference, logcdf=_difference_logcdf,
    logsf=lambda k, m, n: _difference_logcdf(-k - 1, n, m),
    mean=lambda m, n: m - n, var=lambda m, n: m + n,
    sample=lambda draws, m, n: _poisson_draw(draws, m) - _poisson_draw(draws, n),
)  # fmt: skip


def _halphen_logpdf(x: TensorVariable, p: TensorVariable, b: TensorVariable) -> TensorVariable:
    return (p - 1) * log(x) - 0.5 * b * (x - 1) * ((x - 1) / x)


def _halphen_density(x: TensorVariable, p: TensorVariable, b: TensorVariable) -> TensorVariable:
    return _halphen_logpdf(x, p, b) - log_kv_integral(p, b)


def _halphen_moment(n: int, p: TensorVariable, b: TensorVariable) -> TensorVariable:
    return exp(log_kv_integral(p + n, b) - log_kv_integral(p, b))


def _halphen_var(p: TensorVariable, b: TensorVariable) -> TensorVariable:
    return _halphen_moment(2, p, b) - _halphen_moment(1, p, b) ** 2


def _halphen_draw(draws: Draws, p: TensorVariable, b: TensorVariable) -> TensorVariable:
    """By L. Devroye (A simple algorithm for generating random variates with a log-concave density,
    Computing 33, 1984), of the logarithm, in at most 155 rounds over the array: the chance that
    none of them accepts is below 2**-64.
    """
    fixed = [stop_gradient(v) for v in (p, b)]
    top = arcsinh(fixed[0] / fixed[1])
    level = halphen_height(top, *fixed)
    width = exp(log_kv_integral(*fixed) - level)

    def propose(round_of: Draws) -> tuple[TensorVariable, TensorVariable]:
        share, beyond = round_of.uniform(), round_of.exponential()
        inner = share < 0.5
        size = where(inner, 2 * share, 1 + beyond)
        bound = where(inner, 0.0, -beyond)
        place = top + width * where(round_of.uniform() < 0.5, -size, size)
        height = halphen_height(place, *fixed) - level
        return place, log(round_of.uniform()) + bound <= height

    drawn = exp(draws.accepted(_ROUNDS, propose))
    return _along_quantile(drawn, log_geninvgauss_cdf, _halphen_density, p, b)


geninvgauss: Final = Continuous(
    "geninvgauss", "x^(p-1) exp(-b (x + 1/x)/2) / (2 K(b)), K of order p",
    {"p": REAL, "b": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=_halphen_logpdf, norming=log_kv_integral, logcdf=log_geninvgauss_cdf,
    logsf=log_geninvgauss_sf, mean=lambda p, b: _halphen_moment(1, p, b), var=_halphen_var,
    sample=_halphen_draw,
)  # fmt: skip
