"""The inverse error function, by one formula on all backends.

With t = 0.5625 - x², and for |x| above 0.75 with s = sqrt(-log(1 - |x|)) and t = s - 1, it is

    x (0.875 + p(t) / q(t))   or   sign(x) (s - p(t) / q(t))

to 5e-17 of its value, as long as 1 - |x| is at least 2**-53, which it is for all doubles below
1. The fractions are small corrections, so that their rounding hardly matters: computed in
doubles, the result is right to 2.4 units in the last place. They are fitted by weighted least
squares, with more weight where the error is largest until it is nearly even.
"""

from __future__ import annotations

from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import copysign, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.rational import Coefficients, quotient

__all__ = ["erfinv_by_quotients", "erfinv_centre", "erfinv_tail"]

# fmt: off
_CENTRE: Final[Coefficients] = (
    (
        0.20955979679682468, 0.7328133461262893, 0.17308737797838714, -1.7141763074091199,
        -1.941224316140826, -0.6346229075802232, -0.04726077132035336,
    ),
    (
        1.0, 6.181656381037029, 14.216639010629653, 15.023395806267567, 7.277809229043993,
        1.393176396044272, 0.06761644516200731,
    ),
)
"""p and q for |x| up to 0.75, lowest powers first."""
_TAIL: Final[Coefficients] = (
    (
        0.3632838627811236, 1.105779943022714, 1.3823499381002085, 0.9074939115086668,
        0.3201436978709512, 0.05653666633054349, 0.004158584053454362, 8.718739319015787e-05,
        8.91169069305719e-08,
    ),
    (
        1.0, 2.983335208923251, 3.955009065924346, 2.920819936545475, 1.2647271044261756,
        0.31110677371217516, 0.039338592152832835, 0.002089014205214593, 3.031976906122225e-05,
    ),
)
"""p and q for |x| above 0.75, lowest powers first."""


def erfinv_by_quotients(x: TensorVariable) -> TensorVariable:
    """`erfinv` as an expression, of both cases."""
    size = abs(x)
    s = sqrt(-log(1 - size))
    outer = where(eq(size, 1), s, erfinv_tail(s))
    return where(size <= 0.75, erfinv_centre(x), copysign(outer, x))


def erfinv_centre(x: TensorVariable) -> TensorVariable:
    """`erfinv` as an expression, for |x| up to 0.75."""
    return x * (0.875 + quotient(_CENTRE, 0.5625 - x * x))


def erfinv_tail(s: TensorVariable) -> TensorVariable:
    """`erfinv(1 - exp(-s²))` as an expression, for s from 1.17 to 6.1."""
    return s - quotient(_TAIL, s - 1)
