"""Derivatives of the incomplete gamma and beta functions in their parameters, by integration.

Under the integral, the derivative is the density times what its logarithm's is: log(t) - digamma(a)
for gammainc. With t = x exp(-v), or t = x exp(v) for the other tail (both are one but for sign),
the integral over all v > 0 is one for which the rule of Takahasi and Mori converges (Double
exponential formulas for numerical integration, Publ. RIMS 9, 1974): v = exp(u - exp(-u)), with even
steps of u. Small x has the power series instead, differentiated by terms (NIST Digital Library of
Mathematical Functions, 8.7.1).
"""

from __future__ import annotations

from math import nan
from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.special.gamma import betaln, digamma, gammaln
from weft_tensor.ops.special.quadrature import HALF_LINE, along

__all__ = ["POWERS", "SERIES", "betainc_slope_sum", "gammainc_slope_sum"]

_PLACES, _WEIGHTS = HALF_LINE
_SMALL: Final = 2.0
POWERS: Final = np.arange(1.0, 30.0)
SERIES: Final = (-1.0) ** POWERS / np.cumprod(POWERS)


def gammainc_slope_sum(a: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of gammainc(a, x) in a."""
    size, slope = log(x), digamma(a)
    density = exp(a * size - x - gammaln(a))
    far = maximum(x, _SMALL)
    side = where(far > a, 1.0, -1.0)
    scale = side / (abs(a - far) + sqrt(far))
    v = along(scale) * _PLACES.astype(x.dtype)
    moment = along(size - slope) + v
    terms = _WEIGHTS.astype(x.dtype) * moment * exp(along(a) * v - along(far) * expm1(v))
    by_integral = -scale * density * terms.sum(axis=-1)
    places = along(a) + POWERS.astype(x.dtype)
    powers = along(where(x > _SMALL, 0, x)) ** POWERS.astype(x.dtype)
    parts = powers * SERIES.astype(x.dtype) / places
    above = size - digamma(a + 1)  # of the first term, whose 1 / a² cancel
    rest = (a * above + 1) * parts.sum(axis=-1) - a * (parts / places).sum(axis=-1)
    by_series = exp(a * size - gammaln(a + 1)) * (above + rest)
    found = where(x > _SMALL, by_integral, by_series)
    return where((a > 0) & (x >= 0), where(eq(density, 0), 0, found), nan)


def betainc_slope_sum(a: TensorVariable, b: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of betainc(a, b, x) in a."""
    upper = x * (a + b) > a
    p, q, y = where(upper, b, a), where(upper, a, b), where(upper, 1 - x, x)
    size, rest = log(y), log1p(-y)
    odds = y / (1 - y)
    scale = 1 / (maximum(p - (q - 1) * odds, 0) + sqrt(abs(q - 1) * odds / (1 - y)))
    v = along(scale) * _PLACES.astype(x.dtype)
    below = log1p(-exp(along(size) - v))
    moment = where(along(upper), below, along(size) - v) - along(digamma(a) - digamma(a + b))
    shape = exp(along(q - 1) * (below - along(rest)) - along(p) * v)
    terms = _WEIGHTS.astype(x.dtype) * moment * shape
    density = exp(p * size + (q - 1) * rest - betaln(p, q))
    found = where(upper, -1.0, 1.0) * scale * density * terms.sum(axis=-1)
    inside = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    return where(inside, where(eq(density, 0), 0, found), nan)
