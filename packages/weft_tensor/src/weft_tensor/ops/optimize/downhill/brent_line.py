"""A minimum on a line without slopes, one point after another.

Three points around it first, by parabolas that are followed downhill; then R. P. Brent, Algorithms
for Minimization without Derivatives (1973), chapter 5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_graph import tree_map
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isnan, where

__all__ = ["FIRST", "Line", "after_point", "first_line", "next_place"]

FIRST, _SECOND, _THIRD, _GUESS, _FURTHER, WITHIN = range(1, 7)
"""Which point is computed next: the three that are given, a fourth that a parabola says, one
further, or what is between."""
_GOLD, _CUT, _GROWTH, _TINY = 1.618034, 0.3819660, 110.0, 1e-21
"""As SciPy has them: how much further points are, a golden cut, and how far one may be at most."""
_LEAST, _MOST_CUTS, _MOST_GUESSES = 1e-11, 500, 1000
_Triple = tuple[Any, Any, Any]


class Line(NamedTuple):
    """Places on a line, as parts of its direction, and the function there."""

    places: _Triple
    values: _Triple
    low: Any
    high: Any
    best: _Triple
    """The lowest place, the next, and the one after."""
    least: _Triple
    move: Any
    before: Any
    count: Any


def first_line(zero: TensorVariable, value: TensorVariable) -> Line:
    """A line of which nothing is known."""
    places, values = (zero,) * 3, (value,) * 3
    return Line(places, values, zero, zero, places, values, zero, zero, as_tensor(0))


def next_place(line: Line, stage: Any, tol: Any) -> TensorVariable:
    """How far in its direction the next point is."""
    a, b, c = line.places
    third = where(eq(stage, _THIRD), b + _GOLD * (b - a), c + _GOLD * (c - b))
    at = where(
        eq(stage, _GUESS), _guess(line)[0], where(eq(stage, WITHIN), _cut(line, tol)[0], third)
    )
    return where(eq(stage, FIRST), 0, where(eq(stage, _SECOND), 1, at)).astype(b.dtype)


def after_point(line: Line, stage: Any, at: Any, value: Any, tol: Any) -> tuple[Any, ...]:
    """The line and its stage after a point, whether it ends, at which place with which value."""
    within, (_, *move) = eq(stage, WITHIN), _cut(line, tol)
    spread, after = _spread(line, stage, at, value, _guess(line))
    bracketed = ~within & eq(after, WITHIN)
    (a, b, c), fb = spread.places, spread.values[1]
    fresh = Line(
        spread.places, spread.values, minimum(a, c), maximum(a, c), (b, b, b), (fb, fb, fb),
        0 * b, 0 * b, as_tensor(0),
    )  # fmt: skip
    line = _chosen(within, _narrowed(line, at, value, *move), spread)
    line = _chosen(bracketed, fresh, line)
    near = tol * absolute(line.best[0]) + _LEAST
    width = 2 * near - 0.5 * (line.high - line.low)
    is_narrow = absolute(line.best[0] - 0.5 * (line.low + line.high)) < width
    fails = bracketed & ~_is_valid(spread)
    ends = fails | ((bracketed | within) & (is_narrow | (line.count >= _MOST_CUTS)))
    place, low = _lowest(spread)
    place, low = where(fails, place, line.best[0]), where(fails, low, line.least[0])
    return line, where(within, WITHIN, after), ends, place, low


def _guess(s: Line) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Where the parabola through three points, or a limit, says; whether it is between the last
    two, and whether before the limit."""
    (a, b, c), (fa, fb, fc) = s.places, s.values
    one, two = (b - a) * (fb - fc), (b - c) * (fb - fa)
    gap = two - one
    is_tiny = absolute(gap) < _TINY
    bottom = where(is_tiny, 2 * _TINY, 2 * where(is_tiny, 1, gap))
    w = b - ((b - c) * two - (b - a) * one) / bottom
    limit = b + _GROWTH * (c - b)
    between = (w - c) * (b - w) > 0
    at_limit = (w - limit) * (limit - c) >= 0
    before = ~between & ~at_limit & ((w - limit) * (c - w) > 0)
    w = where(between | before, w, where(at_limit, limit, c + _GOLD * (c - b)))
    return w, between, before


def _cut(s: Line, tol: Any) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Brent's next place, its distance from the lowest, and the distance before."""
    (x, w, v), (fx, fw, fv) = s.best, s.least
    near, middle = tol * absolute(x) + _LEAST, 0.5 * (s.low + s.high)
    r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
    p = (x - v) * q - (x - w) * r
    q = 2 * (q - r)
    p, q = where(q > 0, -p, p), absolute(q)
    fits = (
        (absolute(s.before) > near)
        & (p > q * (s.low - x))
        & (p < q * (s.high - x))
        & (absolute(p) < absolute(0.5 * q * s.before))
    )
    wide = where(x >= middle, s.low - x, s.high - x)
    move = p / where(fits, q, 1)
    at_edge = (x + move - s.low < 2 * near) | (s.high - (x + move) < 2 * near)
    move = where(at_edge, where(middle - x >= 0, near, -near), move)
    move = where(fits, move, _CUT * wide)
    step = where(absolute(move) < near, where(move >= 0, near, -near), move)
    return x + step, move, where(fits, s.move, wide)


def _narrowed(s: Line, u: Any, fu: Any, move: Any, before: Any) -> Line:
    (x, w, v), (fx, fw, fv) = s.best, s.least
    worse = fu > fx
    low = where(worse, where(u < x, u, s.low), where(u >= x, x, s.low))
    high = where(worse, where(u < x, s.high, u), where(u >= x, s.high, x))
    second = (fu <= fw) | eq(w, x)
    third = (fu <= fv) | eq(v, x) | eq(v, w)

    def ranked(new: Any, x: Any, w: Any, v: Any) -> _Triple:
        return (
            where(worse, x, new),
            where(worse, where(second, new, w), x),
            where(~worse | second, w, where(third, new, v)),
        )

    best, least = ranked(u, x, w, v), ranked(fu, fx, fw, fv)
    return Line(s.places, s.values, low, high, best, least, move, before, s.count + 1)


def _spread(s: Line, stage: Any, at: Any, value: Any, guess: Any) -> tuple[Line, Any]:
    """The three points after one more, and which stage is next: `WITHIN` if no more is needed."""
    (a, b, c), (fa, fb, fc) = s.places, s.values
    _, between, before = guess
    first, second, third, tries, further = (
        eq(stage, k) for k in (FIRST, _SECOND, _THIRD, _GUESS, _FURTHER)
    )
    swaps = second & (fa < value)
    lower = tries & (value < fc)
    inside, ends = lower & between, tries & between & ~(value < fc) & (value > fb)
    skips = lower & before
    repeats = (tries & between & ~inside & ~ends) | skips
    shifts = further | (tries & ~(between | skips))

    def moved(a: Any, b: Any, c: Any, new: Any) -> _Triple:
        return (
            where(first | swaps, new, where(inside | shifts, b, a)),
            where(second, where(swaps, a, new), where(inside, new, where(shifts | skips, c, b))),
            where(third | ends | shifts | skips, new, c),
        )

    places, values = moved(a, b, c, at), moved(fa, fb, fc, value)
    falls = (values[2] < values[1]) & (s.count <= _MOST_GUESSES)
    again = where(falls, _GUESS, WITHIN)
    after = where(repeats, _FURTHER, where(inside | ends, WITHIN, again))
    after = where(first, _SECOND, where(second, _THIRD, after))
    count = where(first, 0, s.count + tries)
    return s._replace(places=places, values=values, count=count), after


def _is_valid(s: Line) -> TensorVariable:
    (a, b, c), (fa, fb, fc) = s.places, s.values
    low = ((fb < fc) & (fb <= fa)) | ((fb < fa) & (fb <= fc))
    ordered = ((a < b) & (b < c)) | ((c < b) & (b < a))
    valid: TensorVariable = low & ordered & isfinite(a) & isfinite(b) & isfinite(c)
    return valid


def _lowest(s: Line) -> tuple[TensorVariable, TensorVariable]:
    """The best of three points, the first of equal ones; NaN if anything is."""
    (a, b, c), (fa, fb, fc) = s.places, s.values
    unknown = isnan(a + b + c) | isnan(fa) | isnan(fb) | isnan(fc)
    at, value = where(fb < fa, b, a), where(fb < fa, fb, fa)
    at, value = where(fc < value, c, at), where(fc < value, fc, value)
    return where(unknown, np.nan, at), where(unknown, np.nan, value)


def _chosen(condition: Any, yes: Line, no: Line) -> Line:
    chosen: Line = tree_map(lambda one, other: where(condition, one, other), yes, no)
    return chosen
