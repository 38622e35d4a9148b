"""Kummer's confluent hypergeometric function, and its slopes in the parameters.

Negative x are turned by Kummer's transformation (NIST Digital Library of Mathematical Functions,
13.2.39). Where no term is negative there is the power series (13.2.2), where a is a whole number
below 1 the recurrence of polynomials (13.3.1), for large x the expansion (13.7.1 and 13.7.2). Else
Taylor series of the solution of the differential equation (13.2.1), from place to place, so short
that their terms do not cancel. For b below 0 no recurrence and no steps are stable from one end:
there, the three-term recurrence in b (13.3.2) is solved between b above 0 and b so far below it
that the power series does not cancel, by elimination from both ends (Olver, "Numerical solution of
second-order linear difference equations", 1967). The slopes in the parameters are those of the same
steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any, Final

import numpy as np

from weft_graph.extend import sweep_forward
from weft_tensor.build.lazy_import import in_double
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import ceil, maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Ternary, ternary
from weft_tensor.ops.elementwise.table import ANY, LOOP, POSITIVE, floating
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.gamma_forms import sign_of_gamma
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["HYP1F1_LIMIT", "hyp1f1"]

_T = TensorVariable
_MOST: Final = 4000
"""Terms, or steps, that are made at most; what takes more is NaN."""
HYP1F1_LIMIT: Final = 1e5
"""What is larger gives NaN: from some such numbers SciPy's function does not come back."""
_MOST_ORDERS: Final = 40000
"""Equations that are eliminated at most."""
_LEAST_GAP: Final = 1e-4
"""Where both ends of the equations nearly say the same, next to whole a > 0, the result is NaN."""
_LAST: Final = 1e-19
"""Below this share of their sum, terms are left out."""
_LEAST: Final = 30
"""Terms of the power series that are added at least, for the slopes; and those of a step."""


def hyp1f1_sum(a: _T, b: _T, x: _T, place: int | None = None) -> _T:
    """`hyp1f1` as an expression, of which the slope in an argument is wanted, if a place is given.

    Polynomials are computed by their degree, which has no slope.
    """
    wrong = ~(maximum(maximum(abs(a), abs(b)), abs(x)) <= HYP1F1_LIMIT)
    pole = _ends(b) & ~(_ends(a) & (a >= b) & neq(a, 0))
    fine = ~(wrong | pole)
    a, b, x = where(fine, a, 1), where(fine, b, 1), where(fine, x, 0)
    between = (b < 0) & ~_ends(b) & ~_is_small(a, b, x) & ~_is_far(a, b, abs(x))
    y = where(between, abs(x), 0)
    of = where(between, where(x > 0, b - a, a), 0)
    below = where(between, ceil(40 + 4 * (abs(of) + y) + b), 0)
    wrong = wrong | (below > _MOST_ORDERS)
    between, above = between & ~wrong, where(between, ceil(1 - b), 0)
    value = _one_side(where(between, of, a), b + above, where(between, -y, x), place)
    under = where(between, b, 1)
    low = _by_powers(of, under - below, -y, 0 * y + 1)
    rise, start = _eliminated(of, under, -y, below, 0, low)
    fall, end = _eliminated(of, under, -y, above, 1, value)
    root = exp(where(between & (x > 0), 0.5 * y, 0))
    gap = 1 - rise * fall
    wrong = wrong | between & (abs(gap) < _LEAST_GAP)
    value = where(between, root * ((rise * end + start) / where(wrong, 1, gap)) * root, value)
    return where(wrong, nan, where(pole, inf, value))


def _eliminated(a: _T, b: _T, x: _T, count: _T, last: int, value: _T) -> tuple[_T, _T]:
    """The functions of b and b + 1, one as a linear function of the other: factor and constant.

    From b - count, where it has this value, to that of b; with last = 1 from b + count to b + 1.
    """

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, factor, constant = state
        more = k >= last
        at = where(more, b + k if last else b - k, 0.5)
        before, after = at * (at - 1), x * (at - a)
        if last:
            before, after = after, before
        pivot = at * (1 - at - x) + before * factor
        return (
            k - 1,
            where(more, -after / pivot, factor),
            where(more, -before * constant / pivot, constant),
        )

    start = (count - 1, 0 * value, value)
    return while_loop(lambda state: (state[0] >= last).any(), step, start)[1:]


def _is_small(a: _T, b: _T, x: _T) -> _T:
    """Whether the power series is right at once."""
    return abs(x) * (abs(a) + 1) <= where(b < 0, -0.1 * b, 2 * (abs(b) + 1))


def _is_far(a: _T, b: _T, y: _T) -> _T:
    """Whether the expansion for large numbers is right."""
    size = maximum(abs(a), abs(b - a))
    return y > maximum(0.2 * (_LEAST + size) ** 2, 2 * size * size)


def _one_side(a: _T, b: _T, x: _T, place: int | None) -> _T:
    """The function where one of the ways from one side is right."""
    ended = _ends(a) & (place != 0)
    small = _is_small(a, b, x)
    turned = (x < 0) & ~ended & ~small
    a, y = where(turned, b - a, a), where(turned, -x, x)
    ended = ended | turned & _ends(a) & (b > 0) & (place is None)
    far = ~ended & ~small & _is_far(a, b, y)
    direct = ~far & (small | where(ended, b <= -1, (a > 0) & (b > 0)))
    ended, stepped = ended & ~direct, ~(ended | direct | far)
    long = stepped & (y + sqrt((abs(a) + 1) * abs(y)) + abs(b) > _MOST) | ended & (-a > _MOST)
    ended, stepped = ended & ~long, stepped & ~long
    root = exp(where(turned, -0.5 * y, 0))  # once and twice, that nothing is too small
    value = root * _by_powers(*_only(direct, a, b, y), root)
    value = where(stepped, _by_steps(*_only(stepped, a, b, y), turned), value)
    value = where(far, _far(*_only(far, a, b, y), turned), value)
    if place != 0:
        value = where(ended, root * _of_degree(*_only(ended, -a, b, y)) * root, value)
    return where(long, nan, value)


def _only(chosen: _T, a: _T, b: _T, y: _T) -> tuple[_T, _T, _T]:
    """Where it is chosen, else what takes no step."""
    return where(chosen, a, 0), where(chosen, b, 1), where(chosen, y, 0)


def _ends(v: _T) -> _T:
    """Whether the series ends: for 0, -1, -2, ..."""
    return (v <= 0) & eq(v, rint(v))


def _by_powers(a: _T, b: _T, y: _T, first: _T) -> _T:
    """The power series, from its first term on."""

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        n, term, total = state
        under = where(eq(b + n, 0), 1, b + n)  # where all terms are 0
        term = term * (a + n) / under * y / (n + 1)
        n = n + 1
        small = (abs(term) <= _LAST * abs(total)) & (n > _LEAST)
        total = where(n > _MOST, nan, total + term)
        return where(small | (n > _MOST), inf, n), term, total

    start = (where(eq(y, 0), inf, 0 * y), 0 * y + first, 0 * y + first)
    return while_loop(lambda state: (state[0] < inf).any(), _unless_done(add), start)[2]


def _unless_done(step: Callable[[tuple[_T, ...]], tuple[_T, ...]]) -> Any:
    def guarded(state: tuple[_T, ...]) -> tuple[_T, ...]:
        done = eq(state[0], inf)
        usual = (where(done, 0, state[0]), *state[1:])
        return tuple([where(done, *pair) for pair in zip(state, step(usual), strict=True)])

    return guarded


def _by_steps(a: _T, b: _T, y: _T, shrinks: _T) -> _T:
    """From place to place, a power series with `_LEAST` terms at each; times exp(-y) if it shrinks.

    The state is the place, the length of the step, the index of a term, that and the next one,
    their sum, and that of the slope's terms.
    """

    def length(z: _T) -> _T:
        first = 2 * (abs(b) + 1) / (abs(a) + 1)
        later = minimum(minimum(0.25 * z, 4 * z / (abs(b) + 1)), 2 * sqrt(z / (abs(a) + 1)))
        return minimum(minimum(where(eq(z, 0), first, later), 4), y - z)

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        z, h, n, term, following, total, below = state
        at_0, m = eq(z, 0), n + 1
        of_first = (a + m) / where(at_0, b + m, 1) * h * following / (m + 1)
        ahead = (n + a) * h * term - m * (n + b - z) * following
        up = where(at_0, of_first, ahead * h / (where(at_0, 1, z) * m * (m + 1)))
        total, below = total + up, below + (m + 1) * up
        more = m < _LEAST
        place = where(more, z, z + h)
        width = where(more, h, length(place))
        factor = where(shrinks, exp(-h), 1)
        start, begun = factor * total, factor * below / where(eq(h, 0), 1, h) * width
        nexts = [(following, start), (up, begun), (total, start + begun), (below, begun)]
        return place, width, where(more, m, 0), *[where(more, *pair) for pair in nexts]

    zero = 0 * y
    h = length(zero)
    term = a / b * h
    start = (zero, h, zero, zero + 1, zero + term, 1 + term, zero + term)
    last = while_loop(lambda state: (state[0] < y).any(), step, start)
    return last[3]


def _of_degree(n: _T, b: _T, y: _T) -> _T:
    """A polynomial of degree n."""

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, before, last = state
        more = k < n
        under = where(more, b + k, 1)
        up = ((2 * k + b - y) * last - k * before) / under
        return k + 1, where(more, last, before), where(more, up, last)

    start = (0 * y, 0 * y, 0 * y + 1)
    return while_loop(lambda state: (state[0] < n).any(), step, start)[2]


def _far(a: _T, b: _T, place: _T, turned: _T) -> _T:
    y = where(place > 0, place, _LEAST**2)

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        n, term, total = state
        term = term * (1 - a + n) * (b - a + n) / ((n + 1) * y)
        return n + 1, term, total + term

    start = (0 * y, 0 * y + 1, 0 * y + 1)
    total = while_loop(lambda state: (state[0] < _LEAST).any(), add, start)[2]
    size = gammaln(b) - gammaln(a) + (a - b) * log(y) + where(turned, 0, y)
    return sign_of_gamma(b) * sign_of_gamma(a) * exp(size) * total


def _slope_sum(place: int, a: _T, b: _T, x: _T) -> Any:
    """The derivative of `hyp1f1_sum` in a parameter."""
    value = hyp1f1_sum(a, b, x, place)
    slope: Any = sweep_forward([value], {(a, b)[place]: 0 * x + 1})[0]
    return where(abs(value) < inf, slope, nan)


def _of_scipy(*values: Any) -> Any:
    few = np.logical_and.reduce([np.abs(v) <= HYP1F1_LIMIT for v in np.broadcast_arrays(*values)])
    result = in_double(
        "scipy.special.hyp1f1", *[np.where(few, v, 1).astype(v.dtype) for v in values]
    )
    return np.where(few, result, np.array(nan, result.dtype))


_DOMAIN: Final = (POSITIVE, POSITIVE, ANY)
_slope_in_a = slope_row(
    "hyp1f1_slope", "hyp1f1", _DOMAIN, (1.0, 2.0, 0.5, 0.341489), partial(_slope_sum, 0)
)
_slope_in_b = slope_row(
    "hyp1f1_slope_b", "hyp1f1", _DOMAIN, (1.0, 2.0, 0.5, -0.1), partial(_slope_sum, 1),
    argument="second",
)  # fmt: skip
hyp1f1: Ternary = ternary(
    "hyp1f1",
    _of_scipy,
    "Kummer's confluent hypergeometric function.",
    _DOMAIN,
    (1.0, 2.0, 0.5, 1.2974425414),
    lambda a, b, x, r: (
        _slope_in_a(a, b, x),
        _slope_in_b(a, b, x),
        a / b * hyp1f1(a + 1, b + 1, x),
    ),
    summation=doubled(hyp1f1_sum),
    dtypes=floating,
    cost=LOOP,
)
