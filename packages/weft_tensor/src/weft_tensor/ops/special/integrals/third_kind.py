"""Carlson's symmetric elliptic integral of the third kind.

Carlson, Numerical computation of real or complex elliptic integrals, 1995, as `elliptic` has the
others; Cauchy's value for a negative last argument by NIST Digital Library of Mathematical
Functions, 19.20.14.
"""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any, Final

from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.op import quaternary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import arctan
from weft_tensor.ops.special.integrals.elliptic import elliprc, elliprf, series_of_third_kind
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["elliprj"]

_T = TensorVariable
_STEPS: Final = 1100
"""Each takes a last argument that is far larger than the others down to a quarter."""
_SPREAD: Final = 0.003
_LEAST: Final = 1e-80
"""A share of the largest argument, of which not even the root counts."""
_NEAR: Final = 0.02
_ARCTANGENT: Final = tuple([(-1) ** k / (2 * k + 1) for k in range(10)])
"""Of arctan(r) / r, in powers of r²."""


def _arc(e: _T, rest: _T) -> _T:
    """The integral R_C of 1 and 1 + e, which is `rest` where it is small."""
    near, below = abs(e) < _NEAR, e < 0
    root = sqrt(where(near, 1, abs(e)))
    turn = arctan(root)
    logarithm = log((1 + root) / sqrt(where(below, rest, 1)))
    return where(
        near, polynomial(_ARCTANGENT, where(near, e, 0)), where(below, logarithm, turn) / root
    )


def _positive(x: _T, y: _T, z: _T, p: _T) -> _T:
    """Of a positive last argument."""

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        count, *v, total, share = state
        roots = [sqrt(u) for u in v]
        a, b, c, r = roots
        common = a * b + b * c + c * a
        middle = (v[0] + v[1] + v[2] + 2 * v[3]) / 5
        apart: Any = 0.0
        for u in v:
            apart = maximum(apart, abs(middle - u))
        more = (apart > _SPREAD * middle) & (count < _STEPS)
        sums = (r + a) * (r + b) * (r + c)
        e: Any = 1.0
        rest: Any = 0.0
        for u in (a, b, c):
            e = e * ((r - u) / (r + u))
            lack = 2 * minimum(r, u) / (r + u)
            rest = lack + (1 - lack) * rest
        total = where(more, total + share / sums * _arc(e, rest), total)
        after = [where(more, 0.25 * (u + common), u) for u in v]
        return where(more, count + 1, inf), *after, total, where(more, 0.25 * share, share)

    zero = 0 * (x + y + z + p)
    start = step((zero, x + zero, y + zero, z + zero, p + zero, zero, zero + 1))
    state = while_loop(lambda state: (state[0] < inf).any(), step, start)
    _, a, b, c, d, total, share = state
    middle = (a + b + c + 2 * d) / 5
    u, v, w = 1 - a / middle, 1 - b / middle, 1 - c / middle
    q = -(u + v + w) / 2
    two, all_ = u * v + v * w + w * u - 3 * q * q, u * v * w
    three = all_ + 2 * two * q + 4 * q**3
    four, five = (2 * all_ + two * q + 3 * q**3) * q, all_ * q * q
    series = series_of_third_kind(two, three, four, five)
    return 6 * total + share * series / (middle * sqrt(middle))


def _ordered(*v: _T) -> list[_T]:
    """The three in order: of equal ones each is in one place, with its whole slope."""
    ordered = [*v]
    for k in (0, 1, 0):
        x, y = ordered[k : k + 2]
        ordered[k : k + 2] = where(x <= y, x, y), where(x <= y, y, x)
    return ordered


def _rj_sum(x: _T, y: _T, z: _T, p: _T) -> _T:
    first, middle, last = _ordered(x, y, z)
    fine = (
        (first >= 0) & (middle > 0) & (last < inf) & (abs(p) < inf) & ~eq(p, 0) & ~isnan(x + y + z)
    )
    low, second, high = (where(fine, v, 1) for v in (first, middle, last))
    below = fine & (p < 0)
    q = where(below, -p, 1)
    place = (low * (high - second) + high * (second + q)) / (high + q)
    value = _positive(low, second, high, where(below, place, where(fine, p, 1)))
    product = low * second + place * q
    whole = (
        -(high - low) * ((high - second) / (high + q)) * value
        - 3 * elliprf(low, second, high)
        + 3 * sqrt(low * second * high / product) * elliprc(product, place * q)
    ) / (high + q)
    value = where(below, whole, value)
    wrong = isnan(x + y + z + p) | (first < 0) | eq(p, 0)
    ends = where(eq(last, inf) | eq(abs(p), inf), 0, where(eq(middle, 0), inf, nan))
    return where(wrong, nan, where(fine, value, ends))


def _rj_slope_sum(place: int, *inputs: _T) -> Any:
    """The derivative of each step; next to 0, where the root's is infinite."""
    _, middle, last = _ordered(*inputs[:3])
    single = (middle > 0) & (last < inf)
    moved = [where(single & eq(v, 0), _LEAST * last, v) for v in inputs[:3]]
    near = [*moved, inputs[3]]
    slope: Any = sweep_forward([_rj_sum(*near)], {near[place]: 0 * near[place] + 1})[0]
    return slope if place == 3 else where(eq(inputs[place], 0), slope * inf, slope)


_DOMAIN: Final = (POSITIVE,) * 4
_AT: Final = (1.0, 2.0, 3.0, 4.0)
_by_first = slope_row(
    "elliprj_slope", "elliprj", _DOMAIN, (*_AT, -0.053210686), partial(_rj_slope_sum, 0)
)
_by_last = slope_row(
    "elliprj_slope_p", "elliprj", _DOMAIN, (*_AT, -0.040745264), partial(_rj_slope_sum, 3), "last"
)
elliprj = quaternary(
    "elliprj",
    "scipy.special.elliprj",
    "Carlson's integral of 3/2 ((t + x) (t + y) (t + z))**-0.5 / (t + p) over positive t.",
    _DOMAIN,
    (*_AT, 0.239848099),
    lambda x, y, z, p, r: (
        _by_first(x, y, z, p),
        _by_first(y, z, x, p),
        _by_first(z, x, y, p),
        _by_last(x, y, z, p),
    ),
    summation=doubled(_rj_sum),
    dtypes=floating,
    cost=LOOP,
)
