"""Gauss' hypergeometric function, and its slopes in the parameters.

Negative z go to w = z / (z - 1) by Pfaff's transformation (NIST Digital Library of Mathematical
Functions, 15.8.1), unless a and b are negative and z is near 0, and where terms cancel less a and b
by Euler's to c - a and c - b. Up to w = 1/2 there is the power series (15.2.1); from there on,
Taylor series of the solution of the differential equation (15.10.1) go half of the way to 1, as
often as needed. Rounding brings the other solutions in, w**(1 - c) and (1 - w)**(c - a - b), whose
terms grow as 2**c and 1.5**(c - a - b): for large ones the power series goes on up to w = 1 - 8 /
c, or further.
The slopes in the parameters are those of the same steps. All backends compute so: SciPy's function
may be off by 1e-9 where b - a or c - a - b is next to a whole number, or never return.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any, Final, NamedTuple

from weft_graph import stop_gradient
from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import ceil, maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.elementwise.op import quaternary
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, floating
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.gamma_forms import sign_of_gamma
from weft_tensor.ops.special.slope_rows import slope_row

__all__ = ["hyp2f1"]

_LEAST: Final = 75
"""Terms that are added at least: at half of the radius, slopes in the parameters need as many."""
_LEAST_SHORT: Final = 30
"""The same of short steps."""
_BEYOND: Final = 8.0
"""For values, so many more than the largest parameter are enough: then terms do not grow."""
_MOST: Final = 20000
"""A sum that needs more terms is NaN."""
_LOST: Final = 1e11
"""Terms that are larger than their sum and its slope by this cancel: the sum is NaN."""
_LAST: Final = 1e-19
"""Below this share of their sum, terms are left out."""
_NEAR: Final = 8.0
"""The other solutions' terms may grow by the exponential of this."""
_SLOW: Final = 0.9
"""The power series itself goes on to -z of that where a and b are negative and c is not."""
_STEEP: Final = 30.0
"""For a larger c - a - b there is the power series only."""
_ALL_BELOW: Final = 0.004
"""How far from 1 the power series may end where a, b and c are negative: steps lose more."""
_CANCELS: Final = 4.0
"""Terms that cancel may grow by this, from one to the next."""
_GROWS: Final = 6.0
"""Where terms cancel, steps are so short that they grow by about the exponential of this."""
_MOST_SHORT: Final = 1010.0
"""For larger parameters there would be too many short steps."""
_LOWEST: Final = -20.0
"""For a smaller c the other solution grows too much from short step to short step."""
_FAR: Final = 1e-17
"""From there on y and its products with parameters are nothing beside 1."""
_FLAT: Final = 1e-3
"""Below, a power less 1 is four terms of its series."""
_LARGEST: Final = 600.0
"""The logarithm of a sum that is not huge."""

_T = TensorVariable


class _Sum(NamedTuple):
    """A series of a step: the last two of its terms, their sum, and that of its slope's.

    The slope is over the first power. Of the terms, `largest` has the size of the largest.
    """

    n: _T
    term: _T
    following: _T
    total: _T
    below: _T
    largest: _T
    more: _T


def hyp2f1_sum(a: _T, b: _T, c: _T, z: _T, *, has_slopes: bool = False) -> _T:
    """`hyp2f1` as an expression, of which slopes may be wanted; beyond 1 by polynomials.

    Where a is c and c a pole, it is a power of 1 - z for z from -1 to 1, and where b is c, the
    polynomial that ends there: as SciPy has it.
    """
    if not has_slopes:
        c_near_1, factor, from_1 = _from_1(a, b, c, z)
        c, z = where(from_1, c_near_1, c), where(from_1, 1 - z, z)
    ended = _ends(a) | _ends(b) | _ends(c)
    ends = (z > 1) & ~ended & (_ends(c - a) | _ends(c - b))
    cancels = _cancels(a, b, c, z)
    turned, lift = ends | cancels, where(cancels, c - a - b, 0)
    value = _of_gauss(where(turned, c - a, a), where(turned, c - b, b), c, z, lift, has_slopes)
    value = where(ends, pow(where(ends, 1 - z, 1), c - a - b), 1) * value
    if not has_slopes:
        value = factor * value
    beyond = (z >= 1) | (z < -1)
    power = pow(where(beyond, 1, 1 - z), -b)
    at_pole = where(beyond, inf, where(eq(b, c), value, power))
    is_one = (eq(a, c) & ~(_ends(b) & (b > c))) | (eq(b, c) & ~(_ends(a) & (a > c)))
    return where(is_one & _ends(c) & neq(a, 0) & neq(b, 0), at_pole, value)


def _ends(v: _T) -> _T:
    """Whether the series ends: for 0, -1, -2, ..."""
    return (v <= 0) & eq(v, rint(v))


def _from_1(a: _T, b: _T, c: _T, z: _T) -> tuple[_T, _T, _T]:
    """Of a polynomial of 1 - z: the last parameter, a factor, and whether terms cancel less.

    The other solution grows from the zeros of the polynomial on (15.8.7).
    """
    degree, upper = -minimum(a, b), a + b - c + 1
    is_polynomial = _ends(-degree) & (maximum(a, b) > 0) & (upper > 0) & ~_ends(c)
    is_behind = where(c > 0, z * (c + upper + 2 * degree) > c + degree, z > 0)
    turned = is_polynomial & is_behind & (z < inf)
    n, c, upper = (where(turned, v, 1) for v in (degree, c, upper))
    sign = sign_of_gamma(c) * sign_of_gamma(c + n) * where(eq(n % 2, 0), 1, -1)
    size = gammaln(upper + n) - gammaln(upper) + gammaln(c) - gammaln(c + n)
    return upper, where(turned, sign * exp(size), 1), turned


def _cancels(a: _T, b: _T, c: _T, z: _T) -> _T:
    """Whether terms grow that cancel, and fewer by Euler's transformation, none of them huge."""
    inside = (z > 0) & (z < 1) & ~_ends(c)
    least, later = minimum(a, b), minimum(c - a, c - b)
    below = [where(inside, v, 1) for v in (c, 2 * (c + 1))]
    ratios = [abs(a * b / below[0]), abs((a + 1) * (b + 1) / where(eq(below[1], 0), 1, below[1]))]
    size = (a + b - c) * log(maximum(where(inside, 1 - z, 1), _nearest(c)))
    grows = (least < 0) & (later > least) & (maximum(*ratios) * z > _CANCELS)
    turns = (c < 0) & inside & ~_ends(a) & ~_ends(b)
    a, b, c, z = (where(turns, v, 0.5) for v in (a, b, c, z))
    lift = (c - a - b) * log(1 - z)
    change = _largest_term(c - a, c - b, c, z) + lift - _largest_term(a, b, c, z)
    return inside & (size < _LARGEST) & (where(turns, change, where(grows, -inf, 0)) < -1)


def _largest_term(a: _T, b: _T, c: _T, z: _T) -> _T:
    """The logarithm of the first term, or of that where c + m turns positive, if it is larger."""
    m = maximum(ceil(-c), 0)
    ratio = gammaln(a + m) - gammaln(a) + gammaln(b + m) - gammaln(b)
    below = gammaln(c + m) - gammaln(c) + gammaln(m + 1)
    return maximum(ratio - below + m * log(z), 0)


def _nearest(c: _T) -> _T:
    """How far from 1 the power series may end."""
    return minimum(0.5, _NEAR / maximum(abs(c), 1))


def _of_gauss(a: _T, b: _T, c: _T, z: _T, lift: _T, has_slopes: bool) -> _T:
    ended = [_ends(v) for v in (a, b, c)]
    last = minimum(where(ended[0], -a, inf), where(ended[1], -b, inf))
    pole = ended[2] & ~(last <= -c)
    ends_at_once = ended[2] | (z >= 1)
    if not has_slopes:  # of which the series does not end
        other = where(ended[0], b, a)
        ends_at_once = ends_at_once | where(z < 0, (c <= 0) | (other > 0), (c <= 0) & (other <= 0))
    direct = (last < inf) & ~pole & ends_at_once & (abs(z) < inf)
    shrinks = (maximum(a, b) < 0) & (c > 0) & (z < 0)  # terms soon do, and Pfaff's cancel more
    direct = direct | shrinks & (z > -_SLOW)
    inside = (z < 1) & (z > -inf) & ~ended[2] & ~direct
    flip = inside & (z < 0)
    first = minimum(a, c - b) >= minimum(b, c - a)
    kept = where(first, a, b)
    y = where(flip, 1 / (1 - where(flip, z, 0)), where(inside | direct, 1 - z, 1))
    other = where(flip, where(first, c - b, c - a), b)
    lift = where(flip, kept, lift)
    total = _by_steps(where(flip, kept, a), other, where(pole, 1, c), y, lift, direct, has_slopes)
    value = where(inside | direct, total, where(eq(z, 1) & ~pole, _at_1(a, b, c), inf))
    wrong = isnan(a) | isnan(b) | isnan(c) | isnan(z) | eq(z, -inf)
    is_one = eq(a, 0) | eq(b, 0)
    is_one = eq(z, 0) | (is_one & ~inside if has_slopes else is_one)
    return where(wrong, nan, where(is_one, 1, value))


def _at_1(a: _T, b: _T, c: _T) -> _T:
    """Gauss' theorem (15.4.20)."""
    sign: Any = 1.0
    for v in (c, c - a - b, c - a, c - b):
        sign = sign * where(eq(gammaln(v), inf), 1, sign_of_gamma(v))
    size = gammaln(c) + gammaln(c - a - b) - gammaln(c - a) - gammaln(c - b)
    return where(c > a + b, sign * exp(size), inf)


def _at_end(s: _T, lift: _T, total: _T, slope: _T, ratio: _T) -> _T:
    """The sum of a constant and a multiple of y**s, times y**lift, where y is so much smaller.

    So is the function at 1 - y for y next to 0 (15.10.12 and 13); `slope` is by log(y).
    """
    way = s * log(ratio)
    grows, small = way > 0, abs(way) < _FLAT
    apart = where(small, 1, s)
    powers = where(grows, -expm1(where(grows, -way, 0)), expm1(where(grows, 0, way))) / apart
    flat = log(ratio) * (1 + way / 2 * (1 + way / 3 * (1 + way / 4)))
    up, whole = pow(ratio, lift), pow(ratio, lift + where(grows, s, 0))
    return up * total + slope * where(small, up * flat, whole * powers)


def _by_steps(a: _T, b: _T, c: _T, y: _T, lift: _T, at_once: _T, has_slopes: bool) -> _T:
    """y**lift times the function at 1 - y, for y in (0, 1]; of polynomials at once, for any y."""
    larger = maximum(abs(a), abs(b))
    size = _BEYOND + maximum(larger, abs(c))
    least = maximum(minimum(size, _LEAST), _LEAST if has_slopes else 0)
    all_below = maximum(maximum(a, b), c) < 0
    nearest = where(all_below, _ALL_BELOW, _nearest(c))
    alternates = (minimum(a, b) < 0) & (c > _LOWEST) & (size < _MOST_SHORT)
    alternates = alternates & ~all_below & ~at_once
    product, smallest = abs(a * b), minimum(minimum(abs(a), abs(b)), abs(c))
    most = maximum(product / maximum(_GROWS / 4, smallest), larger)
    reach = _GROWS / where(alternates, most, 1)
    steep = where(c - a - b > _STEEP, 0, nearest)
    nearest = stop_gradient(where(alternates, maximum(nearest, 1 - reach), steep))
    first_end = where(at_once, y, maximum(y, nearest))
    if has_slopes:
        least = maximum(least, _LEAST / 2 / where(at_once, 0.5, first_end))
    longer = where((c < 0) & ~at_once, maximum(least, size / first_end), least)
    later = where(alternates, _LEAST_SHORT, longer)

    def added(s: _Sum, up: _T, least: _T) -> _Sum:
        total, below = s.total + up, s.below + (s.n + 2) * up
        size = maximum(abs(s.following), abs(up))
        large = size > _LAST * abs(total)
        total = where(large & (s.n >= _MOST), nan, total)
        more = s.more & ((s.n < least) | large) & (s.n < _MOST)
        after = _Sum(s.n + 1, s.following, up, total, below, maximum(s.largest, size), more)
        return _Sum(*[where(s.more, *pair) for pair in zip(after, s, strict=True)])

    def summed(begun: _Sum, step: Callable[[_Sum], _T], least: _T) -> _Sum:
        s: _Sum = while_loop(lambda s: s.more.any(), lambda s: added(s, step(s), least), begun)
        is_lost = s.largest > _LOST * maximum(abs(s.total), abs(s.below))
        is_lost = is_lost | (eq(s.largest, inf) & (s.term * s.following < 0))
        return s._replace(total=where(is_lost, nan, s.total))

    one = 0 * y + 1
    farthest = _FAR / (1 + maximum(larger, abs(c))) ** 2
    h = 1 - first_end
    term = a * b / where(eq(c, 0), 1, c) * h

    def of_first(s: _Sum) -> _T:
        m = s.n + 1
        below = where(eq(c + m, 0), 1, c + m) * (m + 1)
        return (m + a) * (m + b) * h / below * s.following

    first = summed(_Sum(0 * one, one, term, 1 + term, term, one, neq(one, y)), of_first, longer)
    scale, halved = pow(where(at_once, 1, first_end), lift), pow(0.5, lift)

    def stage(state: tuple[_T, ...]) -> tuple[_T, ...]:
        """From `start`, where 1 - z is that, half of the way to 1, or less where terms cancel."""
        start, total, slope = state
        active = neq(start, y)
        z = where(active, 1 - start, 0.5)
        grows = maximum(abs(c - (a + b + 1) * z), sqrt(product * z * start)) / (z * start)
        longest = where(alternates, minimum(0.5 * z, _GROWS / maximum(grows, 1)), 1)
        end = maximum(y, start - stop_gradient(minimum(0.5 * start, longest)))
        far = active & (start < farthest)
        h = start - end
        q = h / (z * start)
        lean, level = q * (1 - 2 * z), q * (c - (a + b + 1) * z)

        def of_others(s: _Sum) -> _T:
            n, m = s.n, s.n + 1
            earlier = (n + a) * (n + b) * (h * q) / (m * (m + 1)) * s.term
            return earlier - (n * lean + level) / (m + 1) * s.following

        begun = slope * h
        first_two = _Sum(0 * z, total, begun, total + begun, begun, 0 * z, active & ~far)
        s = summed(first_two, of_others, later)
        other = neq(end, 0.5 * start)
        scale = where(other, pow(where(other, end / start, 1), lift), halved)
        at_end = _at_end(c - a - b, lift, total, -start * slope, where(far, y / start, 1))
        total = where(far, at_end, where(active, scale * s.total, total))
        slope = where(far, 0, scale * s.below / where(eq(h, 0), 1, h))
        return where(far, y, where(active, end, start)), total, slope

    slope = scale * first.below / where(eq(h, 0), 1, h)
    done = while_loop(
        lambda state: neq(state[0], y).any(), stage, (first_end, scale * first.total, slope)
    )
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
_slope_in_b = slope_row(
    "hyp2f1_slope_b",
    "hyp2f1",
    _DOMAIN,
    (1.0, 2.0, 3.0, 0.5, 0.376634611),
    partial(_slope_sum, 1),
    argument="second",
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
    return _slope_in_a(a, b, c, z), _slope_in_b(a, b, c, z), _slope_in_c(a, b, c, z), by_z


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
