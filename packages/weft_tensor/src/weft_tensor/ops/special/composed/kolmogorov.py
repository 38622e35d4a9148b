"""The tail of Kolmogorov's distribution, by either of its series, and its inverse."""

from __future__ import annotations

from math import inf, nan, pi
from math import log as log_of

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.implicit.following import following
from weft_tensor.ops.special.composed.formula import formula, of_reals

__all__ = ["kolmogi", "kolmogorov"]

_T = TensorVariable
_SPLIT = 0.27
"""Of greater probabilities y is less than 1."""


def _kolmogorov(y: _T) -> _T:
    """By theta functions below 1 (NIST Digital Library of Mathematical Functions, 20.7.30)."""
    near = y < 1
    small, large = where(near & (y > 0.03), y, 1), where(near, 1, y)
    q = exp(-(pi**2) / 8 / (small * small))
    below = (2 * pi) ** 0.5 / small * q * (1 + q**8 + q**24 + q**48)
    z = exp(-2 * large * large)
    above = 2 * z * (1 - z**3 * (1 - z**5 * (1 - z**7)))
    value = where(near, where(y > 0.03, 1 - below, 1), above)
    return where(isnan(y), nan, value)


def _rest(w: _T) -> tuple[_T, _T]:
    """Of the theta function all but its first term, over that; minus the slope of its logarithm."""
    q = exp(-8 * w)
    rest = q * (1 + q * q)
    return rest, 1 - 0.5 / w + q * (8 + 24 * q * q) / (1 + rest)


def _kolmogi(p: _T) -> _T:
    """By Newton's steps for exp(-2 y²), or for (pi / y)² / 8, each from 1e-2 of it or nearer."""
    tail = p < _SPLIT
    half = 0.5 * where(tail & (p > 0), p, 0.1)
    z = half + half**4
    for _ in range(2):
        z = z - (z - z**4 + z**9 - z**16 - half) / (1 - 4 * z**3 + 9 * z**8 - 16 * z**15)
    size = 0.5 * log_of(16 / pi) - log(where(tail | (p >= 1), 0.5, 1 - p))
    w = size + 0.5 * log(size + 0.1)
    for _ in range(3):
        rest, slope = _rest(w)
        w = w - (w - 0.5 * log(w) - log1p(rest) - size) / slope
    inside = where(tail, where(p > 0, sqrt(-0.5 * log(z)), inf), pi / sqrt(8 * w))
    return where((p >= 0) & (p <= 1), where(eq(p, 1), 0, inside), nan)


def _slopes(y: _T, p: _T) -> list[_T]:
    """1 over minus the density at y."""
    tail = p < _SPLIT
    z = exp(-2 * where(tail, y, 1) ** 2)
    above = 8 * y * (z - 4 * z**4 + 9 * z**9 - 16 * z**16)
    w = (pi / where(tail | eq(y, 0), 1, y)) ** 2 / 8
    below = (1 - p) * _rest(w)[1] * 2 * w / y
    return [-1 / where(eq(p, 0) | eq(p, 1), 0, where(tail, above, below))]


def _inverse(p: _T) -> _T:
    return following(_kolmogi(p.astype("float64")), _slopes, p.astype("float64"))


kolmogorov = formula(
    "kolmogorov", "The tail of Kolmogorov's distribution.", (1.0, 0.27), of_reals(_kolmogorov)
)
kolmogi = formula(
    "kolmogi", "The y for which `kolmogorov` is p.", (0.05, 1.358099), of_reals(_inverse)
)
