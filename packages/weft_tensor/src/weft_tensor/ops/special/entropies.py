"""Products with logarithms, entropies, and the logistic function's kin."""

from __future__ import annotations

from math import factorial, inf
from math import log as number_log
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p, sigmoid
from weft_tensor.ops.elementwise.op import binary, unary
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, floating

__all__ = [
    "entr",
    "exprel",
    "kl_div",
    "log_expit",
    "logit",
    "rel_entr",
    "xlog1py",
    "xlogy",
]

_EXPREL_SLOPE: Final = tuple([1 / (factorial(k) * (k + 2)) for k in range(14)])
_ARTANH: Final = tuple([1 / (2 * k + 1) for k in range(14)])
_DIVERGENCE: Final = tuple([1 / (k * (k - 1)) for k in range(2, 29)])
"""Coefficients of power series."""


def _product(x: TensorVariable, y: TensorVariable, logarithm: TensorVariable) -> TensorVariable:
    """x times a function of y, and 0 for x = 0 unless y is NaN."""
    return where(eq(x, 0), where(isnan(y), y, 0), x * logarithm)


def _share(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    return where(eq(x, 0), 0, x / y)


def _entropy(x: TensorVariable) -> TensorVariable:
    return where(x > 0, -x * log(x), where(x < 0, -inf, abs(x) * 0))


def _log_of_ratio(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """log(x / y), accurate near 1, and where the ratio over- or underflows.

    Near 1 it is the series of 2 artanh((x - y) / (x + y)), of an extreme ratio twice that of roots
    2**60 nearer to 1: there is one logarithm, which takes longer than all else.
    """
    ratio = x / y
    near = (ratio > 0.6) & (ratio < 1.7)
    apart = where(near, (x - y) / y, 0)
    share = apart / (2 + apart)
    below = ratio < 1
    extreme = (ratio < 1e-30) | (ratio > 1e30)
    top, bottom = (sqrt(where(extreme, v, 1)) for v in (x, y))
    root = top * where(below, 2.0**60, 2.0**-60) / bottom
    single = log(where(extreme, root, ratio))
    beyond = where(below, -120 * number_log(2), 120 * number_log(2))
    far = where(extreme, 2 * single + beyond, single)
    return where(near, 2 * share * _series(_ARTANH, share * share), far)


def _relative_entropy(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    inside = where(eq(x, 0) & (y >= 0), 0, inf)
    entropy = where((x > 0) & (y > 0), x * _log_of_ratio(x, y), inside)
    return where(isnan(x) | isnan(y), x + y, entropy)


def _divergence(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    inside = where(eq(x, 0) & (y >= 0), y, inf)
    apart = (x - y) / y
    near = y * apart * apart * _series(_DIVERGENCE, -apart)
    divergence = where(abs(apart) < 0.25, near, x * _log_of_ratio(x, y) - x + y)
    divergence = where((x > 0) & (y > 0), divergence, inside)
    return where(isnan(x) | isnan(y), x + y, divergence)


def _exprel(x: TensorVariable) -> TensorVariable:
    """Of large numbers by halves, which do not overflow before their product over x does."""
    half = exp(0.5 * x)
    large = where(eq(x, inf), inf, half * (half / x))
    return where(x > 50, large, where(eq(x, 0), 1, expm1(x) / where(eq(x, 0), 1, x)))


def _exprel_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    near = abs(x) < 0.5
    apart = where(near, 1, x)
    return where(near, _series(_EXPREL_SLOPE, x), where(eq(x, inf), inf, (exp(apart) - r) / apart))


def _series(terms: tuple[float, ...], t: TensorVariable) -> TensorVariable:
    total: Any = terms[-1]
    for term in terms[-2::-1]:
        total = total * t + term
    return total


def _logit(x: TensorVariable) -> TensorVariable:
    near = (x > 0.3) & (x < 0.65)
    return where(near, log1p((2 * x - 1) / (1 - x)), log(x / (1 - x)))


# fmt: off
xlogy = binary(
    "xlogy", "scipy.special.xlogy", "x log(y), and 0 for x = 0.", (POSITIVE, POSITIVE),
    (0.0, 0.0, 0.0), lambda x, y, r: (log(y), _share(x, y)),
    lambda x, y: _product(x, y, log(y)),
)
xlog1py = binary(
    "xlog1py", "scipy.special.xlog1py", "x log(1 + y), and 0 for x = 0.", (POSITIVE, POSITIVE),
    (0.0, -1.0, 0.0), lambda x, y, r: (log1p(y), _share(x, 1 + y)),
    lambda x, y: _product(x, y, log1p(y)),
)
entr = unary(
    "entr", "scipy.special.entr", "-x log(x), 0 for x = 0 and -inf below.", POSITIVE, (0.0, 0.0),
    lambda x, r: (-1 - log(x),), _entropy, dtypes=floating,
)
rel_entr = binary(
    "rel_entr", None, "x log(x / y), a part of the relative entropy.",
    (POSITIVE, POSITIVE), (2.0, 1.0, 2 * number_log(2)),
    lambda x, y, r: (_log_of_ratio(x, y) + 1, -(x / y)), _relative_entropy, dtypes=floating,
)
kl_div = binary(
    "kl_div", None, "x log(x / y) - x + y, a part of the divergence.",
    (POSITIVE, POSITIVE), (2.0, 1.0, 2 * number_log(2) - 1),
    lambda x, y, r: (_log_of_ratio(x, y), (1.0 * y - x) / y), _divergence, dtypes=floating,
)
exprel = unary(
    "exprel", None, "(exp(x) - 1) / x, and 1 for x = 0.", ANY, (0.0, 1.0),
    lambda x, r: (_exprel_slope(x, r),),
    _exprel, dtypes=floating,
    facts="nonnegative; keeps not_nan",
)
logit = unary(
    "logit", "scipy.special.logit", "log(x / (1 - x)), the inverse of `sigmoid`.", (0.1, 0.9),
    (0.5, 0.0), lambda x, r: (1 / (x * (1 - x)),), _logit, dtypes=floating,
)
log_expit = unary(
    "log_expit", "scipy.special.log_expit", "log(sigmoid(x)), without underflow.", ANY,
    (0.0, -number_log(2)), lambda x, r: (sigmoid(-x),),
    lambda x: -(maximum(-x, 0) + log1p(exp(-abs(x)))), dtypes=floating,
    facts="nonpositive; keeps not_nan",
)
# fmt: on
