"""Functions that are never written as such, and lose their digits as they are written."""

from __future__ import annotations

from math import log as number_log
from math import prod
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, square
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.table import ANY, floating
from weft_tensor.ops.elementwise.trigonometric import cos, sin, tanh
from weft_tensor.ops.special.entropies import exprel

__all__ = ["log1mexpexp", "log_cosh", "sech", "slow_tanh", "spherical_j0", "spherical_j1"]

_LN2: Final = number_log(2)
_J1: Final = [
    (-1) ** k / (2**k * prod(range(1, k + 1)) * prod(range(1, 2 * k + 4, 2))) for k in range(10)
]
"""The coefficients of j1(x) / x by powers of x²."""


def _log_cosh(x: TensorVariable) -> TensorVariable:
    """By the difference of cosh and 1 where that is small."""
    size = abs(x)
    small = minimum(size, 1)
    near = log1p(0.5 * exp(small) * expm1(-small) ** 2)
    return where(size < 1, near, size + (log1p(exp(-2 * size)) - _LN2))


def _sech(x: TensorVariable) -> TensorVariable:
    half = exp(-abs(x))
    return 2 * half / (1 + half * half)


def _log1mexpexp(x: TensorVariable) -> TensorVariable:
    """As x and a correction where exp(x) is small."""
    low = minimum(x, 0)
    return where(x < 0, low + log(exprel(-exp(low))), log1mexp(-exp(maximum(x, 0))))


def _j0(x: TensorVariable) -> TensorVariable:
    is_zero = eq(x, 0)
    return where(is_zero, 1, sin(x) / where(is_zero, 1, x))


def _j1(x: TensorVariable) -> TensorVariable:
    near = abs(x) < 1
    squared = where(near, x, 0) ** 2
    series: Any = _J1[-1]
    for c in _J1[-2::-1]:
        series = series * squared + c
    far = where(near, 1, x)
    return where(near, x * series, (sin(far) / far - cos(far)) / far)


def _j1_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    is_zero = eq(x, 0)
    return where(is_zero, 1 / 3, spherical_j0(x) - 2 * (r / where(is_zero, 1, x)))


# fmt: off
log1mexpexp: Unary = unary(
    "log1mexpexp", None, "log(1 - exp(-exp(x))), where exp(x) is nothing or too large, too.", ANY,
    (-1000.0, -1000.0), lambda x, r: (1 / exprel(exp(x)),), _log1mexpexp, dtypes=floating,
    facts="nonpositive; keeps not_nan",
)
log_cosh: Unary = unary(
    "log_cosh", None, "log(cosh(x)), without overflow, accurate near 0.", ANY,
    (1000.0, 1000 - _LN2), lambda x, r: (slow_tanh(x),), _log_cosh, dtypes=floating,
    facts="nonnegative no_negative_zero; keeps not_nan finite",
)
sech: Unary = unary(
    "sech", None, "Hyperbolic secant, 1 / cosh(x), without overflow.", ANY, (0.0, 1.0),
    lambda x, r: (-(r * slow_tanh(x)),), _sech, dtypes=floating,
    facts="nonnegative no_negative_zero; keeps not_nan; finite if not_nan",
)
slow_tanh: Unary = unary(
    "slow_tanh", "numpy.tanh",
    "tanh(x), whose derivative is computed from x: it keeps its digits where tanh(x) is nearly 1.",
    ANY, (0.0, 0.0), lambda x, r: (square(sech(x)),), tanh, dtypes=floating,
    facts="keeps nonnegative positive nonpositive negative no_negative_zero not_nan; "
    "finite if not_nan",
)
spherical_j0: Unary = unary(
    "spherical_j0", None, "sin(x) / x, and 1 for x = 0: spherical Bessel function of order 0.",
    ANY, (0.0, 1.0), lambda x, r: (-spherical_j1(x),), _j0, dtypes=floating,
)
spherical_j1: Unary = unary(
    "spherical_j1", None, "-d/dx sin(x) / x: spherical Bessel function of order 1.",
    ANY, (0.0, 0.0), lambda x, r: (_j1_slope(x, r),), _j1, dtypes=floating,
)
