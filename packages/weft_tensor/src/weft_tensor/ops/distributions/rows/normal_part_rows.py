"""Continuous distributions of which a part is that of a normal variable."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE, REAL, Constraint, Relation
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.integrals import expectation
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2, log_mass, tails, weighted
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p, logaddexp
from weft_tensor.ops.elementwise.special import erfcx, log_ndtr
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.normal import ndtri_exp

__all__ = ["alpha", "crystalball", "dpareto_lognorm", "truncnorm"]

_ROOT: Final = 0.5**0.5


def _inverse_logsf(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    """By three terms of a power series far out, where a difference loses its digits."""
    far = x > 1e3 * (1 + a)
    y = 1 / where(far, x, 1.0)
    near = log_mass(a - 1 / where(far, 1.0, x), a)
    series = log(y) + log1p(0.5 * a * y + (a * a - 1) * y * y / 6) - 0.5 * a * a - HALF_LOG_2PI
    return where(far, series, near) - log_ndtr(a)


def _inverse_isf(q: TensorVariable, a: TensorVariable) -> TensorVariable:
    """By the inverse of that series where it converges fast."""
    t = q * exp(log_ndtr(a) + 0.5 * a * a + HALF_LOG_2PI)
    far = t * (1 + a) < 1e-5
    near = a - ndtri_exp(log1p(-where(far, 0.5, q)) + log_ndtr(a))
    series = t * (1 - t * (0.5 * a - t * (0.5 * a * a - (a * a - 1) / 6)))
    return 1 / where(far, series, near)


def _inverse_ppf(q: TensorVariable, a: TensorVariable) -> TensorVariable:
    high = q > 0.5
    low = 1 / (a - ndtri_exp(log(where(high, 0.5, q)) + log_ndtr(a)))
    return where(high, _inverse_isf(where(high, 1 - q, 0.5), a), low)


alpha: Final = Continuous(
    "alpha", "φ(a - 1/x) / (x² Φ(a))", {"a": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=lambda x, a: -0.5 * (a - 1 / x) ** 2 - 2 * log(x),
    norming=lambda a: HALF_LOG_2PI + log_ndtr(a),
    **tails(lambda x, a: log_ndtr(a - 1 / x) - log_ndtr(a), _inverse_logsf),
    ppf=_inverse_ppf, isf=_inverse_isf,
    mean=lambda a: inf + 0 * a, var=lambda a: inf + 0 * a,
)  # fmt: skip


def _masses(beta: TensorVariable, m: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Logarithms of the integrals of the power and of the normal part, with 1 at the peak."""
    power = log(m / beta) - log(m - 1) - 0.5 * beta * beta
    return power, HALF_LOG_2PI + log_ndtr(beta)


def _stretch(x: TensorVariable, beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    """How many times farther out than the seam, which is at -beta, less 1."""
    return where(x > -beta, 0.0, -beta - x) * (beta / m)


def _ball(x: TensorVariable, beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    inner = where(x > -beta, x, -beta)
    return -0.5 * inner * inner - m * log1p(_stretch(x, beta, m))


def _ball_norming(beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    return logaddexp(*_masses(beta, m))


def _ball_logcdf(x: TensorVariable, beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    whole, (power, _) = _ball_norming(beta, m), _masses(beta, m)
    below = power + (1 - m) * log1p(_stretch(x, beta, m)) - whole
    y = where(x > -beta, x, 1 - beta)
    low = y < 0
    inner = logaddexp(power, HALF_LOG_2PI + log_mass(-beta, where(low, y, 0.0))) - whole
    rest = log1mexp(HALF_LOG_2PI + log_ndtr(-where(low, 0.0, y)) - whole)
    return where(x > -beta, where(low, inner, rest), below)


def _ball_logsf(x: TensorVariable, beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    whole, (power, normal) = _ball_norming(beta, m), _masses(beta, m)
    above = HALF_LOG_2PI + log_ndtr(where(x < -beta, beta, -x)) - whole
    out = where(x < -beta, _stretch(x, beta, m), 1.0)
    below = logaddexp(normal, power + log1mexp((1 - m) * log1p(out))) - whole
    return where(x < -beta, below, above)


def _ball_quantile(
    lp: TensorVariable, lq: TensorVariable, beta: TensorVariable, m: TensorVariable
) -> TensorVariable:
    whole, (power, _) = _ball_norming(beta, m), _masses(beta, m)
    size = lp + whole
    beyond = size < power
    out = -beta - m / beta * expm1((where(beyond, size, power) - power) / (1 - m))
    excess = where(beyond, power + 1, size)
    part = excess + log1mexp(power - excess) - HALF_LOG_2PI
    high = lp > -LOG_2
    low = ndtri_exp(logaddexp(log_ndtr(-beta), where(high, -LOG_2, part)))
    inner = where(high, -ndtri_exp(where(high, lq, -LOG_2) + whole - HALF_LOG_2PI), low)
    return where(beyond, out, inner)


def _ball_moment(n: int, beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    """The integral of x or x² over the density with 1 at the peak, over the power part's mass."""
    power, normal = _masses(beta, m)
    exists = m > n + 1
    k = where(exists, m, n + 2.0)
    out = k / (beta * (k - 2))
    edge = exp(-0.5 * beta * beta)
    if n == 1:
        integral = edge - exp(power) * (beta + out)
    else:
        square = beta * beta + 2 * beta * out + 2 * out * k / (beta * (k - 3))
        integral = exp(normal) - beta * edge + exp(power) * square
    whole = exp(_ball_norming(beta, m))
    return where(exists, integral / whole, -inf if n == 1 else inf)


def _ball_var(beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    first = where(m > 3, _ball_moment(1, beta, where(m > 3, m, 4.0)), 0.0)
    return _ball_moment(2, beta, m) - first * first


def _ball_entropy(beta: TensorVariable, m: TensorVariable) -> TensorVariable:
    whole, (power, normal) = _ball_norming(beta, m), _masses(beta, m)
    inner = 0.5 * (exp(normal) - beta * exp(-0.5 * beta * beta))
    outer = exp(power) * (0.5 * beta * beta + m / (m - 1))
    return whole + (inner + outer) * exp(-whole)


crystalball: Final = Continuous(
    "crystalball",
    "exp(-x²/2), (m/beta)^m exp(-beta²/2) (m/beta - beta - x)^-m up to -beta, over the integral",
    {"beta": POSITIVE, "m": Constraint("above 1", lambda v: v > 1)},
    logpdf=_ball, norming=_ball_norming, **tails(_ball_logcdf, _ball_logsf),
    quantile=_ball_quantile, mean=lambda beta, m: _ball_moment(1, beta, m), var=_ball_var,
    entropy=_ball_entropy,
)  # fmt: skip


def _log_mills(z: TensorVariable) -> TensorVariable:
    """log(Φ(-z) / φ(z))."""
    high = z > 0
    far = log(0.5 * erfcx(where(high, z, 1.0) * _ROOT)) + LOG_2 + _HALF_LOG_HALF_PI
    y = where(high, 0.0, z)
    return where(high, far, log_ndtr(-y) + 0.5 * y * y + HALF_LOG_2PI)


_HALF_LOG_HALF_PI: Final = HALF_LOG_2PI - LOG_2


def _normal(y: TensorVariable) -> TensorVariable:
    return -0.5 * y * y - HALF_LOG_2PI


def _double(
    x: TensorVariable, u: TensorVariable, s: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    y = (log(x) - u) / s
    return _normal(y) - log(x) + logaddexp(_log_mills(a * s - y), _log_mills(b * s + y))


def _double_logsf(
    x: TensorVariable, u: TensorVariable, s: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    """Φ(-y) + φ(y) (b R(a s - y) - a R(b s + y)) / (a + b), without a difference of large terms."""
    y = (log(x) - u) / s
    own, upper, lower = _log_mills(y), _log_mills(a * s - y), _log_mills(b * s + y)
    more = logaddexp(own, upper) + log(b / (a + b))
    return _normal(y) + logaddexp(more, own + log1mexp(lower - own) + log(a / (a + b)))


def _double_logcdf(
    x: TensorVariable, u: TensorVariable, s: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    return _double_logsf(1 / x, -u, s, b, a)


def _double_moment(
    n: int, u: TensorVariable, s: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    exists = a > n
    rest = where(exists, a, 2.0 * n)
    size = rest / (rest - n) * b / (b + n) * exp(n * u + 0.5 * n * n * s * s)
    return where(exists, size, inf)


def _double_var(*p: TensorVariable) -> TensorVariable:
    second = _double_moment(2, *p)
    return second - where(second < inf, _double_moment(1, *p), 0.0) ** 2


def _double_draw(
    draws: Draws, u: TensorVariable, s: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    return exp(u + s * draws.normal() + draws.exponential() / a - draws.exponential() / b)


dpareto_lognorm: Final = Continuous(
    "dpareto_lognorm", "a b φ(y) (R(a s - y) + R(b s + y)) / ((a + b) x), y = (log(x) - u)/s, "
    "R(z) = Φ(-z) / φ(z)",
    {"u": REAL, "s": POSITIVE, "a": POSITIVE, "b": POSITIVE}, (0.0, inf), open_ends=True,
    logpdf=_double, norming=lambda u, s, a, b: log(a + b) - log(a) - log(b) + 0 * (u + s),
    **tails(_double_logcdf, _double_logsf), sample=_double_draw,
    mean=lambda u, s, a, b: _double_moment(1, u, s, a, b), var=_double_var,
)  # fmt: skip


def _edges(
    a: TensorVariable, b: TensorVariable
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The logarithm of the mass between, and of the density at both ends over it."""
    size = log_mass(a, b)
    return size, _normal(a) - size, _normal(b) - size


_SHORT: Final = 4.0
"""Parts of a line that are shorter have moments by integrals."""


class _Part(NamedTuple):
    """What is left of a normal variable, from the end on that is nearer to 0."""

    short: TensorVariable
    """Whether it is short, or far out: moments by formulas lose their digits."""
    turned: TensorVariable
    start: TensorVariable
    rise: TensorVariable
    """The mean, from there on."""
    var: TensorVariable


def _part(a: TensorVariable, b: TensorVariable) -> _Part:
    """By integrals over x - start, up to where the density is exp(-45) times the largest."""
    turned = a + b < 0
    low, high = where(turned, -b, a), where(turned, -a, b)
    short = (low > 1) | (high - low < _SHORT)
    start = where(short, low, 0.0)
    reach = where(start > 0, 90 / (maximum(start, 0.0) + sqrt(start * start + 90)), _SHORT)
    width = minimum(where(short, high - low, 1.0), reach)

    def density(y: TensorVariable, start: TensorVariable, *_: TensorVariable) -> TensorVariable:
        return exp(-y * (start + 0.5 * y))

    def integral(of: Callable[..., TensorVariable], *p: TensorVariable) -> TensorVariable:
        return expectation(of, density, 0 * width, width, start, *p)

    mass = integral(lambda y, s: 1 + 0 * y)
    rise = integral(lambda y, s: y) / mass
    return _Part(short, turned, start, rise, integral(lambda y, s, m: (y - m) ** 2, rise) / mass)


def _truncated_mean(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    _, low, high = _edges(a, b)
    part = _part(a, b)
    place = part.start + part.rise
    return where(part.short, where(part.turned, -place, place), exp(low) - exp(high))


def _truncated_var(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    _, low, high = _edges(a, b)
    part, mean = _part(a, b), exp(low) - exp(high)
    return where(part.short, part.var, 1 + weighted(a, low) - weighted(b, high) - mean * mean)


def _truncated_entropy(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    size, low, high = _edges(a, b)
    return 0.5 + HALF_LOG_2PI + size + 0.5 * (weighted(a, low) - weighted(b, high))


_NEAR: Final = 3e-6
"""Of places so near to an end, two terms of a power series have all digits."""


def _truncated_quantile(
    lp: TensorVariable, lq: TensorVariable, a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    """By the smaller of what is below and above, and straight where an end is very near."""
    size = log_mass(a, b)
    low, high = logaddexp(log_ndtr(a), lp + size), logaddexp(log_ndtr(-b), lq + size)
    below, first = low < high, lp < lq
    inner = ndtri_exp(where(below, low, high))
    end = where(first, a, -b)
    place = where(end > -inf, end, 0.0)
    step = exp(minimum(where(first, lp, lq) + size - _normal(place), 0.0))
    near = (step * (1 + abs(place)) < _NEAR) & (end > -inf)
    close = place + step * (1 + 0.5 * place * step)
    return where(near, where(first, close, -close), where(below, inner, -inner))


truncnorm: Final = Continuous(
    "truncnorm", "exp(-x²/2) / (sqrt(2π) (Φ(b) - Φ(a)))", {"a": REAL, "b": REAL},
    lambda a, b: (a, b), middle=lambda a, b: where(a > 0, a, where(b < 0, b, 0.0)),
    relations=[Relation(("a", "b"), "above a", lambda a, b: a < b)],
    logpdf=lambda x, a, b: _normal(x) - log_mass(a, b),
    **tails(
        lambda x, a, b: log_mass(a, x) - log_mass(a, b),
        lambda x, a, b: log_mass(x, b) - log_mass(a, b),
    ),
    quantile=_truncated_quantile,
    mean=_truncated_mean, var=_truncated_var, entropy=_truncated_entropy,
)  # fmt: skip
