"""Stable distributions of exponents other than 1, as integrals.

With p + q = d and V = (cos(a (d - pi/2)) sin(q))^(1/(a-1)) sin(q + a p) / sin(a p)^(a/(a-1)), and
G = x^(a/(a-1)) V, the probability above x is the mean over p from 0 to pi, of which those above d
count nothing, of exp(-G), or for a < 1 of what that lacks of 1 (J. P. Nolan, Numerical calculation
of stable densities and distribution functions, 1997). In u = log(p / q), or its negative for a > 1,
log(G) rises, nearly straight: by parts, both tails are integrals of G exp(-G) times what is smooth.
The exponent is named a, and the skewness b.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from math import log as _log
from typing import Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import (
    exp,
    expm1,
    log,
    log1mexp,
    log1p,
    logaddexp,
    sigmoid,
    softplus,
)
from weft_tensor.ops.elementwise.trigonometric import arctan, arctan2, cos, sin, tan
from weft_tensor.ops.special.quadrature import along

__all__ = ["length_above", "log_between", "log_beyond", "log_height", "tangent"]

_LOG_2: Final = _log(2)
_LOG_PI: Final = _log(pi)
_T = TensorVariable
_NODES: Final = np.linspace(0.0, 1.0, 144)
_SPREAD: Final = {"float64": 700.0, "float32": 80.0}
"""Logarithms of p / q."""
_FALL: Final = 36.0
_NEAREST: Final = -14.0
_FARTHEST: Final = 8.0
"""Logarithms of how far from its largest value an integrand may count."""
_LEAST_SINE: Final = 1e-305
_LEAST_SLOPE: Final = 1e-30


class _Curve(NamedTuple):
    """log(G) at logarithms u, for a positive x."""

    exponent: _T
    length: _T
    """d."""
    lack: _T
    """pi - d."""
    turned_lack: _T
    """pi - a d."""
    start: _T
    log_x: _T

    def wide(self) -> _Curve:
        return _Curve(*[along(v) for v in self])

    def fixed(self) -> _Curve:
        return _Curve(*[stop_gradient(v) for v in self])

    def at(self, u: _T) -> tuple[_T, _T]:
        """It and its slope."""
        a = self.exponent
        low, rate = a < 1, 1 / (a - 1)
        way = where(low, 1.0, -1.0)
        p, q = self.length * sigmoid(way * u), self.length * sigmoid(-way * u)
        last = where(low, self.lack + (1 - a) * p, self.turned_lack + (a - 1) * q)
        first, by_first = _log_sine(q, self.lack + p)
        second, by_second = _log_sine(a * p, self.turned_lack + a * q)
        third, by_third = _log_sine(q + a * p, last)
        bend = (a - 1) * by_third - rate * (by_first + a * a * by_second)
        height = rate * (self.start + first - a * second + a * self.log_x) + third
        return height, way * bend * p * q / self.length


def _log_sine(angle: _T, lack: _T) -> tuple[_T, _T]:
    """log(sin(angle)) and its slope, where `lack` is what the angle lacks of pi."""
    wide = angle > 0.5 * pi
    part = where(wide, lack, angle)
    sine = maximum(sin(part), _LEAST_SINE)
    slope = cos(part) / sine
    return log(sine), where(wide, -slope, slope)


def tangent(a: _T) -> _T:
    """tan(pi a / 2), of what is near to 0 or pi too."""
    return tan(0.5 * pi * where(a < 1, a, a - 2))


def length_above(a: _T, b: _T) -> _T:
    """d, which is 0 where nothing is above 0."""
    slope, low = tangent(a), a < 1
    inner = where(low, slope, 0.0)
    near = arctan2((1 + b) * inner, 1 - b * inner * inner) / a
    return where(low, near, 0.5 * pi + arctan(b * where(low, 0.0, slope)) / a)


def _curve(x: _T, a: _T, b: _T) -> _Curve:
    slope, length = tangent(a), length_above(a, b)
    steep = where(a < 1, 0.0, slope)
    turned = arctan2(-(1 + b) * steep, 1 - b * steep * steep)
    turned = where(a < 1, pi - a * length, turned)
    start = -0.5 * log1p((b * slope) ** 2)
    parts = a, where(length > 0, length, 1.0), length_above(a, -b), turned, start
    return _Curve(*[v + 0 * x for v in (*parts, log(x) - _excess(x, a))])


def _excess(x: _T, a: _T) -> _T:
    """The logarithm of x, beyond where tails are powers to the last digit."""
    return maximum(log(x) - 0.85 * _SPREAD[x.dtype] / a, 0.0)


def _log_fall(log_height: _T) -> _T:
    """log(G exp(-G))."""
    return log_height - exp(minimum(log_height, _SPREAD[log_height.dtype]))


Weight = Callable[[_T, _T], _T]
"""The logarithm of what G exp(-G) is multiplied by, at u and of the slope of log(G)."""


def _log_density_weight(u: _T, slope: _T) -> _T:
    return -softplus(u) - softplus(-u)


def _log_lower_weight(u: _T, slope: _T) -> _T:
    return log(maximum(slope, _LEAST_SLOPE)) - softplus(-u)


def _log_upper_weight(u: _T, slope: _T) -> _T:
    return log(maximum(slope, _LEAST_SLOPE)) - softplus(u)


def _crossed(holds: Callable[[_T], _T], start: _T, length: _T, rounds: int) -> tuple[_T, _T]:
    """Between what, from start on, a condition of places ceases to hold: a 16th at each round."""
    grid = np.arange(1.0, 17.0).astype(start.dtype)

    def round_of(_: _T, state: tuple[_T, _T]) -> tuple[_T, _T]:
        low, width = state
        step = width / 16
        count = holds(along(low) + along(step) * grid).sum(axis=-1).astype(start.dtype)
        return low + minimum(count, 15.0) * step, step

    low, width = fori_loop(0, rounds, round_of, (start, length))
    return low, low + width


def _center(curve: _Curve) -> _T:
    """Where the integrand of the density is largest."""
    span, wide = _SPREAD[curve.log_x.dtype], curve.wide()

    def rises(u: _T) -> _T:
        height, slope = wide.at(u)
        return 1 - 2 * sigmoid(u) + slope * (1 - exp(minimum(height, span))) > 0

    low, high = _crossed(rises, full_like(curve.log_x, -span), full_like(curve.log_x, 2 * span), 6)
    return 0.5 * (low + high)


def _reach(curve: _Curve, center: _T, weight: Weight) -> tuple[_T, _T]:
    """How far to the left and to the right of there something counts."""

    def log_part(curve: _Curve, u: _T) -> _T:
        height, slope = curve.at(u)
        return _log_fall(height) + weight(u, slope)

    least, wide = along(log_part(curve, center) - _FALL), curve.wide()
    begin, length = full_like(center, _NEAREST), full_like(center, _FARTHEST - _NEAREST)

    def side(way: float) -> _T:
        def counts(logs: _T) -> _T:
            return log_part(wide, along(center) + way * exp(logs)) > least

        return exp(_crossed(counts, begin, length, 2)[1])

    return side(-1.0), side(1.0)


def _log_stable(curve: _Curve, weight: Weight) -> _T:
    """The logarithm of d times an integral over u, with steps that grow to the left."""
    fixed = curve.fixed()
    center = _center(fixed)
    left, right = (stop_gradient(v) for v in _reach(fixed, center, weight))
    unit = 2 * right
    begin = -log1p(left / unit)
    steps = along(begin) + along(_LOG_2 - begin) * _NODES.astype(center.dtype)
    u = along(center) - along(unit) * expm1(-steps)
    height, slope = curve.wide().at(stop_gradient(u))
    logs = _log_fall(height) + weight(u, slope) - steps
    top = stop_gradient(logs.max(axis=-1))
    width = unit * (_LOG_2 - begin) / (len(_NODES) - 1)
    return top + log(exp(logs - along(top)).sum(axis=-1) * width * curve.length)


def log_beyond(x: _T, a: _T, b: _T) -> _T:
    """The logarithm of the probability above a positive x."""
    curve, low = _curve(x, a, b), a < 1
    steep, flat = _log_stable(curve, _log_lower_weight), _log_stable(curve, _log_upper_weight)
    least, _ = curve.at(full_like(x, -_SPREAD[x.dtype]))  # not small where b is 1
    rest = log(curve.length) + log1mexp(-exp(minimum(maximum(least, -2e2), 5.0)))
    rest = where(least > -2e2, rest, -inf)
    none = length_above(a, b) <= 0
    tail = where(low, logaddexp(flat, rest), steep) - a * _excess(x, a)
    return where(none, -inf, tail - _LOG_PI)


def log_between(x: _T, a: _T, b: _T) -> _T:
    """That below a positive x."""
    above = log_beyond(x, a, b)
    below = length_above(a, -b) / pi
    inner = _log_stable(_curve(x, a, b), _log_lower_weight) - _LOG_PI
    direct = where(below > 0, log(where(below > 0, below, 1.0)), -inf)
    few = (a < 1) & (above > -_LOG_2)
    return where(few, logaddexp(direct, inner), log1mexp(where(few, -1.0, minimum(above, 0.0))))


def log_height(x: _T, a: _T, b: _T) -> _T:
    """The logarithm of the density at a positive x."""
    curve = _curve(x, a, b)
    density = _log_stable(curve, _log_density_weight) + log(a / abs(a - 1)) - _LOG_PI
    density = density - log(x) - a * _excess(x, a)
    return where(length_above(a, b) > 0, density, -inf)
