"""The inverse error function, by one formula on all backends.

With w = -log((1 - x)(1 + x)), and beyond 0.9995 with s = sqrt(-log(1 - |x|)) and t = s - 1, it is

    x (0.875 + p(w) / q(w))   or   sign(x) (s - p(t) / q(t))

to 5e-17 of its value, as long as 1 - |x| is at least 2**-53, which it is for all doubles below
1. The fractions are small corrections, so that their rounding hardly matters: computed in
doubles, the result is right to 2 units in the last place. They are fitted by weighted least
squares, with more weight where the error is largest until it is nearly even.
"""

from __future__ import annotations

from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import copysign, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.rational import Coefficients, quotient

__all__ = [
    "erfinv_by_quotients",
    "erfinv_centre",
    "erfinv_logarithm",
    "erfinv_near",
    "erfinv_tail",
]

# fmt: off
_CENTRE: Final[Coefficients] = (
    (
        0.011226925452758009, 0.232981809423013, 0.03215589521767947, 0.011082381143271581,
        0.0011439812846090424, 0.00015535165453796717, 1.0406248744031772e-05,
        5.747743827542601e-07, 1.2846323065927863e-08, -1.276444626480113e-10,
    ),
    (
        1.0, 0.08623401771320091, 0.053361229865402725, 0.003652115370970247,
        0.0008695169921428932, 4.15466636750634e-05, 4.064786163332125e-06,
        8.980800669113823e-08, 8.328803564403942e-10, -1.8482137602641078e-11,
    ),
)
"""p and q of w up to 7, lowest powers first."""
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
"""p and q of s - 1, lowest powers first."""
_SPLIT: Final = 2.0**-10


def erfinv_by_quotients(x: TensorVariable) -> TensorVariable:
    """`erfinv` as an expression, of both cases."""
    size = abs(x)
    of_both = (1 - size) * (1 + size)
    w, is_central = erfinv_logarithm(of_both, 1 - size)
    s = sqrt(w)
    outer = where(eq(size, 1), s, erfinv_tail(s))
    return where(is_central, erfinv_centre(x, w), copysign(outer, x))


def erfinv_logarithm(
    of_both: TensorVariable, of_one: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """w or s², of (1 - x)(1 + x) and of 1 - |x|, and whether it is w."""
    is_central = of_both >= _SPLIT
    return -log(where(is_central, of_both, of_one)), is_central


def erfinv_near(x: TensorVariable) -> TensorVariable:
    """`erfinv` as an expression, for |x| up to 0.9995."""
    return erfinv_centre(x, -log((1 - x) * (1 + x)))


def erfinv_centre(x: TensorVariable, w: TensorVariable) -> TensorVariable:
    """`erfinv` as an expression of both, where w is at most 7."""
    return x * (0.875 + quotient(_CENTRE, w))


def erfinv_tail(s: TensorVariable) -> TensorVariable:
    """`erfinv(1 - exp(-s²))` as an expression, for s from 1.17 to 6.1."""
    return s - quotient(_TAIL, s - 1)
