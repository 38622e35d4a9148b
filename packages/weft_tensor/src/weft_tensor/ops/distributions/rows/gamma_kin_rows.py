"""Continuous distributions that functions of gamma variables have, and doubled ones."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.gamma_rows import gamma
from weft_tensor.ops.distributions.ratios import (
    LOG_2,
    gamma_entropy,
    gamma_ratio,
    log_of,
    one_sided,
    tails,
    variance,
)
from weft_tensor.ops.distributions.simple_rows import weibull_min
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.gamma import digamma, gammaln, trigamma
from weft_tensor.ops.special.incomplete import gammainc, gammaincc, gammainccinv, gammaincinv

__all__ = [
    "chi",
    "dgamma",
    "dweibull",
    "gennorm",
    "halfgennorm",
    "loggamma",
    "nakagami",
]


def _chi_mean(df: TensorVariable) -> TensorVariable:
    return 2**0.5 * gamma_ratio(0.5 * df, 0.5)


def _chi_var(df: TensorVariable) -> TensorVariable:
    many = df > 1e4
    u = 1 / where(many, df, 1.0)
    return where(many, 0.5 - u / 8 - u * u / 16, df - _chi_mean(where(many, 1.0, df)) ** 2)


chi: Final = Continuous(
    "chi", "x^(df - 1) exp(-x²/2) / (2^(df/2 - 1) Γ(df/2))", {"df": POSITIVE}, (0.0, inf),
    logpdf=lambda x, df: xlogy(df - 1, x) - 0.5 * x * x,
    norming=lambda df: gammaln(0.5 * df) + (0.5 * df - 1) * LOG_2,
    cdf=lambda x, df: gammainc(0.5 * df, 0.5 * x * x),
    sf=lambda x, df: gammaincc(0.5 * df, 0.5 * x * x),
    ppf=lambda q, df: sqrt(2 * gammaincinv(0.5 * df, q)),
    isf=lambda q, df: sqrt(2 * gammainccinv(0.5 * df, q)),
    mean=_chi_mean, var=_chi_var,
    entropy=lambda df: gamma_entropy(0.5 * df) - 0.5 * (LOG_2 + digamma(0.5 * df)),
    sample=lambda draws, df: 2**0.5 * draws.gamma(0.5 * df, 0.5),
)  # fmt: skip


def _nakagami_mean(nu: TensorVariable) -> TensorVariable:
    return gamma_ratio(nu, 0.5) / sqrt(nu)


nakagami: Final = Continuous(
    "nakagami", "2 nu^nu x^(2 nu - 1) exp(-nu x²) / Γ(nu)", {"nu": POSITIVE}, (0.0, inf),
    logpdf=lambda x, nu: xlogy(2 * nu - 1, x) - nu * x * x,
    norming=lambda nu: gammaln(nu) - nu * log(nu) - LOG_2,
    cdf=lambda x, nu: gammainc(nu, nu * x * x), sf=lambda x, nu: gammaincc(nu, nu * x * x),
    ppf=lambda q, nu: sqrt(gammaincinv(nu, q) / nu),
    isf=lambda q, nu: sqrt(gammainccinv(nu, q) / nu),
    mean=_nakagami_mean, var=lambda nu: _chi_var(2 * nu) / (2 * nu),
    entropy=lambda nu: gamma_entropy(nu) - LOG_2 - 0.5 * (log(nu) + digamma(nu)),
    sample=lambda draws, nu: draws.gamma(nu, 0.5) / sqrt(nu),
)  # fmt: skip

_LEAST: Final = -80.0
"""Below such a logarithm, the lower tail of a gamma variable is a power."""


def _log_gamma_power(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """The logarithm of the lower tail there."""
    return c * minimum(x, _LEAST) - gammaln(c + 1)


def _log_gamma_logcdf(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    least = x < _LEAST
    near = log_of(gammainc(c, exp(where(least, 0.0, x))))
    return where(least, _log_gamma_power(x, c), near)


def _log_gamma_logsf(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    least = x < _LEAST
    near = log_of(gammaincc(c, exp(where(least, 0.0, x))))
    return where(least, log1mexp(_log_gamma_power(x, c)), near)


def _log_gamma_sf(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    least = x < _LEAST
    near = gammaincc(c, exp(where(least, 0.0, x)))
    return where(least, -expm1(_log_gamma_power(x, c)), near)


def _log_gamma_point(
    inverse: Callable[..., TensorVariable],
    q: TensorVariable,
    log_q: TensorVariable,
    c: TensorVariable,
) -> TensorVariable:
    power = (log_q + gammaln(c + 1)) / c
    least = power < _LEAST
    return where(least, power, log(inverse(c, where(least, 0.5, q))))


loggamma: Final = Continuous(
    "loggamma", "exp(c x - exp(x)) / Γ(c)", {"c": POSITIVE},
    logpdf=lambda x, c: c * x - exp(x), norming=gammaln,
    sf=_log_gamma_sf, **tails(_log_gamma_logcdf, _log_gamma_logsf),
    ppf=lambda q, c: _log_gamma_point(gammaincinv, q, log(q), c),
    isf=lambda q, c: _log_gamma_point(gammainccinv, q, log1p(-q), c),
    mean=digamma, var=trigamma, entropy=lambda c: gamma_entropy(c) - digamma(c),
    sample=lambda draws, c: draws.log_gamma(c),
)  # fmt: skip


_NOTHING: Final = 1e-17
"""What a series whose first term is 1 loses without its second."""


def _half_cdf(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    """By the first term next to 0, where x^b underflows."""
    power = x**b
    near = power < _NOTHING
    rest = gammainc(1 / b, where(near, 1.0, power))
    return where(near, x * exp(-gammaln(1 + 1 / b)), rest)


def _half_sf(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    power = x**b
    near = power < _NOTHING
    rest = gammaincc(1 / b, where(near, 1.0, power))
    return where(near, 1 - x * exp(-gammaln(1 + 1 / b)), rest)


def _half_point(q: TensorVariable, b: TensorVariable) -> TensorVariable:
    first = q * exp(gammaln(1 + 1 / b))
    near = first**b < _NOTHING
    return where(near, first, gammaincinv(1 / b, where(near, 0.5, q)) ** (1 / b))


def _half_outer(q: TensorVariable, b: TensorVariable) -> TensorVariable:
    low = q > 0.5
    far = gammainccinv(1 / b, where(low, 0.5, q)) ** (1 / b)
    return where(low, _half_point(where(low, 1 - q, 0.5), b), far)


halfgennorm: Final = Continuous(
    "halfgennorm", "exp(-x^beta) / Γ(1 + 1/beta)", {"beta": POSITIVE}, (0.0, inf),
    logpdf=lambda x, b: -(x**b), norming=lambda b: gammaln(1 + 1 / b),
    cdf=_half_cdf, sf=_half_sf, ppf=_half_point,
    isf=_half_outer,
    mean=lambda b: gamma_ratio(1 / b, 1 / b),
    var=lambda b: variance(gamma_ratio(1 / b, 2 / b), gamma_ratio(1 / b, 1 / b)),
    entropy=lambda b: 1 / b + gammaln(1 + 1 / b),
    sample=lambda draws, b: draws.gamma(1 / b, 1 / b),
)  # fmt: skip


def _doubled(half: Continuous) -> Rows:
    """The formulas of a variable of either sign, whose size is distributed as `half`."""
    rows: Any = half.formulas
    own = half.rows

    def logcdf(x: TensorVariable, *p: TensorVariable) -> TensorVariable:
        low = x < 0
        return where(low, rows["logsf"](one_sided(x), *p) - LOG_2, log1p(-0.5 * _tail(x, *p)))

    def _tail(x: TensorVariable, *p: TensorVariable) -> TensorVariable:
        return where(x < 0, 0.0, rows["sf"](one_sided(x), *p))

    def ppf(q: TensorVariable, *p: TensorVariable) -> TensorVariable:
        low = q < 0.5
        size = rows["isf"](2 * where(low, q, 1 - q), *p)
        return where(low, -size, size)

    def sample(draws: Draws, *p: TensorVariable) -> TensorVariable:
        size = own["sample"](draws, *p) if "sample" in own else rows["isf"](draws.uniform(), *p)
        return where(draws.uniform() < 0.5, -size, size)

    return {
        "logpdf": lambda x, *p: rows["logpdf"](abs(x), *p) - LOG_2,
        "logcdf": logcdf,
        "ppf": ppf,
        "mean": lambda *p: 0 * p[0],
        "var": lambda *p: own["var"](*p) + own["mean"](*p) ** 2,
        "entropy": lambda *p: own["entropy"](*p) + LOG_2,
        "sample": sample,
    }


gennorm: Final = Continuous(
    "gennorm", "exp(-|x|^beta) / (2 Γ(1 + 1/beta))", {"beta": POSITIVE}, symmetric=True,
    **_doubled(halfgennorm),
)  # fmt: skip
dgamma: Final = Continuous(
    "dgamma", "|x|^(a-1) exp(-|x|) / (2 Γ(a))", {"a": POSITIVE}, symmetric=True,
    **_doubled(gamma),
)  # fmt: skip
dweibull: Final = Continuous(
    "dweibull", "c/2 |x|^(c-1) exp(-|x|^c)", {"c": POSITIVE}, symmetric=True,
    **_doubled(weibull_min),
)  # fmt: skip
