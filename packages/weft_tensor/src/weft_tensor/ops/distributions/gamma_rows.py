"""The gamma and beta distributions, and those that are made of gamma variables."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import NONZERO, POSITIVE
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.ratios import (
    HALF_LOG_2PI,
    LOG_2,
    LOG_PI,
    gamma_entropy,
    gamma_ratio,
    log1p_square,
    log_of,
    tails,
    variance,
)
from weft_tensor.ops.elementwise.arithmetic import abs, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log1mexp, log1p
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.special import erfinv
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.composed.student import MANY, of_score, sides, stdtr, stdtrit
from weft_tensor.ops.special.composed.tails import fdtr, fdtrc
from weft_tensor.ops.special.entropies import xlog1py, xlogy
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln
from weft_tensor.ops.special.incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)

__all__ = [
    "beta",
    "betaprime",
    "chi2",
    "erlang",
    "f",
    "gamma",
    "gengamma",
    "halft",
    "invgamma",
    "odds",
    "t",
]


_GAMMA: Final[Rows] = {
    "logpdf": lambda x, a: xlogy(a - 1, x) - x,
    "norming": gammaln,
    "cdf": lambda x, a: gammainc(a, x),
    "sf": lambda x, a: gammaincc(a, x),
    "ppf": lambda q, a: gammaincinv(a, q),
    "isf": lambda q, a: gammainccinv(a, q),
    "mean": lambda a: a,
    "var": lambda a: a,
    "entropy": gamma_entropy,
    "sample": lambda draws, a: draws.gamma(a),
}
_GAMMA_DENSITY: Final = "x^(a-1) exp(-x) / Γ(a)"
gamma: Final = Continuous("gamma", _GAMMA_DENSITY, {"a": POSITIVE}, (0.0, inf), **_GAMMA)
erlang: Final = Continuous("erlang", _GAMMA_DENSITY, {"a": POSITIVE}, (0.0, inf), **_GAMMA)
chi2: Final = Continuous(
    "chi2", "x^(df/2 - 1) exp(-x/2) / (2^(df/2) Γ(df/2))", {"df": POSITIVE}, (0.0, inf),
    logpdf=lambda x, df: xlogy(0.5 * df - 1, 0.5 * x) - 0.5 * x - gammaln(0.5 * df) - LOG_2,
    cdf=lambda x, df: gammainc(0.5 * df, 0.5 * x), sf=lambda x, df: gammaincc(0.5 * df, 0.5 * x),
    ppf=lambda q, df: 2 * gammaincinv(0.5 * df, q),
    isf=lambda q, df: 2 * gammainccinv(0.5 * df, q),
    mean=lambda df: df, var=lambda df: 2 * df,
    entropy=lambda df: gamma_entropy(0.5 * df) + LOG_2,
    sample=lambda draws, df: 2 * draws.gamma(0.5 * df),
)  # fmt: skip
invgamma: Final = Continuous(
    "invgamma", "x^(-a-1) exp(-1/x) / Γ(a)", {"a": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=lambda x, a: -(a + 1) * logarithm(x) - gammaln(a) - 1 / x,
    cdf=lambda x, a: gammaincc(a, 1 / x), sf=lambda x, a: gammainc(a, 1 / x),
    ppf=lambda q, a: 1 / gammainccinv(a, q), isf=lambda q, a: 1 / gammaincinv(a, q),
    mean=lambda a: where(a > 1, 1 / (a - 1), inf),
    var=lambda a: where(a > 2, 1 / ((a - 1) ** 2 * (a - 2)), inf),
    entropy=lambda a: gamma_entropy(a) - 2 * digamma(a),
    sample=lambda draws, a: draws.gamma(a, -1),
)  # fmt: skip


def _generalized(x: TensorVariable, a: TensorVariable, c: TensorVariable) -> TensorVariable:
    size = logarithm(x)
    return logarithm(abs(c)) + (c * a - 1) * size - exp(c * size) - gammaln(a)


def _generalized_moment(n: int, a: TensorVariable, c: TensorVariable) -> TensorVariable:
    place = a + n / c
    exists = place > 0
    return where(exists, gamma_ratio(a, where(exists, n / c, 0.0)), inf)


gengamma: Final = Continuous(
    "gengamma", "|c| x^(c a - 1) exp(-x^c) / Γ(a)", {"a": POSITIVE, "c": NONZERO}, (0.0, inf),
    open_ends=True,
    logpdf=_generalized,
    cdf=lambda x, a, c: where(c > 0, gammainc(a, x**c), gammaincc(a, x**c)),
    sf=lambda x, a, c: where(c > 0, gammaincc(a, x**c), gammainc(a, x**c)),
    ppf=lambda q, a, c: where(c > 0, gammaincinv(a, q), gammainccinv(a, q)) ** (1 / c),
    isf=lambda q, a, c: where(c > 0, gammainccinv(a, q), gammaincinv(a, q)) ** (1 / c),
    mean=lambda a, c: _generalized_moment(1, a, c),
    var=lambda a, c: variance(_generalized_moment(2, a, c), _generalized_moment(1, a, c)),
    entropy=lambda a, c: gamma_entropy(a) + (1 / c - 1) * digamma(a) - logarithm(abs(c)),
    sample=lambda draws, a, c: draws.gamma(a, 1 / c),
)  # fmt: skip


def _beta_draw(draws: Draws, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    ratio = draws.gamma_ratio(a, b)
    low = ratio < 1
    below, above = where(low, ratio, 1.0), where(low, 1.0, ratio)
    return where(low, below / (1 + below), 1 / (1 + 1 / above))


def odds(q: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """x / (1 - x) where `betainc(a, b, x)` is q, by the end that is nearer; of a small q, by q."""
    high = (q > betainc(a, b, 0.5)) & (q > 0.1 * minimum(b, 1.0))
    share = betaincinv(where(high, b, a), where(high, a, b), where(high, 1 - q, q))
    ratio = share / (1 - share)
    return where(high, 1 / ratio, ratio)


def _beta_entropy(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """Of gamma variables of both shapes, without that of their sum."""
    return gamma_entropy(a) + gamma_entropy(b) - gamma_entropy(a + b)


beta: Final = Continuous(
    "beta", "x^(a-1) (1 - x)^(b-1) / B(a, b)", {"a": POSITIVE, "b": POSITIVE}, (0.0, 1.0),
    logpdf=lambda x, a, b: xlogy(a - 1, x) + xlog1py(b - 1, -x), norming=betaln,
    cdf=lambda x, a, b: betainc(a, b, x), sf=lambda x, a, b: betaincc(a, b, x),
    ppf=lambda q, a, b: betaincinv(a, b, q), isf=lambda q, a, b: betainccinv(a, b, q),
    mean=lambda a, b: a / (a + b),
    var=lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1)),
    entropy=lambda a, b: _beta_entropy(a, b) - digamma(a + b),
    sample=_beta_draw,
)  # fmt: skip


def _beta_prime_entropy(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return _beta_entropy(a, b) + digamma(a + b) - 2 * digamma(b)


betaprime: Final = Continuous(
    "betaprime", "x^(a-1) (1 + x)^(-a-b) / B(a, b)", {"a": POSITIVE, "b": POSITIVE}, (0.0, inf),
    logpdf=lambda x, a, b: xlogy(a - 1, x) - xlog1py(a + b, x) - betaln(a, b),
    cdf=lambda x, a, b: fdtr(2 * a, 2 * b, x * (b / a)),
    sf=lambda x, a, b: fdtrc(2 * a, 2 * b, x * (b / a)),
    ppf=odds, isf=lambda q, a, b: 1 / odds(q, b, a),
    mean=lambda a, b: where(b > 1, a / (b - 1), inf),
    var=lambda a, b: where(b > 2, a * (a + b - 1) / ((b - 2) * (b - 1) ** 2), inf),
    entropy=_beta_prime_entropy,
    sample=lambda draws, a, b: draws.gamma_ratio(a, b),
)  # fmt: skip


def _f(x: TensorVariable, dfn: TensorVariable, dfd: TensorVariable) -> TensorVariable:
    m, n, ratio = 0.5 * dfn, 0.5 * dfd, dfn / dfd
    rest = m * logarithm(ratio) - betaln(m, n)
    return rest + xlogy(m - 1, x) - xlog1py(m + n, ratio * x)


def _f_var(dfn: TensorVariable, dfd: TensorVariable) -> TensorVariable:
    variance = 2 * dfd**2 * (dfn + dfd - 2) / (dfn * (dfd - 2) ** 2 * (dfd - 4))
    return where(dfd > 4, variance, inf)


f: Final = Continuous(
    "f", "(dfn/dfd)^(dfn/2) x^(dfn/2 - 1) (1 + x dfn/dfd)^(-(dfn + dfd)/2) / B(dfn/2, dfd/2)",
    {"dfn": POSITIVE, "dfd": POSITIVE}, (0.0, inf),
    logpdf=_f,
    cdf=lambda x, m, n: fdtr(m, n, x), sf=lambda x, m, n: fdtrc(m, n, x),
    ppf=lambda q, m, n: n / m * odds(q, 0.5 * m, 0.5 * n),
    isf=lambda q, m, n: n / m / odds(q, 0.5 * n, 0.5 * m),
    mean=lambda dfn, dfd: where(dfd > 2, dfd / (dfd - 2), inf), var=_f_var,
    entropy=lambda m, n: _beta_prime_entropy(0.5 * m, 0.5 * n) + logarithm(n / m),
    sample=lambda draws, m, n: n / m * draws.gamma_ratio(0.5 * m, 0.5 * n),
)  # fmt: skip


_NORMAL: Final = 1e30
"""So many degrees of freedom are as good as infinitely many."""


def _t(x: TensorVariable, df: TensorVariable) -> TensorVariable:
    n = minimum(df, _NORMAL)
    many = n > MANY
    few = where(many, 1.0, n)
    exact = betaln(0.5 * few, 0.5) + 0.5 * logarithm(few)
    norming = where(many, HALF_LOG_2PI + 0.25 / n, exact)
    return -0.5 * (n + 1) * log1p_square(x / sqrt(n)) - norming


_OUT: Final = 30.0
_LEAST: Final = 1e-9


def _log_far(x: TensorVariable, df: TensorVariable) -> TensorVariable:
    """The logarithm of what is beyond x, above 30. A. P. Soms, J. Am. Stat. Ass. 71 (1976)."""
    n, total = minimum(df, _NORMAL), as_tensor(1.0)
    for k in range(8, 0, -1):
        total = 1 - (2 * k - 1) * (n / (n + 2 * k)) / x / x * total
    return _t(x, n) + log1p_square(x / sqrt(n)) - logarithm(x) + logarithm(total)


def _t_logcdf(x: TensorVariable, df: TensorVariable) -> TensorVariable:
    low, beyond = x < 0, abs(x) > _OUT
    far = _log_far(where(beyond, abs(x), _OUT), df)
    share = stdtr(df, where(beyond, -1.0, -abs(x)))
    near = where(low, log_of(share), log1p(-share))
    return where(beyond, where(low, far, log1mexp(far)), near)


def _t_entropy(df: TensorVariable) -> TensorVariable:
    n = 0.5 * minimum(df, _NORMAL)
    slopes = digamma(n + 0.5) - 1.5 * digamma(n)
    change = gamma_entropy(n) - gamma_entropy(n + 0.5)
    return 0.5 + 0.5 * LOG_PI + 0.5 * logarithm(2 * n) + slopes + change


def _t_draw(draws: Draws, df: TensorVariable) -> TensorVariable:
    half = 0.5 * minimum(df, _NORMAL)
    return draws.normal() * sqrt(half) * draws.gamma(half, -0.5)


t: Final = Continuous(
    "t", "(1 + x²/df)^(-(df + 1)/2) / (sqrt(df) B(df/2, 1/2))", {"df": POSITIVE}, symmetric=True,
    logpdf=_t, cdf=lambda x, df: stdtr(df, x), logcdf=_t_logcdf,
    ppf=lambda q, df: stdtrit(df, q),
    mean=lambda df: where(df > 1, 0.0, inf),
    var=lambda df: where(df > 2, 1 / (1 - 2 / df), where(df > 1, inf, nan)),
    entropy=_t_entropy, sample=_t_draw,
)  # fmt: skip


def _half_t_mean(df: TensorVariable) -> TensorVariable:
    above = df > 1
    n = where(above, minimum(df, _NORMAL), 2.0)
    size = gamma_ratio(0.5 * n, 0.5) / (n - 1)
    return where(above, 2 * sqrt(n / pi) * size, inf)


def _half_t_cdf(x: TensorVariable, df: TensorVariable) -> TensorVariable:
    least = x < _LEAST * minimum(sqrt(df), 1.0)
    near, share = sides(where(least, 1.0, x), minimum(df, _NORMAL))
    at_0 = 2 * where(least, x, 0.0) * exp(_t(0 * x, df))
    return where(least, at_0, where(near, share, 1 - share))


def _half_t_ppf(q: TensorVariable, df: TensorVariable) -> TensorVariable:
    least, many = q < _LEAST, df > MANY
    near = 0.5 * q * exp(-_t(0 * q, df))
    inner = where(least, 0.5, q)
    few = sqrt(df * odds(inner, as_tensor(0.5), 0.5 * where(many, 1.0, df)))
    normal = of_score(sqrt(2.0) * erfinv(inner), where(many, minimum(df, _NORMAL), MANY))
    return where(least, near, where(many, normal, few))


halft: Final = Continuous(
    "halft", "2 (1 + x²/df)^(-(df + 1)/2) / (sqrt(df) B(df/2, 1/2))", {"df": POSITIVE}, (0.0, inf),
    scipy=None,
    logpdf=lambda x, df: _t(x, df) + LOG_2, cdf=_half_t_cdf,
    sf=lambda x, df: 2 * stdtr(df, -x),
    **tails(
        lambda x, df: log_of(_half_t_cdf(x, df)), lambda x, df: _t_logcdf(-x, df) + LOG_2
    ),
    ppf=_half_t_ppf, isf=lambda q, df: -stdtrit(df, 0.5 * q),
    mean=_half_t_mean,
    var=lambda df: where(df > 2, 1 / (1 - 2 / df) - _half_t_mean(df) ** 2, inf),
    entropy=lambda df: _t_entropy(df) - LOG_2,
    sample=lambda draws, df: abs(_t_draw(draws, df)),
)  # fmt: skip
