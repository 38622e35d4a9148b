"""Hurwitz' zeta function, by the summation of Euler and Maclaurin.

The first ten terms are added up; the rest is its integral, half a term and corrections with
Bernoulli's numbers (NIST Digital Library of Mathematical Functions, 25.11.28).
"""

from __future__ import annotations

from math import inf, nan
from typing import Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import rint
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.table import POSITIVE, floating
from weft_tensor.ops.special.slope_rows import slopes_by_steps

__all__ = ["zeta"]

_TERMS: Final = 10
_CORRECTIONS: Final = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000),
    *(1 / 74724249600, -3617 / 10670622842880000, 43867 / 5109094217170944000),
)
"""Bernoulli's numbers of even order, over the factorial of the order."""


def _zeta_sum(x: TensorVariable, q: TensorVariable) -> TensorVariable:
    fine = (x > 1) & (q > 0)
    s, q = where(fine, x, 2), where(fine, q, 1)
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
    pole = eq(x, 1) | ((x > 1) & (q <= 0) & eq(q, rint(q)))
    return where(fine, total, where(isnan(x) | isnan(q), nan, where(pole, inf, nan)))


_zeta: Binary = binary(
    "zeta",
    None,
    "Hurwitz' zeta function.",
    ((1.5, 4.0), POSITIVE),
    (2.0, 1.0, 1.644934067),
    lambda x, q, r: (slopes_by_steps(_zeta_sum, x, q, r)[0], -x * _zeta(x + 1, q)),
    _zeta_sum,
    dtypes=floating,
)


def zeta(x: TensorLike, q: TensorLike = 1.0) -> TensorVariable:
    """Hurwitz' zeta function, the sum of (k + q)**-x over k = 0, 1, 2, ...; Riemann's for q = 1.

    As `scipy.special.zeta` for x above 1 and positive q: infinite for x = 1, and for q = 0, -1,
    ...; for others NaN. It has derivatives in x and in q.

    >>> print(zeta(2.0).eval().round(6))
    1.644934
    """
    return _zeta(x, q)
