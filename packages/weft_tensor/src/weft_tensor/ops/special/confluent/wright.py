"""Wright's generalised Bessel function and its logarithm: the terms of its series that count.

NIST Digital Library of Mathematical Functions, 10.46.1. No term is negative, and their logarithms
fall to both sides of the largest one. Where more terms count than are added, some of them, at even
distances, are a sum as right.
"""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any, Final

import numpy as np

from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Ternary, ternary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["log_wright_bessel", "wright_bessel"]

_T = TensorVariable
_PLACES: Final = np.arange(-224.0, 225.0)
_REACH: Final = 10.0
"""Deviations from the largest term, beyond which nothing counts."""
_STEPS: Final = 8
_LEAST, _HIGHEST = 1e-300, 700.0


def _largest(a: _T, b: _T, x: _T) -> _T:
    """The k of the largest term: k (a k + b)^a is x, by Newton's steps from above for log(k)."""
    size = log(x)
    above = (size - xlogy(a, a)) / (1 + a), size - a * log(maximum(b, _LEAST))
    u = minimum(*above)
    for _ in range(_STEPS):
        grown = a * exp(u)
        slope = maximum(grown + b, _LEAST)
        u = u - (u + a * log(slope) - size) / (1 + a * grown / slope)
    return exp(u)


def _parts(order: _T, beta: _T, place: _T) -> tuple[_T, _T]:
    """The logarithm of the largest term over a k + b, and the sum of all over that."""
    fine = (order >= 0) & (order < inf) & (beta >= 0) & (beta < inf) & (place > 0) & (place < inf)
    a, b, x = [where(fine, v, 1) for v in (order, beta, place)]
    top = _largest(a, b, x)
    stride = maximum(1, ceil(2 * _REACH * sqrt(top / (1 + a)) / len(_PLACES)))
    top = maximum(floor(top), where(eq(b, 0), 1, 0))  # where the first term is 0
    k = along(top) + along(stride) * _PLACES
    inside = k >= 0
    k = where(inside, k, 0)
    size = log(x)
    height = top * size - gammaln(top + 1) - gammaln(a * top + b + 1)
    g = along(a) * k + along(b)
    level = k * along(size) - gammaln(k + 1) - gammaln(g + 1) - along(height)
    total = stride * where(inside, g * exp(minimum(level, _HIGHEST)), 0).sum(axis=-1)
    return height, total


def _value(logarithm: bool, a: _T, b: _T, x: _T) -> _T:
    height, total = _parts(a, b, x)
    value = height + log(total) if logarithm else exp(0.5 * height) * total * exp(0.5 * height)
    valid = (a >= 0) & (a < inf) & (b >= 0) & (b < inf)
    start = where(valid, b, 1)
    first = -gammaln(start) if logarithm else exp(-gammaln(start))
    return where(valid & (x >= 0), where(eq(x, 0), first, where(x < inf, value, inf)), nan)


def _slope_sum(logarithm: bool, place: int, a: _T, b: _T, x: _T) -> Any:
    """The derivative in a parameter."""
    return sweep_forward([_value(logarithm, a, b, x)], {(a, b)[place]: 0 * x + 1})[0]


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
