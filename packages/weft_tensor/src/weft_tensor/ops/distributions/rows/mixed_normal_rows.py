"""Normal numbers of a drawn scale: noncentral Student's, and the generalised hyperbolic ones.

Of these the distribution function is the mean of Φ(c), where c is x, moved and scaled by what is
drawn. Φ(c) is 1 or 0, by the sign of c, but for a normal density times Mills' ratio, and that
density is part of the one at x. So F(x) is how likely c is positive, less the density at x times
the mean of a slow function, over what is drawn as it is given x (see `mills_means`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, pi
from typing import Final

from weft_graph import pushforward
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.distributions.constraints import POSITIVE, REAL, Relation
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.inverse_normal_rows import invgauss
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2, LOG_PI, log1p_square, log_of
from weft_tensor.ops.distributions.rows.noncentral_rows import geninvgauss
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log, log1mexp, log1p
from weft_tensor.ops.elementwise.special import log_ndtr
from weft_tensor.ops.elementwise.trigonometric import arcsinh
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.gamma import betaln, gammaln
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.incomplete_logs import log_gammainc, log_gammaincc
from weft_tensor.ops.special.noncentral.halphen import log_kv_integral
from weft_tensor.ops.special.noncentral.mills_means import (
    halphen_mills,
    log_student_mass,
    student_mills,
    student_mills_by_shape,
    student_top,
)
from weft_tensor.ops.special.noncentral.poisson_sums import LARGE, student_share

__all__ = ["genhyperbolic", "nct", "norminvgauss"]

_T = TensorVariable
_Pair = tuple[_T, _T]


def _tails(*parts: _T) -> _Pair:
    """Logarithms of both tails, from what `_smaller` takes."""
    return _both_tails(*_smaller(*parts))


def _both_tails(is_lower: _T, tail: _T) -> _Pair:
    rest = log1mexp(minimum(tail, -1e-300))
    return where(is_lower, tail, rest), where(is_lower, rest, tail)


def _smaller(positive: _T, negative: _T, log_density: _T, mean: _T) -> _Pair:
    """Whether the smaller tail is the lower one, and its logarithm: from how likely c is positive
    or not."""

    def side(sure: _T, more: _T) -> _T:
        top = maximum(sure, log_density)
        return top + log_of(exp(sure - top) + more * exp(log_density - top))

    lower, upper = side(positive, -mean), side(negative, mean)
    is_lower = lower < upper
    return is_lower, where(is_lower, lower, upper)


def _crossing(x: _T, b: _T) -> _Pair:
    """Whether x and b have one sign, so that c is 0 somewhere, and x / b there."""
    crosses = ((x > 0) & (b > 0)) | ((x < 0) & (b < 0))
    return crosses, where(crosses, x, 1.0) / where(crosses, b, 1.0)


def _signs(x: _T, b: _T, crosses: _T, here: _T, there: _T) -> _Pair:
    """Logarithms: how likely c is positive or not, from the same on two sides, for positive x."""
    up, always = x > 0, x > b
    positive = where(crosses, where(up, here, there), where(always, 0.0, -inf))
    return positive, where(crosses, where(up, there, here), where(always, -inf, 0.0))


def _t_logpdf(t: _T, df: _T, nc: _T, power: int = 1) -> _T:
    """With (s r)²/2 - w s r at the top of s, and what is large and alike of it taken away.

    It is the mean of s φ(t s - nc), s² the drawn V over df; or that of another power of s.
    """
    r, y, z = student_top(t, df, nc, more=power)
    n, half, apart = df + power, 0.5 * df, sqrt(df) / r * nc
    w = nc * (t / r)
    large = half > 5
    few, many = where(large, 1.0, half), where(large, half, 5.0)
    stirling = HALF_LOG_2PI - 0.5 * log(many) + stirling_rest(many)
    norming = where(large, -stirling, few * (log(few) - 1) - gammaln(few))
    top = arcsinh(0.5 * w / sqrt(n)) + 0.5 * (log1p(power / df) - log1p_square(t / sqrt(df)))
    rest = 0.5 * (w * z - power - apart * apart)
    return LOG_2 - HALF_LOG_2PI + norming + n * top + rest + log_student_mass(n, y)


_MANY: Final = 1e9
_FAR: Final = {"float64": 1e100, "float32": 1e18}
_POWERS: Final = {"float64": 1e120, "float32": 1e15}
"""From here on tails are powers: squares of what is much larger are no numbers."""
_FEWEST: Final = 1e-3
"""Of fewer degrees of freedom, most of the mass is beyond where the mean is taken."""
_NORMAL: Final = 1e30
"""So many degrees of freedom are as good as infinitely many."""


def _t_tails(t: _T, df: _T, nc: _T) -> _Pair:
    """With many degrees of freedom sqrt(V / df) is a normal number, but for its third cumulant."""
    many = (df > _MANY) & (abs(t) < 1e-5 * df ** (2 / 3))
    far = _FAR[t.dtype]
    near, n = where(many, minimum(maximum(t, -far), far), 0.0), minimum(df, _NORMAL)
    less = where(df < inf, 1 / n, 0.0)
    score = (near - nc - 0.25 * less * near) / sqrt(1 + 0.5 * less * near * near)
    mixed = _t_mixed_tails(where(many, 1.0, t), where(many, 1.0, n), nc)
    few = df < _FEWEST
    lower, upper = [
        where(few, nan, where(many, log_ndtr(side), v))
        for side, v in zip((score, -score), mixed, strict=True)
    ]
    return lower, upper


def _power_part(t: _T, df: _T, nc: _T) -> tuple[_T, _T, _T]:
    """Where tails are powers, what is nearer and stands for that, and the logarithm of the rest."""
    far = _POWERS[t.dtype]
    beyond = (abs(t) > far) & (df < _MANY) & (abs(nc) < 1e-9 * far)
    near = where(beyond, where(t > 0, far, -far), t)
    return beyond, near, log(where(beyond, abs(t) / far, 1.0))


def _t_far_logpdf(t: _T, df: _T, nc: _T) -> _T:
    _, near, rest = _power_part(t, df, nc)
    n = minimum(df, _NORMAL)
    return _t_logpdf(near, n, nc) - (n + 1) * rest


def _t_far_tails(t: _T, df: _T, nc: _T) -> _Pair:
    beyond, near, rest = _power_part(t, df, nc)
    lower, upper = _t_tails(near, df, nc)
    up = t > 0
    thin = where(up, upper, lower) - where(beyond, df, 0.0) * rest
    whole = log1mexp(where(beyond, minimum(thin, -1e-300), -1.0))
    return (
        where(beyond, where(up, whole, thin), lower), where(beyond, where(up, thin, whole), upper)
    )  # fmt: skip


def _t_sides(t: _T, df: _T, nc: _T) -> tuple[_T, _T, _T]:
    """Whether t s is nc somewhere, and logarithms of how likely s is above that, and below."""
    crosses, place = _crossing(nc, t)
    half = 0.5 * df
    square = half * place * place
    return crosses, log_gammaincc(half, square), log_gammainc(half, square)


def _t_mixed_tails(t: _T, df: _T, nc: _T) -> _Pair:
    share = student_share(abs(t), df, where(t < 0, -nc, nc))
    near = share < LARGE
    mean = student_mills(t, df, nc)
    is_lower, tail = _smaller(*_signs(t, nc, *_t_sides(t, df, nc)), _t_logpdf(t, df, nc), mean)
    # One number, below 0 for the lower tail: what one choice alone needs is computed where it is.
    sums = log(where(near, share, 0.5))
    code = where(near, where(t > 0, sums, -sums), where(is_lower, tail, -tail))
    tails = _both_tails(code < 0, -abs(code))
    lower, upper = [
        following(tail, slopes, t, df, nc)
        for tail, slopes in zip(tails, (_t_lower_slopes, _t_upper_slopes), strict=True)
    ]
    return lower, upper


def _t_lower_slopes(tail: _T, t: _T, df: _T, nc: _T) -> list[_T]:
    return _t_slopes(1, tail, t, df, nc)


def _t_upper_slopes(tail: _T, t: _T, df: _T, nc: _T) -> list[_T]:
    return _t_slopes(-1, tail, t, df, nc)


def _t_slopes(sign: int, tail: _T, t: _T, df: _T, nc: _T) -> list[_T]:
    """Of a tail's logarithm: F is the mean of Φ(t s - nc) over s, whose density has one in df.

    That of its mean is of the same two parts as the mean of 1.
    """
    crosses, *sides = _t_sides(t, df, nc)
    sure = [pushforward(side, df, ones_like(df)) * exp(side - tail) for side in sides]
    up = t > 0 if sign > 0 else t < 0
    density = sign * exp(_t_logpdf(t, df, nc) - tail)
    by_df = where(crosses, where(up, *sure), 0.0)
    by_df = by_df - 0.5 * density * student_mills_by_shape(t, df, nc)
    return [density, by_df, -sign * exp(_t_logpdf(t, df, nc, 0) - tail)]


def _t_mean(df: _T, nc: _T) -> _T:
    exists = df > 1
    half = 0.5 * where(exists, minimum(df, _NORMAL), 2.0)
    return where(exists, nc * sqrt(half / pi) * exp(betaln(half - 0.5, 0.5)), nan)


def _t_var(df: _T, nc: _T) -> _T:
    exists = df > 2
    some = where(exists, minimum(df, _NORMAL), 3.0)
    variance = some * (1 + nc * nc) / (some - 2) - _t_mean(some, nc) ** 2
    return where(exists, variance, where(df > 1, inf, nan))


def _t_draw(draws: Draws, df: _T, nc: _T) -> _T:
    half = 0.5 * minimum(df, _NORMAL)
    return (draws.normal() + nc) * sqrt(half) * draws.gamma(half, -0.5)


nct: Final = Continuous(
    "nct", "that of (Z + nc) / sqrt(V / df), Z a normal, V a chi-square number; df at least 0.001",
    {"df": POSITIVE, "nc": REAL},
    logpdf=_t_far_logpdf,
    logcdf=lambda t, df, nc: _t_far_tails(t, df, nc)[0],
    logsf=lambda t, df, nc: _t_far_tails(t, df, nc)[1],
    mean=_t_mean, var=_t_var, sample=_t_draw,
)  # fmt: skip


def _steep(a: _T, b: _T) -> _T:
    return sqrt((a - b) * (a + b))


def _hyperbola(x: _T, a: _T, b: _T) -> _Pair:
    """r = sqrt(1 + x²), and a r - b x - sqrt(a² - b²), in which no terms cancel."""
    r, size, slant = hypot(1.0, x), abs(x), abs(b)
    along_it = x * b > 0
    apart = (a - slant) * size
    gap = where(along_it, apart + a / (r + size), a * r - b * x)
    cross = where(along_it, apart - slant / (r + size), a * x - b * r)
    return r, cross * (cross / (gap + _steep(a, b)))


def _hyperbolic(x: _T, p: _T, a: _T, b: _T) -> _T:
    r, gap = _hyperbola(x, a, b)
    return log_kv_integral(p - 0.5, a * r) + (p - 0.5) * log(r) - gap


def _hyperbolic_norming(p: _T, a: _T, b: _T) -> _T:
    steep = _steep(a, b)
    return log_kv_integral(p, steep) - p * log(steep) + (p - 0.5) * log(a) + HALF_LOG_2PI


def _hyperbolic_tails(
    x: _T, a: _T, b: _T, order: TensorLike, log_density: _T, drawn: Callable[[_T], _Pair]
) -> _Pair:
    """Of the order p - 1/2, with which v is drawn given x; `drawn` has the tails without that."""
    r = hypot(1.0, x)
    root = sqrt(r / a)
    crosses, place = _crossing(x, b)
    mean = root * halphen_mills(order, a * r, x / root, b * root)
    return _tails(*_signs(x, b, crosses, *drawn(place)), log_density, mean)


def _both(of: Continuous, *arguments: _T) -> _Pair:
    return as_tensor(of.formulas["logcdf"](*arguments)), as_tensor(of.formulas["logsf"](*arguments))


def _general_tails(x: _T, p: _T, a: _T, b: _T) -> _Pair:
    steep = _steep(a, b)

    def drawn(v: _T) -> _Pair:
        return _both(geninvgauss, steep * v, p, steep)

    density = _hyperbolic(x, p, a, b) - _hyperbolic_norming(p, a, b)
    return _hyperbolic_tails(x, a, b, p - 0.5, density, drawn)


def _inverse_tails(x: _T, a: _T, b: _T) -> _Pair:
    def drawn(v: _T) -> _Pair:
        return _both(invgauss, v, 1 / _steep(a, b))

    density = _inverse(x, a, b) - _inverse_norming(a, b)
    return _hyperbolic_tails(x, a, b, -1.0, density, drawn)


def _inverse(x: _T, a: _T, b: _T) -> _T:
    r, gap = _hyperbola(x, a, b)
    return log_kv_integral(1.0, a * r) - log(r) - gap


def _inverse_norming(a: _T, b: _T) -> _T:
    return LOG_PI + LOG_2 - log(a)


def _general_moment(n: int, p: _T, a: _T, b: _T) -> _T:
    steep = _steep(a, b)
    moment: _T = geninvgauss.rows[("mean", "var")[n - 1]](p, steep)
    return moment / steep**n


def _mixed(draws: Draws, v: _T, b: _T) -> _T:
    return b * v + sqrt(v) * draws.normal()


_WITHIN: Final = [Relation(("a", "b"), "above -a and below a", lambda a, b: abs(b) < a)]
genhyperbolic: Final = Continuous(
    "genhyperbolic", "K(a r) r^(p - 1/2) exp(b x), up to a factor, r = sqrt(1 + x²), "
    "K of order p - 1/2", {"p": REAL, "a": POSITIVE, "b": REAL},
    relations=_WITHIN, logpdf=_hyperbolic, norming=_hyperbolic_norming,
    logcdf=lambda x, p, a, b: _general_tails(x, p, a, b)[0],
    logsf=lambda x, p, a, b: _general_tails(x, p, a, b)[1],
    mean=lambda p, a, b: b * _general_moment(1, p, a, b),
    var=lambda p, a, b: _general_moment(1, p, a, b) + b * b * _general_moment(2, p, a, b),
    sample=lambda draws, p, a, b: _mixed(
        draws, geninvgauss.rows["sample"](draws, p, _steep(a, b)) / _steep(a, b), b
    ),
)  # fmt: skip
norminvgauss: Final = Continuous(
    "norminvgauss", "a K(a r) exp(sqrt(a² - b²) + b x) / (π r), r = sqrt(1 + x²), K of order 1",
    {"a": POSITIVE, "b": REAL},
    relations=_WITHIN, logpdf=_inverse, norming=_inverse_norming,
    logcdf=lambda x, a, b: _inverse_tails(x, a, b)[0],
    logsf=lambda x, a, b: _inverse_tails(x, a, b)[1],
    mean=lambda a, b: b / _steep(a, b), var=lambda a, b: a * a / _steep(a, b) ** 3,
    sample=lambda draws, a, b: _mixed(draws, invgauss.rows["sample"](draws, 1 / _steep(a, b)), b),
)  # fmt: skip
