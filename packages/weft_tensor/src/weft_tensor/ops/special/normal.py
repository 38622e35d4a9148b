"""The normal distribution function, its inverse, and the inverse of erfc."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.erfinv import erfinv_centre, erfinv_tail
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.elementwise.op import unary
from weft_tensor.ops.elementwise.rational import Coefficients, quotient
from weft_tensor.ops.elementwise.special import erfc, erfcx, log_ndtr
from weft_tensor.ops.elementwise.table import ANY, floating

__all__ = ["erfcinv", "ndtr", "ndtri", "ndtri_exp"]

_ROOT: Final = 0.5**0.5
_DENSITY: Final = (2 * pi) ** -0.5
_MILLS: Final = (pi / 2) ** 0.5
# fmt: off
_FAR: Final[Coefficients] = (
    (
        0.1986889649844567, 0.09235874730161817, 0.015846000935552523, 0.0012404598901645985,
        4.4635626014639516e-05, 6.56392510964174e-07, 2.819781860314858e-09,
        5.353549621766125e-13,
    ),
    (
        1.0, 0.5630961904497771, 0.12429937904446589, 0.013570819939914875,
        0.0007629618375679559, 2.0966657770674604e-05, 2.409436076764761e-07,
        7.803420167235511e-10,
    ),
)
# fmt: on
"""With s = sqrt(-log(y)) above 6, erfcinv(y) is s less p/q of s - 6, to 2e-17 of it."""


def _erfcinv_by_quotients(y: TensorVariable) -> TensorVariable:
    """`erfcinv` as an expression: by that of erfinv near 1, else by the logarithm."""
    low = where(y > 1, 2 - y, y)
    s = sqrt(-log(low))
    tail = where(s > 6, s - quotient(_FAR, s - 6), erfinv_tail(s))
    tail = where(eq(low, 0), inf, tail)
    return where(low >= 0.25, -erfinv_centre(y - 1), where(y > 1, -tail, tail))


def _ndtri_exp_by_newton(y: TensorVariable) -> TensorVariable:
    """`ndtri_exp` as an expression; where exp(y) is small, by Newton's steps for `log_ndtr`."""
    far = y < -30
    size = where(far, -2 * y, 60)
    x = -sqrt(size - log(2 * pi * size))
    for _ in range(4):
        x = x - (log_ndtr(x) + 0.5 * size) * erfcx(-_ROOT * x) * _MILLS
    near = where(y > -1, -ndtri(-expm1(y)), ndtri(exp(y)))
    return where(far, where(eq(y, -inf), y, x), where(y > 0, nan, near))


# fmt: off
ndtr = unary(
    "ndtr", "scipy.special.ndtr", "Normal distribution function.", ANY, (0.0, 0.5),
    lambda x, r: (exp(-0.5 * (x * x)) * _DENSITY,), lambda x: 0.5 * erfc(x * -_ROOT),
    dtypes=floating, facts="nonnegative no_negative_zero; keeps not_nan; finite if not_nan",
)
erfcinv = unary(
    "erfcinv", None, "Inverse of erfc, on (0, 2).", (0.1, 1.9), (0.0, inf),
    lambda y, r: (exp(r * r) * (-(pi**0.5) / 2),), _erfcinv_by_quotients, dtypes=floating,
)
ndtri = unary(
    "ndtri", "scipy.special.ndtri", "Inverse of the normal distribution function, on (0, 1).",
    (0.1, 0.9), (0.5, 0.0), lambda p, r: (exp(0.5 * (r * r)) / _DENSITY,),
    lambda p: -(1 / _ROOT) * erfcinv(2 * p), dtypes=floating,
)
ndtri_exp = unary(
    "ndtri_exp", None, "Inverse of log_ndtr: ndtri(exp(y)).",
    (-3.0, -0.1), (0.0, inf),
    lambda y, r: (erfcx(-_ROOT * r) * _MILLS,), _ndtri_exp_by_newton, dtypes=floating,
)
# fmt: on
