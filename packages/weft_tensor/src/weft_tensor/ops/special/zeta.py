"""Hurwitz' zeta function, by the summation of Euler and Maclaurin.

The first ten terms are added up; the rest is its integral, half a term and corrections with
Bernoulli's numbers (NIST Digital Library of Mathematical Functions, 25.11.28).
"""

from __future__ import annotations

from math import inf, nan
from typing import Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.power import pow

__all__ = ["zeta"]

_TERMS: Final = 10
_CORRECTIONS: Final = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000),
    *(1 / 74724249600, -3617 / 10670622842880000, 43867 / 5109094217170944000),
)
"""Bernoulli's numbers of even order, over the factorial of the order."""


def zeta(x: TensorLike, q: TensorLike = 1.0) -> TensorVariable:
    """Hurwitz' zeta function, the sum of (k + q)**-x over k = 0, 1, 2, ...; Riemann's for q = 1.

    As `scipy.special.zeta` for x above 1 and positive q: infinite for x = 1, for others NaN. It
    has derivatives in x and in q.

    >>> print(zeta(2.0).eval().round(6))
    1.644934
    """
    s, q = as_tensor(x), as_tensor(q)
    total = pow(q, -s)
    for k in range(1, _TERMS):
        total = total + pow(q + k, -s)
    end = q + _TERMS
    term = pow(end, -s)
    total = total + pow(end, 1 - s) / (s - 1) + 0.5 * term
    factor = s * term / end
    for k, correction in enumerate(_CORRECTIONS):
        total = total + correction * factor
        factor = factor * (s + (2 * k + 1)) * (s + (2 * k + 2)) / (end * end)
    return where((s > 1) & (q > 0), total, where(eq(s, 1), inf, nan)).astype(total.dtype)
