"""The scaled complementary error function exp(x²) erfc(x), by one formula where SciPy is not asked.

With s = 1 / (1 + x/2) it is

    s (r + (s - 5/8) p(s) / q(s))   for x >= 0,   and   2 exp(x²) less that of -x   for x < 0

to 2e-17 of its value, for all x that are not negative, up to infinity; computed in doubles, it is
right to 5 units in the last place, because the fraction, whose terms are rounded, is the smaller
part. It is fitted by weighted least squares, with more weight where the error is largest until it
is nearly even.
"""

from __future__ import annotations

from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.rational import Coefficients, quotient

__all__ = ["erfcx_above", "erfcx_by_quotients"]

_MIDDLE: Final = 0.625
_AT_MIDDLE: Final = 0.6056598670867835
# fmt: off
_ABOVE: Final[Coefficients] = (
    (
        0.5177041205006486, 0.0134313505824568, 2.413663628150848, 0.5868258187985945,
        3.7765985917831166, 1.4626493703410344, 2.492845143480795, 1.0106562729313084,
        0.6176597813785657, 0.1354158896208478,
    ),
    (
        1.0, -0.7022226808409578, 4.771367853562039, -2.1570372376348894, 7.116740391611152,
        -1.8829462516915212, 3.9759644349577608, -0.509593268731462, 0.7713208951727997,
        -0.030394743729109098, 0.03532850517627315,
    ),
)
# fmt: on
"""p and q, lowest powers first."""


def erfcx_by_quotients(x: TensorVariable) -> TensorVariable:
    """`erfcx` as an expression, of both cases."""
    above = erfcx_above(x)
    return where(x < 0, 2 * exp(x * x) - above, above)


def erfcx_above(x: TensorVariable) -> TensorVariable:
    """`erfcx` of |x| as an expression."""
    s = 1 / (1 + 0.5 * abs(x))
    return s * (_AT_MIDDLE + (s - _MIDDLE) * quotient(_ABOVE, s))
