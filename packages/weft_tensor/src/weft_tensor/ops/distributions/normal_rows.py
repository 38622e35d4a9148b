"""The normal distribution, and those that are made of normal variables."""

from __future__ import annotations

from math import e, inf, log, pi
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE, POSITIVE, REAL
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.integrals import expectation, log_integral
from weft_tensor.ops.distributions.ratios import (
    HALF_LOG_2PI,
    LOG_2,
    log_of,
    tails,
)
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import (
    exp,
    expm1,
    log1mexp,
    log1p,
    logaddexp,
    sigmoid,
)
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.special import erf, erfc, erfcx, erfinv, log_ndtr, logerfc
from weft_tensor.ops.special.bessel import i0e, i1e
from weft_tensor.ops.special.entropies import logit
from weft_tensor.ops.special.incomplete import (
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)
from weft_tensor.ops.special.normal import erfcinv, ndtr, ndtri, owens_t
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = [
    "exponnorm",
    "halfnorm",
    "logitnorm",
    "lognorm",
    "maxwell",
    "moyal",
    "norm",
    "rayleigh",
    "rice",
    "skewnorm",
]

_ROOT: Final = 0.5**0.5
_GAMMA: Final = 0.5772156649015329
_FAR: Final = -1e4
_FARTHEST: Final = 1e18
"""Deviations, of which the square alone counts in a logarithm."""
_REACH: Final = 10.0
"""Deviations from the mean, beyond which is nothing that counts in an expectation."""
_DROP: Final = 80.0
"""Twice the logarithm of how small a density is where its integral is cut off."""


def _normal(x: TensorVariable) -> TensorVariable:
    return -0.5 * (x * x) - HALF_LOG_2PI


norm: Final = Continuous(
    "norm", "exp(-x²/2) / sqrt(2π)", {},
    symmetric=True, holds_at_infinity=True,
    logpdf=lambda x: -0.5 * (x * x), norming=lambda: HALF_LOG_2PI,
    cdf=ndtr, logcdf=log_ndtr, ppf=ndtri,
    mean=lambda: 0.0, var=lambda: 1.0, entropy=lambda: 0.5 + HALF_LOG_2PI,
    sample=lambda draws: draws.normal(),
)  # fmt: skip
halfnorm: Final = Continuous(
    "halfnorm", "sqrt(2/π) exp(-x²/2)", {}, (0.0, inf),
    logpdf=lambda x: _normal(x) + LOG_2,
    cdf=lambda x: erf(x * _ROOT), sf=lambda x: erfc(x * _ROOT),
    logsf=lambda x: logerfc(x * _ROOT),
    ppf=lambda q: erfinv(q) / _ROOT, isf=lambda q: erfcinv(q) / _ROOT,
    mean=lambda: (2 / pi) ** 0.5, var=lambda: 1 - 2 / pi,
    entropy=lambda: 0.5 * log(pi * e / 2),
    sample=lambda draws: abs(draws.normal()),
)  # fmt: skip
lognorm: Final = Continuous(
    "lognorm", "exp(-log(x)²/(2s²)) / (s x sqrt(2π))", {"s": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=lambda x, s: _normal(logarithm(x) / s) - logarithm(s) - logarithm(x),
    cdf=lambda x, s: ndtr(logarithm(x) / s), sf=lambda x, s: ndtr(-logarithm(x) / s),
    logcdf=lambda x, s: log_ndtr(logarithm(x) / s), logsf=lambda x, s: log_ndtr(-logarithm(x) / s),
    ppf=lambda q, s: exp(s * ndtri(q)), isf=lambda q, s: exp(-s * ndtri(q)),
    mean=lambda s: exp(0.5 * s * s), var=lambda s: expm1(s * s) * exp(s * s),
    entropy=lambda s: 0.5 + HALF_LOG_2PI + logarithm(s),
    sample=lambda draws, s: exp(s * draws.normal()),
)  # fmt: skip


def _logit_entropy(mu: TensorVariable, sigma: TensorVariable) -> TensorVariable:
    """That of a normal number y, and -E|y| - 2 E log(1 + exp(-|y|)), which is E log(x (1 - x))."""
    ratio = mu / sigma
    size = 2 * sigma * exp(_normal(ratio)) + mu * erf(ratio * _ROOT)
    rest = _softplus_mean(mu, sigma) + _softplus_mean(-mu, sigma)
    return 0.5 + HALF_LOG_2PI + logarithm(sigma) - size - 2 * rest


def _softplus_mean(mu: TensorVariable, sigma: TensorVariable) -> TensorVariable:
    """The part of E log(1 + exp(-|y|)) that positive y have."""
    start = minimum(maximum(mu - _REACH * sigma, 0), _DROP)
    stop = maximum(minimum(mu + _REACH * sigma, _DROP), start)
    return expectation(
        lambda y, *_: log1p(exp(-y)), lambda y, m, s: exp(_normal((y - m) / s)) / s,
        start, stop, mu, sigma,
    )  # fmt: skip


logitnorm: Final = Continuous(
    "logitnorm", "exp(-(logit(x) - mu)²/(2 sigma²)) / (sigma x (1 - x) sqrt(2π))",
    {"mu": REAL, "sigma": POSITIVE}, (0.0, 1.0), open_ends=True, scipy=None,
    logpdf=lambda x, mu, sigma: (
        _normal((logit(x) - mu) / sigma) - logarithm(sigma) - logarithm(x) - log1p(-x)
    ),
    cdf=lambda x, mu, sigma: ndtr((logit(x) - mu) / sigma),
    sf=lambda x, mu, sigma: ndtr((mu - logit(x)) / sigma),
    logcdf=lambda x, mu, sigma: log_ndtr((logit(x) - mu) / sigma),
    logsf=lambda x, mu, sigma: log_ndtr((mu - logit(x)) / sigma),
    ppf=lambda q, mu, sigma: sigmoid(mu + sigma * ndtri(q)),
    isf=lambda q, mu, sigma: sigmoid(mu - sigma * ndtri(q)),
    entropy=_logit_entropy,
    sample=lambda draws, mu, sigma: sigmoid(mu + sigma * draws.normal()),
)  # fmt: skip
rayleigh: Final = Continuous(
    "rayleigh", "x exp(-x²/2)", {}, (0.0, inf), open_ends=True,
    logpdf=lambda x: logarithm(x) - 0.5 * x * x, logsf=lambda x: -0.5 * x * x,
    logcdf=lambda x: log1mexp(-0.5 * x * x), quantile=lambda lp, lq: sqrt(-2 * lq),
    mean=lambda: (pi / 2) ** 0.5, var=lambda: 2 - pi / 2,
    entropy=lambda: 1 + 0.5 * _GAMMA - 0.5 * LOG_2,
)  # fmt: skip
maxwell: Final = Continuous(
    "maxwell", "sqrt(2/π) x² exp(-x²/2)", {}, (0.0, inf), open_ends=True,
    logpdf=lambda x: LOG_2 - HALF_LOG_2PI + 2 * logarithm(x) - 0.5 * x * x,
    cdf=lambda x: gammainc(1.5, 0.5 * x * x), sf=lambda x: gammaincc(1.5, 0.5 * x * x),
    ppf=lambda q: sqrt(2 * gammaincinv(1.5, q)), isf=lambda q: sqrt(2 * gammainccinv(1.5, q)),
    mean=lambda: 2 * (2 / pi) ** 0.5, var=lambda: 3 - 8 / pi,
    entropy=lambda: _GAMMA + HALF_LOG_2PI - 0.5,
    sample=lambda draws: sqrt(draws.normal() ** 2 + draws.normal() ** 2 + draws.normal() ** 2),
)  # fmt: skip
moyal: Final = Continuous(
    "moyal", "exp(-(x + exp(-x))/2) / sqrt(2π)", {},
    logpdf=lambda x: -0.5 * (x + exp(-x)) - HALF_LOG_2PI,
    cdf=lambda x: erfc(exp(-0.5 * x) * _ROOT), sf=lambda x: erf(exp(-0.5 * x) * _ROOT),
    logcdf=lambda x: logerfc(exp(-0.5 * x) * _ROOT),
    ppf=lambda q: -2 * logarithm(erfcinv(q) / _ROOT),
    isf=lambda q: -2 * logarithm(erfinv(q) / _ROOT),
    mean=lambda: _GAMMA + LOG_2, var=lambda: pi * pi / 2,
    entropy=lambda: 0.5 * (1 + _GAMMA + LOG_2) + HALF_LOG_2PI,
    sample=lambda draws: -2 * logarithm(abs(draws.normal())),
)  # fmt: skip


def _skewed(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    return _normal(x) + log_ndtr(a * x) + LOG_2


def _skewed_logcdf(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    """By what Owen's function adds; where it takes away, in that tail, by an integral."""
    falls = (a > 0) & (x < 0)
    slope, far = where(falls, a, 1.0), falls & (x < _FAR)
    end = where(far, x, _FAR)
    beyond = _skewed(end, slope) - logarithm(-end * (1 + slope * slope))
    y = where(falls & ~far, x, -1.0)
    start = -sqrt(y * y + _DROP / (1 + slope * slope))
    tail = log_integral(_skewed, start, y, _skewed(y, slope), slope)
    whole = ndtr(where(falls, 0.0, x)) - 2 * owens_t(where(falls, 0.0, x), a)
    return where(far, beyond, where(falls, tail, log_of(whole)))


def _skewed_mean(a: TensorVariable) -> TensorVariable:
    return a / sqrt(1 + a * a) * (2 / pi) ** 0.5


def _skewed_entropy(a: TensorVariable) -> TensorVariable:
    """E log Φ(a x) is small where a x is large, and where x is far from 0."""
    stop = _REACH / maximum(abs(a), 0.8)
    lost = expectation(
        lambda x, slope: log_ndtr(slope * x),
        lambda x, slope: exp(_skewed(x, slope)),
        -stop,
        stop,
        a,
    )
    return 0.5 + HALF_LOG_2PI - LOG_2 - lost


skewnorm: Final = Continuous(
    "skewnorm", "2 φ(x) Φ(a x)", {"a": REAL},
    logpdf=_skewed, **tails(_skewed_logcdf, lambda x, a: _skewed_logcdf(-x, -a)),
    entropy=_skewed_entropy, mean=_skewed_mean, var=lambda a: 1 - _skewed_mean(a) ** 2,
    sample=lambda draws, a: (
        (a * abs(draws.normal()) + draws.normal()) / sqrt(1 + a * a)
    ),
)  # fmt: skip


def _exponential_part(x: TensorVariable, k: TensorVariable) -> TensorVariable:
    """log of exp(1/(2K²) - x/K) Φ(x - 1/K)."""
    z = 1 / k - x
    left = z > 0
    near = log_of(0.5 * erfcx(where(left, z, 1.0) * _ROOT)) - 0.5 * x * x
    return where(left, near, 0.5 / (k * k) - x / k + log_ndtr(-z))


def _exponential_logcdf(x: TensorVariable, k: TensorVariable) -> TensorVariable:
    low = x < 0
    y = where(low, x, -1.0)
    tail = 0.5 * (erfcx(-y * _ROOT) - erfcx((1 / k - y) * _ROOT))
    above = log1p(-where(low, 0.0, ndtr(-x) + exp(_exponential_part(x, k))))
    return where(low, log_of(tail) - 0.5 * y * y, above)


_SLIGHTLY: Final = 0.01


def _exponential_entropy(k: TensorVariable) -> TensorVariable:
    start = 0 * k - _REACH
    stop = minimum(1 / k + _REACH, _REACH + 40 * k)
    lost = expectation(
        lambda x, k: log_ndtr(x - 1 / k),
        lambda x, k: exp(_exponential_part(x, k)) / k,
        start,
        stop,
        k,
    )
    near = 0.5 + HALF_LOG_2PI + 0.5 * log1p(k * k) - k**6 / 3  # by the skewness
    return where(k < _SLIGHTLY, near, logarithm(k) - 0.5 / (k * k) + 1 - lost)


exponnorm: Final = Continuous(
    "exponnorm", "exp(1/(2K²) - x/K) Φ(x - 1/K) / K", {"K": POSITIVE},
    logpdf=lambda x, k: _exponential_part(x, k) - logarithm(k),
    logcdf=_exponential_logcdf,
    logsf=lambda x, k: logaddexp(log_ndtr(-x), _exponential_part(x, k)),
    mean=lambda k: k, var=lambda k: 1 + k * k, entropy=_exponential_entropy,
    sample=lambda draws, k: draws.normal() + k * draws.exponential(),
)  # fmt: skip


def _rice(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    return logarithm(x) - 0.5 * (x - b) ** 2 + log_of(i0e(x * b))


def _rice_at(x: TensorVariable, off: TensorVariable, b: TensorVariable) -> TensorVariable:
    return log_of(x) - 0.5 * off * off + log_of(i0e(x * b))


def _rice_beside(off: TensorVariable, b: TensorVariable) -> TensorVariable:
    """At b + off, of which large b leave few digits."""
    return _rice_at(b + off, off, b)


def _rice_low(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    """Over what x is more than b, or over x where it is so small that b would leave few digits."""
    off = minimum(x - b, 0)
    reach, small = sqrt(off * off + _DROP), 2 * x < b
    begin = maximum((x * (2 * b - x) - _DROP) / (b + reach), 0)  # b - reach
    start = where(small, begin, maximum(-reach, -b))
    base = where(small, 0.0, b)
    return log_integral(
        lambda z, b, base: _rice_at(base + z, z - (b - base), b),
        start, x - base, -0.5 * off * off, b, base,
    )  # fmt: skip


def _rice_high(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    off = maximum(x - b, 0)
    is_far = off > _FARTHEST
    near, z = where(is_far, 0.0, off), where(is_far, 1.0, x - b)
    logarithm = log_integral(_rice_beside, z, sqrt(near * near + _DROP), -0.5 * near * near, b)
    return where(is_far, -0.5 * off * off, logarithm)


def _rice_logcdf(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    low = x < b + 1
    return where(low, _rice_low(where(low, x, 0.5), b), log1mexp(_rice_high(x, b)))


def _rice_logsf(x: TensorVariable, b: TensorVariable) -> TensorVariable:
    low = x < b + 1
    return where(low, log1mexp(_rice_low(where(low, x, 0.5), b)), _rice_high(x, b))


def _rice_entropy(b: TensorVariable) -> TensorVariable:
    """E log x by the entire exponential integral, and the rest of the logarithm by Gauss' rule."""
    square = 0.5 * b * b
    near = minimum(square, 40.0)
    nodes, weights = (v.astype(b.dtype) for v in UNIT_INTERVAL)
    entire = (-expm1(-along(near) * nodes) / nodes * weights).sum(axis=-1)
    log_square = where(square < 40, LOG_2 - _GAMMA + entire, LOG_2 + logarithm(maximum(square, 1)))
    rest = expectation(
        lambda off, b: 0.5 * off * off - log_of(i0e((b + off) * b)),
        lambda off, b: exp(_rice_beside(off, b)), maximum(-b, -_REACH), 0 * b + _REACH, b,
    )  # fmt: skip
    return rest - 0.5 * log_square


rice: Final = Continuous(
    "rice", "x exp(-(x² + b²)/2) I0(x b)", {"b": NONNEGATIVE}, (0.0, inf), open_ends=True,
    logpdf=_rice, logcdf=_rice_logcdf, logsf=_rice_logsf,
    mean=lambda b: _rice_mean(b), var=lambda b: _rice_var(b),
    entropy=_rice_entropy,
    sample=lambda draws, b: sqrt((b + draws.normal()) ** 2 + draws.normal() ** 2),
)  # fmt: skip


_RICE_FAR: Final = 30.0


def _rice_excess(b: TensorVariable) -> TensorVariable:
    """2 b times the mean less b, for large b (DLMF 13.7.1)."""
    u = 1 / (b * b)
    return 1 + u * (1 / 4 + u * (3 / 8 + u * (75 / 64)))


def _rice_mean(b: TensorVariable) -> TensorVariable:
    far, near = maximum(b, _RICE_FAR), minimum(b, _RICE_FAR)
    half = 0.25 * near * near
    integral = (pi / 2) ** 0.5 * ((1 + 2 * half) * i0e(half) + 2 * half * i1e(half))
    return where(b > _RICE_FAR, far + 0.5 * _rice_excess(far) / far, integral)


def _rice_var(b: TensorVariable) -> TensorVariable:
    far, near = maximum(b, _RICE_FAR), minimum(b, _RICE_FAR)
    excess = _rice_excess(far)
    series = 2 - excess - (0.5 * excess / far) ** 2
    return where(b > _RICE_FAR, series, 2 + near * near - _rice_mean(near) ** 2)
