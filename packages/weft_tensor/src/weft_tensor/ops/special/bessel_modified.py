"""The modified Bessel functions of any real order as integrals, and their slopes in the order.

K is, by parts, (1/v) ∫ sinh(vt) x sinh(t) exp(-x cosh t) dt over t > 0 (NIST Digital Library of
Mathematical Functions, 10.32.9): even steps between the places where nothing is left of it. I is
its power series (10.25.2) for small x, for others Schläfli's integral (10.32.12) over the line
through the saddle arsinh(v/x). Nothing cancels in them, and they are differentiated by terms.
"""

from __future__ import annotations

from collections.abc import Callable
from math import e, inf, nan, pi
from typing import Any, Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.trigonometric import (
    arcsin,
    arcsinh,
    cos,
    cosh,
    sin,
    sinh,
)
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = [
    "LIMIT",
    "cosine_of_pi",
    "iv_slope",
    "iv_sum",
    "ive_slope",
    "ive_sum",
    "kn_sum",
    "kv_slope",
    "kv_sum",
    "kve_slope",
    "kve_sum",
    "power_series",
    "series_sum",
    "sine_of_pi",
]

LIMIT: Final = 2.0**30
"""SciPy's functions of any order are NaN from here on: their argument would be too rough."""
_HUGE: Final = 1e100
"""I of a larger order is 0 wherever its argument is less than half of it (DLMF 10.41.3)."""
_LAST: Final = 40.0
"""What is below exp(-40) of the largest part is left out."""
_STEPS, _FEW_STEPS = ((np.arange(count) + 1.0) / count for count in (200, 64))
_SHORT: Final = 8.0
"""Up to this distance, few steps are as right as many."""
_LEAST: Final = 1e-17
_MOST: Final = 500
"""Terms of a series are added until they are the least share of it, or most."""
_SMALL: Final = 2.0
_MIDDLE: Final = 30.0
_STIRLING: Final = 10.0
_KS: Final = np.arange(1.0, 45.0)


def kve_sum(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """exp(x) K of order v."""
    value = kn_sum(v, x, 0)
    return where(eq(x, 0), value, where((abs(v) < LIMIT) & (x < LIMIT), value, nan))


def kv_sum(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """K of order v."""
    value = kn_sum(v, x, 1)
    beyond = where((abs(v) < LIMIT) & (x < LIMIT), value, nan)
    return where(eq(x, 0), value, where(x > 710 * (1 + abs(v)), 0, beyond))


def kn_sum(v: TensorVariable, x: TensorVariable, scaled: int) -> TensorVariable:
    """K of order v, times exp(x) unless `scaled` is 1; of large numbers too."""
    return _of_k(v, x, _value_part, scaled)


def kve_slope(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of `kve` in v."""
    return _slope_of_k(v, x, 0)


def kv_slope(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of `kv` in v."""
    return _slope_of_k(v, x, 1)


def _slope_of_k(v: TensorVariable, x: TensorVariable, scaled: int) -> TensorVariable:
    slope = where(v < 0, -1, 1) * _of_k(v, x, _slope_part, scaled)
    return where((abs(v) < LIMIT) | eq(x, 0), slope, nan)


Part = Callable[[TensorVariable, TensorVariable], Any]


def _value_part(v: TensorVariable, t: TensorVariable) -> Any:
    """sinh(vt) / v, over exp(vt)."""
    z = 2 * v * t
    flat = z < 1e-8
    return t * where(flat, 1 - 0.5 * z, -expm1(-z) / where(flat, 1, z))


def _slope_part(v: TensorVariable, t: TensorVariable) -> Any:
    """The derivative of sinh(vt) / v in v, over exp(vt)."""
    z = v * t
    flat = z < 1
    far = where(flat, 1, z)
    wide = 0.5 * ((far + 1) * exp(-2 * far) + (far - 1)) / far**3
    q = where(flat, z * z, 0)
    series: Any = 0.0
    factorials = np.cumprod(np.arange(1.0, 24.0))
    for k in range(10, 0, -1):
        series = series * q + 2 * k / factorials[2 * k]
    return v * t**3 * where(flat, series * exp(-where(flat, z, 0)), wide)


def _of_k(order: TensorVariable, place: TensorVariable, part: Part, scaled: int) -> TensorVariable:
    fine = (place > 0) & (place < inf)
    v, x = abs(order), where(fine, place, 1)
    top = arcsinh((v + 1) / x)
    size = hypot(x, v + 1)
    share = _LAST / (v + 1)
    first = maximum(top - share - sqrt(2 * share), 0)
    last = top + 2 * arcsinh(sqrt(0.5 * _LAST / size))
    largest = (v + 1) * top - 2 * x * sinh(0.5 * top) ** 2
    short = last - first < _SHORT

    def integral(places: np.ndarray, here: TensorVariable) -> TensorVariable:
        length = where(here, last - first, 1)
        t = along(first) + along(length) * places
        power = along(v + 1) * t - 2 * along(x) * sinh(0.5 * t) ** 2 - along(largest)
        terms = part(along(v), t) * (-0.5 * expm1(-2 * t)) * exp(minimum(power, 0))
        total: TensorVariable = length / len(places) * terms.sum(axis=-1)
        return total

    value = where(short, integral(_FEW_STEPS, short), integral(_STEPS, ~short))
    value = value * exp(largest + log(x) - scaled * x)
    at_end = where(eq(place, 0), inf, where(eq(place, inf), 0, nan))
    return where(fine, value, at_end)


def ive_sum(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """exp(-|x|) I of order v."""
    value = _with_signs(v, x, _i_value, 1)
    return where((abs(v) < LIMIT) & (abs(x) < LIMIT) & (value < inf), value, nan)


def iv_sum(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """I of order v."""
    vanishes = (abs(v) > _HUGE) & (abs(x) < 0.5 * abs(v))
    value = where(vanishes, 0, _with_signs(v, x, _i_value, 0))
    return where((abs(x) < inf) & ~isnan(v), value, nan)


def ive_slope(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of `ive` in v."""
    return _slope_with_signs(v, x, 1)


def iv_slope(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The derivative of `iv` in v."""
    return _slope_with_signs(v, x, 0)


def sine_of_pi(v: TensorVariable) -> TensorVariable:
    """sin(πv), right for large v."""
    near = rint(v)
    return sin(pi * (v - near)) * (1 - 2 * (near % 2))


def cosine_of_pi(v: TensorVariable) -> TensorVariable:
    """cos(πv), right for large v."""
    near = rint(v)
    return cos(pi * (v - near)) * (1 - 2 * (near % 2))


def _with_signs(
    order: TensorVariable, place: TensorVariable, form: Callable[..., Any], scaled: int
) -> TensorVariable:
    """By I of |order| at |place|; negative orders have a share of K (10.27.2)."""
    v, x = abs(order), abs(place)
    whole = eq(v, rint(v))
    value = form(v, x, scaled)
    apart = (order < 0) & ~whole
    other = kv_sum(v, where(apart, x, 1)) * exp(-scaled * where(apart, x, 1))
    value = where(apart, value + (2 / pi) * sine_of_pi(v) * other, value)
    odd = whole & eq(v % 2, 1)
    return where(place < 0, where(whole, where(odd, -value, value), nan), value)


def _slope_with_signs(order: TensorVariable, place: TensorVariable, scaled: int) -> TensorVariable:
    v = abs(order)
    x = where(place > 0, place, 1)
    above = _i_slope(v, x, scaled)
    shrunk = exp(-scaled * x)
    of_value, of_slope = along(2 * cosine_of_pi(v)), along(2 / pi * sine_of_pi(v))

    def part(size: TensorVariable, t: TensorVariable) -> Any:
        return of_value * _value_part(size, t) + of_slope * _slope_part(size, t)

    by_sine = where((v < LIMIT) & (x < LIMIT), _of_k(v, x, part, 1), nan)
    below = -above - by_sine * shrunk
    at_0 = where(eq(place, 0) & (order > 0), 0, nan)
    return where(place > 0, where(order < 0, below, above), at_0)


def power_series(
    v: TensorVariable, x: TensorVariable, sign: int
) -> tuple[TensorVariable, TensorVariable]:
    """The sum of J's (sign -1) or I's series over its first term, and its slope's, of order v."""
    factors = along(0.25 * sign * x * x) / (_KS * (along(v) + _KS))
    terms = cumprod(factors, axis=-1)
    total = 1 + terms.sum(axis=-1)
    inner = (terms * cumsum(1 / (along(v) + _KS), axis=-1)).sum(axis=-1)
    return total, (log(0.5 * x) - digamma(v + 1)) * total - inner


def series_sum(v: TensorVariable, x: TensorVariable, sign: int) -> TensorVariable:
    """The sum of J's (sign -1) or I's series over its first term."""
    square = 0.25 * sign * x * x

    def add(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        k, term, total = state
        term = term * square / (k * (v + k))
        return k + 1, term, total + term

    def goes_on(state: tuple[TensorVariable, ...]) -> TensorVariable:
        k, term, total = state
        return ((abs(term) > _LEAST * abs(total)) & (k < _MOST)).any()

    one = 1 + 0 * (v + x)
    return while_loop(goes_on, add, (one, one, one))[2]


def _i_value(v: TensorVariable, x: TensorVariable, scaled: int) -> Any:
    small, large = x < _MIDDLE, (x > _MIDDLE) & (x > 0.5 * v * v) & (x < inf)
    near = where(small, x, 1)
    first = _first_term(v, near) * exp(-scaled * near)
    far = where(large, _by_hankel(where(large, v, 0), where(large, x, _MIDDLE), scaled),
                _by_saddle(v, x, scaled, with_tail=False)[0])  # fmt: skip
    return where(small, first * series_sum(v, near, 1), far)


def _first_term(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """(x / 2)**v / gamma(v + 1), for large v by Stirling's formula."""
    low, high = minimum(v, _STIRLING), maximum(v, _STIRLING)
    root = pow(0.5 * e * x / high, 0.5 * high)
    by_stirling = root * (exp(-stirling_rest(high)) / sqrt(2 * pi * high)) * root
    by_gamma = exp(xlogy(low, 0.5 * x) - gammaln(low + 1))
    return where(v < _STIRLING, by_gamma, by_stirling)


def _by_hankel(v: TensorVariable, x: TensorVariable, scaled: int) -> TensorVariable:
    """By Hankel's expansion (10.40.1), of which the other exponential has no digits left."""

    def add(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        k, term, total = state
        odd = 2 * k - 1
        term = term * (odd - 2 * v) * (odd + 2 * v) / (8 * k * x)
        return k + 1, term, total + term

    one = 1 + 0 * (v + x)
    total = while_loop(lambda s: (abs(s[1]) > _LEAST).any(), add, (one, one, one))[2]
    root = exp(0.5 * (1 - scaled) * x)  # twice, as its square may be too large for a number
    return root * (total / sqrt(2 * pi * x)) * root


def _i_slope(v: TensorVariable, x: TensorVariable, scaled: int) -> Any:
    small = where(x < _SMALL, x, 1)
    first = exp(xlogy(v, 0.5 * small) - gammaln(v + 1) - scaled * small)
    near = first * power_series(v, small, 1)[1]
    return where(x < _SMALL, near, _by_saddle(v, x, scaled)[1])


def _by_saddle(
    v: TensorVariable, place: TensorVariable, scaled: int, *, with_tail: bool = True
) -> tuple[Any, Any]:
    places, weights = UNIT_INTERVAL
    x = where((place >= _SMALL) & (place < inf), place, _SMALL)
    top, r = arcsinh(v / x), hypot(v, x)
    share = 0.5 * _LAST / r
    end = where(share < 1, 2 * arcsin(sqrt(where(share < 1, share, 0.5))), pi)
    angle = along(end) * places
    phase = along(v) * (angle - sin(angle))
    bell = weights * exp(-2 * along(r) * sin(0.5 * angle) ** 2)
    across = end / pi * (bell * cos(phase)).sum(axis=-1)
    turned = (along(top) * cos(phase) + angle * sin(phase)) * bell
    width = 2 * arcsinh(sqrt(0.5 * _LAST / r))
    s = along(width) * places
    rest = weights * exp(-along(r) * (1 + cosh(s)) - along(v) * (sinh(s) + s))
    tail = width / pi * rest.sum(axis=-1) if with_tail else 0.0
    moved = width / pi * (rest * (along(top) + s)).sum(axis=-1)
    factor = exp(v * v / (r + x) - v * top + (1 - scaled) * x)
    slope = -end / pi * turned.sum(axis=-1) - pi * cosine_of_pi(v) * tail + sine_of_pi(v) * moved
    at_end = 0.0 if scaled else inf
    ended = eq(place, inf)
    value = where(ended, at_end, where(isnan(place), nan, factor * (across - sine_of_pi(v) * tail)))
    return value, factor * slope
