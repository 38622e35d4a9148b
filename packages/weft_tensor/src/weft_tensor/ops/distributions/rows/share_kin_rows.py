"""Kin of beta distributions: of shares with one more factor, and of counts with such a chance."""

from __future__ import annotations

from math import inf
from typing import Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE, POSITIVE_COUNT, REAL, Constraint
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.discrete_rows import betabinom, log_taken, total_of
from weft_tensor.ops.distributions.ratios import log_of, tails
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, logaddexp
from weft_tensor.ops.special.entropies import xlog1py, xlogy
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.quadrature import HALF_LINE, along

__all__ = ["betanbinom", "gausshyper"]

_T = TensorVariable
_PLACES, _WEIGHTS = HALF_LINE


def _log_total(logs: _T, weights: np.ndarray) -> _T:
    """The logarithm of the sum of weights times exp(logs), over the last axis."""
    least = float(np.finfo(logs.dtype).min) / 2
    top = stop_gradient(maximum(logs.max(axis=-1), least))
    return top + log_of((weights * exp(logs - along(top))).sum(axis=-1))


def _log_part(x: _T, left: _T, a: _T, b: _T, c: _T, z: _T, more: _T) -> _T:
    """The logarithm of the integral from 0 to x = 1 - left, where more = 1 + z.

    Over v / a = log(x / t), in which a power of t falls exponentially.
    """
    wide, rest, power, other, third, factor, last = (along(v) for v in (x, left, a, b, c, z, more))
    v = _PLACES.astype(x.dtype)
    away = v / power
    lack = rest - wide * expm1(-away)
    up = factor > 0
    term = where(up, 1 + where(up, factor, 0.0) * (1 - lack), last - where(up, 0.0, factor) * lack)
    logs = xlogy(other - 1, lack) - third * log(term) - v
    return a * log(x) - log(a) + _log_total(logs, _WEIGHTS.astype(x.dtype))


def _log_low(x: _T, a: _T, b: _T, c: _T, z: _T) -> _T:
    return _log_part(x, 1 - x, a, b, c, z, 1 + z)


def _log_high(x: _T, a: _T, b: _T, c: _T, z: _T) -> _T:
    """From x to 1: the same of 1 - x, with another factor."""
    return _log_part(1 - x, x, b, a, c, -z / (1 + z), 1 / (1 + z)) - xlog1py(c, z)


def _norming(a: _T, b: _T, c: _T, z: _T) -> _T:
    """By both parts, beside about where the density times x (1 - x) is largest."""
    first, second = a * (z - 1) - b - c * z, z * (c - a - b)
    root = sqrt(maximum(first * first - 4 * second * a, 0.0))
    split = where(first > 0, -(first + root) / (2 * second), 2 * a / (root - first))
    place = stop_gradient(minimum(maximum(split, 1e-12), 1 - 1e-7))
    return logaddexp(_log_low(place, a, b, c, z), _log_high(place, a, b, c, z))


def _moment(n: int, a: _T, b: _T, c: _T, z: _T) -> _T:
    return exp(_norming(a + n, b, c, z) - _norming(a, b, c, z))


gausshyper: Final = Continuous(
    "gausshyper", "x^(a-1) (1 - x)^(b-1) (1 + z x)^-c, over its integral",
    {"a": POSITIVE, "b": POSITIVE, "c": REAL, "z": Constraint("above -1", lambda v: v > -1)},
    (0.0, 1.0), norming=_norming,
    logpdf=lambda x, a, b, c, z: xlogy(a - 1, x) + xlog1py(b - 1, -x) - xlog1py(c, z * x),
    **tails(
        lambda x, *p: _log_low(x, *p) - _norming(*p), lambda x, *p: _log_high(x, *p) - _norming(*p)
    ),
    mean=lambda *p: _moment(1, *p), var=lambda *p: _moment(2, *p) - _moment(1, *p) ** 2,
)  # fmt: skip

_SUMMED: Final = 4096
"""Up to here, what is below is a sum of its own."""


def _failures(k: _T, n: _T, a: _T, b: _T) -> _T:
    return log_taken(k + n - 1, k) + betaln(a + n, b + k) - betaln(a, b)


def _failures_sf(k: _T, n: _T, a: _T, b: _T) -> _T:
    """Of n + k trials, fewer than n are successes."""
    part: _T = total_of(betabinom.rows["logpmf"], lambda N, *_: (0 * N, n - 1 + 0 * N), False)(
        n, n + k, a, b
    )
    return minimum(part, 1.0)


def _failures_cdf(k: _T, n: _T, a: _T, b: _T) -> _T:
    above = _failures_sf(k, n, a, b)
    few = (above > 0.5) & (k <= _SUMMED)
    count = stop_gradient(where(few, k, 0.0))
    part: _T = total_of(_failures, lambda *_: (0 * count, count), False)(count, n, a, b)
    return where(few, minimum(part, 1.0), 1 - above)


betanbinom: Final = Discrete(
    "betanbinom", "(k + n - 1 over k) B(a + n, b + k) / B(a, b)",
    {"n": POSITIVE_COUNT, "a": POSITIVE, "b": POSITIVE}, (0.0, inf),
    logpmf=_failures, cdf=_failures_cdf, sf=_failures_sf,
    mean=lambda n, a, b: where(a > 1, n * b / (where(a > 1, a, 2.0) - 1), inf),
    var=lambda n, a, b: where(
        a > 2,
        n * (n + a - 1) * b * (a + b - 1) / ((where(a > 2, a, 3.0) - 2) * (a - 1) ** 2), inf
    ),
)  # fmt: skip
