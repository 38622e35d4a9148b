"""The sine and cosine integrals, and Fresnel's.

Near 0 they are power series, the first terms of their Chebyshev series. Far out they are products
of sines and cosines with auxiliary functions (NIST Digital Library of Mathematical Functions,
6.2.19 and 7.5.3), which are powers of 1/x times fractions p/q of 1/x² or 1/x⁴, fitted by weighted
least squares, with more weight where the error is largest; right to 2e-17 of their value.
"""

from __future__ import annotations

from math import inf, nan, pi
from typing import Final

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import rint
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.op import unary
from weft_tensor.ops.elementwise.rational import Coefficients, polynomial, quotient
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import cos, sin

__all__ = ["fresnel", "sici"]

_EULER: Final = float(np.euler_gamma)
_SQUARE: Final = 16.0
_FOURTH: Final = 8.0
"""Up to which x² and x⁴ are near."""
# fmt: off
_SI: Final = (
    0.6488924209268717, -0.26998630593421996, 0.06995436230262994, -0.010180919854576809,
    0.000926043940588566, -5.7295100454746436e-05, 2.562902980424153e-06,
    -8.669326212129578e-08, 2.294707477809517e-09, -4.8854715983030926e-11,
    8.535034668454058e-13,
)
_CI: Final = (
    -0.18000156259038463, 0.058041367082519175, -0.010676245460890443, 0.0011887255711436752,
    -8.738341186863486e-05, 4.535777665967924e-06, -1.7478633681168744e-07,
    5.19417924305832e-09, -1.2261802782427702e-10, 2.3558809712444187e-12,
    -3.750854655497162e-14,
)
_F: Final[Coefficients] = (
    (
        1.0, 59.786351560174445, 1294.431568088402, 13176.30588103597, 68614.90942420869,
        186663.29909327716, 260217.66321908246, 174917.96996742624, 50020.36333296364,
        4651.885981859011, 61.75046225875644,
    ),
    (
        1.0, 59.91135156017441, 1301.8267370334543, 13333.593315196895, 70169.47839150591,
        194379.89724639905, 279658.42672877235, 198901.96415346905, 63270.703317723724,
        7376.205563105702, 194.4618169731718,
    ),
)
_G: Final[Coefficients] = (
    (
        1.0, 82.09969889650372, 2511.255215586239, 37323.80199549648, 295143.6433853948,
        1279891.8761840186, 3030081.252045851, 3781941.7127533644, 2311998.8197414107,
        601125.0380108155, 48901.14166915013, 386.3923174726739,
    ),
    (
        1.0, 82.4746988965037, 2541.7144776724554, 38239.51537825398, 308387.97842393734,
        1380321.4912675659, 3438892.2269053156, 4663239.31498589, 3271143.4692445863,
        1080682.2071054764, 140676.9333569855, 4760.685929344843,
    ),
)
_S: Final = (
    0.25242729705684325, -0.18932047279263245, 0.0674806432688724, -0.012769871117459142,
    0.001478516461974727, -0.00011523765554775296, 6.455558161155226e-06,
    -2.724675635597498e-07, 8.976699641483976e-09, -2.373017111168984e-10,
    5.149822309059809e-12, -9.32414165600677e-14,
)
_C: Final = (
    0.3739828334157323, -0.34349570835393306, 0.214684817721209, -0.05820523411289201,
    0.00873861052495983, -0.0008347232453985237, 5.527919637989478e-05, -2.6900732801845582e-06,
    1.003238231592082e-07, -2.960074861131744e-09, 7.091287179360388e-11,
    -1.404249908810765e-12,
)
_FRESNEL_F: Final[Coefficients] = (
    (
        1.0, 38.884196342291766, 532.8060736110534, 3317.5474573782603, 10112.48201416668,
        15170.350603907109, 10696.613859606681, 3168.1592737888673, 307.9539389484593,
        4.844501157171635,
    ),
    (
        1.0, 38.92219178615761, 534.2680969370824, 3337.212777019646, 10231.052225048978,
        15512.342607473049, 11163.30580552721, 3447.337623371403, 369.2082365366914,
        7.984730130781528,
    ),
)
_FRESNEL_G: Final[Coefficients] = (
    (
        1.0, 55.20158622490596, 1111.8933538496851, 10609.405224954735, 52167.74895033563,
        134908.31112607624, 179760.17496064497, 115850.82928141445, 31687.363486879203,
        2763.967284069159, 29.248197416761695,
    ),
    (
        1.0, 55.39156344423531, 1122.2649054029248, 10814.48807156722, 54066.458631513095,
        143803.87659340887, 201073.5226826331, 141050.47864037025, 45140.51503525667,
        5464.685429974936, 160.17989272876287,
    ),
)
# fmt: on


def _far(x: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """|x|, where it is far, and the auxiliary functions f and g there."""
    size = abs(x)
    y = where((size > _SQUARE**0.5) & (size < inf), size, _SQUARE**0.5)
    t = _SQUARE**0.5 / y
    return y, quotient(_F, t * t) / y, quotient(_G, t * t) / y / y


def _si_by_quotients(x: TensorVariable) -> TensorVariable:
    square = x * x
    y, f, g = _far(x)
    far = where(eq(abs(x), inf), pi / 2, pi / 2 - f * cos(y) - g * sin(y))
    is_near = square <= _SQUARE
    near = x * polynomial(_SI, where(is_near, square * (2 / _SQUARE) - 1, 0))
    return where(is_near, near, where(x < 0, -far, where(x > 0, far, nan)))


def _ci_by_quotients(x: TensorVariable) -> TensorVariable:
    square = x * x
    y, f, g = _far(x)
    far = where(eq(x, inf), 0, where(x > -inf, f * sin(y) - g * cos(y), nan))
    is_near = square <= _SQUARE
    inner = where(is_near, square, 0)
    near = _EULER + log(abs(x)) + inner * polynomial(_CI, inner * (2 / _SQUARE) - 1)
    return where(is_near, near, far)


def _quarters(x: TensorVariable) -> TensorVariable:
    """x², less multiples of 4: the share of its whole part is 0 or 1."""
    whole = rint(x)
    rest = x - whole
    square = whole % 2 + rest * (2 * whole + rest)
    return square - 4 * rint(0.25 * square)


def _sine(x: TensorVariable) -> TensorVariable:
    """sin(πx²/2)."""
    return sin(pi / 2 * _quarters(x))


def _cosine(x: TensorVariable) -> TensorVariable:
    """cos(πx²/2)."""
    return cos(pi / 2 * _quarters(x))


def _fresnel_far(x: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    size = abs(x)
    first = _FOURTH**0.25
    y = where((size > first) & (size < inf), size, first)
    t = first / y
    f, g = (quotient(terms, t**4) for terms in (_FRESNEL_F, _FRESNEL_G))
    return y, f / (pi * y), g / (pi * y) / (pi * y) / y


def _s_by_quotients(x: TensorVariable) -> TensorVariable:
    square = x * x
    y, f, g = _fresnel_far(x)
    far = where(eq(abs(x), inf), 0.5, 0.5 - f * _cosine(y) - g * _sine(y))
    is_near = square <= _FOURTH**0.5
    inner = where(is_near, square, 0)
    near = x * inner * polynomial(_S, inner * inner * (2 / _FOURTH) - 1)
    return where(is_near, near, where(x < 0, -far, where(x > 0, far, nan)))


def _c_by_quotients(x: TensorVariable) -> TensorVariable:
    square = x * x
    y, f, g = _fresnel_far(x)
    far = where(eq(abs(x), inf), 0.5, 0.5 + f * _sine(y) - g * _cosine(y))
    is_near = square <= _FOURTH**0.5
    inner = where(is_near, square, 0)
    near = x * polynomial(_C, inner * inner * (2 / _FOURTH) - 1)
    return where(is_near, near, where(x < 0, -far, where(x > 0, far, nan)))


# fmt: off
sine_integral = unary(
    "sine_integral", None, "The integral of sin(t) / t from 0 to x.", ANY, (1.0, 0.946083070),
    lambda x, r: (where(eq(x, 0), 1, sin(x) / where(eq(x, 0), 1, x)),), _si_by_quotients,
    dtypes=floating, of_complex="complex_sine_integral",
)
cosine_integral = unary(
    "cosine_integral", None, "Euler's constant, log(x), and the integral of (cos(t) - 1) / t.",
    POSITIVE, (1.0, 0.337403923), lambda x, r: (cos(x) / x,), _ci_by_quotients, dtypes=floating,
    of_complex="complex_cosine_integral",
)
fresnel_sine = unary(
    "fresnel_sine", None, "The integral of sin(πt²/2) from 0 to x.", ANY, (1.0, 0.438259147),
    lambda x, r: (_sine(x),), _s_by_quotients, dtypes=floating, of_complex="complex_fresnel_sine",
)
fresnel_cosine = unary(
    "fresnel_cosine", None, "The integral of cos(πt²/2) from 0 to x.", ANY, (1.0, 0.779893400),
    lambda x, r: (_cosine(x),), _c_by_quotients, dtypes=floating,
    of_complex="complex_fresnel_cosine",
)
# fmt: on


def sici(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The sine and cosine integrals.

    The first is the integral of sin(t) / t from 0 to x; the second Euler's constant, log(abs(x))
    (of complex ones log(x)), and that of (cos(t) - 1) / t. See `scipy.special.sici`.

    >>> [y.eval().round(6).item() for y in sici(1.0)]
    [0.946083, 0.337404]
    """
    z = as_tensor(x)
    return sine_integral(z), cosine_integral(z)


def fresnel(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """Fresnel's integrals: of sin(πt²/2), and of cos(πt²/2), from 0 to x.

    See `scipy.special.fresnel`.

    >>> [y.eval().round(6).item() for y in fresnel(1.0)]
    [0.438259, 0.779893]
    """
    z = as_tensor(x)
    return fresnel_sine(z), fresnel_cosine(z)
