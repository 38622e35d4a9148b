"""Continuous distributions that lean to a side: a skewed t, and Pearson's of the third type."""

from __future__ import annotations

from math import inf, nan
from typing import Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE, REAL
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.gamma_rows import odds
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2, log_of, one_sided
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.special import log_ndtr
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.incomplete import betainc, betaincc, gammainccinv, gammaincinv
from weft_tensor.ops.special.incomplete_logs import log_gammainc, log_gammaincc
from weft_tensor.ops.special.normal import ndtri

__all__ = ["jf_skew_t", "pearson3"]

_LEAST: Final = -39.0
"""The logarithm of what a series whose first term is 1 loses without its second."""


def _log_share(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """log((1 - |x| / sqrt(a + b + x²)) / 2)."""
    size = hypot(x, sqrt(a + b))
    return log(0.5 * (a + b)) - log(size) - log(size + one_sided(x))


def _leaning(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    small = _log_share(x, a, b)
    rest = log1p(-exp(small))
    below, above = where(x < 0, small, rest), where(x < 0, rest, small)
    return (a + 0.5) * below + (b + 0.5) * above


def _leaning_logcdf(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """By its first term far out."""
    below, small = x < 0, _log_share(x, a, b)
    far = below & (small < _LEAST)
    m, n, part = where(below, a, b), where(below, b, a), exp(where(far, -1.0, small))
    beyond, within = betainc(m, n, part), betaincc(m, n, part)
    share, rest = where(below, beyond, within), where(below, within, beyond)
    low = share < 0.5
    near = where(low, log_of(share), log1p(-where(low, 0.0, rest)))
    return where(far, a * small - log(a) - betaln(a, b), near)


def _leaning_ppf(q: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    first = (log(q) + log(a) + betaln(a, b)) / a
    far = first < _LEAST
    out = -0.5 * sqrt(a + b) * exp(-0.5 * first)
    root = sqrt(odds(where(far, 0.5, q), a, b))
    return where(far, out, 0.5 * sqrt(a + b) * (root - 1 / root))


def _leaning_draw(draws: Draws, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    root = sqrt(draws.gamma_ratio(a, b))
    return 0.5 * sqrt(a + b) * (root - 1 / root)


def _leaning_mean(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    exists = (a > 0.5) & (b > 0.5)
    c, d = where(exists, a, 1.0), where(exists, b, 1.0)
    ratio = exp(gammaln(c - 0.5) - gammaln(c) + gammaln(d - 0.5) - gammaln(d))
    return where(exists, 0.5 * sqrt(c + d) * (c - d) * ratio, nan)


def _leaning_var(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    exists = (a > 1) & (b > 1)
    c, d = where(exists, a, 2.0), where(exists, b, 2.0)
    second = 0.25 * (c + d) * ((c - d) ** 2 + c + d - 2) / ((c - 1) * (d - 1))
    return where(exists, second - _leaning_mean(c, d) ** 2, nan)


jf_skew_t: Final = Continuous(
    "jf_skew_t", "(1 + r)^(a + 1/2) (1 - r)^(b + 1/2) / (2^(a+b-1) sqrt(a+b) B(a, b)), "
    "r = x / sqrt(a + b + x²)",
    {"a": POSITIVE, "b": POSITIVE},
    logpdf=_leaning, norming=lambda a, b: betaln(a, b) + 0.5 * log(a + b) - 2 * LOG_2,
    logcdf=_leaning_logcdf, logsf=lambda x, a, b: _leaning_logcdf(-x, b, a),
    ppf=_leaning_ppf, isf=lambda q, a, b: -_leaning_ppf(q, b, a),
    mean=_leaning_mean, var=_leaning_var, sample=_leaning_draw,
)  # fmt: skip

_SLIGHT: Final = 1e-3
"""Skews, below which a gamma variable differs from a normal one by little."""
_LIKE_NORMAL: Final = 1e-6


def _bend(w: TensorVariable) -> TensorVariable:
    """2 (w - log(1 + w)) / w², which is 1 at 0."""
    small = abs(w) < 0.03
    near, v = where(small, w, 0.0), where(small, 1.0, w)
    series: TensorLike = 0.0
    for n in range(13, 1, -1):
        series = series * near + 2 * (-1) ** n / n
    return where(small, series, 2 * (v - log1p(v)) / (v * v))


def _shape(s: TensorVariable) -> TensorVariable:
    """That of the gamma variable, which is 4 at least."""
    return 4 / where(abs(s) < 1e-2, 1.0, s) ** 2


def _stirling(s: TensorVariable) -> TensorVariable:
    """What Stirling's formula of Γ(4/s²) lacks."""
    slight, square = abs(s) < 1e-2, s * s
    a = _shape(s)
    low = where(a < 5, a, 5.0)
    rest = gammaln(low) - (low - 0.5) * log(low) + low - HALF_LOG_2PI
    large = stirling_rest(maximum(a, 5.0))
    return where(slight, square / 48, where(a < 5, rest, large))


def _third(x: TensorVariable, s: TensorVariable) -> TensorVariable:
    """Far out without the square of x."""
    w = 0.5 * s * x
    far = abs(w) > 1
    near, size = where(far, 0.0, x), where(far, w, 1.0)
    square = where(
        far, 8 / where(far, s * s, 1.0) * (size - log1p(size)), near * near * _bend(0.5 * s * near)
    )
    return -0.5 * square - log1p(w)


def _slight_logcdf(x: TensorVariable, s: TensorVariable) -> TensorVariable:
    """By N. M. Temme's uniform expansion of the incomplete gamma functions (The asymptotic
    expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10, 1979), of two terms.
    """
    w = 0.5 * s * x
    bend = sqrt(_bend(w))
    at, near = x * bend, abs(w) < 1e-4
    first = where(near, w / 12 - 1 / 3, (1 - 1 / bend) / where(near, 1.0, w))
    normal = log_ndtr(at)
    return normal + log1p(-0.5 * s * first * exp(-0.5 * at * at - HALF_LOG_2PI - normal))


def _third_logcdf(x: TensorVariable, s: TensorVariable) -> TensorVariable:
    slight = abs(s) < _SLIGHT
    far = where(slight, 1.0, s)
    a = 4 / (far * far)
    place = a * (1 + 0.5 * far * where(slight, 0.0, x))
    gamma_part = where(s > 0, log_gammainc(a, place), log_gammaincc(a, place))
    return where(slight, _slight_logcdf(where(slight, x, 0.0), where(slight, s, 0.0)), gamma_part)


def _third_ppf(q: TensorVariable, s: TensorVariable) -> TensorVariable:
    """Of slight skews by three steps of Newton's from those of a normal variable."""
    slight = abs(s) < _SLIGHT
    far, small = where(slight, 1.0, s), where(slight, s, 0.0)
    a = 4 / (far * far)
    place = where(s > 0, gammaincinv(a, q), gammainccinv(a, q))
    z = ndtri(q)
    x = z + small / 6 * (z * z - 1)
    for _ in range(3):
        share = _slight_logcdf(x, small)
        slope = exp(_third(x, small) - HALF_LOG_2PI - _stirling(small) - share)
        x = x - (share - log(q)) / slope
    return where(slight, x, (place / a - 1) * 2 / far)


def _third_draw(draws: Draws, s: TensorVariable) -> TensorVariable:
    alike = abs(s) < _LIKE_NORMAL
    far = where(alike, 1.0, s)
    z, a = draws.normal(), 4 / (far * far)
    return where(alike, z + s / 6 * (z * z - 1), (draws.gamma(a) - a) * 0.5 * far)


def _third_entropy(s: TensorVariable) -> TensorVariable:
    """That of a gamma variable, for large shapes by its asymptotic series."""
    slight, u = abs(s) < 0.02, 0.25 * s * s
    a = 4 / where(slight, 1.0, s) ** 2
    whole = a + gammaln(a) + (1 - a) * digamma(a) - 0.5 * log(a)
    series = 0.5 * (1 + 2 * HALF_LOG_2PI) - u * (1 / 3 + u * (1 / 12 + u / 90))
    return where(slight, series, whole)


def _third_ends(s: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    end = -2 / where(eq(s, 0), 1.0, s)
    return where(s > 0, end, -inf), where(s < 0, end, inf)


pearson3: Final = Continuous(
    "pearson3", "2/|skew| y^(a-1) exp(-y) / Γ(a), a = 4/skew², y = a + 2 x/skew", {"skew": REAL},
    _third_ends, middle=lambda s: 0 * s, open_ends=True,
    logpdf=_third, norming=lambda s: HALF_LOG_2PI + _stirling(s),
    logcdf=_third_logcdf, logsf=lambda x, s: _third_logcdf(-x, -s),
    ppf=_third_ppf, isf=lambda q, s: -_third_ppf(q, -s),
    mean=lambda s: 0 * s, var=lambda s: 1 + 0 * s, entropy=_third_entropy, sample=_third_draw,
)  # fmt: skip
