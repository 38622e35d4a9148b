"""Wright's generalised Bessel function and its logarithm: the terms of its series that count.

NIST Digital Library of Mathematical Functions, 10.46.1. No term is negative, and their logarithms
fall to both sides of the largest one. Where more terms count than are added, some of them, at even
distances, are a sum as right.
"""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Ternary, ternary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.numbers.remainders import log1pmx
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.quadrature import added_up, along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["log_wright_bessel", "wright_bessel"]

_T = TensorVariable
_FIRST: Final = 5.0
_FEW, _MANY = np.arange(-_FIRST, 33.0), np.arange(-224.0, 225.0)
"""The places of the terms from the largest on: few, where that is one of the first."""
_REACH: Final = 10.0
"""Deviations from the largest term, beyond which nothing counts."""
_STEPS: Final = 8
_LEAST, _HIGHEST, _LARGEST = 1e-300, 700.0, 1e290
_FAR: Final = 1e3
"""From where on the terms of Stirling's series that are added suffice."""
_NEAR, _SMALL, _TURN = 2.0, 100.0, 5.0
"""Of x below the first, and b below the second, all terms are added: they fall from k = 5 on."""
_FLAT: Final = 1e13
"""The largest term's place, from where on its neighbours are as large."""


def _largest(a: _T, b: _T, x: _T) -> _T:
    """The k of the largest term: k (a k + b)^a is x, by Newton's steps from above for log(k)."""
    size = log(x)
    above = (size - xlogy(a, a)) / (1 + a), size - a * log(maximum(b, _LEAST))
    u = minimum(*above)

    def nearer(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, u = state
        grown = a * exp(u)
        slope = maximum(grown + b, _LEAST)
        return k + 1, u - (u + a * log(slope) - size) / (1 + a * grown / slope)

    return exp(while_loop(lambda s: (s[0] < _STEPS).any(), nearer, (0 * size, u))[1])


def _rise(base: _T, step: _T) -> _T:
    """gammaln(base + step) - gammaln(base) - step log(base), from base 1 on, to the same end."""
    start = along(base)
    end, part = start + step, step / start
    far = (end - 0.5) * log1pmx(part) + (step - 0.5) * part + 1 / (12 * end) - 1 / (12 * start)
    near = gammaln(end) - along(gammaln(base)) - step * along(log(base))
    return where(minimum(end, start) > _FAR, far, near)


class _Sums(NamedTuple):
    """Sums over the terms near the largest, as multiples of it."""

    height: _T
    """The logarithm of the largest term over its `unit`."""
    stride: _T
    """How many terms each stands for."""
    unit: _T
    """Its a k + b."""
    total: _T
    slope_a: _T
    slope_b: _T


def _sums(order: _T, beta: _T, place: _T) -> _Sums:
    """Terms x^k / k! / gamma(a k + b), and these times -psi(a k + b), and times k.

    With g = a k + b, 1 / gamma(g) is g / gamma(g + 1), and -psi(g) g is 1 - g psi(g + 1).
    """
    fine = (order >= 0) & (order < inf) & (beta >= 0) & (beta < inf) & (place > 0) & (place < inf)
    a, b, x = [where(fine, v, 1) for v in (minimum(order, _LARGEST), beta, place)]
    top = stop_gradient(_largest(a, b, x))
    stride = maximum(1, ceil(2 * _REACH * sqrt(top / (1 + a)) / len(_MANY)))
    top = maximum(floor(top), where(eq(b, 0), 1, 0))  # where the first term is 0
    middle = a * top + b
    unit = stop_gradient(maximum(where(middle > 0, middle, 1), _LEAST))
    size = log(x)
    height = top * size - gammaln(top + 1) - gammaln(middle + 1)
    tilt = size - log(top + 1) - a * log(middle + 1)
    tilt = tilt - where(top > _FLAT, stop_gradient(tilt), 0)  # there it is rounding alone
    few, many = [_near(a, top, middle, unit, tilt, along(stride) * v) for v in (_FEW, _MANY)]
    total, in_a, in_b = [where(top <= _FIRST, *pair) for pair in zip(few, many, strict=True)]
    return _Sums(height, stride, unit, total, in_a, in_b)


def _near(a: _T, top: _T, middle: _T, unit: _T, tilt: _T, places: _T) -> tuple[_T, _T, _T]:
    """The sums over the terms so far from the largest."""
    step = maximum(places, -along(top))
    level = step * along(tilt) - _rise(top + 1, step)
    level = level - _rise(middle + 1, along(a) * step)
    weight = where(eq(step, places), exp(minimum(level, _HIGHEST)), 0)
    part = where(weight > 0, (along(a) * step + along(middle)) / along(unit), 1)
    falling = weight * (1 / along(unit) - part * digamma(along(unit) * part + 1))
    scale = maximum(top, 1)
    count = (along(top) + step) / along(scale)
    total, in_a, in_b = [v.sum(axis=-1) for v in (weight * part, count * falling, falling)]
    return total, scale * in_a, in_b


def _times_exp(size: _T, v: _T) -> _T:
    return exp(0.5 * size) * v * exp(0.5 * size)


def _first_terms(a: _T, b: _T, x: _T) -> _T:
    """The sum of all terms that count, from the first on, for small x."""

    def advance(k: _T, power: _T) -> tuple[_T, _T]:
        g = a * k + b
        return power * (g * exp(-gammaln(g + 1))), power * (x / (k + 1))

    none = 0 * (a + b + x)
    return added_up(advance, (none + 1,), none + _TURN)


def _value(logarithm: bool, a: _T, b: _T, x: _T) -> _T:
    sums = _sums(a, b, x)
    if logarithm:
        value = sums.height + log(sums.unit) + log(sums.stride * sums.total)
    else:
        value = _times_exp(sums.height, sums.unit * sums.stride * sums.total)
        near = (x < _NEAR) & (a >= 0) & (a < _HIGHEST) & (b >= 0) & (b < _SMALL)
        value = where(near, _first_terms(*[where(near, v, 1) for v in (a, b, x)]), value)
    valid = (a >= 0) & (a < inf) & (b >= 0) & (b < inf)
    start = where(valid, b, 1)
    first = -gammaln(start) if logarithm else exp(-gammaln(start))
    return where(valid & (x >= 0), where(eq(x, 0), first, where(x < inf, value, inf)), nan)


def _slope_sum(logarithm: bool, place: int, a: _T, b: _T, x: _T) -> _T:
    """The derivative in a parameter."""
    sums = _sums(a, b, x)
    total = (sums.slope_a, sums.slope_b)[place]
    slope = (
        total / sums.total
        if logarithm
        else _times_exp(sums.height, sums.unit * sums.stride * total)
    )
    valid = (a >= 0) & (a < inf) & (b >= 0) & (b < inf) & (x >= 0) & (x < inf)
    start = where(valid, b, 1)
    first = (1 - start * digamma(start + 1)) * (
        1 / start if logarithm else exp(-gammaln(start + 1))
    )
    return where(valid, where(eq(x, 0), first if place else 0, slope), nan)


_DOMAIN: Final = (POSITIVE, POSITIVE, POSITIVE)


def _row(name: str, summary: str, logarithm: bool, results: tuple[float, ...]) -> Any:
    slopes = [
        slope_row(
            f"{name}_slope{k}", name, _DOMAIN, (1.0, 1.5, 0.5, result),
            partial(_slope_sum, logarithm, k), which,
        )
        for k, (result, which) in enumerate(zip(results[1:], ("first", "second"), strict=True))
    ]  # fmt: skip

    def in_x(a: _T, b: _T, x: _T, r: _T) -> _T:
        return exp(own(a, a + b, x) - r) if logarithm else own(a, a + b, x)

    own: Ternary = ternary(
        name, None, summary, _DOMAIN, (1.0, 1.5, 0.5, results[0]),
        lambda a, b, x, r: (*[slope(a, b, x) for slope in slopes], in_x(a, b, x, r)),
        summation=doubled(partial(_value, logarithm)), dtypes=floating, cost=LOOP,
    )  # fmt: skip
    return own


# fmt: off
wright_bessel: Ternary = _row(
    "wright_bessel", "Wright's generalised Bessel function of a, b and x from 0 on.", False,
    (1.543959942, -0.355252629, -0.349712303),
)
log_wright_bessel: Ternary = _row(
    "log_wright_bessel", "The logarithm of `wright_bessel`.", True,
    (0.434350507, -0.230091869, -0.226503483),
)
# fmt: on
