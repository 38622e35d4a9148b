"""Tricomi's confluent hypergeometric function U, and its slopes in the parameters.

For a from 2 on it is the integral of exp(a s + (b - a - 1) log(1 + t) - x t) over s, t = exp(s),
over gamma(a) (NIST Digital Library of Mathematical Functions, 13.4.4): with b from 1 on, where
Kummer's transformation (13.2.40) leads, its logarithm falls from one top to both sides, and even
steps go between the places where nothing is left of it. Down to smaller a goes the recurrence
(13.3.7), which is stable so. The slopes in the parameters are those of the same steps.

For small x and a, and b that is far enough from integers, it is two of Kummer's series (13.2.42),
where these do not cancel.
"""

from __future__ import annotations

import math
from functools import partial
from math import inf, nan
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, hypot, maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.op import Ternary, ternary
from weft_tensor.ops.elementwise.table import ANY, LOOP, POSITIVE, floating
from weft_tensor.ops.numbers.remainders import expm1mx
from weft_tensor.ops.special.gamma import gammaln, poch
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["HYPERU_LIMIT", "hyperu"]

_T = TensorVariable
HYPERU_LIMIT: Final = 2000.0
"""The recurrence makes no more steps; of larger parameters there is NaN."""
_HUGE: Final = 2.0**300
"""What grows beyond is divided by it."""
_LEAST: Final = 12.0
"""From such an a on, nothing is left of the integral soon."""
_LAST: Final = 40.0
"""What is below exp(-40) of the largest part is left out."""
_FEW, _MORE, _MANY = (np.linspace(0, 1, count) for count in (64, 192, 2048))
_STEP: Final = 0.25
_SHARE: Final = 0.5
"""Of this length, and of so many deviations of the top, steps are short enough."""
_SMALL, _FEWEST_STEPS, _APART, _KEPT = 2.0, 8.0, 0.08, 0.02
"""Up to such x and a the series are short; from so far off integers, and if so much of them is
left, they have digits."""
_EPS: Final = 2.0**-54
_SHORT: Final = 48.0
"""Up to this distance, some steps are as right as many."""


def hyperu_sum(a: _T, b: _T, x: _T, has_slopes: bool = False) -> _T:
    """`hyperu` as an expression; one whose slopes are wanted is shorter, and takes more steps."""
    few = (abs(a) <= HYPERU_LIMIT) & (abs(b) <= HYPERU_LIMIT)
    fine = few & (x > 0) & (x < inf)
    turned = fine & (b < 1)
    place = where(fine, x, 1)
    first = where(fine, where(turned, a - b + 1, a), 2)
    whole = _with_one_top(first, where(fine, where(turned, 2 - b, b), 1), place,
                          where(turned, 1 - b, 0), has_slopes)  # fmt: skip
    value = whole if has_slopes else _or_near(a, b, x, whole)
    below = few & ((b < 1) | _ends(a))
    at_0 = where(below, poch(where(below, 1 - b + a, 1), where(below, -a, 1)), inf)
    far = where(a > 0, 0, where(eq(a, 0), 1, inf))
    ends = where(few & eq(x, 0), at_0, where(few & eq(x, inf), far, nan))
    return where(fine, value, ends)


def _or_near(a: _T, b: _T, x: _T, whole: _T) -> _T:
    """The function by series, where these have digits, or as it is given."""
    turned = b > 1
    first, second = where(turned, a - b + 1, a), where(turned, 2 - b, b)
    near = (x > 0) & (x < _SMALL) & (first > _APART) & (first < _FEWEST_STEPS)
    near = near & (second > _APART) & (second < 1 - _APART)
    a, b, x, power = [where(near, v, 0.5) for v in (first, second, x, where(turned, second - 1, 0))]

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, one, ones, other, others, _ = state
        scale = x / (k + 1)
        one = one * ((a + k) / (b + k) * scale)
        other = other * ((a - b + k + 1) / (2 - b + k) * scale)
        ones, others = ones + one, others + other
        return k + 1, one, ones, other, others, (one > _EPS * ones) | (other > _EPS * others)

    none = 0 * (a + b + x)
    begun = (none, none + 1, none + 1, none + 1, none + 1, none.eq(0))
    _, _, ones, _, others, _ = while_loop(lambda s: s[5].any(), add, begun, 1000)
    large = exp(gammaln(1 - b) - gammaln(a - b + 1)) * ones
    less = exp(gammaln(b) - gammaln(a) + (1 - b) * log(x)) / (1 - b) * others
    value = large - less
    kept = near & (value > _KEPT * large)
    return where(kept, value * exp(power * log(x)), whole)


def _with_one_top(first: _T, whole_b: _T, x: _T, power: _T, has_slopes: bool) -> _T:
    """The function times a power of x, for b from 1 on."""
    ended = _ends(first)
    stepped = (whole_b >= 2) & ~ended & ((first < _LEAST) | (x < 1))
    steps = where(stepped, floor(whole_b - 1), 0)
    b = whole_b - steps
    start = where(ended, 0, _LEAST)
    count = where(first < start, ceil(start - first), 0)
    a = first + count
    now, above, height = _integrals(where(ended, _LEAST, a), b, x, has_slopes)
    unit, part = maximum(x, 1), minimum(x, 1)

    def down(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, now, above = state
        more, at = k < count, a - k
        below = ((x + 2 * at - b) * now - at * (at - b + 1) / unit * above) / unit
        return k + 1, where(more, below, now), where(more, now, above)

    started = (0 * x, where(ended, 1, now), where(ended, 0, unit * above))
    _, now, above = while_loop(lambda state: (state[0] < count).any(), down, started)

    def up(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, before, rise, times = state
        more = k < steps
        next_rise = ((b + k - 1) * rise + first * before) / unit
        large = more & (next_rise > _HUGE)
        scale = where(large, 1 / _HUGE, 1)
        before = where(more, part * (before + rise) * scale, before)
        return k + 1, before, where(more, next_rise * scale, rise), where(large, times + 1, times)

    rise = first * above / unit
    none = 0 * now
    begun = (none, where(stepped, now - rise, now), where(stepped, rise, 0), none)
    _, before, rise, times = while_loop(lambda state: (state[0] < steps).any(), up, begun)
    height = where(ended, 0, height) + count * log(unit) + times * math.log(_HUGE)
    height = height + (power - where(x < 1, steps, 0)) * log(x)
    half = exp(0.5 * height)  # which is too large as a square
    return half * (before + rise) * half


def _ends(a: _T) -> _T:
    """Whether it is a polynomial: for 0, -1, -2, ..."""
    return (a <= 0) & eq(a, rint(a))


def _integrals(a: _T, b: _T, x: _T, has_slopes: bool) -> tuple[_T, _T, _T]:
    """The function of a and a + 1, and the logarithm of what both are to be multiplied with."""
    lean = x - b + 1
    root = hypot(lean, 2 * sqrt(a * x))
    top = where(lean > 0, 2 * a / (abs(lean) + root), (root + abs(lean)) / (2 * x))
    left, right, curve = _reach(a, b, x, top)
    left, length = stop_gradient(left), stop_gradient(left + right)
    shortest = length < (len(_FEW) - 1) * minimum(_STEP, _SHARE / sqrt(curve))
    short = length < _SHORT

    def over(places: np.ndarray) -> tuple[_T, _T]:
        s = along(length) * places - along(left)
        share, rest, risen = along(top / (1 + top)), along(1 / (1 + top)), exp(s)
        near = s > -0.5
        grown = rest + share * risen
        size = where(near, log1p(where(near, share * expm1(s), 0)), log(grown))
        power = along(b - a - 1) * (size - share * s) - along(x * top) * expm1mx(s)
        terms = exp(power)
        step = length / (len(places) - 1)
        after = (terms * (share * risen / grown)).sum(axis=-1)
        return step * terms.sum(axis=-1), step * after / a

    sums = zip(over(_MORE), over(_MANY), strict=True)
    now, above = [where(short, more, many) for more, many in sums]
    if not has_slopes:
        now, above = [where(shortest, *v) for v in zip(over(_FEW), (now, above), strict=True)]
    return now, above, a * log(top) + (b - a - 1) * log1p(top) - x * top - gammaln(a)


def _reach(a: _T, b: _T, x: _T, top: _T) -> tuple[_T, _T, _T]:
    """How far below and above the top, in logarithms, the integrand is the least share of it.

    And how it bends there.
    """
    share = top / (1 + top)
    curve = a * (1 + share) / (1 + top) + (b - 1) * share * share
    q = _LAST / minimum(curve, x * top)
    right = log1p(q + sqrt(q) * sqrt(q + 2))
    level = maximum(log(top), 0) + _fall(2 * _LAST / a)
    return minimum(_fall(_LAST / minimum(curve, a)), level), right, curve


def _fall(q: _T) -> _T:
    """Where m - 1 + exp(-m) is at least q."""
    return 0.5 * (q + sqrt(q) * sqrt(q + 8))


def _slope_sum(place: int, a: _T, b: _T, x: _T) -> Any:
    """The derivative of `hyperu_sum` in a parameter."""
    slope: Any = sweep_forward([hyperu_sum(a, b, x, True)], {(a, b)[place]: 0 * x + 1})[0]
    return where(eq(a, 0) & eq(slope, slope), 0, slope) if place else slope  # it is 1 for all b


_DOMAIN: Final = (POSITIVE, ANY, POSITIVE)
_slope_in_a = slope_row(
    "hyperu_slope", "hyperu", _DOMAIN, (1.0, 2.0, 0.5, -0.459526904), partial(_slope_sum, 0)
)
_slope_in_b = slope_row(
    "hyperu_slope_b", "hyperu", _DOMAIN, (1.0, 2.0, 0.5, 1.845821265), partial(_slope_sum, 1),
    argument="second",
)  # fmt: skip
hyperu: Ternary = ternary(
    "hyperu",
    None,
    "Tricomi's confluent hypergeometric function.",
    _DOMAIN,
    (1.0, 2.0, 0.5, 2.0),
    lambda a, b, x, r: (
        _slope_in_a(a, b, x), _slope_in_b(a, b, x), -a * hyperu(a + 1, b + 1, x),
    ),
    summation=doubled(hyperu_sum),
    dtypes=floating,
    cost=LOOP,
)  # fmt: skip
