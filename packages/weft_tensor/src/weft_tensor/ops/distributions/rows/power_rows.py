"""Continuous distributions whose functions are powers, and powers of those of others."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from typing import Any, Final, cast

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE, POSITIVE, Relation
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Formula, Rows
from weft_tensor.ops.distributions.integrals import expectation
from weft_tensor.ops.distributions.ratios import LOG_2, tails, tilt
from weft_tensor.ops.distributions.simple_rows import laplace
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import (
    exp,
    expm1,
    log,
    log1mexp,
    log1p,
    softplus,
)
from weft_tensor.ops.elementwise.trigonometric import arctanh, sin, tanh
from weft_tensor.ops.special.entropies import exprel, xlogy
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln, trigamma
from weft_tensor.ops.special.incomplete import gammainc, gammaincc

__all__ = [
    "bradford",
    "burr",
    "burr12",
    "exponpow",
    "exponweib",
    "fisk",
    "genexpon",
    "genhalflogistic",
    "genlogistic",
    "gompertz",
    "halflogistic",
    "invweibull",
    "kappa3",
    "loglaplace",
    "loguniform",
    "lomax",
    "mielke",
    "powerlaw",
    "reciprocal",
    "truncweibull_min",
]

_GAMMA: Final = 0.5772156649015329
_STRAIGHT: Final = 30.0
"""Logarithms of densities that fall by less are smooth between the ends."""


def _variance(first: TensorVariable, second: TensorVariable) -> TensorVariable:
    return where(second < inf, second - where(second < inf, first, 0.0) ** 2, inf)


def _burr_moment(n: int, c: TensorVariable, d: TensorVariable) -> TensorVariable:
    exists = c > n
    u = where(exists, n / c, 0.5)
    return where(exists, d * exp(betaln(d + u, 1 - u)), inf)


_BURR: Final[Rows] = {
    "logpdf": lambda x, c, d: xlogy(c * d - 1, x) - (d + 1) * softplus(c * log(x)),
    "norming": lambda c, d: -log(c * d),
    "logcdf": lambda x, c, d: -d * softplus(-c * log(x)),
    "logsf": lambda x, c, d: log1mexp(-d * softplus(-c * log(x))),
    "quantile": lambda lp, lq, c, d: expm1(-lp / d) ** (-1 / c),
    "mean": lambda c, d: _burr_moment(1, c, d),
    "var": lambda c, d: _variance(_burr_moment(1, c, d), _burr_moment(2, c, d)),
}


def _of_mielke(formula: Formula) -> Formula:
    """By Mielke's parameters, k = c d and s = c."""
    return lambda *args: formula(*args[:-2], args[-1], args[-2] / args[-1])


def _burr12_moment(n: int, c: TensorVariable, d: TensorVariable) -> TensorVariable:
    exists = c * d > n
    u = where(exists, n / c, 0.5 * d)
    return where(exists, d * exp(betaln(1 + u, d - u)), inf)


def _fisk_moment(n: int, c: TensorVariable) -> TensorVariable:
    exists = c > n
    u = where(exists, n * pi / c, 1.0)
    return where(exists, u / sin(u), inf)


burr: Final = Continuous(
    "burr", "c d x^(-c-1) (1 + x^-c)^(-d-1)", {"c": POSITIVE, "d": POSITIVE}, (0.0, inf), **_BURR
)
mielke: Final = Continuous(
    "mielke", "k x^(k-1) (1 + x^s)^(-1 - k/s)", {"k": POSITIVE, "s": POSITIVE}, (0.0, inf),
    **cast("Rows", {name: _of_mielke(f) for name, f in cast("dict[str, Formula]", _BURR).items()}),
)  # fmt: skip
burr12: Final = Continuous(
    "burr12", "c d x^(c-1) (1 + x^c)^(-d-1)", {"c": POSITIVE, "d": POSITIVE}, (0.0, inf),
    logpdf=lambda x, c, d: xlogy(c - 1, x) - (d + 1) * softplus(c * log(x)),
    norming=lambda c, d: -log(c * d),
    logsf=lambda x, c, d: -d * softplus(c * log(x)),
    logcdf=lambda x, c, d: log1mexp(-d * softplus(c * log(x))),
    quantile=lambda lp, lq, c, d: expm1(-lq / d) ** (1 / c),
    mean=lambda c, d: _burr12_moment(1, c, d),
    var=lambda c, d: _variance(_burr12_moment(1, c, d), _burr12_moment(2, c, d)),
)  # fmt: skip
fisk: Final = Continuous(
    "fisk", "c x^(c-1) (1 + x^c)^-2", {"c": POSITIVE}, (0.0, inf),
    logpdf=lambda x, c: xlogy(c - 1, x) - 2 * softplus(c * log(x)), norming=lambda c: -log(c),
    logsf=lambda x, c: -softplus(c * log(x)), logcdf=lambda x, c: -softplus(-c * log(x)),
    quantile=lambda lp, lq, c: exp((lp - lq) / c),
    mean=lambda c: _fisk_moment(1, c),
    var=lambda c: _variance(_fisk_moment(1, c), _fisk_moment(2, c)),
    entropy=lambda c: 2 - log(c),
)  # fmt: skip
lomax: Final = Continuous(
    "lomax", "c / (1 + x)^(c+1)", {"c": POSITIVE}, (0.0, inf),
    logpdf=lambda x, c: -(c + 1) * log1p(x), norming=lambda c: -log(c),
    logsf=lambda x, c: -c * log1p(x), logcdf=lambda x, c: log1mexp(-c * log1p(x)),
    quantile=lambda lp, lq, c: expm1(-lq / c),
    mean=lambda c: where(c > 1, 1 / (c - 1), inf),
    var=lambda c: where(c > 2, c / ((c - 1) ** 2 * (c - 2)), inf),
    entropy=lambda c: 1 + 1 / c - log(c),
)  # fmt: skip
powerlaw: Final = Continuous(
    "powerlaw", "a x^(a-1)", {"a": POSITIVE}, (0.0, 1.0),
    logpdf=lambda x, a: xlogy(a - 1, x), norming=lambda a: -log(a),
    logcdf=lambda x, a: xlogy(a, x), logsf=lambda x, a: log1mexp(xlogy(a, x)),
    quantile=lambda lp, lq, a: exp(lp / a),
    mean=lambda a: a / (a + 1), var=lambda a: a / ((a + 2) * (a + 1) ** 2),
    entropy=lambda a: 1 - 1 / a - log(a),
)  # fmt: skip


def _span(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return log(b / a)


def _loguniform(name: str) -> Continuous:
    """The same under both of its names."""
    return Continuous(
        name, "1 / (x log(b/a))", {"a": POSITIVE, "b": POSITIVE}, lambda a, b: (a, b),
        middle=lambda a, b: 0.5 * (a + b),
        relations=[Relation(("a", "b"), "above a", lambda a, b: a < b)],
        logpdf=lambda x, a, b: -log(x), norming=lambda a, b: log(_span(a, b)),
        cdf=lambda x, a, b: log(x / a) / _span(a, b), sf=lambda x, a, b: log(b / x) / _span(a, b),
        ppf=lambda q, a, b: a * exp(q * _span(a, b)), isf=lambda q, a, b: b * exp(-q * _span(a, b)),
        mean=lambda a, b: (b - a) / _span(a, b),
        var=lambda a, b: 0.5 * (b - a) * (b + a) / _span(a, b) - ((b - a) / _span(a, b)) ** 2,
        entropy=lambda a, b: 0.5 * (log(a) + log(b)) + log(_span(a, b)),
    )  # fmt: skip


loguniform: Final = _loguniform("loguniform")
reciprocal: Final = _loguniform("reciprocal")
bradford: Final = Continuous(
    "bradford", "c / (log(1 + c) (1 + c x))", {"c": POSITIVE}, (0.0, 1.0),
    logpdf=lambda x, c: -log1p(c * x), norming=lambda c: log(log1p(c) / c),
    cdf=lambda x, c: log1p(c * x) / log1p(c),
    sf=lambda x, c: log1p(c * (1 - x) / (1 + c * x)) / log1p(c),
    ppf=lambda q, c: expm1(q * log1p(c)) / c,
    isf=lambda q, c: expm1((1 - q) * log1p(c)) / c,
    mean=lambda c: 0.5 - tilt(log1p(c)), var=lambda c: tilt(log1p(c)) / log1p(c),
    entropy=lambda c: 0.5 * log1p(c) + log(log1p(c) / c),
)  # fmt: skip


def _loglaplace_var(c: TensorVariable) -> TensorVariable:
    square = c * c
    return where(c > 2, square * (2 * square + 1) / ((square - 4) * (square - 1) ** 2), inf)


_laplace: Final[Any] = laplace.formulas
loglaplace: Final = Continuous(
    "loglaplace", "c/2 x^(c-1) below 1, c/2 x^(-c-1) above", {"c": POSITIVE}, (0.0, inf),
    open_ends=True,
    logpdf=lambda x, c: -c * abs(log(x)) - log(x), norming=lambda c: LOG_2 - log(c),
    logcdf=lambda x, c: _laplace["logcdf"](c * log(x)),
    logsf=lambda x, c: _laplace["logcdf"](-c * log(x)),
    ppf=lambda q, c: exp(_laplace["ppf"](q) / c),
    isf=lambda q, c: exp(-_laplace["ppf"](q) / c),
    mean=lambda c: where(c > 1, c * c / (c * c - 1), inf), var=_loglaplace_var,
    entropy=lambda c: LOG_2 - log(c) + 1,
)  # fmt: skip
kappa3: Final = Continuous(
    "kappa3", "a (a + x^a)^(-1 - 1/a)", {"a": POSITIVE}, (0.0, inf),
    logpdf=lambda x, a: -(1 + 1 / a) * softplus(a * log(x) - log(a)),
    norming=lambda a: log(a) / a,
    logcdf=lambda x, a: -softplus(log(a) - a * log(x)) / a,
    logsf=lambda x, a: log1mexp(-softplus(log(a) - a * log(x)) / a),
    quantile=lambda lp, lq, a: (a / expm1(-a * lp)) ** (1 / a),
)  # fmt: skip


def _inverse_moment(n: int, c: TensorVariable) -> TensorVariable:
    exists = c > n
    return where(exists, exp(gammaln(1 - n / where(exists, c, 2.0 * n))), inf)


invweibull: Final = Continuous(
    "invweibull", "c x^(-c-1) exp(-x^-c)", {"c": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=lambda x, c: -(c + 1) * log(x) - x**-c, norming=lambda c: -log(c),
    logcdf=lambda x, c: -(x**-c), logsf=lambda x, c: log1mexp(-(x**-c)),
    quantile=lambda lp, lq, c: (-lp) ** (-1 / c),
    mean=lambda c: _inverse_moment(1, c),
    var=lambda c: _variance(_inverse_moment(1, c), _inverse_moment(2, c)),
    entropy=lambda c: 1 + _GAMMA + _GAMMA / c - log(c),
)  # fmt: skip


def _log_share(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """log(1 - exp(-x^c)), also where x^c underflows."""
    power = x**c
    least = power < 1e-300
    return where(least, c * log(x), log1mexp(-where(least, 1.0, power)))


exponweib: Final = Continuous(
    "exponweib", "a c x^(c-1) exp(-x^c) (1 - exp(-x^c))^(a-1)",
    {"a": POSITIVE, "c": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=lambda x, a, c: (a - 1) * _log_share(x, c) - x**c + xlogy(c - 1, x),
    norming=lambda a, c: -log(a * c),
    logcdf=lambda x, a, c: a * _log_share(x, c),
    logsf=lambda x, a, c: log1mexp(a * log1mexp(-(x**c))),
    quantile=lambda lp, lq, a, c: (-log1mexp(lp / a)) ** (1 / c),
)  # fmt: skip
exponpow: Final = Continuous(
    "exponpow", "b x^(b-1) exp(1 + x^b - exp(x^b))", {"b": POSITIVE}, (0.0, inf),
    logpdf=lambda x, b: xlogy(b - 1, x) + x**b - expm1(x**b), norming=lambda b: -log(b),
    logsf=lambda x, b: -expm1(x**b), logcdf=lambda x, b: log1mexp(-expm1(x**b)),
    quantile=lambda lp, lq, b: log1p(-lq) ** (1 / b),
)  # fmt: skip
gompertz: Final = Continuous(
    "gompertz", "c exp(x - c (exp(x) - 1))", {"c": POSITIVE}, (0.0, inf),
    logpdf=lambda x, c: x - c * expm1(x), norming=lambda c: -log(c),
    logsf=lambda x, c: -c * expm1(x), logcdf=lambda x, c: log1mexp(-c * expm1(x)),
    quantile=lambda lp, lq, c: log1p(-lq / c),
)  # fmt: skip
genlogistic: Final = Continuous(
    "genlogistic", "c exp(-x) (1 + exp(-x))^(-c-1)", {"c": POSITIVE},
    logpdf=lambda x, c: -c * softplus(-x) - softplus(x), norming=lambda c: -log(c),
    logcdf=lambda x, c: -c * softplus(-x), logsf=lambda x, c: log1mexp(-c * softplus(-x)),
    quantile=lambda lp, lq, c: -log(expm1(-lp / c)),
    mean=lambda c: digamma(c) + _GAMMA, var=lambda c: pi * pi / 6 + trigamma(c),
    entropy=lambda c: digamma(c + 1) + _GAMMA + 1 - log(c),
)  # fmt: skip


def _half_logsf(x: TensorVariable) -> TensorVariable:
    low = x < 1
    return where(low, log1p(-tanh(0.5 * where(low, x, 0.0))), LOG_2 - softplus(x))


halflogistic: Final = Continuous(
    "halflogistic", "2 exp(-x) / (1 + exp(-x))²", {}, (0.0, inf),
    logpdf=lambda x: LOG_2 - x - 2 * softplus(-x),
    logsf=_half_logsf, cdf=lambda x: -expm1(-x) / (1 + exp(-x)),
    ppf=lambda q: 2 * arctanh(q), isf=lambda q: log1p(2 * (1 - q) / q),
    mean=lambda: 2 * LOG_2, var=lambda: pi * pi / 3 - 4 * LOG_2**2, entropy=lambda: 2 - LOG_2,
)  # fmt: skip


def _half(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """Where a half-logistic variable is, that lies at x when bent by c."""
    return -log1p(-c * x) / c


def _bent(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    y = _half(x, c)
    return LOG_2 - (1 - c) * where(eq(c, 1), 0.0, y) - 2 * softplus(-y)


genhalflogistic: Final = Continuous(
    "genhalflogistic", "2 (1 - c x)^(1/c - 1) / (1 + (1 - c x)^(1/c))²", {"c": POSITIVE},
    lambda c: (0.0, 1 / c), middle=lambda c: 0.5 / c,
    logpdf=_bent,
    logsf=lambda x, c: _half_logsf(_half(x, c)),
    cdf=lambda x, c: -expm1(-_half(x, c)) / (1 + exp(-_half(x, c))),
    ppf=lambda q, c: -expm1(-2 * c * arctanh(q)) / c,
    isf=lambda q, c: -expm1(-c * log1p(2 * (1 - q) / q)) / c,
)  # fmt: skip


def _hazard(
    x: TensorVariable, a: TensorVariable, b: TensorVariable, c: TensorVariable
) -> TensorVariable:
    return a * x + b * x * (1 - exprel(-c * x))


genexpon: Final = Continuous(
    "genexpon", "(a + b (1 - exp(-c x))) exp(-a x - b x + b/c (1 - exp(-c x)))",
    {"a": POSITIVE, "b": POSITIVE, "c": POSITIVE}, (0.0, inf),
    logpdf=lambda x, a, b, c: log(a - b * expm1(-c * x)) - _hazard(x, a, b, c),
    logsf=lambda x, a, b, c: -_hazard(x, a, b, c),
    logcdf=lambda x, a, b, c: log1mexp(-_hazard(x, a, b, c)),
)  # fmt: skip


def _powered(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """x^c, without a derivative at 0."""
    return where(x > 0, where(x > 0, x, 1.0) ** c, 0.0)


def _between(a: TensorVariable, b: TensorVariable, c: TensorVariable) -> TensorVariable:
    """b^c - a^c, where they are near to each other, too."""
    near = b < 2 * a
    low, high = where(near, a, 1.0), where(near, b, 1.0)
    rise = _powered(low, c) * expm1(c * log1p((high - low) / low))
    return where(near, rise, _powered(b, c) - _powered(a, c))


def _cut_moment(n: int, c: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """By differences in the tail that is the smaller one."""
    order, first, last = 1 + n / c, _powered(a, c), _powered(b, c)
    far = first > order
    upper = gammaincc(order, first) - gammaincc(order, last)
    share = where(far, upper, gammainc(order, last) - gammainc(order, first))
    return exp(gammaln(order) + first - log1mexp(first - last)) * share


def _cut_logpdf(
    x: TensorVariable, c: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    return xlogy(c - 1, x) - _between(a, x, c)


def _cut_norming(c: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return log1mexp(-_between(a, b, c)) - log(c)


def _cut_isf(
    q: TensorVariable, c: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    size, low = _between(a, b, c), q < 0.5
    share = where(low, q, 0.5)
    rare = -log(share + (1 - share) * exp(-size))
    beyond = where(low, rare, -log1p((1 - where(low, 0.5, q)) * expm1(-size)))
    return (_powered(a, c) + beyond) ** (1 / c)


def _in_part(
    narrow: Callable[..., TensorVariable], wide: Callable[..., TensorVariable]
) -> Callable[..., TensorVariable]:
    """By an integral between a and b where their difference has few of their digits."""

    def formula(c: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
        near = (b < 4 * a) & (_between(a, b, c) < _STRAIGHT)
        own = where(near, c, 1.0), where(near, a, 1.0), where(near, b, 2.0)
        return where(near, narrow(*own), wide(c, a, b))

    return formula


def _cut_density(
    x: TensorVariable, c: TensorVariable, a: TensorVariable, b: TensorVariable, *_: TensorVariable
) -> TensorVariable:
    return exp(_cut_logpdf(x, c, a, b) - _cut_norming(c, a, b))


def _narrow_rise(c: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """The mean, from a on."""
    return expectation(lambda x, c, a, b: x - a, _cut_density, a, b, c, a, b)


def _narrow_var(c: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    rise = _narrow_rise(c, a, b)
    return expectation(lambda x, c, a, b, m: (x - a - m) ** 2, _cut_density, a, b, c, a, b, rise)


truncweibull_min: Final = Continuous(
    "truncweibull_min", "c x^(c-1) exp(-x^c) / (exp(-a^c) - exp(-b^c))",
    {"c": POSITIVE, "a": NONNEGATIVE, "b": POSITIVE}, lambda c, a, b: (a, b),
    middle=lambda c, a, b: minimum(0.5 * (a + b), a + 1),
    relations=[Relation(("a", "b"), "above a", lambda a, b: a < b)],
    logpdf=_cut_logpdf, norming=_cut_norming,
    **tails(
        lambda x, c, a, b: log1mexp(-_between(a, x, c)) - log1mexp(-_between(a, b, c)),
        lambda x, c, a, b: (
            log1mexp(-_between(x, b, c)) - _between(a, x, c) - log1mexp(-_between(a, b, c))
        ),
    ),
    ppf=lambda q, c, a, b: (
        (_powered(a, c) - log1p(q * expm1(-_between(a, b, c)))) ** (1 / c)
    ),
    isf=_cut_isf,
    mean=_in_part(lambda c, a, b: a + _narrow_rise(c, a, b), lambda *p: _cut_moment(1, *p)),
    var=_in_part(_narrow_var, lambda *p: _cut_moment(2, *p) - _cut_moment(1, *p) ** 2),
)  # fmt: skip
