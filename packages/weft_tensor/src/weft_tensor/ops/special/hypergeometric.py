"""Gauss' hypergeometric function, and its slopes in the parameters.

Negative z go to w = z / (z - 1) by Pfaff's transformation (NIST Digital Library of Mathematical
Functions, 15.8.1). Up to w = 1/2 there is the power series (15.2.1); from there on, Taylor series
of the solution of the differential equation (15.10.1) go half of the way to 1, as often as needed.
The slopes in the parameters are those of the same steps. All backends compute so: SciPy's function
may be off by 1e-9 where b - a or c - a - b is next to a whole number, or never return.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any, Final, NamedTuple

from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import quaternary
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, floating
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.gamma_forms import sign_of_gamma
from weft_tensor.ops.special.slope_rows import slope_row

__all__ = ["hyp2f1"]

_LEAST: Final = 75
"""Terms that are added at least: at half of the radius, slopes in the parameters need as many."""
_BEYOND: Final = 8.0
"""For values, so many more than the largest parameter are enough: then terms do not grow."""
_MOST: Final = 5000
_LAST: Final = 1e-19
"""Below this share of their sum, terms are left out."""

_T = TensorVariable


class _Sum(NamedTuple):
    """A series of a step: the last two of its terms, their sum, and that of its slope's.

    The slope is over the first power.
    """

    n: _T
    term: _T
    following: _T
    total: _T
    below: _T
    more: _T


def hyp2f1_sum(a: _T, b: _T, c: _T, z: _T, *, has_slopes: bool = False) -> _T:
    """`hyp2f1` as an expression, of which slopes may be wanted; beyond 1 by polynomials.

    Where a is c and c a pole, it is a power of 1 - z for z from -1 to 1, and where b is c, the
    polynomial that ends there: as SciPy has it.
    """
    ended = _ends(a) | _ends(b) | _ends(c)
    turned = (z > 1) & ~ended & (_ends(c - a) | _ends(c - b))
    value = _of_gauss(where(turned, c - a, a), where(turned, c - b, b), c, z, has_slopes)
    value = where(turned, pow(where(turned, 1 - z, 1), c - a - b), 1) * value
    beyond = (z >= 1) | (z < -1)
    power = pow(where(beyond, 1, 1 - z), -b)
    at_pole = where(beyond, inf, where(eq(b, c), value, power))
    is_one = (eq(a, c) & ~(_ends(b) & (b > c))) | (eq(b, c) & ~(_ends(a) & (a > c)))
    return where(is_one & _ends(c) & neq(a, 0) & neq(b, 0), at_pole, value)


def _ends(v: _T) -> _T:
    """Whether the series ends: for 0, -1, -2, ..."""
    return (v <= 0) & eq(v, rint(v))


def _of_gauss(a: _T, b: _T, c: _T, z: _T, has_slopes: bool) -> _T:
    ended = [_ends(v) for v in (a, b, c)]
    last = minimum(where(ended[0], -a, inf), where(ended[1], -b, inf))
    pole = ended[2] & ~(last <= -c)
    direct = (last < inf) & ~pole & (ended[2] | (z >= 1)) & (abs(z) < inf)
    inside = (z < 1) & (z > -inf) & ~ended[2]
    flip = inside & (z < 0)
    first = minimum(a, c - b) >= minimum(b, c - a)
    kept = where(first, a, b)
    y = where(flip, 1 / (1 - where(flip, z, 0)), where(inside | direct, 1 - z, 1))
    other = where(flip, where(first, c - b, c - a), b)
    total = _by_steps(where(flip, kept, a), other, where(pole, 1, c), y, direct, has_slopes)
    value = where(flip, exp(kept * log(where(flip, y, 1))), 1) * total
    value = where(inside | direct, value, where(eq(z, 1) & ~pole, _at_1(a, b, c), inf))
    wrong = isnan(a) | isnan(b) | isnan(c) | isnan(z) | eq(z, -inf)
    return where(wrong, nan, where(eq(z, 0) | eq(a, 0) | eq(b, 0), 1, value))


def _at_1(a: _T, b: _T, c: _T) -> _T:
    """Gauss' theorem (15.4.20)."""
    sign: Any = 1.0
    for v in (c, c - a - b, c - a, c - b):
        sign = sign * where(eq(gammaln(v), inf), 1, sign_of_gamma(v))
    size = gammaln(c) + gammaln(c - a - b) - gammaln(c - a) - gammaln(c - b)
    return where(c > a + b, sign * exp(size), inf)


def _by_steps(a: _T, b: _T, c: _T, y: _T, at_once: _T, has_slopes: bool) -> _T:
    """At 1 - y, for y in (0, 1]; of polynomials, and for any y, in a single step."""
    size = _BEYOND + maximum(maximum(abs(a), abs(b)), abs(c))
    least = _LEAST if has_slopes else minimum(size, _LEAST)

    def _end(start: _T) -> _T:
        return where(at_once, y, maximum(y, 0.5 * start))

    def added(s: _Sum, up: _T) -> _Sum:
        total, below = s.total + up, s.below + (s.n + 2) * up
        large = maximum(abs(s.following), abs(up)) > _LAST * abs(total)
        more = s.more & ((s.n < least) | large & (s.n < _MOST))
        after = _Sum(s.n + 1, s.following, up, total, below, more)
        return _Sum(*[where(s.more, *pair) for pair in zip(after, s, strict=True)])

    def summed(begun: _Sum, step: Callable[[_Sum], _T]) -> _Sum:
        result: _Sum = while_loop(lambda s: s.more.any(), lambda s: added(s, step(s)), begun)
        return result

    one = 0 * y + 1
    end = _end(one)
    h = 1 - end
    term = a * b / where(eq(c, 0), 1, c) * h

    def of_first(s: _Sum) -> _T:
        m = s.n + 1
        below = where(eq(c + m, 0), 1, c + m) * (m + 1)
        return (m + a) * (m + b) * (h * s.following) / below

    first = summed(_Sum(0 * one, one, term, 1 + term, term, neq(one, y)), of_first)

    def stage(state: tuple[_T, ...]) -> tuple[_T, ...]:
        start, total, slope = state
        z, end, active = 1 - start, _end(start), neq(start, y)
        h = start - end
        q = h / (where(active, z, 1) * start)
        lean, level = q * (1 - 2 * z), q * (c - (a + b + 1) * z)

        def of_others(s: _Sum) -> _T:
            n, m = s.n, s.n + 1
            before = (n + a) * (n + b) * (h * q) * s.term
            return (before - m * (n * lean + level) * s.following) / (m * (m + 1))

        begun = slope * h
        s = summed(_Sum(0 * z, total, begun, total + begun, begun, active), of_others)
        return end, where(active, s.total, total), s.below / where(eq(h, 0), 1, h)

    slope = first.below / where(eq(h, 0), 1, h)
    done = while_loop(lambda state: neq(state[0], y).any(), stage, (end, first.total, slope))
    return done[1]


def _slope_sum(place: int, *inputs: _T) -> Any:
    """The derivative of `hyp2f1_sum` in a parameter."""
    slope: Any = sweep_forward(
        [hyp2f1_sum(*inputs, has_slopes=True)], {inputs[place]: 0 * inputs[place] + 1}
    )[0]
    return where(inputs[3] <= 1, slope, nan)


_DOMAIN: Final = (POSITIVE, ANY, POSITIVE, (-2.0, 0.9))
_slope_in_a = slope_row(
    "hyp2f1_slope", "hyp2f1", _DOMAIN, (1.0, 2.0, 3.0, 0.5, 0.694400778), partial(_slope_sum, 0)
)
_slope_in_c = slope_row(
    "hyp2f1_slope_c",
    "hyp2f1",
    _DOMAIN,
    (1.0, 2.0, 3.0, 0.5, -0.261970101),
    partial(_slope_sum, 2),
    argument="third",
)


def _slopes(a: _T, b: _T, c: _T, z: _T, r: _T) -> tuple[_T, ...]:
    by_z = a * b / c * hyp2f1(a + 1, b + 1, c + 1, z)
    return _slope_in_a(a, b, c, z), _slope_in_a(b, a, c, z), _slope_in_c(a, b, c, z), by_z


hyp2f1 = quaternary(
    "hyp2f1",
    None,
    "Gauss' hypergeometric function.",
    _DOMAIN,
    (1.0, 2.0, 3.0, 0.5, 1.5451774445),
    _slopes,
    summation=lambda *v: hyp2f1_sum(*[x.astype("float64") for x in v]).astype(v[0].dtype),
    dtypes=floating,
    of_complex="complex_hyp2f1",
)
