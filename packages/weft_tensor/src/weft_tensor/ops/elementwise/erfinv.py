"""The inverse error function, by one formula on all backends.

With t = 0.5625 - x², and for |x| above 0.75 with s = sqrt(-log(1 - |x|)) and t = s - 1, it is

    x (0.875 + p(t) / q(t))   or   sign(x) (s - p(t) / q(t))

to 5e-17 of its value, as long as 1 - |x| is at least 2**-53, which it is for all doubles below
1. The fractions are small corrections, so that their rounding hardly matters: computed in
doubles, the result is right to 2.4 units in the last place. They are fitted by weighted least
squares, with more weight where the error is largest until it is nearly even.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["ERFINV_CENTRE", "ERFINV_TAIL"]

Coefficients = tuple[tuple[float, ...], tuple[float, ...]]

# fmt: off
ERFINV_CENTRE: Final[Coefficients] = (
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
ERFINV_TAIL: Final[Coefficients] = (
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
_BLOCK: Final = 8192
"""As many numbers at once as the processor's cache holds with all that is computed of them."""


def erfinv(x: Any) -> Any:
    """NumPy's.

    >>> erfinv(np.array([-1.0, 0.0, 0.5, 2.0]))
    array([      -inf, 0.        , 0.47693628,        nan])
    """
    numbers = np.asarray(x)
    flat = numbers.reshape(-1)
    result = np.empty_like(flat)
    with np.errstate(divide="ignore", invalid="ignore"):
        for start in range(0, flat.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = _erfinv(flat[block])
    return result.reshape(numbers.shape)


def _erfinv(x: Any) -> Any:
    size = np.abs(x)
    inner = x * (0.875 + _fraction(ERFINV_CENTRE, 0.5625 - x * x))
    s = np.sqrt(-np.log(1 - size))
    outer = np.where(size == 1, s, s - _fraction(ERFINV_TAIL, s - 1))
    return np.where(size <= 0.75, inner, np.copysign(outer, x))


def _fraction(terms: Coefficients, t: Any) -> Any:
    top, bottom = (_polynomial(coefficients, t) for coefficients in terms)
    return top / bottom


def _polynomial(coefficients: tuple[float, ...], t: Any) -> Any:
    """By Horner's scheme."""
    total = np.full_like(t, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= t
        total += coefficient
    return total
