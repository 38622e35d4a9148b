"""Elliptic integrals: Carlson's symmetric ones, and Legendre's by these.

SciPy's of the former are NaN for small or large arguments, and take longer in machine code.

Carlson, Numerical computation of real or complex elliptic integrals, 1995: arguments are moved
towards each other until the first terms of a power series are enough; NIST Digital Library of
Mathematical Functions, 19.25.i, 19.26.iii, 19.36.i.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, pi
from typing import Any, Final

from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import ones_like, zeros_like
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.op import binary, ternary, unary
from weft_tensor.ops.elementwise.table import ANY, LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = [
    *("ellipe", "ellipeinc", "ellipk", "ellipkinc", "ellipkm1", "elliprc", "elliprd", "elliprf"),
    "elliprg",
]

_T = TensorVariable
_STEPS: Final = 30
_SPREAD: Final = 0.003
"""How far arguments may be from their mean: what the series leaves out is its eighth power."""
_CLOSE: Final = 1e-9
"""How near to each other means are whose next step is the last that counts."""
_TINY: Final = 1e-125
_SMALL: Final = 2.0**-600
"""Numbers below it are made larger, of which powers would vanish."""
_BESIDE: Final = 1e-20
_PI_REST: Final = 1.2246467991473532e-16
"""What pi misses in 64 bits."""


def _moved(values: tuple[_T, ...], weights: tuple[int, ...]) -> tuple[_T, ...]:
    """The arguments when they are close together, a sum over the steps, and 1/4 to their number."""

    def mean(v: tuple[_T, ...]) -> Any:
        total: Any = 0.0
        for w, x in zip(weights, v, strict=True):
            total = total + w * x
        return total / sum(weights)

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        count, *v, total, share = state
        x, y, z = map(sqrt, v)
        common = x * y + y * z + z * x
        middle = mean(tuple(v))
        apart = maximum(maximum(abs(middle - v[0]), abs(middle - v[1])), abs(middle - v[2]))
        more = (apart > _SPREAD * middle) & (count < _STEPS)
        total = where(more, total + share / (z * (v[2] + common)), total)
        after = [where(more, 0.25 * (u + common), u) for u in v]
        return where(more, count + 1, inf), *after, total, where(more, 0.25 * share, share)

    zero = zeros_like(values[0])
    start = step((zero, *(v + zero for v in values), zero, zero + 1))  # the root of 0 has no slope
    return while_loop(lambda state: (state[0] < inf).any(), step, start)[1:]


def _where_defined(values: tuple[_T, ...], pole: Any, result: _T) -> _T:
    """Zero where an argument is infinite, and NaN where one is negative."""
    largest, wrong = values[0], isnan(values[0]) | (values[0] < 0)
    for v in values[1:]:
        largest, wrong = maximum(largest, v), wrong | isnan(v) | (v < 0)
    value = where(eq(largest, inf), 0, where(pole, inf, result))
    return where(wrong, nan, value)


def _usable(values: tuple[_T, ...], pole: Any) -> tuple[_T, ...]:
    """The arguments, or 1 where these have no integral."""
    bad = pole
    for v in values:
        bad = bad | isnan(v) | (v < 0) | eq(v, inf)
    return tuple([where(bad, 1, v) for v in values])


def series_of_first_kind(a: _T, b: _T, c: _T) -> _T:
    """The series about the mean of three numbers that are near each other, over its root."""
    middle = (a + b + c) / 3
    p, q = 1 - a / middle, 1 - b / middle
    r = -(p + q)
    two, three = p * q - r * r, p * q * r
    series = (
        1
        + two * (-1 / 10 + two / 24 - 3 / 44 * three - 5 / 208 * two * two)
        + three * (1 / 14 + 3 / 104 * three + two * two / 16)
    )
    return series / sqrt(middle)


def _rf_sum(x: _T, y: _T, z: _T) -> _T:
    pole = eq(x + y, 0) | eq(y + z, 0) | eq(z + x, 0)
    a, b, c, _, _ = _moved(_usable((x, y, z), pole), (1, 1, 1))
    return _where_defined((x, y, z), pole, series_of_first_kind(a, b, c))


def series_of_third_kind(two: _T, three: _T, four: _T, five: _T) -> _T:
    """The integral where arguments are next to their mean, over its value at this.

    In symmetric functions of what they are apart: NIST Digital Library, 19.36.2.
    """
    return (
        1
        + two * (-3 / 14 + 9 / 88 * two - two * two / 16 - 9 / 52 * three)
        + three * (1 / 6 + 3 / 40 * three + 45 / 272 * two * two)
        + four * (-3 / 22 + 3 / 20 * two - 9 / 68 * three)
        + five * (3 / 26 - 9 / 68 * two)
    )


def series_of_second_kind(a: _T, b: _T, c: _T) -> _T:
    """The same about the mean of three numbers, the last of which counts three times."""
    middle = (a + b + 3 * c) / 5
    p, q = 1 - a / middle, 1 - b / middle
    r = -(p + q) / 3
    product, square = p * q, r * r
    two, three = product - 6 * square, (3 * product - 8 * square) * r
    four, five = 3 * (product - square) * square, product * square * r
    return series_of_third_kind(two, three, four, five) / (middle * sqrt(middle))


def _rd_sum(x: _T, y: _T, z: _T) -> _T:
    pole = eq(x + y, 0) | eq(z, 0)
    a, b, c, total, share = _moved(_usable((x, y, z), pole), (1, 1, 3))
    value = 3 * total + share * series_of_second_kind(a, b, c)
    return where(eq(z, 0) & (x >= 0) & (y >= 0), inf, _where_defined((x, y, z), pole, value))


def _in_order(x: _T, y: _T, z: _T) -> tuple[_T, _T, _T]:
    low, high = minimum(x, y), maximum(x, y)
    return minimum(low, z), maximum(low, minimum(high, z)), maximum(high, z)


def _rg_sum(x: _T, y: _T, z: _T) -> _T:
    """By those of the first and second kind, around the middle one: no part is negative.

    NIST Digital Library of Mathematical Functions, 19.21.10. Beside one that is far larger, the
    others are nothing.
    """
    small = maximum(maximum(x, y), z) < _SMALL
    low, middle, high = _in_order(*[where(small, 1 / _SMALL, 1.0) * v for v in (x, y, z)])
    fine = (low >= 0) & (middle > _BESIDE * high) & (high < inf)
    low, high, middle = where(fine, low, 1), where(fine, high, 1), where(fine, middle, 1)
    none = eq(high, middle) | eq(middle, low)
    third = (high - middle) * ((middle - low) * _rd_sum(low, high, middle) / 3)
    third = where(none, 0, third)
    root = where(low > 0, sqrt(where(low > 0, low / middle, 1)) * sqrt(high), 0)
    value = 0.5 * (middle * _rf_sum(low, middle, high) + third + root)
    value = where(small, _SMALL**0.5, 1.0) * value
    largest = maximum(maximum(x, y), z)
    ends = where(eq(largest, inf), inf, 0.5 * sqrt(where(largest > 0, largest, 0)))
    wrong = isnan(x + y + z) | (minimum(minimum(x, y), z) < 0)
    return where(wrong, nan, where(fine, value, ends))


def _rc_sum(x: _T, y: _T) -> _T:
    """Cauchy's value for negative y."""
    below = y < 0
    u, v = where(below, x - y, x), abs(y)
    factor = where(below, sqrt(x / where(below, u, 1)), 1)
    value = where(eq(y, -inf), 0, factor * _rf_sum(u, v, v))
    value = where(eq(x, inf), where(eq(y, -inf), nan, 0), value)  # as SciPy
    return where(eq(v, 0) | (x < 0) | isnan(x), nan, value)


def _rc_slopes(x: _T, y: _T, r: _T) -> tuple[_T, _T]:
    below = y < 0
    u, v = where(below, x - y, x), abs(y)
    factor = where(below, sqrt(x / u), 1)
    by_u, by_v = -factor * elliprd(v, v, u) / 6, -factor * elliprd(u, v, v) / 3
    turned = 0.5 * r / u
    by_x = by_u + where(below, 0.5 * r / x - turned, 0)
    return by_x, where(below, turned - by_u - by_v, by_v)


def _rg_slopes(x: _T, y: _T, z: _T, r: _T) -> list[_T]:
    """R_G is R_1/2 of even weights (19.16.3): its slopes are sums of R_D, of which none cancels."""
    v = (x, y, z)
    parts = [where(eq(v[k], 0), 0, v[k] * elliprd(v[k - 2], v[k - 1], v[k])) for k in range(3)]
    slopes = []
    for k in range(3):
        alone = eq(v[k - 2], 0) & eq(v[k - 1], 0)  # of half its root
        own = 0.25 / sqrt(where(alone, v[k], 1))
        slopes.append(where(alone, own, (parts[k - 2] + parts[k - 1]) / 12))
    return slopes


def _complete(rest: _T) -> tuple[_T, _T]:
    """K of 1 - rest, and E, by the arithmetic-geometric mean (19.8.1, 19.8.5 and 19.8.6).

    A rest above 1 goes to its reciprocal (19.7.2), for which nothing large cancels.
    """
    beyond = rest > 1
    usual = where((rest > 0) & (rest < inf), rest, 1)
    inner = where(beyond, 1 / usual, usual)

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        a, b, weight, total = state
        half = 0.5 * (a - b)
        return 0.5 * (a + b), sqrt(a * b), 2 * weight, total + weight * half * half

    one = 1 + 0 * inner
    start = (one, sqrt(inner), one, 0.5 * (1 - inner))
    a, b, _, total = while_loop(lambda s: (s[0] - s[1] > _CLOSE * s[0]).any(), step, start)
    first = pi / (a + b)
    root = sqrt(where(beyond, usual, 1))
    near = where(inner < _CLOSE, inner, 1)  # 19.12.2
    by_log = 1 + 0.25 * near * (log(16 / near) - 1)
    k, e = first / root, root * where(inner < _CLOSE, by_log, first * (1 - total))
    wrong = ~(rest >= 0)
    first_kind = where(eq(rest, 0), inf, where(eq(rest, inf), 0, k))
    second_kind = where(eq(rest, 0), 1, where(eq(rest, inf), inf, e))
    return where(wrong, nan, first_kind), where(wrong, nan, second_kind)


def _parts(phi: _T, m: _T) -> tuple[_T, ...]:
    """How many times pi is in phi, the sine of what is left, and the squares under the roots."""
    turns = rint(phi / pi)
    left = phi - turns * pi - turns * _PI_REST
    s, c = sin(left), cos(left)
    return turns, s, c * c, c * c + (1 - m) * s * s


def _incomplete(of_kind: Callable[..., _T], phi: _T, m: _T) -> _T:
    """The integral up to what is left of phi, and twice the complete one for each pi."""
    turns, s, square, rest = _parts(where(abs(phi) < inf, phi, 0), m)
    one = 0 * s + 1
    complete = of_kind(one, 0 * s, 1 - m + 0 * s, m)
    value = of_kind(s, square, rest, m) + where(eq(turns, 0), 0, 2 * turns * complete)
    value = where(eq(abs(phi), inf), phi, value)
    return where((m <= 1) & ~isnan(phi), value, nan)


def _ellipkinc_sum(phi: _T, m: _T) -> _T:
    """At infinite arguments as SciPy."""
    pole = eq(m, 1) & (abs(phi) >= pi / 2)
    value = where(pole & (phi > -inf), inf, _incomplete(_of_first_kind, phi, m))
    return where(eq(m, -inf) & eq(abs(phi), inf), nan, value)


def _ellipeinc_sum(phi: _T, m: _T) -> _T:
    value = _incomplete(_of_second_kind, phi, m)
    return where(eq(m, -inf) & ~isnan(phi), where(eq(phi, -inf), -inf, inf), value)


def _of_first_kind(s: _T, square: _T, rest: _T, m: _T) -> _T:
    return where(eq(s, 0), s, s * _rf_sum(square, rest, 0 * s + 1))


def _of_second_kind(s: _T, square: _T, rest: _T, m: _T) -> _T:
    one = 0 * s + 1
    value = s * (_rf_sum(square, rest, one) - m / 3 * s * s * _rd_sum(square, rest, one))
    return where(eq(s, 0), s, where(eq(square, 0) & eq(rest, 0), s, value))


def _by_m(phi: _T, m: _T, first: bool) -> _T:
    """The derivative in m of an incomplete integral of the first kind, or the second."""
    turns, s, square, rest = _parts(phi, m)
    one, zero = ones_like(s), zeros_like(s)

    def slope(sine: _T, x: _T, y: _T) -> _T:
        d = elliprd(x, one, y) if first else -elliprd(x, y, one)
        return sine * sine * sine * d / 6

    whole = where(eq(turns, 0), 0, 2 * turns * slope(one, zero, 1 - m + zero))
    return slope(s, square, rest) + whole


def _root(phi: _T, m: _T) -> _T:
    return sqrt(cos(phi) ** 2 + (1 - m) * sin(phi) ** 2)


def _rd_slope_sum(x: _T, y: _T, z: _T) -> Any:
    """The derivative of each step; of tiny arguments, it is too large for a number."""
    tiny = (maximum(maximum(x, y), z) < _TINY) & (minimum(minimum(x, y), z) >= 0)
    u, v, w = [where(tiny, 1, each) for each in (x, y, z)]
    slope: Any = sweep_forward([_rd_sum(u, v, w)], {u: ones_like(u)})[0]
    return where(tiny, -inf, slope)


_rd_slope = slope_row(
    "elliprd_slope", "elliprd", (POSITIVE,) * 3, (1.0, 2.0, 3.0, -0.067162984), _rd_slope_sum
)


def _rd_slopes(x: _T, y: _T, z: _T, r: _T) -> tuple[_T, ...]:
    """The third one as the integral has the power -3/2 of a factor of all arguments."""
    by_x, by_y = _rd_slope(x, y, z), _rd_slope(y, x, z)
    others = [where(eq(v, 0), 0, v * by_v) for v, by_v in ((x, by_x), (y, by_y))]
    return by_x, by_y, -(1.5 * r + others[0] + others[1]) / z


# fmt: off
elliprd = ternary(
    "elliprd", None,
    "Carlson's integral of 3/2 ((t + x) (t + y))**-0.5 (t + z)**-1.5 over positive t.",
    (POSITIVE,) * 3, (1.0, 2.0, 3.0, 0.290460281),
    _rd_slopes, summation=doubled(_rd_sum), dtypes=floating, cost=LOOP,
)
elliprf = ternary(
    "elliprf", None,
    "Carlson's integral of 1/2 ((t + x) (t + y) (t + z))**-0.5 over positive t.",
    (POSITIVE,) * 3, (1.0, 2.0, 3.0, 0.726945935),
    lambda x, y, z, r: (-elliprd(y, z, x) / 6, -elliprd(z, x, y) / 6, -elliprd(x, y, z) / 6),
    summation=doubled(_rf_sum), dtypes=floating, cost=LOOP,
)
elliprg = ternary(
    "elliprg", None,
    "Carlson's symmetric elliptic integral of the second kind.", (POSITIVE,) * 3,
    (1.0, 2.0, 3.0, 1.401847116), _rg_slopes, summation=doubled(_rg_sum), dtypes=floating,
    cost=LOOP,
)
elliprc = binary(
    "elliprc", None,
    "Carlson's integral of 1/2 (t + x)**-0.5 / (t + y) over positive t.",
    (POSITIVE,) * 2, (1.0, 2.0, 0.785398163), _rc_slopes, summation=doubled(_rc_sum),
    dtypes=floating, cost=LOOP,
)
ellipk = unary(
    "ellipk", "scipy.special.ellipk", "The complete elliptic integral of the first kind.",
    (-5.0, 0.9), (0.5, 1.854074677),
    lambda m, r: (elliprd(zeros_like(m), ones_like(m), 1 - m) / 6,),
    summation=doubled(lambda m: _complete(1 - m)[0]), dtypes=floating, cost=LOOP,
)
ellipkm1 = unary(
    "ellipkm1", "scipy.special.ellipkm1",
    "The complete elliptic integral of the first kind, of 1 less p.",
    POSITIVE, (0.5, 1.854074677), lambda p, r: (-elliprd(zeros_like(p), ones_like(p), p) / 6,),
    summation=doubled(lambda p: _complete(p)[0]), dtypes=floating, cost=LOOP,
)
ellipe = unary(
    "ellipe", "scipy.special.ellipe", "The complete elliptic integral of the second kind.",
    (-5.0, 0.9), (0.5, 1.350643881),
    lambda m, r: (-elliprd(zeros_like(m), 1 - m, ones_like(m)) / 6,),
    summation=doubled(lambda m: _complete(1 - m)[1]), dtypes=floating, cost=LOOP,
)
ellipkinc = binary(
    "ellipkinc", "scipy.special.ellipkinc", "The incomplete elliptic integral of the first kind.",
    (ANY, (-5.0, 0.9)), (1.0, 0.5, 1.083216773),
    lambda phi, m, r: (1 / _root(phi, m), _by_m(phi, m, True)),
    summation=doubled(_ellipkinc_sum), dtypes=floating, cost=LOOP,
)
ellipeinc = binary(
    "ellipeinc", "scipy.special.ellipeinc", "The incomplete elliptic integral of the second kind.",
    (ANY, (-5.0, 0.9)), (1.0, 0.5, 0.927329884),
    lambda phi, m, r: (_root(phi, m), _by_m(phi, m, False)),
    summation=doubled(_ellipeinc_sum), dtypes=floating, cost=LOOP,
)
# fmt: on
