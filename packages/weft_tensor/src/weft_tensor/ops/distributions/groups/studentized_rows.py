"""The range of several normal numbers, over an estimate of their spread."""

from __future__ import annotations

from math import inf
from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE, Constraint
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.groups.normal_range import (
    log_range_cdf,
    log_range_pdf,
    log_range_sf,
)
from weft_tensor.ops.distributions.groups.spread import LogPart, estimated_df, log_over_spread
from weft_tensor.ops.distributions.ratios import LOG_2, gamma_ratio, tails
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.special.normal import ndtri
from weft_tensor.ops.special.quadrature import along

__all__ = ["studentized_range"]

_T = TensorVariable
_SHARE: Final = 0.5612
"""Over k, the probability above half of the median of the range."""
_WIDEST: Final = 20.0
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(80)


def _over(log_part: LogPart, x: _T, k: _T, df: _T) -> _T:
    """The logarithm of the mean of exp(log_part(w, k)), in 64 bits."""
    place, groups, spread = broadcast_arrays(*[v.astype("float64") for v in (x, k, df)])
    turn = log(-2 * ndtri(_SHARE / groups)) - log(place)
    low = -0.5 * log1p(0.5 * place * (place / spread))
    high = 0.5 * log1p((groups - 1) / spread)
    others = along(groups)
    return log_over_spread(
        lambda w, count: log_part(w, others, count), place, spread, turn, low, high
    )


def _logcdf(x: _T, k: _T, df: _T) -> _T:
    return _over(log_range_cdf, x, k, df)


def _logsf(x: _T, k: _T, df: _T) -> _T:
    return _over(log_range_sf, x, k, df)


def _logpdf(x: _T, k: _T, df: _T) -> _T:
    return _over(lambda w, k, count: log(w) + log_range_pdf(w, k, count), x, k, df) - log(x)


def _range_moment(order: int, k: _T) -> _T:
    """Of the range: `order` times the integral of w^(order - 1), times the probability above w."""
    w = 0.5 * _WIDEST * (_PLACES + 1)
    above = exp(log_range_sf(w + 0 * along(k), along(k)))
    return (0.5 * _WIDEST * order * _WEIGHTS * w ** (order - 1) * above).sum(axis=-1)


def _mean(k: _T, df: _T) -> _T:
    exists = df > 1
    half = 0.5 * estimated_df(where(exists, df, 2.0))
    return where(exists, _range_moment(1, k) * sqrt(half) * gamma_ratio(half, -0.5), inf)


def _var(k: _T, df: _T) -> _T:
    exists = df > 2
    n = estimated_df(where(exists, df, 3.0))
    return where(exists, _range_moment(2, k) * (n / (n - 2)) - _mean(k, n) ** 2, inf)


def _place(less: _T) -> _T:
    """Below which the normal probability is 1 - exp(-less)."""
    low = less < LOG_2
    return where(low, 1.0, -1.0) * ndtri(where(low, -expm1(-less), exp(-less)))


def _draw(draws: Draws, k: _T, df: _T) -> _T:
    """By the smallest number, and the largest of the others, which are above it."""
    least = draws.exponential() / k
    most = -log(-expm1(-draws.exponential() / (k - 1))) + least
    gap = -ndtri(exp(-most)) - _place(least)
    half = 0.5 * estimated_df(df)
    return gap * sqrt(half / draws.gamma(half))


studentized_range: Final = Continuous(
    "studentized_range", "that of (largest - smallest of k normal numbers) / S, of df S^2 chi2",
    {"k": Constraint("above 1", lambda v: v > 1), "df": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=_logpdf,
    cdf=lambda *v: exp(_logcdf(*v)), sf=lambda *v: exp(_logsf(*v)), **tails(_logcdf, _logsf),
    mean=_mean, var=_var, sample=_draw,
)  # fmt: skip
