"""The modified Bessel functions I of orders 0 and 1, scaled, by one formula on all backends.

exp(-x) I is p(x)/q(x) for x up to 8, of order 1 times x; above, it is p(w)/q(w) over sqrt(x), with
w = 16/x - 1. The fractions are right to 1e-17; they are fitted by weighted least
squares, with more weight where the error is largest until it is nearly even.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.rational import Coefficients, quotient

__all__ = ["i0_by_quotients", "i0e_by_quotients", "i1_by_quotients", "i1e_by_quotients"]

# fmt: off
_I0_NEAR: Final[Coefficients] = (
    (
        1.0, 0.06709167576740921, 0.23053368956590306, 0.015156427521774011,
        0.010952095374331339, 0.0006652931651330584, 0.00017704877192595153,
        8.940213392709333e-06, 1.0543664764951244e-06, 3.499392976995469e-08,
        1.6812677095179877e-09, 8.243764544094036e-12,
    ),
    (
        1.0, 1.0670916757674092, 0.5476253653333139, 0.17912970269617673,
        0.041692638973755296, 0.007290970609911768, 0.0009841836100833576,
        0.00010342058344900312, 8.381449591971947e-06, 5.062132551756604e-07,
        2.0936540636246456e-08, 4.6335538862947865e-10,
    ),
)
_I1_NEAR: Final[Coefficients] = (
    (
        0.5, 0.047461371920745114, 0.053487069379069656, 0.004831628637501409,
        0.0015551013033201992, 0.00012331601065111004, 1.666541999591387e-05,
        1.0118053909032006e-06, 6.102546032175086e-08, 2.0784541559429917e-09,
        2.1260975783010887e-11, -6.880903357859638e-14,
    ),
    (
        1.0, 1.0949227438414904, 0.5768968825996283, 0.19390009164038327,
        0.046427209575904294, 0.008365699973053408, 0.0011661951735442635,
        0.0001269587546905605, 1.0709558184979599e-05, 6.782412136271909e-07,
        2.9793223767899396e-08, 7.229502114361056e-10,
    ),
)
_I0_FAR: Final[Coefficients] = (
    (
        0.4021765094450081, -0.9956618036642857, 1.950995949029634, -2.394190718486077,
        2.167239322154856, -1.3511069551680426, 0.5768001761659014, -0.1529753432492809,
        0.021922887384535072, -0.0011861909851609935, 1.0256846333626578e-05,
    ),
    (
        1.0, -2.4840395502625836, 4.8715114656921035, -5.992976731160235, 5.437268458904733,
        -3.4030175840922263, 1.4609400046689045, -0.39155525300431804, 0.05736536813248495,
        -0.0033271328653852123, 4.1038686910621024e-05,
    ),
)
_I1_FAR: Final[Coefficients] = (
    (
        0.38939845902587233, -0.9921440310540992, 1.9283624694148607, -2.3781662538147743,
        2.1374123117802855, -1.327734806089687, 0.5604900752248019, -0.1471805909048425,
        0.02074631352511363, -0.0011873162587175232, 1.877835752404675e-05,
    ),
    (
        1.0, -2.5228514163061733, 4.889554456151175, -5.986241526855209, 5.341790137578923,
        -3.2791546254327604, 1.3600695427696161, -0.3455805999129913, 0.045285312019266485,
        -0.0020691094370846623, 1.2974133197001446e-05,
    ),
)
# fmt: on
_SMALL: Final = 8.0


def i0e_by_quotients(x: TensorVariable) -> TensorVariable:
    """`i0e` as an expression."""
    y = abs(x)
    return where(y < _SMALL, quotient(_I0_NEAR, _near(y)), _far(_I0_FAR, y))


def i1e_by_quotients(x: TensorVariable) -> TensorVariable:
    """`i1e` as an expression."""
    y = abs(x)
    far = _far(_I1_FAR, y)
    near = where(eq(x, 0), 0, x) * quotient(_I1_NEAR, _near(y))  # 0 for -0, as SciPy
    return where(y < _SMALL, near, where(x < 0, -far, far))


def i0_by_quotients(x: TensorVariable) -> TensorVariable:
    """`i0` as an expression."""
    return _grown(x, i0e_by_quotients(x), abs(x))


def i1_by_quotients(x: TensorVariable) -> TensorVariable:
    """`i1` as an expression."""
    return _grown(x, i1e_by_quotients(x), x)


def _near(y: TensorVariable) -> TensorVariable:
    return where(y < _SMALL, y, 0)


def _far(terms: Coefficients, y: TensorVariable) -> Any:
    u = 1 / where(y < _SMALL, _SMALL, y)
    return sqrt(u) * quotient(terms, 2 * _SMALL * u - 1)


def _grown(x: TensorVariable, scaled: TensorVariable, at_end: TensorVariable) -> TensorVariable:
    """By halves, which do not overflow before the result does."""
    half = exp(0.5 * abs(x))
    end = where(abs(x) < inf, at_end * half, nan)  # as SciPy
    return where(eq(half, inf), end, half * (half * scaled))
