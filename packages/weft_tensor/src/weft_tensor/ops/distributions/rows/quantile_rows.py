"""Continuous distributions that are told by the inverse of their distribution function."""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np

from weft_graph import grad
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.distributions.constraints import REAL
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.ratios import LOG_2, log1p_over
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p, softplus
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.implicit.search import crossing
from weft_tensor.ops.special.entropies import exprel
from weft_tensor.ops.special.gamma import gammaln

__all__ = ["kappa4", "tukeylambda"]


_LARGE: Final = 50.0
"""Here exp(u) - 1 is exp(u)."""


def _four_place(z: TensorVariable, k: TensorVariable) -> TensorVariable:
    """(1 - exp(-k z)) / k."""
    return z * exprel(-k * z)


def _four_ends(h: TensorVariable, k: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    some, below = h > 0, k < 0
    start = where(below, 1 / where(below, k, -1.0), -inf)
    start = where(some, _four_place(log(where(some, h, 1.0)), k), start)
    return start, where(k > 0, 1 / where(k > 0, k, 1.0), inf)


def _four_steps(
    x: TensorVariable, h: TensorVariable, k: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """z = -log(1 - k x) / k and (1 - h exp(-z))^(1/h), the latter as a logarithm."""
    z = x * log1p_over(-k * x)
    large = (h < 0) & (log(abs(where(h < 0, h, -1.0))) > z)
    some, u = where(large, 0.0, h), exp(-where(large, 0.0, z))
    taken = minimum(some * u, 1 - 0.5 * float(np.finfo(x.dtype).eps))  # next to the lower end
    far = where(large, h, -1.0)
    share = softplus(log(-far) - where(large, z, 0.0)) / far
    return z, where(large, share, -u * log1p_over(-taken))


def _four(x: TensorVariable, h: TensorVariable, k: TensorVariable) -> TensorVariable:
    z, share = _four_steps(x, h, k)
    return -(1 - k) * z + (1 - h) * share


def _four_quantile(
    lp: TensorVariable, lq: TensorVariable, h: TensorVariable, k: TensorVariable
) -> TensorVariable:
    large = h * lp > _LARGE
    u = where(large, 1.0, h) * where(large, -1.0, lp)
    far, less = where(large, h, -1.0), where(large, h * lp, 1.0)
    straight = log(-where(large, -1.0, lp) * exprel(u))
    return _four_place(-where(large, less - log(-far), straight), k)


kappa4: Final = Continuous(
    "kappa4", "(1 - k x)^(1/k - 1) (1 - h (1 - k x)^(1/k))^(1/h - 1)", {"h": REAL, "k": REAL},
    _four_ends, middle=lambda h, k: _four_quantile(-LOG_2 + 0 * h, -LOG_2 + 0 * h, h, k),
    open_ends=True, logpdf=_four,
    logcdf=lambda x, h, k: _four_steps(x, h, k)[1],
    logsf=lambda x, h, k: log1mexp(_four_steps(x, h, k)[1]),
    quantile=_four_quantile,
)  # fmt: skip

_SPAN: Final = 800.0
"""Beyond it, the sigmoid function underflows."""


def _tukey_quantile(lp: TensorVariable, lq: TensorVariable, lam: TensorVariable) -> TensorVariable:
    """(exp(lam lp) - exp(lam lq)) / lam, of which nothing cancels where both are next to 0."""
    apart = lp - lq
    return apart * exprel(-lam * abs(apart)) * exp(lam * maximum(lp, lq))


def _size_and_rest(u: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """|u|, and minus the logarithm of the larger probability, where the odds are exp(u)."""
    size = abs(u)
    return size, log1p(exp(-size))


def _tukey_place(u: TensorVariable, lam: TensorVariable) -> TensorVariable:
    """`_tukey_quantile` where the odds are exp(u), which is the difference of the logarithms."""
    size, rest = _size_and_rest(u)
    return u * exprel(-lam * size) * exp(-lam * rest)


def _tukey_log_density(u: TensorVariable, lam: TensorVariable) -> TensorVariable:
    size, rest = _size_and_rest(u)
    return (lam - 1) * rest - softplus((1 - lam) * size)


def _log_odds(x: TensorVariable, lam: TensorVariable) -> TensorVariable:
    """By a search, and a step of Newton's; with the derivatives of an implicit function."""

    def over_slope(u: TensorVariable, lam: TensorVariable) -> TensorVariable:
        size, rest = _size_and_rest(u)
        return exp(size + 2 * rest + _tukey_log_density(u, lam))

    def slopes(u: TensorVariable, x: TensorVariable, lam: TensorVariable) -> list[TensorVariable]:
        less = over_slope(u, lam)
        return [less, -less * grad(_tukey_place(u, lam).sum(), lam)]

    whole = x + 0 * lam
    u = crossing(
        lambda u: _tukey_place(u, lam) - x, full_like(whole, -_SPAN), full_like(whole, _SPAN), 0.6
    )
    root = u - (_tukey_place(u, lam) - x) * over_slope(u, lam)
    return following(root, slopes, x, lam)


_ZETAS: Final = (1.6449340668482264, 1.2020569031595942, 1.0823232337111382, 1.0369277551433699,
                 1.0173430619844491, 1.0083492773819228, 1.0040773561979443)  # fmt: skip
"""Riemann's zeta function of 2, 3, ..."""


def _tukey_var(lam: TensorVariable) -> TensorVariable:
    """By log(Γ(1 + λ)² / Γ(1 + 2λ)), near 0 by its power series."""
    near = abs(lam) < 0.02
    small = where(near, lam, 0.0)
    series: Any = 0.0
    for n in range(len(_ZETAS) + 1, 1, -1):
        series = series * small + (-1) ** n * _ZETAS[n - 2] * (2 - 2**n) / n
    exists = lam > -0.5
    apart = where(near | ~exists, 1.0, lam)
    far = -expm1(2 * gammaln(1 + apart) - gammaln(1 + 2 * apart)) / (apart * apart)
    size = where(near, -series * exprel(series * (small * small)), far)
    return where(exists, 2 / (1 + 2 * where(exists, lam, 0.0)) * size, inf)


def _tukey_ends(lam: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    end = where(lam > 0, 1 / where(lam > 0, lam, 1.0), inf)
    return -end, end


tukeylambda: Final = Continuous(
    "tukeylambda", "1 / (q^(lam-1) + (1-q)^(lam-1)) at x = (q^lam - (1-q)^lam) / lam",
    {"lam": REAL}, _tukey_ends, middle=lambda lam: 0 * lam, symmetric=True, open_ends=True,
    logpdf=lambda x, lam: _tukey_log_density(_log_odds(x, lam), lam),
    logcdf=lambda x, lam: -softplus(-_log_odds(x, lam)),
    quantile=_tukey_quantile,
    mean=lambda lam: 0 * lam, var=_tukey_var,
)  # fmt: skip
