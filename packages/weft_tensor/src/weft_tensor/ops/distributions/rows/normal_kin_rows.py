"""Continuous distributions that functions of normal variables have."""

from __future__ import annotations

from math import inf, log, pi
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE, POSITIVE, REAL
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.integrals import expectation
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2, log1p_square, log_mass, tails
from weft_tensor.ops.distributions.simple_rows import mirrored
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log1p, logaddexp, sigmoid
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.special import erf, erfc, erfinv, log_ndtr
from weft_tensor.ops.elementwise.trigonometric import arcsinh, cosh, sinh
from weft_tensor.ops.special.entropies import logit
from weft_tensor.ops.special.normal import ndtri, ndtri_exp

__all__ = [
    "fatiguelife",
    "foldnorm",
    "gibrat",
    "johnsonsb",
    "johnsonsu",
    "levy",
    "levy_l",
    "powerlognorm",
    "powernorm",
]

_GAMMA: Final = 0.5772156649015329
_ROOT: Final = 0.5**0.5
_REACH: Final = 12.0
"""Deviations from the mean, beyond which is nothing that counts in an expectation."""

gibrat: Final = Continuous(
    "gibrat", "exp(-log(x)²/2) / (x sqrt(2π))", {}, (0.0, inf), open_ends=True,
    logpdf=lambda x: -0.5 * logarithm(x) ** 2 - logarithm(x), norming=lambda: HALF_LOG_2PI,
    logcdf=lambda x: log_ndtr(logarithm(x)), logsf=lambda x: log_ndtr(-logarithm(x)),
    ppf=lambda q: exp(ndtri(q)), isf=lambda q: exp(-ndtri(q)),
    mean=lambda: exp(0.5), var=lambda: exp(1.0) * expm1(1.0), entropy=lambda: 0.5 + HALF_LOG_2PI,
    sample=lambda draws: exp(draws.normal()),
)  # fmt: skip


def _su(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return a + b * arcsinh(x)


def _su_var(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    width = 1 / (b * b)
    return 0.5 * expm1(width) * (exp(width) * cosh(2 * a / b) + 1)


johnsonsu: Final = Continuous(
    "johnsonsu", "b φ(a + b arcsinh(x)) / sqrt(1 + x²)", {"a": REAL, "b": POSITIVE},
    logpdf=lambda x, a, b: -0.5 * (_su(x, a, b) ** 2 + log1p_square(x)),
    norming=lambda a, b: HALF_LOG_2PI - logarithm(b),
    logcdf=lambda x, a, b: log_ndtr(_su(x, a, b)), logsf=lambda x, a, b: log_ndtr(-_su(x, a, b)),
    ppf=lambda q, a, b: sinh((ndtri(q) - a) / b), isf=lambda q, a, b: sinh((-ndtri(q) - a) / b),
    mean=lambda a, b: -exp(0.5 / (b * b)) * sinh(a / b), var=_su_var,
    sample=lambda draws, a, b: sinh((draws.normal() - a) / b),
)  # fmt: skip


def _sb(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return a + b * logit(x)


johnsonsb: Final = Continuous(
    "johnsonsb", "b φ(a + b log(x / (1 - x))) / (x (1 - x))", {"a": REAL, "b": POSITIVE},
    (0.0, 1.0), open_ends=True,
    logpdf=lambda x, a, b: -0.5 * _sb(x, a, b) ** 2 - logarithm(x) - log1p(-x),
    norming=lambda a, b: HALF_LOG_2PI - logarithm(b),
    logcdf=lambda x, a, b: log_ndtr(_sb(x, a, b)), logsf=lambda x, a, b: log_ndtr(-_sb(x, a, b)),
    ppf=lambda q, a, b: sigmoid((ndtri(q) - a) / b),
    isf=lambda q, a, b: sigmoid((-ndtri(q) - a) / b),
    sample=lambda draws, a, b: sigmoid((draws.normal() - a) / b),
)  # fmt: skip


def _fatigue(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    return (x - 1) / (c * sqrt(x))


def _life(z: TensorVariable, c: TensorVariable) -> TensorVariable:
    return exp(2 * arcsinh(0.5 * c * z))


fatiguelife: Final = Continuous(
    "fatiguelife", "(x + 1) φ((x - 1) / (c sqrt(x))) / (2 c x^(3/2))", {"c": POSITIVE},
    (0.0, inf), open_ends=True,
    logpdf=lambda x, c: log1p(x) - 1.5 * logarithm(x) - 0.5 * _fatigue(x, c) ** 2,
    norming=lambda c: HALF_LOG_2PI + LOG_2 + logarithm(c),
    logcdf=lambda x, c: log_ndtr(_fatigue(x, c)), logsf=lambda x, c: log_ndtr(-_fatigue(x, c)),
    ppf=lambda q, c: _life(ndtri(q), c), isf=lambda q, c: _life(-ndtri(q), c),
    mean=lambda c: 1 + 0.5 * c * c, var=lambda c: c * c * (1 + 1.25 * c * c),
    sample=lambda draws, c: _life(draws.normal(), c),
)  # fmt: skip
powernorm: Final = Continuous(
    "powernorm", "c φ(x) Φ(-x)^(c-1)", {"c": POSITIVE},
    logpdf=lambda x, c: -0.5 * x * x + (c - 1) * log_ndtr(-x),
    norming=lambda c: HALF_LOG_2PI - logarithm(c),
    logsf=lambda x, c: c * log_ndtr(-x), cdf=lambda x, c: -expm1(c * log_ndtr(-x)),
    quantile=lambda lp, lq, c: -ndtri_exp(lq / c),
)  # fmt: skip
powerlognorm: Final = Continuous(
    "powerlognorm", "c φ(log(x)/s) Φ(-log(x)/s)^(c-1) / (x s)", {"c": POSITIVE, "s": POSITIVE},
    (0.0, inf), open_ends=True,
    logpdf=lambda x, c, s: (
        -0.5 * (logarithm(x) / s) ** 2 - logarithm(x) + (c - 1) * log_ndtr(-logarithm(x) / s)
    ),
    norming=lambda c, s: HALF_LOG_2PI + logarithm(s) - logarithm(c),
    logsf=lambda x, c, s: c * log_ndtr(-logarithm(x) / s),
    cdf=lambda x, c, s: -expm1(c * log_ndtr(-logarithm(x) / s)),
    quantile=lambda lp, lq, c, s: exp(-s * ndtri_exp(lq / c)),
)  # fmt: skip
_LEVY_TAILS: Final = tails(
    lambda x: LOG_2 + log_ndtr(-1 / sqrt(x)), lambda x: logarithm(erf(_ROOT / sqrt(x)))
)
_LEVY: Final[Rows] = {
    "logpdf": lambda x: -1.5 * logarithm(x) - 0.5 / x - HALF_LOG_2PI,
    "logcdf": _LEVY_TAILS["logcdf"],
    "logsf": _LEVY_TAILS["logsf"],
    "ppf": lambda q: 1 / ndtri(0.5 * q) ** 2,
    "isf": lambda q: 0.5 / erfinv(q) ** 2,
    "entropy": lambda: 0.5 * (1 + 3 * _GAMMA + log(16 * pi)),
}
_LEVY_RIGHT: Final[Rows] = {**_LEVY, "mean": lambda: inf, "var": lambda: inf}
levy: Final = Continuous(
    "levy", "exp(-1/(2 x)) / sqrt(2π x³)", {}, (0.0, inf), open_ends=True, **_LEVY_RIGHT
)
levy_l: Final = Continuous(
    "levy_l",
    "exp(1/(2 x)) / sqrt(-2π x³)",
    {},
    (-inf, 0.0),
    open_ends=True,
    **mirrored(_LEVY),
)


def _folded_excess(c: TensorVariable) -> TensorVariable:
    """The mean less c."""
    return (2 / pi) ** 0.5 * exp(-0.5 * c * c) - c * erfc(c * _ROOT)


def _folded_entropy(c: TensorVariable) -> TensorVariable:
    """Of a normal number, less what lies below 0 adds."""
    near = minimum(c, _REACH)
    added = expectation(
        lambda x, c: log1p(exp(-2 * c * x)), lambda x, c: exp(_folded(x, c) - HALF_LOG_2PI),
        0 * near, near + _REACH, near,
    )  # fmt: skip
    return 0.5 + HALF_LOG_2PI - near * _folded_excess(near) - added


def _folded(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    return -0.5 * (x - c) ** 2 + log1p(exp(-2 * c * x))


def _folded_logcdf(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    """By two terms of a power series next to 0, where a difference loses its digits."""
    near = x * (1 + c) < 1e-3
    y = where(near, x, 1.0)
    series = logarithm(y) + log1p((c * c - 1) * y * y / 6) - 0.5 * c * c + LOG_2 - HALF_LOG_2PI
    z = where(near, 1.0, x)
    return where(near, series, log_mass(-z - c, z - c))


foldnorm: Final = Continuous(
    "foldnorm", "φ(x - c) + φ(x + c)", {"c": NONNEGATIVE}, (0.0, inf),
    logpdf=_folded, norming=lambda c: HALF_LOG_2PI + 0 * c,
    **tails(_folded_logcdf, lambda x, c: logaddexp(log_ndtr(c - x), log_ndtr(-x - c))),
    mean=lambda c: c + _folded_excess(c),
    var=lambda c: 1 - _folded_excess(c) * (2 * c + _folded_excess(c)),
    entropy=_folded_entropy, sample=lambda draws, c: abs(draws.normal() + c),
)  # fmt: skip
