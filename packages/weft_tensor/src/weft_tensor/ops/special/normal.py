"""The normal distribution function, its inverse, the inverse of erfc, and Owen's T function.

Owen's, a probability of two normal variables, is an integral over shares of a (D. B. Owen, Tables
for computing bivariate normal probabilities, Ann. Math. Stat. 27, 1956), by Gauss' rule where a is
at most 1; larger a go to 1/a (his 2.3).
"""

from __future__ import annotations

from math import inf, nan, pi
from math import log as logarithm
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.erfinv import erfinv_centre, erfinv_logarithm, erfinv_tail
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.elementwise.op import binary, unary
from weft_tensor.ops.elementwise.rational import Coefficients, quotient
from weft_tensor.ops.elementwise.special import erf, erfc, erfcx, log_ndtr
from weft_tensor.ops.elementwise.table import ANY, Usual, floating
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = ["erfcinv", "ndtr", "ndtri", "ndtri_exp", "owens_t"]

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
    """`erfcinv` as an expression: by that of erfinv, where y is tiny by the logarithm."""
    low = where(y > 1, 2 - y, y)
    w, is_central = erfinv_logarithm(y * (2 - y), low)
    s = sqrt(w)
    tail = where(s > 6, s - quotient(_FAR, s - 6), erfinv_tail(s))
    tail = where(eq(low, 0), inf, tail)
    return where(is_central, erfinv_centre(1 - y, w), where(y > 1, -tail, tail))


def _erfcinv_near(y: TensorVariable) -> TensorVariable:
    return erfinv_centre(1 - y, -log(y * (2 - y)))


def _ndtri_exp_by_newton(y: TensorVariable) -> TensorVariable:
    """`ndtri_exp` as an expression; where exp(y) is small, by Newton's steps for `log_ndtr`."""
    far = y < -30
    size = where(far & (y > -inf), -y, 30)
    x = -(2**0.5) * sqrt(size - 0.5 * (log(size) + logarithm(4 * pi)))
    for _ in range(4):
        x = x - (log_ndtr(x) + size) * erfcx(-_ROOT * x) * _MILLS
    near = where(y > -1, -ndtri(-expm1(y)), ndtri(exp(y)))
    return where(far, where(eq(y, -inf), y, x), where(y > 0, nan, near))


# fmt: off
ndtr = unary(
    "ndtr", "scipy.special.ndtr", "Normal distribution function.", ANY, (0.0, 0.5),
    lambda x, r: (exp(-0.5 * (x * x)) * _DENSITY,), lambda x: 0.5 * erfc(x * -_ROOT),
    dtypes=floating, facts="nonnegative no_negative_zero; keeps not_nan; finite if not_nan",
    of_complex="complex_ndtr",
)
erfcinv = unary(
    "erfcinv", None, "Inverse of erfc, on (0, 2).", (0.1, 1.9), (0.0, inf),
    lambda y, r: (exp(r * r) * (-(pi**0.5) / 2),), _erfcinv_by_quotients, dtypes=floating,
    usual=(Usual(0.0005, 1.9995, _erfcinv_near),),
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

_LAST = 9.0
"""Beyond it nothing is left of the normal density."""


def _owens_t_sum(h: TensorVariable, a: TensorVariable) -> TensorVariable:
    kind = h.dtype
    h, a = h.astype("float64"), a.astype("float64")
    y, slope = minimum(abs(h), 1e3), abs(a)
    steep = slope > 1
    flat = where(eq(slope, inf), 0, where(steep, 1 / where(steep, slope, 1), slope))
    place = where(steep, minimum(y * where(eq(slope, inf), 1e3, slope), 1e3), y)
    end = minimum(flat, _LAST / where(place > 1, place, 1))
    x = along(end) * UNIT_INTERVAL[0]
    size = 1 + x * x
    parts = UNIT_INTERVAL[1] * exp(-0.5 * along(place * place) * size) / size
    integral = end * parts.sum(axis=-1) / (2 * pi)
    high, far = erfc(_ROOT * y), erfc(_ROOT * place)
    outer = where(
        y < 1, 0.25 * (1 - erf(_ROOT * y) * erf(_ROOT * place)), 0.25 * (high + far - high * far)
    )
    outer = where(eq(slope, inf), 0.25 * high, outer - integral)
    integral = where(steep, outer, integral)
    return where(isnan(h) | isnan(a), h + a, where(a < 0, -integral, integral)).astype(kind)


# fmt: off
owens_t = binary(
    "owens_t", "scipy.special.owens_t",
    "Owen's T function: the chance that X > h and 0 < Y < a X, of normal X and Y.",
    (ANY, ANY), (1.0, 0.5, 0.043064691),
    lambda h, a, r: (
        -exp(-0.5 * (h * h)) * erf(a * h * _ROOT) / (2 * (2 * pi) ** 0.5),
        exp(-0.5 * (h * h) * (1 + a * a)) / (2 * pi * (1 + a * a)),
    ),
    summation=_owens_t_sum, dtypes=floating,
)
# fmt: on
