"""Continuous distributions whose functions are those of angles, or of a part of a circle."""

from __future__ import annotations

from math import log, pi
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log1p
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.trigonometric import (
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    cos,
    sin,
    tan,
)
from weft_tensor.ops.special.entropies import xlog1py
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.incomplete import betainc, betaincinv
from weft_tensor.ops.stats.constraints import POSITIVE, Constraint
from weft_tensor.ops.stats.continuous import Continuous
from weft_tensor.ops.stats.distribution import Rows
from weft_tensor.ops.stats.ratios import LOG_2, LOG_PI, log1p_square
from weft_tensor.ops.stats.simple_rows import cauchy

__all__ = ["anglit", "arcsine", "hypsecant", "rdist", "semicircular", "skewcauchy"]

_QUARTER: Final = pi / 4
_FAR: Final = -20.0
"""Below it, arctan(exp(x)) is exp(x)."""

arcsine: Final = Continuous(
    "arcsine", "1 / (π sqrt(x (1 - x)))", {}, (0.0, 1.0),
    logpdf=lambda x: -0.5 * (logarithm(x) + log1p(-x)), norming=lambda: LOG_PI,
    cdf=lambda x: 2 / pi * arctan2(sqrt(x), sqrt(1 - x)),
    sf=lambda x: 2 / pi * arctan2(sqrt(1 - x), sqrt(x)),
    ppf=lambda q: sin(pi / 2 * q) ** 2, isf=lambda q: cos(pi / 2 * q) ** 2,
    mean=lambda: 0.5, var=lambda: 0.125, entropy=lambda: log(pi / 4),
)  # fmt: skip
anglit: Final = Continuous(
    "anglit", "cos(2 x)", {}, (-_QUARTER, _QUARTER), symmetric=True,
    logpdf=lambda x: logarithm(cos(2 * x)), cdf=lambda x: sin(x + _QUARTER) ** 2,
    ppf=lambda q: 0.5 * arcsin(2 * q - 1),
    mean=lambda: 0.0, var=lambda: pi * pi / 16 - 0.5, entropy=lambda: 1 - LOG_2,
)  # fmt: skip


def _secant_logcdf(x: TensorVariable) -> TensorVariable:
    far = x < _FAR
    near = logarithm(2 / pi * arctan(exp(where(far, _FAR, x))))
    below = where(far, x + log(2 / pi), near)
    rest = log1p(-2 / pi * arctan(exp(-where(x > 0, x, 0.0))))
    return where(x > 0, rest, below)


hypsecant: Final = Continuous(
    "hypsecant", "1 / (π cosh(x))", {}, symmetric=True,
    logpdf=lambda x: -abs(x) - log1p(exp(-2 * abs(x))), norming=lambda: LOG_PI - LOG_2,
    logcdf=_secant_logcdf, ppf=lambda q: arcsinh(cauchy.formulas["ppf"](q)),
    mean=lambda: 0.0, var=lambda: pi * pi / 4, entropy=lambda: log(2 * pi),
)  # fmt: skip

_DISC: Final[Rows] = {
    "logpdf": lambda x, c: xlog1py(0.5 * c - 1, -x * x),
    "norming": lambda c: betaln(0.5, 0.5 * c),
    "cdf": lambda x, c: betainc(0.5 * c, 0.5 * c, 0.5 * (1 + x)),
    "ppf": lambda q, c: 2 * betaincinv(0.5 * c, 0.5 * c, q) - 1,
    "mean": lambda c: 0 * c,
    "var": lambda c: 1 / (c + 1),
}
rdist: Final = Continuous(
    "rdist", "(1 - x²)^(c/2 - 1) / B(1/2, c/2)", {"c": POSITIVE}, (-1.0, 1.0), symmetric=True,
    **_DISC,
)  # fmt: skip
semicircular: Final = Continuous(
    "semicircular", "2/π sqrt(1 - x²)", {}, (-1.0, 1.0), symmetric=True,
    logpdf=lambda x: 0.5 * log1p(-x * x), norming=lambda: LOG_PI - LOG_2,
    cdf=lambda x: betainc(1.5, 1.5, 0.5 * (1 + x)),
    ppf=lambda q: 2 * betaincinv(1.5, 1.5, q) - 1,
    mean=lambda: 0.0, var=lambda: 0.25, entropy=lambda: LOG_PI - 0.5,
)  # fmt: skip


def _skewed(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    return -log1p_square(x / where(x < 0, 1 - a, 1 + a))


def _skewed_cdf(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    below = (1 - a) / pi * arctan2(1 - a, -where(x < 0, x, 0.0))
    above = (1 + a) / pi * arctan(where(x < 0, 0.0, x) / (1 + a))
    return where(x < 0, below, 0.5 * (1 - a) + above)


def _skewed_ppf(q: TensorVariable, a: TensorVariable) -> TensorVariable:
    low = q < 0.5 * (1 - a)
    below = -(1 - a) / tan(pi / (1 - a) * where(low, q, 0.25 * (1 - a)))
    above = (1 + a) * tan(pi / (1 + a) * (where(low, 0.5, q) - 0.5 * (1 - a)))
    return where(low, below, above)


skewcauchy: Final = Continuous(
    "skewcauchy", "1 / (π (1 + x² / (1 + a sign(x))²))",
    {"a": Constraint("above -1 and below 1", lambda v: abs(v) < 1)},
    logpdf=_skewed, norming=lambda a: LOG_PI + 0 * a,
    cdf=_skewed_cdf, sf=lambda x, a: _skewed_cdf(-x, -a),
    ppf=_skewed_ppf, isf=lambda q, a: -_skewed_ppf(q, -a),
)  # fmt: skip
