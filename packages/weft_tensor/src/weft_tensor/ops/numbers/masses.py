"""Logarithms of masses of counts: powers times exponentials, over gamma functions.

Their parts, of large parameters, are of the size k log(k) and cancel, up to what is left between
them. So they are taken apart at the peak: the mass there is Stirling's formula without its large
terms, and what another point has less of it is small near the peak (C. Loader, Fast and accurate
computation of binomial probabilities, 2000). With s = max(k, 1), and c = k, or 0 for k below 1,

    x^k exp(-x) / Γ(k + 1) = [(x / s)^k exp(c - x)] [s^k exp(-c) / Γ(k + 1)].

Both are rows of the table since derivatives by their formulas would cancel. The second is that of
k, and that of k + 1, which may be tiny.
"""

from __future__ import annotations

from math import log as number_log
from typing import Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.op import ternary, unary
from weft_tensor.ops.elementwise.table import POSITIVE, floating
from weft_tensor.ops.special.gamma import trigamma
from weft_tensor.ops.special.gamma_forms import (
    digamma_near,
    digamma_rest,
    gammaln_near,
    stirling_rest,
)

__all__ = [
    "density_at_peak",
    "density_of_all",
    "log_density",
    "log_mass",
    "mass_of_all",
    "mass_off_peak",
]

_NEAR: Final = 0.5
"""So near to the peak, ratios less 1 are exact; far below it, they may underflow."""
_FEW: Final = 3.0
"""Above it, Stirling's formula is right."""
_HALF_LOG_2PI: Final = 0.9189385332046727


def _log_ratio(k: TensorVariable, m: TensorVariable, x: TensorVariable) -> TensorVariable:
    """log(m x / s): of the ratio as it is rounded, and near the peak what that has lost."""
    top, mean = maximum(k, 1), m * x
    share = 1 / top
    u, ratio = (mean - top) * share, mean * share
    low, lost = u < -_NEAR, (u - (ratio - 1)) * (2 - ratio)
    more = where(low, log(m) - log(top), where(u < _NEAR, lost, 0))
    return log(where(low, x, ratio)) + more


def _level(k: TensorVariable) -> TensorVariable:
    return where(k < 1, 0, k)


def _off_peak(k: TensorVariable, m: TensorVariable, x: TensorVariable) -> TensorVariable:
    return where(eq(k, 0), 0, k * _log_ratio(k, m, x)) - (m * x - _level(k))


def _mass_at_peak(k: TensorVariable) -> TensorVariable:
    size = log(maximum(k, 1))
    few = k * size - _level(k) - gammaln_near(k)
    return where(k > _FEW, _stirling(k, size), few)


def _density_at_peak(a: TensorVariable) -> TensorVariable:
    """With one logarithm: of k, and of a below 1."""
    small, k = a < 1, a - 1
    size, t = log(where(small, a, maximum(k, 1))), where(small, a, k)
    few = where(small, size, k * size - _level(k)) - gammaln_near(t)
    return where(k > _FEW, _stirling(k, size), few)


def _stirling(k: TensorVariable, size: TensorVariable) -> TensorVariable:
    return -(0.5 * size + _HALF_LOG_2PI) - stirling_rest(k)


def _at_peak_slope(a: TensorVariable) -> TensorVariable:
    small, k = a < 1, a - 1
    few = log(maximum(k, 1)) - digamma_near(where(small, 1 + a, a), where(small, a, k))
    few = few + where(small, 1 / a, 0)
    return where(k > _FEW, -(0.5 / k + digamma_rest(k)), few)


def _share(k: TensorVariable, m: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of `mass_off_peak` by x."""
    return where(eq(k, 0), -m, (k - m * x) / x)


# fmt: off
_ONE: Final = (2.0, 3.0)
mass_off_peak_slope = ternary(
    "mass_off_peak_slope", None, "log(m x / max(k, 1)).", (POSITIVE, POSITIVE, POSITIVE),
    (3.0, 3.0, 1.0, 0.0), lambda k, m, x, r: (where(k > 1, -1 / k, 0), 1 / m, 1 / x),
    _log_ratio, dtypes=floating,
)
mass_off_peak = ternary(
    "mass_off_peak", None, "k log(m x / max(k, 1)) - m x, and k more from 1 on.",
    (POSITIVE, POSITIVE, POSITIVE), (2.0, 1.0, 1.0, 1 - 2 * number_log(2)),
    lambda k, m, x, r: (mass_off_peak_slope(k, m, x), _share(k, x, m), _share(k, m, x)),
    _off_peak, dtypes=floating,
)
density_at_peak_slope = unary(
    "density_at_peak_slope", None, "log(max(a - 1, 1)) - digamma(a).", POSITIVE,
    (1.0, 0.5772156649015329), lambda a, r: (where(a > 2, 1 / (a - 1), 0) - trigamma(a),),
    _at_peak_slope, dtypes=floating,
)
density_at_peak = unary(
    "density_at_peak", None, "(a - 1) log(max(a - 1, 1)) - gammaln(a), and a - 1 less from 2 on.",
    POSITIVE, (2.0, -1.0), lambda a, r: (density_at_peak_slope(a),),
    _density_at_peak, dtypes=floating,
)
mass_at_peak = unary(
    "mass_at_peak", None, "k log(max(k, 1)) - gammaln(k + 1), and k less from 1 on.",
    POSITIVE, (1.0, -1.0), lambda k, r: (density_at_peak_slope(k + 1),),
    _mass_at_peak, dtypes=floating,
)
# fmt: on


def log_mass(k: TensorVariable, x: TensorVariable, m: TensorLike = 1.0) -> TensorVariable:
    """k log(m x) - m x - gammaln(k + 1), for k from 0 on."""
    return mass_off_peak(k, m, x) + mass_at_peak(k)


def log_density(a: TensorVariable, x: TensorVariable, m: TensorLike = 1.0) -> TensorVariable:
    """(a - 1) log(m x) - m x - gammaln(a), for positive a."""
    return mass_off_peak(a - 1, m, x) + density_at_peak(a)


def mass_of_all(k: TensorVariable) -> TensorVariable:
    """`log_mass` of k at s = max(k, 1)."""
    mass = mass_at_peak(k)
    return where(k < 1, mass - 1, mass)


def density_of_all(a: TensorVariable) -> TensorVariable:
    """`log_density` of a at s = max(a - 1, 1)."""
    density = density_at_peak(a)
    return where(a < 2, density - 1, density)
