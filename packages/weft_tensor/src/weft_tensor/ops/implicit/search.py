"""Where functions change sign, by inverse quadratic interpolation and bisection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sign, sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, isnan, where

__all__ = [
    *("Bracket", "Steep", "bent_to", "closed_in", "crossing", "line_step", "narrowed"),
    "stepped_to",
]

Function = Callable[[Any], TensorVariable]
Rising = Callable[[Any], tuple[TensorVariable, TensorVariable]]
_MOST: Final = 200
_FIRST: Final = 1.5
"""No longer is the first step of a search by slopes; no later one is longer than twice the last."""
_STRAIGHT: Final = (0.0, 1.0, 2.0, 0.0, 1.0, 2.0)
"""Points and values of a line, in place of those that no parabola goes through."""


class Bracket(NamedTuple):
    """The newest point, the other end, the point before; the function there.

    At the end of the search, the best point and the nearest other one that the function was
    computed at.
    """

    a: Any
    b: Any
    c: Any
    fa: Any
    fb: Any
    fc: Any
    part: Any
    """Where between a and b to look next; 0 where a is as near to the root as was wanted."""


def narrowed(f: Function, s: Bracket, allowed: Function) -> Bracket:
    """The bracket after one more step (Chandrupatla, A new hybrid quadratic/bisection algorithm,
    1997); `allowed` is how far a point may be from the root."""
    x = s.a + s.part * (s.b - s.a)
    value = f(x)
    same = sign(value).eq(sign(s.fa))
    b, fb = where(same, s.b, s.a), where(same, s.fb, s.fa)
    c, fc = where(same, s.a, s.b), where(same, s.fa, s.fb)
    closer = absolute(value) < absolute(fb)
    best = where(closer, x, b)
    near, width = allowed(best), absolute(b - x)
    is_root = s.part.eq(0) | value.eq(0) | (width < 2 * near)
    least = near / where(is_root, 1, width)
    points = (x, b, c, value, fb, fc)
    size = absolute(value) + absolute(fb) + absolute(fc)
    bent = is_root | c.eq(b) | value.eq(fc) | fb.eq(fc) | ~isfinite(size)
    curved = _interpolated(*[where(bent, k, v) for k, v in zip(_STRAIGHT, points, strict=True)])
    part = minimum(maximum(where(bent, 0.5, curved), least), 1 - least)
    swapped, at_end = is_root & ~closer, is_root & closer & ~isfinite(fb)
    a, fa = where(swapped, b, x), where(swapped, fb, value)
    b, fb = [where(swapped, v, where(at_end, w, u)) for u, v, w in ((b, x, c), (fb, value, fc))]
    return Bracket(a, b, c, fa, fb, fc, where(is_root, 0, part))


def closed_in(
    excess: Function, begin: TensorVariable, end: TensorVariable, digits: float
) -> Bracket:
    """The last bracket of a search for where the elements of `excess` become positive.

    From `begin` to `end`: it is taken to be negative at the first and positive at the second, and
    negative where it is NaN: so, if it is of one sign, the result is near an end. `digits` says
    which part of all that the dtype has are right: of 1 the last ones cost a step or two more than
    of 0.6.
    """
    nearly = float(np.finfo(begin.dtype).eps) ** digits

    def f(x: Any) -> TensorVariable:
        value = excess(x).astype(begin.dtype)
        return where(isnan(value), -np.inf, value)

    below, above = full_like(begin, -np.inf), full_like(begin, np.inf)
    first = (Bracket(begin, end, end, below, above, above, full_like(begin, 0.5)), 0)
    bracket, _ = while_loop(
        lambda s: (s[0].part > 0).any() & (s[1] < _MOST),
        lambda s: (narrowed(f, s[0], lambda x: nearly * (1 + absolute(x))), s[1] + 1),
        first,
    )
    result: Bracket = bracket
    return result


def crossing(
    excess: Function, begin: TensorVariable, end: TensorVariable, digits: float
) -> TensorVariable:
    """Where the elements of `excess` become positive, as `closed_in` finds it.

    >>> from weft_tensor import constant
    >>> ends = constant([0.0, 1.0]), constant([9.0, 1.1])
    >>> crossing(lambda x: x * x - 2, *ends, 1.0).eval().round(6)
    array([1.414214, 1.1     ])
    """
    result: TensorVariable = closed_in(excess, begin, end, digits).a
    return result


def line_step(s: Bracket) -> TensorVariable:
    """How far it is from `a`, where a search has ended, to the root of the line through both ends.

    >>> from weft_tensor import constant
    >>> found = closed_in(lambda x: x * x - 2, constant(0.0), constant(9.0), 0.6)
    >>> (found.a + line_step(found)).eval().round(15).item()
    1.414213562373095
    """
    known = isfinite(s.fa) & isfinite(s.fb) & ~s.fb.eq(s.fa)
    off, there = where(known, s.fa, 0), where(known, s.fb, 1)
    result: TensorVariable = off * ((s.a - s.b) / (there - off))
    return result


class Steep(NamedTuple):
    """A place of a search by slopes, and what it knows there."""

    at: Any
    low: Any
    high: Any
    reach: Any
    """How long the next step may be."""
    value: Any
    step: Any
    """How far it is to the root, as a line has it."""
    searches: Any


def stepped_to(f: Rising, begin: TensorVariable, end: TensorVariable, start: float) -> Steep:
    """The last place of a search for where a function becomes positive: a step of a line is left.

    `f` gives the function, which increases from `begin` to `end`, and its slope. Newton's steps
    go from `start`, short ones first; where they leave what is between known signs, or the
    function does not fall to one half, by bisection. It is taken to be negative where it is NaN.

    >>> from weft_tensor import constant
    >>> ends = constant(0.0), constant(9.0)
    >>> found = stepped_to(lambda x: (x * x - 2, 2 * x), *ends, 1.0)
    >>> (found.at + found.step).eval().round(15).item()
    1.414213562373095
    """
    near = float(np.finfo(begin.dtype).eps) ** 0.5

    def step(s: Steep, count: Any) -> tuple[Steep, Any]:
        value, slope = f(s.at)
        value = where(isnan(value), -np.inf, value).astype(begin.dtype)
        is_low = value <= 0
        low, high = where(is_low, s.at, s.low), where(is_low, s.high, s.at)
        line = -value / where(isfinite(value) & ~value.eq(0), slope, 1)
        line = where(isnan(line), where(is_low, np.inf, -np.inf), line).astype(begin.dtype)
        ended = where(is_low, s.at.eq(end), s.at.eq(begin))
        size = 1 + absolute(s.at)
        done = (absolute(line) < near * size) | (high - low < near * size) | ended
        begun, stopped = low > begin, high < end
        slow = begun & stopped & (absolute(value) > 0.5 * absolute(s.value))
        after = s.at + minimum(maximum(line, -s.reach), s.reach)
        outside = (after <= low) | (after >= high) | slow
        beyond = where(is_low, where(stopped, 0.5 * (low + high), end),
                       where(begun, 0.5 * (low + high), begin))  # fmt: skip
        after = where(done, s.at, where(outside, beyond, after))
        kept = where(absolute(line) < np.inf, line, 0)
        return Steep(after, low, high, 2 * s.reach, value, kept, ~done), count + 1

    none = 0 * begin
    first = Steep(none + start, begin, end, none + _FIRST, none + np.inf, none, none.eq(0))
    found, _ = while_loop(
        lambda s: s[0].searches.any() & (s[1] < _MOST), lambda s: step(*s), (first, 0)
    )
    result: Steep = found
    return result


class Bent(NamedTuple):
    """A place of a search by parabolas, both before it, and what is known of them."""

    at: Any
    low: Any
    high: Any
    reach: Any
    """How long the next step may be."""
    before: Any
    value: Any
    """The function there."""
    earlier: Any
    old_value: Any
    searches: Any


def bent_to(
    f: Function, begin: TensorVariable, end: TensorVariable, start: float
) -> TensorVariable:
    """Where a function becomes positive, to the last digits, if it is about a parabola there.

    As `stepped_to`, where the slope is that of the parabola through the last three places: an error
    is the product of the last three, times a number, so that few steps make up for no slopes.

    >>> from weft_tensor import constant
    >>> root = bent_to(lambda x: x * x - 2, constant(0.0), constant(9.0), 1.0)
    >>> with np.errstate(invalid="ignore", divide="ignore"):  # no place is before the first
    ...     root.eval().round(15).item()
    1.414213562373095
    """
    eps = float(np.finfo(begin.dtype).eps)

    def step(s: Bent, count: Any) -> tuple[Bent, Any]:
        value = f(s.at)
        value = where(isnan(value), -np.inf, value).astype(begin.dtype)
        is_low = value <= 0
        low, high = where(is_low, s.at, s.low), where(is_low, s.high, s.at)
        apart = s.at - s.before
        slope = (value - s.value) / apart
        change = slope - (s.value - s.old_value) / (s.before - s.earlier)
        bend = change / slope * (apart / (s.at - s.earlier))
        slope = slope * where((bend > -0.9) & (bend < 9), 1 + bend, 1)
        known = (slope > 0) & (slope < np.inf)
        line = where(known, -value / where(known, slope, 1), where(is_low, np.inf, -np.inf))
        ended = where(is_low, s.at.eq(end), s.at.eq(begin)) | value.eq(0)
        near, last, older = (
            eps * (1 + absolute(s.at)),
            absolute(apart),
            absolute(s.before - s.earlier),
        )
        fall, old_fall = minimum(absolute(line) / last, 1), minimum(last / older, 1)
        left = absolute(line) * fall * sqrt(old_fall)
        done = (minimum(100 * left, high - low) < near) | ended
        begun, stopped = low > begin, high < end
        slow = begun & stopped & (absolute(value) > 0.5 * absolute(s.value))
        after = s.at + minimum(maximum(line, -s.reach), s.reach)
        outside = (after <= low) | (after >= high) | slow
        middle = 0.5 * (low + high)
        beyond = where(is_low, where(stopped, middle, end), where(begun, middle, begin))
        found = s.at + where(value.eq(0) | (absolute(line) >= np.inf), 0, line)
        after = where(s.searches, where(done, found, where(outside, beyond, after)), s.at)
        searches = s.searches & ~done
        return Bent(
            after, low, high, 2 * s.reach, s.at, value, s.before, s.value, searches
        ), count + 1

    none = 0 * begin
    far = none + np.inf
    at = none + start
    first = Bent(at, begin, end, none + _FIRST, at, far, at, far, none.eq(0))
    found, _ = while_loop(
        lambda s: s[0].searches.any() & (s[1] < _MOST), lambda s: step(*s), (first, 0)
    )
    result: TensorVariable = found.at
    return result


def _interpolated(a: Any, b: Any, c: Any, fa: Any, fb: Any, fc: Any) -> Any:
    """Where from a to b an inverse parabola through all three is zero; half-way if it is bent."""
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    monotonic = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
    curved = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return where(monotonic, curved, 0.5)
