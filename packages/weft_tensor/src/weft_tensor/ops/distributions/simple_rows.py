"""Continuous distributions whose functions are closed forms of exponentials and powers."""

from __future__ import annotations

from math import inf, log, nan, pi
from typing import Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE, PROBABILITY, REAL
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.ratios import (
    LOG_2,
    LOG_PI,
    log1p_over,
    log1p_square,
    one_sided,
    tails,
    tilt,
    tilt_slope,
    variance,
)
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import (
    exp,
    expm1,
    log1mexp,
    log1p,
    logaddexp,
    softplus,
)
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.trigonometric import arctan, arctan2, tan
from weft_tensor.ops.special.entropies import exprel, logit, xlogy
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln

__all__ = [
    "cauchy",
    "expon",
    "genextreme",
    "genpareto",
    "gumbel_l",
    "gumbel_r",
    "halfcauchy",
    "kumaraswamy",
    "laplace",
    "laplace_asymmetric",
    "logistic",
    "pareto",
    "triang",
    "truncexpon",
    "uniform",
    "weibull_max",
    "weibull_min",
]

_GAMMA: Final = 0.5772156649015329
_SLIGHT: Final = 3e-3
_LOGARITHMS: Final = (-_GAMMA, pi * pi / 12, -0.40068563438653144, 0.27058080842778454,
                      -0.20738555102867398, 0.16955717699740818)  # fmt: skip
"""Of log(Γ(1 + c)) / c, as a power series: Riemann's zeta function of k over k, by turns."""
_SHARES_OF_E: Final = {
    24: (0.3678794503211975, 2.487161295355309e-08),
    53: (0.36787944117144233, 3.3784855259134224e-17),
}
"""1/e as floats of so many digits have it, and what its logarithm is above -1."""

uniform: Final = Continuous(
    "uniform", "1", {}, (0.0, 1.0),
    logpdf=lambda x: 0 * x, cdf=lambda x: x, sf=lambda x: 1 - x,
    ppf=lambda q: q, isf=lambda q: 1 - q,
    mean=lambda: 0.5, var=lambda: 1 / 12, entropy=lambda: 0.0,
)  # fmt: skip
expon: Final = Continuous(
    "expon", "exp(-x)", {}, (0.0, inf),
    logpdf=lambda x: -x, logsf=lambda x: -x, logcdf=lambda x: log1mexp(-x),
    cdf=lambda x: -expm1(-x), quantile=lambda lp, lq: -lq,
    mean=lambda: 1.0, var=lambda: 1.0, entropy=lambda: 1.0,
)  # fmt: skip


def _cut_quantile(lp: TensorVariable, lq: TensorVariable, b: TensorVariable) -> TensorVariable:
    """From the end that is nearer."""
    high = lq < -LOG_2
    low = -log1p(exp(where(high, -LOG_2, lp)) * expm1(-b))
    return where(high, -logaddexp(-b, where(high, lq, -LOG_2) + log1mexp(-b)), low)


def _cut_mean(b: TensorVariable) -> TensorVariable:
    return b * (0.5 - tilt(b))


truncexpon: Final = Continuous(
    "truncexpon", "exp(-x) / (1 - exp(-b))", {"b": POSITIVE}, lambda b: (0.0, b),
    middle=lambda b: 0.5 * b,
    logpdf=lambda x, b: -x - log1mexp(-b), **tails(
        lambda x, b: log1mexp(-x) - log1mexp(-b),
        lambda x, b: log1mexp(x - b) - x - log1mexp(-b),
    ),
    quantile=_cut_quantile,
    mean=_cut_mean, var=lambda b: b * b * tilt_slope(b),
    entropy=lambda b: log1mexp(-b) + _cut_mean(b),
)  # fmt: skip


def _log_over(q: TensorVariable, share: TensorLike) -> TensorVariable:
    """log(q / share), which near 0 is as right as q - share is."""
    near = 2 * q > share
    return where(near, log1p(where(near, q - share, 0.0) / share), logarithm(q / share))


def _laplace_ppf(q: TensorVariable) -> TensorVariable:
    low = q < 0.5
    size = _log_over(where(low, q, 1 - q), 0.5)
    return where(low, size, -size)


laplace: Final = Continuous(
    "laplace", "exp(-|x|) / 2", {}, symmetric=True, holds_at_infinity=True,
    logpdf=lambda x: -abs(x) - LOG_2,
    logcdf=lambda x: where(x < 0, x - LOG_2, log1p(-0.5 * exp(-one_sided(x)))),
    ppf=_laplace_ppf,
    mean=lambda: 0.0, var=lambda: 2.0, entropy=lambda: 1 + LOG_2,
)  # fmt: skip


def _sides(k: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Logarithms of the probabilities below and above 0."""
    return -log1p(1 / (k * k)), -log1p(k * k)


def _asymmetric_logcdf(x: TensorVariable, k: TensorVariable) -> TensorVariable:
    below, above = _sides(k)
    return where(x < 0, minimum(x, 0) / k + below, log1p(-exp(above - k * one_sided(x))))


def _asymmetric_ppf(q: TensorVariable, k: TensorVariable) -> TensorVariable:
    square = k * k
    below = square / (1 + square)
    low = q < below
    off = (where(low, below, q) - below) * (1 + square)
    far = off > 0.5
    rest = logarithm(where(far, (1 - q) * (1 + square), 1.0)) + log1p(-where(far, 0.0, off))
    return where(low, k * _log_over(where(low, q, below), below), -rest / k)


laplace_asymmetric: Final = Continuous(
    "laplace_asymmetric", "exp(-x kappa), exp(x/kappa) below 0, over kappa + 1/kappa",
    {"kappa": POSITIVE},
    logpdf=lambda x, k: where(x < 0, x / k, -k * x) - logarithm(k + 1 / k),
    logcdf=_asymmetric_logcdf, logsf=lambda x, k: _asymmetric_logcdf(-x, 1 / k),
    ppf=_asymmetric_ppf, isf=lambda q, k: -_asymmetric_ppf(q, 1 / k),
    mean=lambda k: 1 / k - k, var=lambda k: k * k + 1 / (k * k),
    entropy=lambda k: 1 + logarithm(k + 1 / k),
)  # fmt: skip
logistic: Final = Continuous(
    "logistic", "exp(-x) / (1 + exp(-x))²", {}, symmetric=True, holds_at_infinity=True,
    logpdf=lambda x: -abs(x) - 2 * softplus(-abs(x)), logcdf=lambda x: -softplus(-x),
    ppf=logit,
    mean=lambda: 0.0, var=lambda: pi * pi / 3, entropy=lambda: 2.0,
)  # fmt: skip


def _cauchy_ppf(q: TensorVariable) -> TensorVariable:
    """By the cotangent in the tails, where q and 1 - q tell more than the distance from 1/2."""
    low = q < 0.5
    rest = where(low, q, 1 - q)
    far = rest < 0.25
    size = 1 / tan(pi * where(far, rest, 0.25))
    return where(far, where(low, -size, size), tan(pi * (where(far, 0.5, q) - 0.5)))


def _half_cauchy_ppf(q: TensorVariable) -> TensorVariable:
    high = q > 0.5
    size = tan(pi / 2 * where(high, 1 - q, q))
    return where(high, 1 / size, size)


cauchy: Final = Continuous(
    "cauchy", "1 / (π (1 + x²))", {}, symmetric=True,
    logpdf=lambda x: -log1p_square(x) - LOG_PI, cdf=lambda x: arctan2(1.0, -x) / pi,
    ppf=_cauchy_ppf,
    mean=lambda: nan, var=lambda: nan, entropy=lambda: log(4 * pi),
)  # fmt: skip
halfcauchy: Final = Continuous(
    "halfcauchy", "2 / (π (1 + x²))", {}, (0.0, inf),
    logpdf=lambda x: LOG_2 - LOG_PI - log1p_square(x),
    cdf=lambda x: 2 / pi * arctan(x), sf=lambda x: 2 / pi * arctan2(1.0, x),
    ppf=_half_cauchy_ppf, isf=lambda q: 1 / _half_cauchy_ppf(q),
    mean=lambda: inf, var=lambda: inf, entropy=lambda: log(2 * pi),
)  # fmt: skip


def _weibull_moment(n: int, c: TensorVariable) -> TensorVariable:
    return exp(gammaln(1 + n / c))


_WEIBULL: Final[Rows] = {
    "logpdf": lambda x, c: logarithm(c) + xlogy(c - 1, x) - x**c,
    "logsf": lambda x, c: -(x**c),
    "logcdf": lambda x, c: log1mexp(-(x**c)),
    "ppf": lambda q, c: (-log1p(-q)) ** (1 / c),
    "isf": lambda q, c: (-logarithm(q)) ** (1 / c),
    "mean": lambda c: _weibull_moment(1, c),
    "var": lambda c: variance(_weibull_moment(2, c), _weibull_moment(1, c)),
    "entropy": lambda c: _GAMMA * (1 - 1 / c) - logarithm(c) + 1,
}


def _twice_log(p: TensorVariable, log_p: TensorVariable) -> TensorVariable:
    """-log(-log(p)), right next to its zero at 1/e, too."""
    digits = 24 if p.dtype == "float32" else 53
    share, rest = _SHARES_OF_E[digits]
    off = _log_over(p, share) + rest
    near = abs(off) < 0.5
    return -where(near, log1p(-where(near, off, 0.0)), logarithm(-where(near, -1.0, log_p)))


def _gumbel_ppf(q: TensorVariable) -> TensorVariable:
    return _twice_log(q, logarithm(q))


def _gumbel_isf(q: TensorVariable) -> TensorVariable:
    return _twice_log(1 - q, log1p(-q))


_GUMBEL: Final[Rows] = {
    "logpdf": lambda x: -x - exp(-x),
    "logcdf": lambda x: -exp(-x),
    "logsf": lambda x: log1mexp(-exp(-x)),
    "ppf": _gumbel_ppf,
    "isf": _gumbel_isf,
    "mean": lambda: _GAMMA,
    "var": lambda: pi * pi / 6,
    "entropy": lambda: 1 + _GAMMA,
}


def mirrored(rows: Rows) -> Rows:
    """The formulas of -x."""
    turned: Rows = {
        **rows,
        "logpdf": lambda x, *p: rows["logpdf"](-x, *p),
        "logcdf": lambda x, *p: rows["logsf"](-x, *p),
        "logsf": lambda x, *p: rows["logcdf"](-x, *p),
        "ppf": lambda q, *p: -as_tensor(rows["isf"](q, *p)),
        "isf": lambda q, *p: -as_tensor(rows["ppf"](q, *p)),
    }
    if "mean" in rows:
        turned["mean"] = lambda *p: -as_tensor(rows["mean"](*p))
    return turned


weibull_min: Final = Continuous(
    "weibull_min", "c x^(c-1) exp(-x^c)", {"c": POSITIVE}, (0.0, inf), **_WEIBULL
)
weibull_max: Final = Continuous(
    "weibull_max", "c (-x)^(c-1) exp(-(-x)^c)", {"c": POSITIVE}, (-inf, 0.0), **mirrored(_WEIBULL)
)
gumbel_r: Final = Continuous("gumbel_r", "exp(-x - exp(-x))", {}, **_GUMBEL)
gumbel_l: Final = Continuous("gumbel_l", "exp(x - exp(x))", {}, **mirrored(_GUMBEL))
pareto: Final = Continuous(
    "pareto", "b / x^(b+1)", {"b": POSITIVE}, (1.0, inf),
    logpdf=lambda x, b: logarithm(b) - (b + 1) * logarithm(x),
    logsf=lambda x, b: -b * logarithm(x), logcdf=lambda x, b: log1mexp(-b * logarithm(x)),
    ppf=lambda q, b: exp(-log1p(-q) / b), isf=lambda q, b: q ** (-1 / b),
    mean=lambda b: where(b > 1, b / (b - 1), inf),
    var=lambda b: where(b > 2, b / ((b - 1) ** 2 * (b - 2)), inf),
    entropy=lambda b: 1 + 1 / b - logarithm(b),
)  # fmt: skip


def _pareto_end(c: TensorVariable) -> TensorVariable:
    return where(c < 0, -1 / where(c < 0, c, -1.0), inf)


def _excess(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    return x * log1p_over(c * x)


genpareto: Final = Continuous(
    "genpareto", "(1 + c x)^(-1 - 1/c)", {"c": REAL}, lambda c: (0.0, _pareto_end(c)),
    middle=lambda c: 0.5 / (1 + abs(c)),
    logpdf=lambda x, c: -(1 + c) * where(eq(c, -1), 0.0, _excess(x, c)),
    logsf=lambda x, c: -_excess(x, c),
    logcdf=lambda x, c: log1mexp(-_excess(x, c)),
    quantile=lambda lp, lq, c: -lq * exprel(-c * lq),
    mean=lambda c: where(c < 1, 1 / (1 - c), inf),
    var=lambda c: where(c < 0.5, 1 / ((1 - c) ** 2 * (1 - 2 * c)), inf),
    entropy=lambda c: 1 + c,
)  # fmt: skip


def _extreme_ends(c: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    end = 1 / where(eq(c, 0), 1.0, c)
    return where(c < 0, end, -inf), where(c > 0, end, inf)


def _power(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """log(1 - c x) / c, which is -x for c = 0."""
    return -x * log1p_over(-c * x)


def _extreme_point(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    return x * exprel(-c * x)


def _extreme_mean(c: TensorVariable) -> TensorVariable:
    exists, near = c > -1, abs(c) < _SLIGHT
    ratio = polynomial(_LOGARITHMS, where(near, c, 0.0))
    small = -ratio * exprel(c * ratio)
    inner = where(exists & ~near, c, 1.0)
    size = gammaln(1 + inner)
    return where(near, small, where(exists, -size * exprel(size) / inner, inf))


def _extreme_var(c: TensorVariable) -> TensorVariable:
    exists, near = c > -0.5, abs(c) < _SLIGHT
    low = where(near, c, 0.0)
    twice = polynomial(tuple([(2**k - 2) * v for k, v in enumerate(_LOGARITHMS, 1)][1:]), low)
    small = exp(2 * low * polynomial(_LOGARITHMS, low)) * twice * exprel(low * low * twice)
    inner = where(exists & ~near, c, 1.0)
    size = gammaln(1 + inner)
    variance = exp(2 * size) * expm1(gammaln(1 + 2 * inner) - 2 * size) / (inner * inner)
    return where(near, small, where(exists, variance, inf))


genextreme: Final = Continuous(
    "genextreme", "(1 - c x)^(1/c - 1) exp(-(1 - c x)^(1/c))", {"c": REAL}, _extreme_ends,
    open_ends=True, middle=lambda c: 0 * c,
    logpdf=lambda x, c: (1 - c) * _power(x, c) - exp(_power(x, c)),
    logcdf=lambda x, c: -exp(_power(x, c)), logsf=lambda x, c: log1mexp(-exp(_power(x, c))),
    ppf=lambda q, c: _extreme_point(_gumbel_ppf(q), c),
    isf=lambda q, c: _extreme_point(_gumbel_isf(q), c),
    mean=_extreme_mean, var=_extreme_var, entropy=lambda c: _GAMMA * (1 - c) + 1,
)  # fmt: skip


def _log_rest(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    """log(1 - x^a), also next to 1."""
    power = x**a
    near = power > 0.5
    next_to_1 = log1mexp(a * logarithm(where(near, x, 0.5)))
    return where(near, next_to_1, log1p(-where(near, 0.0, power)))


def _kumaraswamy(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    rest = where(eq(b, 1), 0.0, _log_rest(x, a))
    return logarithm(a * b) + xlogy(a - 1, x) + (b - 1) * rest


def _kumaraswamy_moment(n: int, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return b * exp(betaln(1 + n / a, b))


kumaraswamy: Final = Continuous(
    "kumaraswamy", "a b x^(a-1) (1 - x^a)^(b-1)", {"a": POSITIVE, "b": POSITIVE}, (0.0, 1.0),
    scipy=None,
    logpdf=_kumaraswamy,
    logsf=lambda x, a, b: b * _log_rest(x, a), logcdf=lambda x, a, b: log1mexp(b * _log_rest(x, a)),
    quantile=lambda lp, lq, a, b: (-expm1(lq / b)) ** (1 / a),
    mean=lambda a, b: _kumaraswamy_moment(1, a, b),
    var=lambda a, b: _kumaraswamy_moment(2, a, b) - _kumaraswamy_moment(1, a, b) ** 2,
    entropy=lambda a, b: (
        (1 - 1 / b) + (1 - 1 / a) * (digamma(b + 1) + _GAMMA) - logarithm(a * b)
    ),
)  # fmt: skip


def _triangle_cdf(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """Above c by what is below x where that is little, else by what is above."""
    low, rest = x < c, 1 - x
    width = where(low, 1.0, where(c < 1, 1 - c, 1.0))
    above = where(x < 0.5, (x * (2 - x) - c) / width, 1 - rest * rest / width)
    return where(low, x * x / where(low, c, 1.0), above)


def _triangle(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    low = x < c
    height = where(low, x / where(low, c, 1.0), (1 - x) / where(c < 1, 1 - c, 1.0))
    return LOG_2 + logarithm(where(eq(x, c), 1.0, height))


def _triangle_ppf(q: TensorVariable, c: TensorVariable) -> TensorVariable:
    low = q < c
    rest = sqrt((1 - c) * where(low, 1.0, 1 - q))
    return where(low, sqrt(where(low, c * q, 1.0)), (c + q * (1 - c)) / (1 + rest))


triang: Final = Continuous(
    "triang", "2 x/c below c, 2 (1 - x)/(1 - c) above", {"c": PROBABILITY}, (0.0, 1.0),
    logpdf=_triangle, cdf=_triangle_cdf, sf=lambda x, c: _triangle_cdf(1 - x, 1 - c),
    ppf=_triangle_ppf, isf=lambda q, c: 1 - _triangle_ppf(q, 1 - c),
    mean=lambda c: (1 + c) / 3, var=lambda c: (1 - c + c * c) / 18,
    entropy=lambda c: 0.5 - LOG_2 + 0 * c,
)  # fmt: skip
