"""The modified Bessel functions I of orders 0 and 1, scaled, by one formula on all backends.

exp(-x) I is p(x)/q(x) for x up to 8, of order 1 times x, and p(1/x)/q(1/x) over sqrt(x) above. The
fractions are right to 1e-17; they are fitted by weighted least squares, with more weight where the
error is largest until it is nearly even.
"""

from __future__ import annotations

from math import inf
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
_I0_FAR: Final[Coefficients] = (
    (
        0.3989422804014327, -20.532605037622563, 490.982884036189, -6977.258153102506,
        64201.88039517566, -392385.25886770745, 1577535.6439510263, -3976097.9110539635,
        5649858.784137484, -3524784.8839627984, 449009.71422801807,
    ),
    (
        1.0, -51.5926083391356, 1237.0903430273586, -17640.474495753748, 163051.9916829935,
        -1002790.1855610337, 4069344.0557289366, -10414975.674390156, 15236380.366627526,
        -10221887.079293426, 1796360.750296571,
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
_I1_FAR: Final[Coefficients] = (
    (
        0.39894228040143265, -20.431717172597363, 485.8642423738177, -6864.243732701704,
        62779.05210349403, -381446.1408157963, 1526545.0666959712, -3848915.744773082,
        5565572.170867079, -3811761.258795999, 837709.1022550373,
    ),
    (
        1.0, -50.839719964096346, 1198.933340079868, -16762.362662445554,
        151213.29219867583, -901287.1524701393, 3504659.3044333146, -8425784.912711734,
        11127307.866097946, -6107279.80252008, 581315.5778876478,
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
    return where(y < _SMALL, x * quotient(_I1_NEAR, _near(y)), where(x < 0, -far, far))


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
    return sqrt(u) * quotient(terms, u)


def _grown(x: TensorVariable, scaled: TensorVariable, at_end: TensorVariable) -> TensorVariable:
    """By halves, which do not overflow before the result does."""
    half = exp(0.5 * abs(x))
    return where(eq(half, inf), at_end * half, half * (half * scaled))
