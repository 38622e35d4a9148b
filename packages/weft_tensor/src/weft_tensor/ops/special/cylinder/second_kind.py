"""The Bessel function Y of any real order, and its slope in the order.

From 2 on it is computed with J. Below, N. M. Temme's series for an order between -1/2 and 1/2
and the next one (On the numerical evaluation of the ordinary Bessel function of the second kind,
J. Comput. Phys. 21, 1976), from which the recurrence (NIST Digital Library of Mathematical
Functions, 10.6.1) goes up. The slope is that of the same steps.
"""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any, Final

import numpy as np

from weft_graph.extend import sweep_forward
from weft_tensor.build.lazy_import import in_double
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import rint
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import cosh, sinh
from weft_tensor.ops.special.bessel import jv
from weft_tensor.ops.special.bessel_modified import LIMIT, sine_of_pi
from weft_tensor.ops.special.bessel_paths import (
    Shares,
    by_series,
    combined,
    cylinder,
    slope_by_paths,
    slope_by_series,
)
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["yv"]

_T = TensorVariable
_SMALL: Final = 2.0
_STEPS: Final = 176
"""Below 2, no order above this has a number as large as Y."""
_TERMS: Final = 20
_HUGE: Final = 1e100
"""From such an order on SciPy's function is NaN."""
_EVEN: Final = (
    1.0, -0.6558780715202539, 0.16653861138229148, -0.009621971527876973, -0.0011651675918590652,
    0.0001280502823881162, -1.2504934821426706e-06, -2.056338416977607e-07, 5.002007644469223e-09,
    1.0434267116911005e-10, -3.696805618642206e-12, -2.0583260535665066e-14,
)  # fmt: skip
_ODD: Final = (
    -0.5772156649015329, 0.04200263503409524, 0.04219773455554433, -0.0072189432466631,
    0.00021524167411495098, 2.013485478078824e-05, -1.133027231981696e-06, -6.116095104481416e-09,
    1.18127457048702e-09, -7.782263439905071e-12, -5.100370287454476e-13, 5.348122539423018e-15,
)  # fmt: skip
"""Of 1 / gamma(1 + u) in powers of u²: the even part, and minus the odd one, over u."""


def _reciprocal_gamma(u: _T) -> tuple[_T, _T]:
    return polynomial(_EVEN, u * u), polynomial(_ODD, u * u)


def _near(v: _T, x: _T) -> _T:
    """For orders from 0 on, and x below 2."""
    count = rint(v)
    u = v - count
    even, odd = _reciprocal_gamma(u)
    above, below = even - u * odd, even + u * odd
    length = log(2 / x)
    s = u * length
    flat = abs(s) < 0.1
    q = where(flat, s * s, 0)
    by_series = 1 + q / 6 * (1 + q / 20 * (1 + q / 42 * (1 + q / 72 * (1 + q / 110))))
    share = where(flat, by_series, sinh(s) / where(flat, 1, s))
    f = 2 / pi / (above * below) * (cosh(s) * odd + share * length * even)
    p, q = exp(s) / (pi * above), exp(-s) / (pi * below)
    half = _reciprocal_gamma(0.5 * u)
    sinc = half[0] * half[0] - 0.25 * u * u * half[1] * half[1]  # of u / 2
    turn, square = 0.5 * pi * pi * u * sinc * sinc, 0.25 * x * x

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, f, p, q, c, first, second = state
        f = (k * f + p + q) / (k * k - u * u)
        p, q, c = p / (k - u), q / (k + u), -c * square / k
        g = f + turn * q
        return k + 1, f, p, q, c, first + c * g, second + c * (p - k * g)

    one = 0 * f + 1
    begun = (one, f, p + 0 * f, q + 0 * f, one, f + turn * q, p + 0 * f)
    sums = while_loop(lambda state: (state[0] < _TERMS).any(), add, begun)[-2:]
    last, following = -sums[0], -2 / x * sums[1]

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, last, following = state
        more = k < count
        up = 2 * (u + k + 1) / x * following - last
        return k + 1, where(more, following, last), where(more, up, following)

    start = (0 * last, last, following)
    return while_loop(lambda s: ((s[0] < count) & (s[0] < _STEPS)).any(), step, start)[1]


def yv_sum(order: _T, place: _T) -> _T:
    """Y of any order."""
    v = abs(order)
    fine = (place > 0) & (place < inf) & (v < inf)
    size, x = where(fine, v, 1), where(fine, place, 1)
    small = x < _SMALL
    turned = fine & (order < 0)
    of_j, of_y = where(turned, sine_of_pi(size), 0), where(turned, sine_of_pi(size + 0.5), 1)
    near = small & (size < _STEPS)
    low = where(small, x, 1)
    y = _near(where(near, size, 0), low)
    y = where(near & ~isnan(y), y, -inf)
    by_steps = combined(of_j, of_y, by_series(size, low), y)
    value = cylinder(size, where(small, _SMALL, x), of_j, of_y)
    value = where(small, by_steps, where(isnan(value), -inf, value))  # the hill's size is infinite
    lowest = sine_of_pi(where(eq(v, inf), 0, v) + 0.5)
    at_0 = where(order < 0, where(eq(lowest, 0), 0, -inf * lowest), -inf)
    value = where(eq(place, 0), at_0, value)
    rough = (v >= _HUGE) | (v > LIMIT) & (place > v)
    wrong = ~eq(place, 0) & (~fine | rough) | isnan(order)
    return where(wrong, nan, value)


def yv_slope(order: _T, place: _T) -> _T:
    """The derivative of `yv` in the order."""
    fine = (place > 0) & (place < inf)
    v, x = where(fine, abs(order), 1), where(fine, place, 1)
    small = x < _SMALL
    start, inside = where(small, v, 0), where(small, x, 1)
    near: Any = sweep_forward([_near(start, inside)], {start: 0 * start + 1})[0]
    s, c, below = sine_of_pi(v), sine_of_pi(v + 0.5), order < 0
    values = pi * (s * yv(start, inside) - c * jv(start, inside))
    near = where(below, values - s * slope_by_series(start, inside) - c * near, near)
    turned, plain = Shares(-pi * c, pi * s, -s, -c), Shares(y_slope=1)
    far = slope_by_paths(v, where(small, _SMALL, x), below, turned, plain)
    return where(fine, where(small, near, far), nan)


def _of_scipy(v: Any, x: Any) -> Any:
    """0 where Y of a negative half order is J too small for a number: SciPy has infinity."""
    value = in_double("scipy.special.yv", v, x)
    half = (v < 0) & (v > -inf) & (v + 0.5 == np.rint(v + 0.5))
    lost = half & np.isinf(value) & (x >= 0)
    return np.where(lost, np.zeros_like(value), value)


_slope = slope_row("yv_slope", "yv", ((0.2, 2.8), POSITIVE), (0.5, 1.0, -0.5), yv_slope)
yv: Binary = binary(
    "yv",
    _of_scipy,
    "Bessel function of the second kind, of real order.",
    ((0.2, 2.8), POSITIVE),
    (0.5, 1.0, -0.431098868),
    lambda v, x, r: (_slope(v, x), 0.5 * (yv(v - 1, x) - yv(v + 1, x))),
    summation=doubled(yv_sum),
    dtypes=floating,
    cost=LOOP,
    of_complex="complex_yv",
)
