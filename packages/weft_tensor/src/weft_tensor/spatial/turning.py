"""Matrices between how a vector of rotation moves and how fast what it turns does.

Each is 1 + b [v] + c [v] [v], with the matrix [v] of products with v, and functions b and c of the
angle: quotients that are 0 / 0 where nothing turns, and are series there. See K. M. Lynch and F. C.
Park, Modern Robotics, 2017, 3.3.
"""

from __future__ import annotations

from math import factorial
from typing import Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.polynomials.polynomials import polyval
from weft_tensor.ops.products.products import cross
from weft_tensor.ops.reduction.standard import sum

__all__ = ["acceleration", "carried", "carried_back"]

_FEW: Final = 0.25
"""Squares of angles below which series have all digits."""
_TERMS: Final = range(8)[::-1]
_CARRIED: Final = (
    [(-1) ** n / factorial(2 * n + 2) for n in _TERMS],
    [(-1) ** n / factorial(2 * n + 3) for n in _TERMS],
)
"""Of (1 - cos x) / x^2 and (x - sin x) / x^3, in powers of x^2."""
_BERNOULLI: Final = (1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6, 3617 / 510)
_BACK: Final = [_BERNOULLI[n] / factorial(2 * n + 2) for n in _TERMS]
"""Of (1 - x / 2 / tan(x / 2)) / x^2."""
_FASTER: Final = (
    [(-1) ** n * (2 * n + 2) / factorial(2 * n + 4) for n in _TERMS],
    [-((-1) ** n) * (2 * n + 2) / factorial(2 * n + 5) for n in _TERMS],
)
"""Of (2 - 2 cos x - x sin x) / x^4 and (3 sin x - 2 x - x cos x) / x^5."""


def _angle(v: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Its square, where series do, and the angle, or 1 there."""
    square = sum(v * v, -1, keepdims=True)
    few = square < _FEW
    return where(few, square, 0.0), few, sqrt(where(few, 1.0, square))


def _either(
    few: TensorVariable, q: TensorVariable, series: list[float], x: TensorVariable
) -> TensorVariable:
    return where(few, polyval(series, q).astype(x.dtype), x)


def _carrying(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    q, few, x = _angle(v)
    first = _either(few, q, _CARRIED[0], 2 * (sin(x / 2) / x) ** 2)
    return first, _either(few, q, _CARRIED[1], (x - sin(x)) / x**3)


def carried(v: TensorLike, u: TensorLike) -> TensorVariable:
    """Where a motion goes that turns by `v` while it goes by `u`, in its own directions.

    >>> carried([0.0, 0.0, 3.141592653589793], [1.0, 0.0, 0.0]).eval().round(6) + 0
    array([0.     , 0.63662, 0.     ])
    """
    about, way = as_tensor(v), as_tensor(u)
    b, c = _carrying(about)
    aside = cross(about, way)
    return way + b * aside + c * cross(about, aside)


def carried_back(v: TensorLike, u: TensorLike) -> TensorVariable:
    """What `carried` makes `u` of.

    >>> carried_back([0.0, 0.0, 3.141592653589793], [0.0, 0.63662, 0.0]).eval().round(5) + 0
    array([1., 0., 0.])
    """
    about, way = as_tensor(v), as_tensor(u)
    q, few, x = _angle(about)
    c = _either(few, q, _BACK, (1 - x / 2 * cos(x / 2) / sin(x / 2)) / x**2)
    aside = cross(about, way)
    return way - aside / 2 + c * cross(about, aside)


def acceleration(v: TensorVariable, speed: TensorVariable) -> TensorVariable:
    """What vectors of rotation that move steadily add to the acceleration of what they turn.

    >>> acceleration(as_tensor([0.0, 0.0, 0.0]), as_tensor([1.0, 0.0, 0.0])).eval()
    array([0., 0., 0.])
    """
    q, few, x = _angle(v)
    along, aside = sum(v * speed, -1, keepdims=True), cross(v, speed)
    one = _either(few, q, _FASTER[0], (2 - 2 * cos(x) - x * sin(x)) / x**4)
    two = _either(few, q, _FASTER[1], (3 * sin(x) - 2 * x - x * cos(x)) / x**5)
    _, three = _carrying(v)
    return along * (one * aside + two * cross(v, aside)) + three * cross(speed, aside)
