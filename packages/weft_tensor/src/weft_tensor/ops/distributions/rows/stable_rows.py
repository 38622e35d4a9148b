"""Stable distributions: Landau's, and those of exponents other than 1.

With V(t) = t / sin(t) exp(1 - t cot(t)), Landau's distribution function at
2 (y - log(pi/2)) / pi is the mean over t from 0 to pi of exp(-exp(-1 - y) V(t)): V. M. Zolotarev,
One-dimensional stable distributions, 1986, 2.2. So all integrands are positive. In
t = pi v / (1 + v), log(V) is about v + log(v) + 1 for large v, and the integrands fall from 1 to 0
within a width that does not depend on y.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import Constraint
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Formula
from weft_tensor.ops.distributions.ratios import LOG_2, LOG_PI, log1p_square
from weft_tensor.ops.distributions.tails import inverse
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.exponential import (
    exp,
    expm1,
    log,
    log1mexp,
    log1p,
)
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.numbers.stable_integrals import (
    length_above,
    log_between,
    log_beyond,
    log_height,
    tangent,
)
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = ["landau", "levy_stable"]

_PANELS: Final = 4
_PLACES: Final = (np.arange(_PANELS)[:, None] + UNIT_INTERVAL[0]).ravel() / _PANELS
_WEIGHTS: Final = np.tile(UNIT_INTERVAL[1], _PANELS) / _PANELS
_ZETAS: Final = (
    1.6449340668482264, 1.0823232337111382, 1.0173430619844491, 1.0040773561979443,
    1.0009945751278181, 1.000246086553308, 1.0000612481350587, 1.0000152822594086,
)  # fmt: skip
"""Of 2, 4, ...: from them are the series of cot(t) and log(t / sin(t))."""
_DROP: Final = 45.0
"""The logarithm of how small integrands are where they are cut off."""
_FAR: Final = 10.0
"""From here on places are counted from x - log(x)."""
_LEAST: Final = {"float64": -700.0, "float32": -80.0}
"""Below it, logarithms of probabilities overflow."""
_RARE: Final = 1e-30
"""Of a smaller probability above, the place is proportional to its inverse."""


def _series(t: TensorVariable, factor: Callable[[int], float]) -> TensorVariable:
    """The sum of ζ(2k) factor(k) (t / pi)^2k, of small t."""
    square = (t * (1 / pi)) ** 2
    total: Any = 0.0
    for k in range(len(_ZETAS), 0, -1):
        total = (total + _ZETAS[k - 1] * factor(k)) * square
    return as_tensor(total)


def _log_height(t: TensorVariable) -> TensorVariable:
    """log(V), of t from 0 to pi."""
    low = t < 0.25
    inner, outer = where(low, t, 0.0), where(low, 1.0, t)
    direct = log(outer / sin(outer)) + 1 - outer * cos(outer) / sin(outer)
    return where(low, _series(inner, lambda k: 2 + 1 / k), direct)


class _Places(NamedTuple):
    """Of the integrals, with one more axis."""

    weights: TensorVariable
    """Of places, by how much of the range they are for."""
    logs: TensorVariable
    """Of V exp(-1 - x)."""
    above: TensorVariable
    """V exp(-1 - x), over what it has at least."""
    rest: TensorVariable
    """The part of the range beyond all places, without that axis."""
    log_unit: TensorLike = 0.0
    """The logarithm of that in which both parts of the range are counted."""

    def log_sum(self, values: TensorVariable, rest: TensorLike = 0.0) -> TensorVariable:
        """The logarithm of the integral of values, and of `rest` beyond all places."""
        return log((self.weights * values).sum(axis=-1) + rest * self.rest) + self.log_unit


def _spread(x: TensorVariable, low: TensorVariable, high: TensorVariable) -> TensorVariable:
    return along(low) + along(high - low) * _PLACES.astype(x.dtype)


def _near(x: TensorVariable) -> _Places:
    """Up to `_FAR`: from v = 0 on."""
    reach = log1p(_DROP * exp(1 + x))
    turn = sqrt(2 * minimum(reach, 2.0))
    end = where(reach < 2, turn / (pi - turn), maximum(reach - 0.35, 1.0))
    v = _spread(x, 0 * x, end)
    height = _log_height(pi * v / (1 + v))
    rate = exp(-1 - x)
    weights = along(end) * _WEIGHTS.astype(x.dtype) / (1 + v) ** 2
    return _Places(weights, height - 1 - along(x), along(rate) * expm1(height), 1 / (1 + end))


def _far(x: TensorVariable) -> _Places:
    """From `_FAR` on: around v = x - log(x)."""
    center = x - log(x)
    low, high = maximum(-_DROP, -center), 4.7 + 0 * x
    u = _spread(x, low, high)
    v = along(center) + u
    back = pi / (1 + v)
    small = back < 0.25
    inner, outer = where(small, back, 0.1), where(small, 1.0, back)
    sine = sin(outer)
    lack = where(small, _series(inner, lambda k: 2.0) / inner, 1 / outer - cos(outer) / sine)
    ratio = where(small, _series(inner, lambda k: 1 / k), log(outer / sine))
    logs = u + log(v / along(x)) + ratio - (pi - back) * lack
    part = (1 + along(center)) / (1 + v)
    weights = along((high - low) / (1 + center)) * _WEIGHTS.astype(x.dtype) * part**2
    rest = (1 + center) / (1 + center + high)
    return _Places(weights, logs, exp(logs), rest, -log(1 + center))


def _by_parts(
    near: Callable[[TensorVariable, _Places], TensorVariable],
    far: Callable[[TensorVariable, _Places], TensorVariable],
) -> Callable[[TensorVariable], TensorVariable]:
    """The logarithm of a sum over places, where x is moderate, and where it is large."""

    def formula(x: TensorVariable) -> TensorVariable:
        is_far, least = x > _FAR, _LEAST[x.dtype]
        low, high = where(is_far, 0.0, maximum(x, least)), where(is_far, x, 2 * _FAR)
        return where(is_far, far(high, _far(high)), near(low, _near(low)))

    return formula


def _log_steep(x: TensorVariable, at: _Places) -> TensorVariable:
    return at.log_sum(exp(at.logs - at.above))


def _log_low(x: TensorVariable, at: _Places) -> TensorVariable:
    return at.log_sum(exp(-at.above)) - exp(-1 - x)


def _log_high(x: TensorVariable, at: _Places) -> TensorVariable:
    return at.log_sum(-expm1(-exp(at.logs)), 1.0)


def _log_rest(x: TensorVariable, at: _Places) -> TensorVariable:
    """By the smaller of both tails."""
    low, high = _log_low(x, at), _log_high(x, at)
    return where(x < 0, log1mexp(where(x < 0, low, -1.0)), high)


_logpdf: Final = _by_parts(lambda x, at: _log_steep(x, at) - exp(-1 - x), _log_steep)
_logcdf: Final = _by_parts(_log_low, lambda x, at: log1mexp(_log_high(x, at)))
_logsf: Final = _by_parts(_log_rest, _log_high)
_LOG_UNIT: Final = LOG_PI - LOG_2


def _place(x: TensorVariable) -> TensorVariable:
    return 0.5 * pi * x + _LOG_UNIT


def _unless_least(formula: Formula) -> Formula:
    def limited(x: TensorVariable) -> TensorVariable:
        place = _place(x)
        return where(place < _LEAST[x.dtype], -inf, formula(place))

    return limited


def _drawn(draws: Draws) -> TensorVariable:
    place = _log_height(pi * draws.uniform()) - 1 - log(draws.exponential())
    return (place - _LOG_UNIT) * (2 / pi)


def _isf(q: TensorVariable) -> TensorVariable:
    rare = q < _RARE
    place = inverse(_standard_logpdf, _standard_logsf, _standard_logcdf, "logsf", None)
    return where(rare, 2 / (pi * where(rare, q, 1.0)), place(where(rare, 0.5, q)))


_standard_logpdf: Final = _unless_least(lambda y: _logpdf(y) + _LOG_UNIT)
_standard_logcdf: Final = _unless_least(_logcdf)


def _standard_logsf(x: TensorVariable) -> TensorVariable:
    return _logsf(_place(x))


landau: Final = Continuous(
    "landau",
    "the integral of exp(-t log(t) - y t) sin(π t) / 2 over t from 0, y = π x / 2 + log(π / 2)",
    {}, logpdf=_standard_logpdf, logcdf=_standard_logcdf, logsf=_standard_logsf, isf=_isf,
    mean=lambda: nan, var=lambda: nan, entropy=lambda: 2.37263644000448182, sample=_drawn,
)  # fmt: skip


_T = TensorVariable
_SMALLEST: Final = {"float64": 1e-200, "float32": 1e-25}


def _sided(
    of_positive: Callable[[_T, _T, _T], _T], of_negative: Callable[[_T, _T, _T], _T]
) -> Formula:
    """Each of a positive place: of a negative one, with the skewness the other way round."""

    def formula(x: _T, a: _T, b: _T) -> _T:
        up = x >= 0
        size = maximum(where(up, x, -x), _SMALLEST[x.dtype])
        side = where(up, b, -b)
        return where(up, of_positive(size, a, side), of_negative(size, a, side))

    return formula


def _stable_draw(draws: Draws, a: _T, b: _T) -> _T:
    """By J. M. Chambers, C. L. Mallows and B. W. Stuck, A method for simulating stable random
    variables, 1976."""
    p = pi * draws.uniform()
    turned = a * (length_above(a, b) - p)
    wide = 0.5 * log1p_square(b * tangent(a)) / a
    across = maximum(sin(p + turned), _SMALLEST[draws.kind])
    rest = log(across) - log(draws.exponential())
    return sin(turned) * exp(wide - log(sin(p)) / a + (1 - a) / a * rest)


levy_stable: Final = Continuous(
    "levy_stable", "of characteristic function exp(-abs(t)^a (1 - i beta sign(t) tan(pi a / 2)))",
    {
        "alpha": Constraint(
            "above 0 and at most 2, and not 1 (see cauchy and landau)",
            lambda v: (v > 0) & (v <= 2) & neq(v, 1),
        ),
        "beta": Constraint("from -1 to 1", lambda v: (v >= -1) & (v <= 1)),
    },
    lambda a, b: (
        where((a < 1) & eq(b, 1), 0.0, -inf), where((a < 1) & eq(b, -1), 0.0, inf)
    ),
    middle=lambda a, b: where(b < 0, -1.0, 1.0) + 0 * a,
    logpdf=_sided(log_height, log_height),
    logcdf=_sided(log_between, log_beyond), logsf=_sided(log_beyond, log_between),
    mean=lambda a, b: where(a > 1, 0 * b, nan), var=lambda a, b: where(a < 2, inf, 2.0) + 0 * b,
    sample=_stable_draw,
)  # fmt: skip
