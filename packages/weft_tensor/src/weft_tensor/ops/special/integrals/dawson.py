"""Dawson's integral and the imaginary error function, by one formula on all backends.

Dawson's is x times a fraction p/q of x² up to 10, over 2x a fraction of 1/x² up to 40, and from
there on a polynomial of 1/x², the first terms of its Chebyshev series; the fractions are fitted by
weighted least squares, with more weight where the error is largest, and right to 3e-17 of their
value. The other is its product with exp(x²) (NIST Digital Library of Mathematical Functions,
7.5.1).
"""

from __future__ import annotations

from math import inf, pi, prod
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import unary
from weft_tensor.ops.elementwise.rational import Coefficients, polynomial, quotient
from weft_tensor.ops.elementwise.table import ANY, floating

__all__ = ["dawsn", "erfi"]

_SLOPE: Final = 2 / pi**0.5
_OUT: Final = 9.0
_ASYMPTOTIC: Final = tuple([float(prod(range(1, 2 * k, 2))) for k in range(1, 16)])
"""From 9 on, 2x times Dawson's integral less 1, over s = 1 / (2x²), in powers of s."""
# fmt: off
_NEAR: Final[Coefficients] = (
    (
        1.0, -0.12174853126702206, 0.0455945536381046, -0.0021622738882558406,
        0.00040146423745443424, -7.6058235620577065e-06, 1.0486223596467142e-06,
        -4.70747586385457e-09, 7.671319229121477e-10, -1.415189063794964e-13,
        3.092002203303889e-14,
    ),
    (
        1.0, 0.5449181353996446, 0.14220664390453483, 0.02352112879866769,
        0.0027468003517485432, 0.00023836123265008393, 1.570767565760107e-05,
        7.853866552682477e-07, 2.898063661018878e-08, 7.300584347053128e-10,
        9.957961798547673e-12,
    ),
)
_MIDDLE: Final[Coefficients] = (
    (
        1.013000946388941, -2.1769019950373862, 7.867861853569605, -10.448787555117633,
        16.152733736528134, -12.636167776036478, 9.922600173768858, -4.0379113834536495,
        1.4955202698641348, -0.21093568612715904, 0.02650059736071813,
    ),
    (
        1.0, -2.18905436370189, 7.849531567870168, -10.619346488941897, 16.333164119355285,
        -13.082924608695334, 10.245722943585076, -4.345991126463492, 1.6079085097289378,
        -0.25926821789663085, 0.02872576954088709,
    ),
)
_FAR: Final = (
    1.006371019514104, 0.006496051371277807, 0.00012923575848895725, 4.407569666472025e-06,
    2.1674356624039649e-07, 1.4134231245872724e-08, 1.1638344743219723e-09,
    1.1721955397285793e-10, 1.4128744691590508e-11, 2.0096622923318336e-12,
    3.33569459923022e-13, 6.010242851470388e-14, 1.2409624511359953e-14, 5.595611305783903e-15,
    1.9199151172057923e-15,
)
# fmt: on


def _dawsn_by_quotients(x: TensorVariable) -> TensorVariable:
    """`dawsn` as an expression."""
    square = x * x
    is_near = square <= 10
    near = x * quotient(_NEAR, where(is_near, square, 0))
    t = 1 / where(is_near, 10, square)
    share = where(t > 0.025, quotient(_MIDDLE, (40 * t - 1) / 3), polynomial(_FAR, 80 * t - 1))
    return where(is_near, near, share * (0.5 / where(is_near, 1, x)))


def _dawsn_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    """1 - 2xr, of which far out little is left."""
    size = abs(x)
    s = 0.5 / maximum(size, _OUT) ** 2
    return where(size > _OUT, -s * polynomial(_ASYMPTOTIC, s), 1 - 2 * where(size > _OUT, 0, x) * r)


def _erfi_by_dawsn(x: TensorVariable) -> TensorVariable:
    """`erfi` as an expression, by halves, which do not overflow before their product does."""
    size = exp(0.5 * (x * x))
    return where(eq(abs(x), inf), x, size * (size * (_SLOPE * dawsn(x))))


# fmt: off
dawsn = unary(
    "dawsn", "scipy.special.dawsn", "Dawson's integral, of exp(t² - x²) from 0 to x.", ANY,
    (1.0, 0.538079507), lambda x, r: (_dawsn_slope(x, r),), _dawsn_by_quotients, dtypes=floating,
    of_complex="complex_dawsn",
)
erfi = unary(
    "erfi", "scipy.special.erfi", "The imaginary error function, -i erf(i x).", ANY,
    (1.0, 1.650425759), lambda x, r: (_SLOPE * exp(x * x),), _erfi_by_dawsn, dtypes=floating,
    of_complex="complex_erfi",
)
# fmt: on
