"""The exponential integrals, and those of hyperbolic functions.

E1 is up to 1 its power series (NIST Digital Library of Mathematical Functions, 6.6.2), and above
exp(-x) / x times a fraction p/q of 1/x; Ei up to 6 is, with its zero z,

    log(x / z) + (x - z) p(x) / q(x)

and above exp(x) / x times a fraction of 1/x up to 28, then a polynomial, the first terms of its
Chebyshev series. The fractions are fitted by weighted least squares, with more weight where the
error is largest, and right to 4e-17 of their value.
"""

from __future__ import annotations

from math import factorial, inf, nan
from typing import Any, Final

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import ceil, maximum, trunc
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.op import binary, unary
from weft_tensor.ops.elementwise.rational import Coefficients, polynomial, quotient
from weft_tensor.ops.elementwise.table import ANY, BETWEEN, LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import cosh, sinh
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["exp1", "expi", "expn", "shichi"]

_EULER: Final = float(np.euler_gamma)
_SERIES: Final = tuple([(-1) ** (k + 1) / (k * factorial(k)) for k in range(1, 20)])
_ZERO: Final = {
    "float32": (0.3725074231624603, -1.2381093692686445e-08),
    "float64": (0.3725074107813666, 1.3140183414386028e-17),
}
"""Ei's zero, and what is missing there."""
_WIDE: Final = {"float32": 80.0, "float64": 700.0}
"""Up to which exp does not overflow."""
# fmt: off
_E1: Final[Coefficients] = (
    (
        1.0, 41.148811027424394, 654.6611716409078, 5204.800542346936, 22361.085665348306,
        52577.3149288744, 65655.05715011974, 40379.93210864469, 10540.284242352516,
        839.1748550560635, 4.651361333667919,
    ),
    (
        1.0, 42.14881102742435, 694.8099826683602, 5821.312902953612, 27021.671470016307,
        71233.6489522653, 105435.66241001525, 83836.69410451555, 32797.8799869201,
        5328.813159722451, 242.11029094598481,
    ),
)
_NEAR: Final[Coefficients] = (
    (
        1.1014081059037335, -0.1719573192680337, 0.031916892762038185,
        -0.0017950750353725453, 0.00015255152506334427, -2.587655738057814e-06,
        1.662465119328547e-07, 1.0228093673951485e-09, 3.312212132364298e-11,
    ),
    (
        1.0, -0.4032914110971251, 0.07447349989040081, -0.008236684106619586,
        0.0005975898038838946, -2.9164137143680842e-05, 9.361583808068869e-07,
        -1.8092037784220378e-08, 1.6132401706301268e-10,
    ),
)
_MIDDLE: Final[Coefficients] = (
    (
        1.0385866784482576, 4.315642968700133, 24.807157954142216, 59.280132671884004,
        165.05298131123058, 248.6562096182801, 411.32514140094196, 398.23844152280236,
        408.6204512011235, 255.18386720799575, 164.1124880552082, 52.20174707886579,
        -3.9483821551710134,
    ),
    (
        1.0, 4.007588923832568, 23.2454822996295, 53.425167200037855, 149.78453352548306,
        213.99449748514127, 355.1326502377959, 314.52904255425005, 317.56939782891567,
        160.97734567554264, 92.15599231421756, 20.582394109871384, 5.154348090621556,
    ),
)
_LAST: Final = (
    1.0185317484550291, 0.019246165026606886, 0.0007574989775610291, 4.670593419827521e-05,
    4.0234609453618e-06, 4.557845737750032e-07, 6.549821983468143e-08, 1.1680037452725139e-08,
    2.5595121427373925e-09, 6.863743084518888e-10, 2.0595985249002417e-10,
    7.836787514690108e-11, 7.833932749283083e-11, 5.611162241161135e-11, -8.0889752636865e-12,
    -2.475673340501551e-11, -3.349004664836628e-12, 2.6153660621537847e-12,
)
_SHI: Final = (
    1.1180095079023935, 0.12514468205309862, 0.0073770740351735515, 0.0002470985168813321,
    5.27556365017051e-06, 7.776189106820477e-08, 8.374823898170503e-10, 6.8728885314881904e-12,
    4.437696380377038e-14,
)
_CHI: Final = (
    0.2717845073836259, 0.022761381768516803, 0.0010030326564856723, 2.662198934560211e-05,
    4.6955288834902693e-07, 5.889916599810286e-09, 5.517729316913165e-11,
    4.0053781988870856e-13, 2.318093779048143e-15,
)
# fmt: on


def _exp1_by_quotients(x: TensorVariable) -> TensorVariable:
    """`exp1` as an expression."""
    small = x <= 1
    near = where(small, x, 1)
    far = where(small, 1, x)
    above = exp(-far) / far * quotient(_E1, 1 / far)
    return where(small, near * polynomial(_SERIES, near) - log(near) - _EULER, above)


def _expi_by_quotients(x: TensorVariable, factor: float = 1.0) -> TensorVariable:
    """`expi` as an expression, times a factor, which may keep it from overflowing."""
    small = x <= 6
    near = where(small & (x > 0), x, 1)
    zero, missing = _ZERO[x.dtype]
    apart = (near - zero) - where(near > 0, missing, 0)  # else both constants would be added up
    is_close = abs(apart) < 0.5 * zero
    root = zero + missing
    ratio = where(is_close, log1p(where(is_close, apart, 0) / root), log(near / root))
    below = where(eq(x, 0), -inf, ratio + apart * quotient(_NEAR, near))
    y = where(small, 6, x)
    t = 1 / y
    share = where(y < 28, quotient(_MIDDLE, (28 * t - 1) * (3 / 11)), polynomial(_LAST, 56 * t - 1))
    value = where(small, factor * below, _grown(y, factor * share * t))
    return where(x < 0, -factor * _exp1_by_quotients(-x), value)


def _grown(y: TensorVariable, scaled: TensorVariable) -> TensorVariable:
    """exp(y) times it; very large numbers by halves, which do not overflow before the result."""
    large = y > _WIDE[y.dtype]
    size = exp(where(large, 0.5 * y, y))
    product = size * scaled
    return where(eq(y, inf), inf, where(large, product * size, product))


def _expn_sum(n: TensorVariable, x: TensorVariable) -> TensorVariable:
    """`expn` as a fraction (8.19.17 there), up to 1 its series (8.19.8)."""
    order, small = trunc(n), x <= 1
    n = where((order >= 1) & (order < inf), order, 1)
    far = where(small | eq(x, inf), 1, x)
    above = exp(-far) * _expn_fraction(n, far)
    near = where(small & (x > 0), x, 1)
    total: Any = 0.0
    for k in range(20):
        skipped = eq(n, k + 1)
        total = total - (-1) ** k * near**k / factorial(k) / where(skipped, inf, k + 1 - n)
    power = exp((n - 1) * log(near) - gammaln(n)) * (1 - 2 * ((n - 1) % 2))
    below = total + power * (digamma(n) - log(near))
    at_0 = where(n > 1, 1 / maximum(n - 1, 1), inf)
    value = where(small, where(eq(x, 0), at_0, below), where(eq(x, inf), 0, above))
    value = where(eq(order, 0), exp(-x) / abs(x), value)
    return where((order >= 0) & (order < inf) & (x >= 0), value, nan)


def _expn_fraction(n: TensorVariable, x: TensorVariable) -> TensorVariable:
    """From its last part that counts, which is earlier for large x, to the first."""

    def before(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        k, under = state
        more = k > 0
        return k - 1, where(more, x + n + 2 * (k - 1) - k * (n + k - 1) / under, under)

    last = ceil(12 + 100 / x)
    start = (last, x + n + 2 * last)
    under: TensorVariable = while_loop(lambda state: (state[0] > 0).any(), before, start)[1]
    return 1 / under


def _expn_slope(n: TensorVariable, x: TensorVariable, r: TensorVariable) -> TensorVariable:
    first = n < 1
    return where(first, -r * (1 + 1 / x), -expn(where(first, 0, n - 1), x))


def _shi_by_quotients(x: TensorVariable) -> TensorVariable:
    y = abs(x)
    near = x * polynomial(_SHI, where(y < 2, 0.5 * x * x - 1, 0))
    far = _expi_by_quotients(y, 0.5) + 0.5 * _exp1_by_quotients(y)
    return where(y < 2, near, where(x < 0, -far, far))


def _chi_by_quotients(x: TensorVariable) -> TensorVariable:
    y = abs(x)
    square = where(y < 2, y * y, 0)
    near = _EULER + log(y) + square * polynomial(_CHI, 0.5 * square - 1)
    return where(y < 2, near, _expi_by_quotients(y, 0.5) - 0.5 * _exp1_by_quotients(y))


# fmt: off
exp1 = unary(
    "exp1", "scipy.special.exp1", "The exponential integral E1, of exp(-t) / t from x on.",
    POSITIVE, (1.0, 0.219383934), lambda x, r: (-exp(-x) / x,), _exp1_by_quotients,
    dtypes=floating, of_complex="complex_exp1",
)
expi = unary(
    "expi", None, "The exponential integral Ei, of exp(t) / t up to x.",
    POSITIVE, (1.0, 1.895117816), lambda x, r: (exp(x) / x,), _expi_by_quotients,
    dtypes=floating, of_complex="complex_expi",
)
expn = binary(
    "expn", None,
    "The exponential integral of order n, of exp(-x t) / t**n from 1 on; n is truncated.",
    (BETWEEN, POSITIVE), (2.0, 1.0, 0.148495507),
    lambda n, x, r: (None, _expn_slope(n, x, r)), summation=doubled(_expn_sum),
    dtypes=floating, cost=LOOP,
)
sinh_integral = unary(
    "sinh_integral", None, "The integral of sinh(t) / t from 0 to x.", ANY, (1.0, 1.057250875),
    lambda x, r: (where(eq(x, 0), 1, sinh(x) / where(eq(x, 0), 1, x)),), _shi_by_quotients,
    dtypes=floating, of_complex="complex_sinh_integral",
)
cosh_integral = unary(
    "cosh_integral", None, "Euler's constant, log(x), and the integral of (cosh(t) - 1) / t.",
    POSITIVE, (1.0, 0.837866941), lambda x, r: (cosh(x) / x,), _chi_by_quotients, dtypes=floating,
    of_complex="complex_cosh_integral",
)
# fmt: on


def shichi(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The hyperbolic sine and cosine integrals.

    The first is the integral of sinh(t) / t from 0 to x; the second Euler's constant, log(abs(x))
    (of complex ones log(x)), and that of (cosh(t) - 1) / t. See `scipy.special.shichi`.

    >>> [y.eval().round(6).item() for y in shichi(1.0)]
    [1.057251, 0.837867]
    """
    z = as_tensor(x)
    return sinh_integral(z), cosh_integral(z)
