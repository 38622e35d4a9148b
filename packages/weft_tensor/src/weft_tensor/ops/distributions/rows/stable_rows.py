"""Stable distributions: Landau's, and those of exponents other than 1.

With V(t) = t / sin(t) exp(1 - t cot(t)), Landau's distribution function at
2 (y - log(pi/2)) / pi is the mean over t from 0 to pi of exp(-exp(-1 - y) V(t)): V. M. Zolotarev,
One-dimensional stable distributions, 1986, 2.2. So it is drawn; values are by quotients of
polynomials that go through such means.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, pi
from typing import Any, Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import Constraint
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Formula
from weft_tensor.ops.distributions.ratios import LOG_2, LOG_PI, log1p_square
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.numbers.landau import (
    landau_logcdf,
    landau_logpdf,
    landau_logsf,
    landau_place_above,
    landau_place_below,
)
from weft_tensor.ops.numbers.stable_integrals import (
    length_above,
    log_between,
    log_beyond,
    log_height,
    tangent,
)
from weft_tensor.ops.random.draws import Draws

__all__ = ["landau", "levy_stable"]

_ZETAS: Final = (
    1.6449340668482264, 1.0823232337111382, 1.0173430619844491, 1.0040773561979443,
    1.0009945751278181, 1.000246086553308, 1.0000612481350587, 1.0000152822594086,
)  # fmt: skip
"""Of 2, 4, ...: from them are the series of cot(t) and log(t / sin(t))."""


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


_LOG_UNIT: Final = LOG_PI - LOG_2


def _place(x: TensorVariable) -> TensorVariable:
    return 0.5 * pi * x + _LOG_UNIT


def _drawn(draws: Draws) -> TensorVariable:
    place = _log_height(pi * draws.uniform()) - 1 - log(draws.exponential())
    return _standard(place)


def _standard(y: TensorVariable) -> TensorVariable:
    return (y - _LOG_UNIT) * (2 / pi)


def _of_place(formula: Callable[[TensorVariable], TensorVariable], shift: float = 0.0) -> Formula:
    return lambda x: formula(_place(x)) + shift


def _by_smaller(is_below: TensorVariable, surprise: TensorVariable, above: TensorVariable) -> Any:
    """The place, by minus the logarithm of the share below, or the share above."""
    low = landau_place_below(where(is_below, surprise, 1.0))
    return _standard(where(is_below, low, landau_place_above(where(is_below, 0.5, above))))


landau: Final = Continuous(
    "landau",
    "the integral of exp(-t log(t) - y t) sin(π t) / 2 over t from 0, y = π x / 2 + log(π / 2)",
    {}, logpdf=_of_place(landau_logpdf, _LOG_UNIT), logcdf=_of_place(landau_logcdf),
    logsf=_of_place(landau_logsf), ppf=lambda q: _by_smaller(q < 0.5, -log(q), 1 - q),
    isf=lambda q: _by_smaller(q > 0.5, -log1p(-q), q),
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
