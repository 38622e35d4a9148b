"""Normal numbers of a drawn scale: noncentral Student's, and the generalised hyperbolic ones.

Of these the distribution function is the mean of Φ(c), where c is x, moved and scaled by what is
drawn. Φ(c) is 1 or 0, by the sign of c, but for a normal density times Mills' ratio, and that
density is part of the one at x. So F(x) is how likely c is positive, less the density at x times
the mean of a slow function, over what is drawn as it is given x. That has a top which a formula
tells: both sides of it, divided where c is 0, go by Gauss' rule, and no large terms cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from typing import Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.elementwise.special import erfcx
from weft_tensor.ops.elementwise.trigonometric import arccosh, arcsinh, sinh
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.gamma import betaln, gammaln
from weft_tensor.ops.special.incomplete_logs import log_gammainc, log_gammaincc
from weft_tensor.ops.special.noncentral.halphen import halphen_reach, log_kv_integral
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along
from weft_tensor.ops.stats.constraints import POSITIVE, REAL, Relation
from weft_tensor.ops.stats.continuous import Continuous
from weft_tensor.ops.stats.inverse_normal_rows import invgauss
from weft_tensor.ops.stats.ratios import HALF_LOG_2PI, LOG_2, LOG_PI, log_of
from weft_tensor.ops.stats.rows.noncentral_rows import geninvgauss

__all__ = ["genhyperbolic", "nct", "norminvgauss"]

_T = TensorVariable
_Pair = tuple[_T, _T]
_NODES, _WEIGHTS = UNIT_INTERVAL
_DROP: Final = 40.0
"""The logarithm of how small a density is where it is cut off."""
_FLAT: Final = 30.0
"""Below it, a function of exp(s) is that of 0."""


class _Given(NamedTuple):
    """The logarithm of what is drawn as it is given x, from its top on."""

    left: _T
    right: _T
    """How far there is something."""
    height: Callable[[_T], _T]
    """The logarithm of its density, over that at the top."""
    beyond: _T
    """The integral of what is left there on the left, over what it is at its end."""

    def divided(self, place: _T) -> _Pair:
        """Places in three intervals, the middle one from the top to a place; their weights."""
        left, right = stop_gradient(self.left), stop_gradient(self.right)
        turn = where((place > -left) & (place < right), place, 0.0)
        first, second = minimum(turn, 0.0), maximum(turn, 0.0)
        widths = [along(v) for v in (first + left, second - first, right - second)]
        places, weights = along(-left), along(self.beyond) * (np.arange(193) < 1)
        for k, width in enumerate(widths):
            before, after = np.zeros(1 + 64 * k), np.ones(64 * (2 - k))
            within = np.concatenate([before, _NODES, after])
            shares = np.concatenate([before, _WEIGHTS, 0 * after])
            places = places + width * within.astype(width.dtype)
            weights = weights + width * shares.astype(width.dtype)
        return places, weights * exp(self.height(places))


def _mills(c: _T) -> _T:
    """Mills' ratio of |c|, with the sign of c."""
    return (pi / 2) ** 0.5 * where(c > 0, 1.0, -1.0) * erfcx(abs(c) * 0.5**0.5)


def _tails(positive: _T, negative: _T, log_density: _T, mean: _T) -> _Pair:
    """Logarithms: of both tails, from how likely c is positive or not."""

    def side(sure: _T, more: _T) -> _T:
        top = maximum(sure, log_density)
        return top + log_of(exp(sure - top) + more * exp(log_density - top))

    lower, upper = side(positive, -mean), side(negative, mean)
    is_lower = lower < upper
    rest = log1mexp(minimum(where(is_lower, lower, upper), -1e-300))
    return where(is_lower, lower, rest), where(is_lower, rest, upper)


def _crossing(x: _T, b: _T) -> _Pair:
    """Whether x and b have one sign, so that c is 0 somewhere, and x / b there."""
    crosses = ((x > 0) & (b > 0)) | ((x < 0) & (b < 0))
    return crosses, where(crosses, x, 1.0) / where(crosses, b, 1.0)


def _signs(x: _T, b: _T, crosses: _T, here: _T, there: _T) -> _Pair:
    """Logarithms: how likely c is positive or not, from the same on two sides, for positive x."""
    up, always = x > 0, x > b
    positive = where(crosses, where(up, here, there), where(always, 0.0, -inf))
    return positive, where(crosses, where(up, there, here), where(always, -inf, 0.0))


def _t_given(t: _T, df: _T, nc: _T) -> tuple[_T, _T, _T, _Given]:
    """sqrt(df + t²), the top of s over it, and n + 1 over that; s² is of mean 1.

    Given t, it has the density s^n exp(-(s r)²/2 + w s r): of its logarithm, a power more.
    """
    n, r = df + 1, hypot(sqrt(df), t)
    w = nc * (t / r)
    root = sqrt(w * w + 4 * n)
    large = 0.5 * (root + abs(w))
    y, z = where(w > 0, large, n / large), where(w > 0, n / large, large)

    def height(s: _T) -> _T:
        off = expm1(s)
        return -along(n) * (off - s) - 0.5 * (along(y) * off) ** 2

    c, bell = _DROP / df, (2 * _DROP) ** 0.5 / y
    steep = where(bell < 1, -log1p(-where(bell < 1, bell, 0.5)), inf)
    left = minimum(minimum(0.5 * (c + sqrt(c * (c + 8))), steep), _FLAT)
    right = minimum(arccosh(1 + c), log1p(bell))
    return r, y, z, _Given(left, right, height, 1 / df)


def _t_logpdf(t: _T, df: _T, nc: _T) -> _T:
    r, y, z, given = _t_given(t, df, nc)
    _, weights = given.divided(0 * y)
    n, half, apart = df + 1, 0.5 * df, sqrt(df) / r * nc
    norming = LOG_2 + half * log(half) - gammaln(half) - HALF_LOG_2PI
    return norming + n * log(y / r) - 0.5 * (apart * apart + z * z) + log(weights.sum(axis=-1))


def _t_tails(t: _T, df: _T, nc: _T) -> _Pair:
    r, y, _, given = _t_given(t, df, nc)
    crosses, place = _crossing(nc, t)
    places, weights = given.divided(where(crosses, log(place * r / y), 0.0))
    s = along(y / r) * exp(places)
    mean = (weights * _mills(along(t) * s - along(nc)) / s).sum(axis=-1) / weights.sum(axis=-1)
    half = 0.5 * df
    sides = [side(half, half * place * place) for side in (log_gammaincc, log_gammainc)]
    return _tails(*_signs(t, nc, crosses, *sides), _t_logpdf(t, df, nc), mean)


def _t_mean(df: _T, nc: _T) -> _T:
    exists = df > 1
    half = 0.5 * where(exists, df, 2.0)
    return where(exists, nc * sqrt(half / pi) * exp(betaln(half - 0.5, 0.5)), inf)


def _t_var(df: _T, nc: _T) -> _T:
    exists = df > 2
    some = where(exists, df, 3.0)
    return where(exists, some * (1 + nc * nc) / (some - 2) - _t_mean(some, nc) ** 2, inf)


nct: Final = Continuous(
    "nct", "that of (Z + nc) / sqrt(V / df), Z a normal and V a chi-square number",
    {"df": POSITIVE, "nc": REAL},
    logpdf=_t_logpdf,
    logcdf=lambda t, df, nc: _t_tails(t, df, nc)[0],
    logsf=lambda t, df, nc: _t_tails(t, df, nc)[1],
    mean=_t_mean, var=_t_var,
    sample=lambda draws, df, nc: (draws.normal() + nc) * sqrt(0.5 * df) * draws.gamma(0.5 * df, -0.5),
)  # fmt: skip


def _steep(a: _T, b: _T) -> _T:
    return sqrt((a - b) * (a + b))


def _hyperbola(x: _T, a: _T, b: _T) -> _Pair:
    """r = sqrt(1 + x²), and a r - b x - sqrt(a² - b²), in which no terms cancel."""
    r, size, slant = hypot(1.0, x), abs(x), abs(b)
    along_it = x * b > 0
    apart = (a - slant) * size
    gap = where(along_it, apart + a / (r + size), a * r + slant * size)
    cross = where(along_it, apart - slant / (r + size), a * size + slant * r)
    return r, cross * (cross / (gap + _steep(a, b)))


def _hyperbolic(x: _T, p: _T, a: _T, b: _T) -> _T:
    r, gap = _hyperbola(x, a, b)
    return log_kv_integral(p - 0.5, a * r) + (p - 0.5) * log(r) - gap


def _hyperbolic_norming(p: _T, a: _T, b: _T) -> _T:
    steep = _steep(a, b)
    return log_kv_integral(p, steep) - p * log(steep) + (p - 0.5) * log(a) + HALF_LOG_2PI


def _hyperbolic_tails(
    x: _T, a: _T, b: _T, order: _T, log_density: _T, drawn: Callable[[_T], _Pair]
) -> _Pair:
    """Of the order p - 1/2, with which v is drawn given x; `drawn` has the tails without that."""
    r = hypot(1.0, x)
    size = a * r
    top = arcsinh(order / size)

    def height(s: _T) -> _T:
        fall = 2 * along(size) * sinh(along(top) + 0.5 * s) * sinh(0.5 * s)
        return along(order) * s - fall

    reaches = halphen_reach(-top, -order, size), halphen_reach(top, order, size)
    crosses, place = _crossing(x, b)
    places, weights = _Given(*reaches, height, 0 * r).divided(
        where(crosses, log(place * (a / r)) - top, 0.0)
    )
    root = sqrt(along(r / a)) * exp(0.5 * (along(top) + places))
    ratio = _mills(along(x) / root - along(b) * root)
    mean = (weights * ratio * root).sum(axis=-1) / weights.sum(axis=-1)
    return _tails(*_signs(x, b, crosses, *drawn(place)), log_density, mean)


def _general_tails(x: _T, p: _T, a: _T, b: _T) -> _Pair:
    steep = _steep(a, b)

    def drawn(v: _T) -> _Pair:
        return tuple([geninvgauss.formulas[n](steep * v, p, steep) for n in ("logcdf", "logsf")])

    density = _hyperbolic(x, p, a, b) - _hyperbolic_norming(p, a, b)
    return _hyperbolic_tails(x, a, b, p - 0.5, density, drawn)


def _inverse_tails(x: _T, a: _T, b: _T) -> _Pair:
    def drawn(v: _T) -> _Pair:
        return tuple([invgauss.formulas[n](v, 1 / _steep(a, b)) for n in ("logcdf", "logsf")])

    density = _inverse(x, a, b) - _inverse_norming(a, b)
    return _hyperbolic_tails(x, a, b, -1 + 0 * a, density, drawn)


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
