"""Struve's function H, the modified one L, and their slopes in the order.

For small x they are power series (NIST Digital Library of Mathematical Functions, 11.2.1 and
11.2.2), else Bessel functions and an integral: Y and 11.5.2, I and 11.5.4, of which only the part
is taken that counts beside I.
"""

from __future__ import annotations

from functools import partial
from math import inf, nan, pi
from typing import Any, Final

from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.special.bessel import iv
from weft_tensor.ops.special.cylinder.second_kind import yv
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.gamma_forms import sign_of_gamma
from weft_tensor.ops.special.quadrature import HALF_LINE, UNIT_INTERVAL, along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["modstruve", "struve"]

_T = TensorVariable
_LEAST: Final = 1e-18
"""The last term's share of the series."""
_SQUARE: Final = {-1: 16.0, 1: 196.0}
"""Up to here, of (x / 2)², the series of H (-1) or L (1) is right,"""
_SHARE: Final = 6.5
"""or up to so many times the order, or the square of this share of it."""
_SLOPE: Final = 0.4
_MOST: Final = 60.0
"""Of larger orders, both ways to H lose digits between these places: there, it is NaN."""
_END: Final = 0.9
"""Beyond, nothing of L's integral counts beside I."""


def _power(p: _T, g: _T, x: _T) -> _T:
    """(x / 2)**p / gamma(g)."""
    return sign_of_gamma(g) * exp(p * log(0.5 * x) - gammaln(g))


def _struve(sign: int, order: _T, place: _T) -> _T:
    size = abs(place)
    fine = (size > 0) & (size < inf) & (abs(order) < inf)
    v, x = where(fine, order, 0), where(fine, size, 1)
    pole = (v < -1) & eq(v + 0.5, rint(v + 0.5))
    square, low = 0.25 * x * x, maximum(_SQUARE[sign], _SHARE * (v + 1.5))
    high = (_SLOPE * maximum(v, 0)) ** 2
    small = ~pole & (square <= maximum(low, high))
    between = (v > _MOST) & (square > low) & (square < high) & (sign < 0)
    u, near = where(small, v, 0), where(small, square, 1)
    first = 2 / pi**0.5 * _power(u + 1, u + 1.5, where(small, x, 1))
    series = first * _series(u, sign * near)
    u, far = where(small | pole, 0, v), where(small, 100, x)
    other = (_beside_y if sign < 0 else _beside_i)(u, far)
    other = where(pole, 0, _power(u - 1, u + 0.5, far) / pi**0.5 * other)
    bessel = yv(v, far) if sign < 0 else iv(where(v < 0, -v, v), far)
    value = where(
        between, nan, where(small, series, where(eq(bessel, inf), inf, bessel - sign * other))
    )
    value = where(fine, value, _at_ends(sign, order, size))
    whole = eq(order, rint(order))
    odd = where(whole, where(eq(order % 2, 0), -value, value), nan)
    return where(place < 0, odd, value)


def _series(v: _T, square: _T) -> _T:
    """The sum of the power series over its first term."""

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, term, total = state
        term = term * square / (k * (v + k))
        return k + 1, term, total + term

    def goes_on(state: tuple[_T, ...]) -> _T:
        return (abs(state[1]) > _LEAST * abs(state[2])).any()

    one = 1 + 0 * (v + square)
    return while_loop(goes_on, add, (one + 0.5, one, one))[2]


def _beside_y(v: _T, x: _T) -> _T:
    places, weights = HALF_LINE
    scale = (maximum(v, 0) + 1) / x
    t = along(scale) * places
    terms = weights * exp(along(v - 0.5) * log1p(t * t) - along(x) * t)
    return x * scale * terms.sum(axis=-1)


def _beside_i(v: _T, x: _T) -> _T:
    places, weights = UNIT_INTERVAL
    size = maximum(0.5 - v, 0)  # from where on terms would grow
    end = minimum(minimum(_END, 40 / x), where(v < 0, x / (size + hypot(size, x)), 1))
    t = along(end) * places
    terms = weights * exp(along(v - 0.5) * log1p(-t * t) - along(x) * t)
    return x * end * terms.sum(axis=-1)


def _at_ends(sign: int, v: _T, x: _T) -> _T:
    at_0 = where(v > -1, 0, where(eq(v, -1), 2 / pi, inf * sign_of_gamma(v + 1.5)))
    far = where(v < 1, 0, where(eq(v, 1), 2 / pi, inf)) if sign < 0 else inf
    far = where(eq(x, inf), far, where(v > 0, 0, nan))
    return where(isnan(v) | isnan(x), nan, where(eq(x, 0), at_0, far))


def _slope_sum(sign: int, v: _T, x: _T) -> Any:
    """The derivative in the order."""
    return sweep_forward([_struve(sign, v, x)], {v: 0 * v + 1})[0]


def _other_power(v: _T, x: _T) -> _T:
    """(x / 2)**v / gamma(v + 1.5), of whole v also for x below 0."""
    return where((x < 0) & neq(v % 2, 0), -1, 1) * _power(v, v + 1.5, abs(x))


def _row(name: str, summary: str, sign: int, result: float, slope: float) -> Binary:
    domain = ((0.2, 2.8), POSITIVE)
    in_order = slope_row(
        f"{name}_slope", name, domain, (0.5, 1.0, slope), partial(_slope_sum, sign)
    )
    own: Binary = binary(
        name, None, summary, domain, (0.5, 1.0, result),
        lambda v, x, r: (
            in_order(v, x),
            0.5 * (own(v - 1, x) + sign * own(v + 1, x) + _other_power(v, x) / pi**0.5),
        ),
        summation=doubled(partial(_struve, sign)), dtypes=floating, cost=LOOP,
    )  # fmt: skip
    return own


struve = _row("struve", "Struve's function, of real order.", -1, 0.366785692, -0.393587438)
modstruve = _row(
    "modstruve", "The modified Struve function, of real order.", 1, 0.433315654, -0.501118389
)
