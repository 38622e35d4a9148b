"""Means of Mills' ratio over a scale that is drawn, which tails of mixed normal numbers need.

The logarithm of the scale has a top which a formula tells: both sides of it, divided where the
argument of Mills' ratio changes its sign, go by Gauss' rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, pi
from typing import Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.op import Binary, Quaternary, Ternary, binary, quaternary, ternary
from weft_tensor.ops.elementwise.special import erfcx
from weft_tensor.ops.elementwise.table import ANY, POSITIVE
from weft_tensor.ops.elementwise.trigonometric import arcsinh, sinh
from weft_tensor.ops.numbers.remainders import expm1mx
from weft_tensor.ops.special.incomplete_slopes import log_less_digamma
from weft_tensor.ops.special.noncentral.halphen import halphen_reach
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, Rule, along, unit_interval
from weft_tensor.ops.special.slope_rows import pathed_row

__all__ = [
    "halphen_mills",
    "log_student_mass",
    "student_mills",
    "student_mills_by_shape",
    "student_top",
]

_T = TensorVariable
_FEW: Final = unit_interval(32)
_BELL: Final = 3.0
"""So far from the top on the left, a bell is over, and what is left is a long tail."""
_DROP: Final = 40.0
"""The logarithm of how small a density is where it is cut off."""
_MANY, _NONE = 1e20, 1e-9
_FLAT: Final = 30.0
"""So far below the top, a function of exp(s) is that of 0."""


class _Scale(NamedTuple):
    """The logarithm s of a scale, from its top on."""

    left: _T
    right: _T
    """How far there is something."""
    height: Callable[[_T], _T]
    """The logarithm of its density, over that at the top."""
    beyond: _T
    """The integral of what is left there on the left, over what it is at its end."""

    def turn(self, place: _T) -> _T:
        """The place, if there is something; else the top."""
        inside = (place > -self.left) & (place < self.right)
        return where(inside, place, 0.0)

    def divided(self, inner: Sequence[_T], rule: Rule) -> tuple[_T, _T]:
        """Places in the intervals that these divide it into, and their weights."""
        cuts, count = [-self.left, *inner, self.right], len(rule[0])
        parts = len(cuts) - 1
        places = along(-self.left)
        weights = along(self.beyond) * (np.arange(1 + parts * count) < 1)
        for k in range(parts):
            width = along(cuts[k + 1] - cuts[k])
            before, after = np.zeros(1 + count * k), np.ones(count * (parts - 1 - k))
            places = places + width * np.concatenate([before, rule[0], after])
            weights = weights + width * np.concatenate([before, rule[1], 0 * after])
        return places, weights * exp(self.height(places))


def _mills(c: _T, up: _T) -> _T:
    """Mills' ratio of |c|, which is above 0 where `up` says so, with its sign."""
    return (pi / 2) ** 0.5 * where(up, 1.0, -1.0) * erfcx(where(up, c, -c) * 0.5**0.5)


def _quotient(u: _T, v: _T) -> tuple[_T, _T]:
    """Whether both have one sign, and u / v there."""
    alike = ((u > 0) & (v > 0)) | ((u < 0) & (v < 0))
    return alike, where(alike, u, 1.0) / where(alike, v, 1.0)


def _student(n: _T, y: _T, power: _T, path_power: _T, path_y: _T) -> _Scale:
    """Of the density exp(n s - n exp(s) - (y (exp(s) - 1))² / 2), or but for that power."""

    def height(s: _T) -> _T:
        return -along(n) * expm1mx(s) - 0.5 * (along(y) * expm1(s)) ** 2

    c, bell = _DROP / path_power, (2 * _DROP) ** 0.5 / path_y
    steep = where(bell < 1, -log1p(-where(bell < 1, bell, 0.5)), inf)
    left = minimum(minimum(0.5 * (c + sqrt(c * (c + 8))), steep), _FLAT)
    right = minimum(log1p(c + sqrt(c) * sqrt(c + 2)), log1p(bell))
    return _Scale(left, right, height, 1 / power)


def _student_divided(scale: _Scale, place: _T) -> tuple[_T, _T]:
    """With ends at the top, at the place and where the bell ends, if these are inside."""
    turn, bell = scale.turn(place), -minimum(scale.left, _BELL)
    middle = maximum(minimum(turn, 0.0), bell)
    return scale.divided([minimum(turn, bell), middle, maximum(turn, 0.0)], _FEW)


def student_top(t: _T, df: _T, nc: _T, *, more: int = 1) -> tuple[_T, _T, _T]:
    """sqrt(df + t²), the top of s over it, and n = df + 1 over that; s² is V over df.

    Given t, s has the density s^df exp(-(s r)²/2 + w s r): of its logarithm, a power more. Of
    `more` 0 it is that with a power less.
    """
    n, r = df + more, hypot(sqrt(df), t)
    w = nc * (t / r)
    up = w > 0
    large = 0.5 * (sqrt(w * w + 4 * n) + where(up, w, -w))
    return r, where(up, large, n / large), where(up, n / large, large)


def _student_mass(n: _T, y: _T, path_n: _T, path_y: _T) -> _T:
    scale = _student(n, y, n, path_n, path_y)
    _, weights = scale.divided([-minimum(scale.left, _BELL), 0 * scale.left], _FEW)
    return log(weights.sum(axis=-1))


def _student_mills(t: _T, df: _T, nc: _T, *path: _T) -> _T:
    return _mean_mills(False, t, df, nc, *path)


def _student_mills_by_shape(t: _T, df: _T, nc: _T, *path: _T) -> _T:
    return _mean_mills(True, t, df, nc, *path)


def _mean_mills(by_shape: bool, t: _T, df: _T, nc: _T, *path: _T) -> _T:
    """Or that times the slope of the logarithm of the density of s, in half of df."""
    root = sqrt(df)  # where that is far larger than t and nc, s is 1
    many = (df > _MANY) & (abs(t) < _NONE * root) & (abs(nc) < root)
    r, y, _ = student_top(t, df, nc)
    crosses, place = _quotient(nc, t)
    turn = where(crosses & ~many, log(place * r / y), 0.0)
    scale = _student(df + 1, y, df, path[1], student_top(*path)[1])
    places, weights = _student_divided(scale, turn)
    unit = exp(where(along(many), 0.0, places))
    c = where(along(many), along(t - nc), along(t / r * y) * unit - along(nc))
    up = where(along(eq(nc, 0)), along(t > 0), c > 0)  # also where that is too small
    ratio = weights * _mills(c, up) / (along(y / r) * unit)
    if by_shape:
        half, is_end = 0.5 * df, np.arange(1 + 4 * len(_FEW[0])) < 1
        slope = along(log_less_digamma(half, half)) - expm1mx(2 * (along(log(y / r)) + places))
        ratio = ratio * (slope - along(2 / df) * is_end)  # the logarithm falls beyond it, too
    return ratio.sum(axis=-1) / weights.sum(axis=-1)


def _halphen_mills(p: _T, b: _T, x: _T, y: _T, path_p: _T, path_b: _T, *_: _T) -> _T:
    top, path = arcsinh(p / b), arcsinh(path_p / path_b)

    def height(s: _T) -> _T:
        return along(p) * s - 2 * along(b) * sinh(along(top) + 0.5 * s) * sinh(0.5 * s)

    left, right = halphen_reach(-path, -path_p, path_b), halphen_reach(path, path_p, path_b)
    crosses, place = _quotient(x, y)
    turn = where(crosses, log(place) - top, 0.0)
    scale = _Scale(left, right, height, 0 * b)
    turn = scale.turn(turn)
    places, weights = scale.divided([minimum(turn, 0.0), maximum(turn, 0.0)], UNIT_INTERVAL)
    root = exp(0.5 * (along(top) + places))
    c = along(x) / root - along(y) * root
    ratio = _mills(c, c > 0) * root
    return (weights * ratio).sum(axis=-1) / weights.sum(axis=-1)


log_student_mass: Binary = pathed_row(
    binary, "log_student_mass",
    "log of the integral of exp(n s - n exp(s) + n - (y (exp(s) - 1))² / 2), n above 1.",
    _student_mass, (POSITIVE, POSITIVE), (0,), (2.0, 1.5),
    (0.279054974, -0.16782862, -0.326123552),
)  # fmt: skip
student_mills: Ternary = pathed_row(
    ternary, "student_mills",
    "The mean of Mills' ratio of abs(t s - nc), with its sign, over s; s² is V / df, given t.",
    _student_mills, (ANY, POSITIVE, ANY), (1,), (0.5, 2.0, 0.7),
    (-0.762526457, 2.271334662, -0.047201594, -1.310380961),
)  # fmt: skip
student_mills_by_shape: Ternary = pathed_row(
    ternary, "student_mills_by_shape",
    "The mean that `student_mills` is, of that times the slope of the logarithm of the density of "
    "s in df / 2.",
    _student_mills_by_shape, (ANY, POSITIVE, ANY), (1,), (0.5, 2.0, 0.7),
    (-0.193779876, 0.81776242, 0.056669045, -0.659772994),
)  # fmt: skip
halphen_mills: Quaternary = pathed_row(
    quaternary, "halphen_mills",
    "The mean of sqrt(v) times Mills' ratio of abs(x / sqrt(v) - y sqrt(v)), with its sign, over "
    "Halphen's v of the parameters p and b.",
    _halphen_mills, (ANY, POSITIVE, ANY, ANY), (1,), (-0.5, 1.5, 0.4, 0.8),
    (-0.495317837, -0.387833005, -0.171690664, 1.435709695, -0.506179133),
)  # fmt: skip
