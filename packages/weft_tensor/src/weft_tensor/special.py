"""Special functions, elementwise."""

from __future__ import annotations

from math import pi

from weft_tensor.elemwise import ANY, UNIT, floating, unary
from weft_tensor.exponential import exp
from weft_tensor.inverse_erf import erfinv as formula

__all__ = [
    "erf",
    "erfc",
    "erfinv",
]

# fmt: off
erf = unary(
    "erf", "scipy.special.erf", "Error function.", ANY, (0.0, 0.0),
    lambda x, r: (exp(-x * x) * (2 / pi**0.5),), dtypes=floating,
)
erfc = unary(
    "erfc", "scipy.special.erfc", "Complementary error function, 1 - erf(x).",
    ANY, (0.0, 1.0), lambda x, r: (exp(-x * x) * (-2 / pi**0.5),), dtypes=floating,
)
erfinv = unary(
    "erfinv", formula, "Inverse of the error function, on (-1, 1).",
    UNIT, (0.0, 0.0), lambda x, r: (exp(r * r) * (pi**0.5 / 2),), dtypes=floating,
)
