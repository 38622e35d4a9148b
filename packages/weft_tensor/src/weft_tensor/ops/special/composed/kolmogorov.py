"""The tail of Kolmogorov's distribution, by either of its series."""

from __future__ import annotations

from math import nan, pi

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.special.composed.formula import formula

__all__ = ["kolmogorov"]


def _kolmogorov(y: TensorVariable) -> TensorVariable:
    """By theta functions below 1 (NIST Digital Library of Mathematical Functions, 20.7.30)."""
    near = y < 1
    small, large = where(near & (y > 0.03), y, 1), where(near, 1, y)
    q = exp(-(pi**2) / 8 / (small * small))
    below = (2 * pi) ** 0.5 / small * q * (1 + q**8 + q**24 + q**48)
    z = exp(-2 * large * large)
    above = 2 * z * (1 - z**3 * (1 - z**5 * (1 - z**7)))
    value = where(near, where(y > 0.03, 1 - below, 1), above)
    return where(isnan(y), nan, value)


kolmogorov = formula(
    "kolmogorov", "The tail of Kolmogorov's distribution.", (1.0, 0.27), _kolmogorov
)
