"""The range of k normal numbers: how far the largest is from the smallest.

With h = w / 2, the one furthest from the middle is z = h + t or -z, and the others are between
z - w and z: so the probability of at most w is m(-h, h)^k + 2 k ∫ φ(z) m(z - w, z)^(k-1) dt, where
m is the normal probability between two places, and that of more is what is missing of
m(-z, z)^(k-1) in the same integral. All terms are positive. The substitution by a cube has places
for a width of 1 / sqrt(k) as well as for one of 1.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2, log_mass, log_of
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.elementwise.special import erf
from weft_tensor.ops.special.quadrature import along

__all__ = ["log_range_cdf", "log_range_pdf", "log_range_sf"]

_DROP: Final = 90.0
"""Twice the logarithm of how small integrands are where they are cut off."""
_TINY: Final = -36.0
_LEAST, _MOST = 1e-307, 1e7
_NARROW: Final = 0.02


@cache
def _cubes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss' rule from 0 to 1, of the cube root."""
    places, weights = np.polynomial.legendre.leggauss(count)
    root = 0.5 * (places + 1)
    return root**3, 1.5 * root**2 * weights


def _log_between(center: TensorVariable, half: TensorVariable) -> TensorVariable:
    """The logarithm of the normal probability no further than `half` from `center`."""
    near = half * (1 + abs(center)) < _NARROW
    size, square = where(near, half, 1.0), where(near, center * center, 0.0)
    area = size * size
    more = area * ((square - 1) / 6 + area * ((square - 6) * square + 3) / 120)
    series = LOG_2 - HALF_LOG_2PI + log(size) - 0.5 * square + log1p(more)
    wide = where(near, 1.0, half)
    return where(near, series, log_mass(center - wide, center + wide))


def _log_around(half: TensorVariable) -> TensorVariable:
    """The same around 0."""
    return log(erf(half * 0.7071067811865476))


def _half(w: TensorVariable) -> TensorVariable:
    return 0.5 * minimum(maximum(w, _LEAST), _MOST)


def log_range_cdf(w: TensorVariable, k: TensorVariable, count: int = 64) -> TensorVariable:
    """The logarithm of the probability of a range of at most w."""
    places, weights = _cubes(count)
    h = _half(w)
    inner = _log_around(h)
    reach = _DROP / (h + sqrt(h * h + _DROP))
    t, wide = along(reach) * places, along(h)
    rise = along(k - 1) * (_log_between(t, wide) - along(inner))
    total = (weights * exp(rise - t * (wide + 0.5 * t))).sum(axis=-1) * reach
    outer = 2 * k * total * exp(-0.5 * h * h - HALF_LOG_2PI)
    return (k - 1) * inner + log(exp(inner) + outer)


def log_range_pdf(w: TensorVariable, k: TensorVariable, count: int = 64) -> TensorVariable:
    """The logarithm of the density."""
    places, weights = _cubes(count)
    h = _half(w)
    inner = _log_around(h)
    reach = sqrt(_DROP / minimum(k, 2.0))
    t, wide = along(reach) * places, along(h)
    rise = along(k - 2) * (_log_between(t, wide) - along(inner))
    total = (weights * exp(rise - t * t)).sum(axis=-1) * reach
    log_pairs = LOG_2 + log(k) + log(k - 1)
    return log_pairs + (k - 2) * inner - h * h - 2 * HALF_LOG_2PI + log_of(total)


def log_range_sf(w: TensorVariable, k: TensorVariable, count: int = 64) -> TensorVariable:
    """The logarithm of the probability of a range of more than w."""
    below = log_range_cdf(w, k, count)
    is_rare = below > -LOG_2
    rest = log1mexp(where(is_rare, -1.0, below))
    return where(is_rare, _log_rare(where(is_rare, w, 6.0), k, count), rest)


def _log_rare(w: TensorVariable, k: TensorVariable, count: int) -> TensorVariable:
    places, weights = _cubes(count)
    h = _half(w)
    reach = maximum(9.0 - h, 6.5)
    t, wide, others = along(reach) * places, along(h), along(k - 1)
    whole = _log_around(wide + t)
    part = minimum(_log_between(-wide, t) - whole, -1e-12)
    tiny = part < _TINY
    near = where(tiny, -1.0, part)
    missing = where(tiny, log(others) + part, log(-expm1(others * log1mexp(near))))
    logs = others * whole + missing - t * (wide + 0.5 * t) + 0.5 * wide * wide
    total = (weights * exp(logs)).sum(axis=-1) * reach
    return LOG_2 + log(k) - HALF_LOG_2PI - h * h + log_of(total)
