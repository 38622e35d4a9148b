"""Continuous distributions whose functions are those of angles, or of a part of a circle."""

from __future__ import annotations

from math import inf, log, pi
from typing import Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE, POSITIVE, Constraint
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.ratios import LOG_2, LOG_PI, log1p_square
from weft_tensor.ops.distributions.simple_rows import cauchy
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log1p
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.trigonometric import (
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cos,
    sin,
    tan,
)
from weft_tensor.ops.special.entropies import xlog1py
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.incomplete import betainc, betaincinv
from weft_tensor.ops.special.integrals.logarithms import spence
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = [
    "anglit",
    "arcsine",
    "cosine",
    "foldcauchy",
    "hypsecant",
    "rdist",
    "rel_breitwigner",
    "semicircular",
    "skewcauchy",
    "wrapcauchy",
]

_QUARTER: Final = pi / 4
_FAR: Final = -20.0
"""Below it, arctan(exp(x)) is exp(x)."""

arcsine: Final = Continuous(
    "arcsine", "1 / (π sqrt(x (1 - x)))", {}, (0.0, 1.0),
    logpdf=lambda x: -0.5 * (logarithm(x) + log1p(-x)), norming=lambda: LOG_PI,
    cdf=lambda x: 2 / pi * arctan2(sqrt(x), sqrt(1 - x)),
    sf=lambda x: 2 / pi * arctan2(sqrt(1 - x), sqrt(x)),
    ppf=lambda q: sin(pi / 2 * q) ** 2, isf=lambda q: sin(pi / 2 * (1 - q)) ** 2,
    mean=lambda: 0.5, var=lambda: 0.125, entropy=lambda: log(pi / 4),
)  # fmt: skip


def _anglit_ppf(q: TensorVariable) -> TensorVariable:
    middle = abs(q - 0.5) < 0.25
    near, far = where(middle, q, 0.5), where(middle, 0.5, q)
    end = arctan2(sqrt(far), sqrt(1 - far)) - _QUARTER
    return where(middle, 0.5 * arcsin(2 * near - 1), end)


anglit: Final = Continuous(
    "anglit", "cos(2 x)", {}, (-_QUARTER, _QUARTER), symmetric=True,
    logpdf=lambda x: logarithm(cos(2 * x)), cdf=lambda x: sin(x + _QUARTER) ** 2,
    ppf=_anglit_ppf,
    mean=lambda: 0.0, var=lambda: pi * pi / 16 - 0.5, entropy=lambda: 1 - LOG_2,
)  # fmt: skip


def _secant_logcdf(x: TensorVariable) -> TensorVariable:
    far = x < _FAR
    near = logarithm(2 / pi * arctan(exp(where(far, _FAR, x))))
    below = where(far, x + log(2 / pi), near)
    rest = log1p(-2 / pi * arctan(exp(-where(x > 0, x, 0.0))))
    return where(x > 0, rest, below)


hypsecant: Final = Continuous(
    "hypsecant", "1 / (π cosh(x))", {}, symmetric=True,
    logpdf=lambda x: -abs(x) - log1p(exp(-2 * abs(x))), norming=lambda: LOG_PI - LOG_2,
    logcdf=_secant_logcdf, ppf=lambda q: arcsinh(cauchy.formulas["ppf"](q)),
    mean=lambda: 0.0, var=lambda: pi * pi / 4, entropy=lambda: log(2 * pi),
)  # fmt: skip

_DISC: Final[Rows] = {
    "logpdf": lambda x, c: xlog1py(0.5 * c - 1, -x * x),
    "norming": lambda c: betaln(0.5, 0.5 * c),
    "cdf": lambda x, c: betainc(0.5 * c, 0.5 * c, 0.5 * (1 + x)),
    "ppf": lambda q, c: 2 * betaincinv(0.5 * c, 0.5 * c, q) - 1,
    "mean": lambda c: 0 * c,
    "var": lambda c: 1 / (c + 1),
}
rdist: Final = Continuous(
    "rdist", "(1 - x²)^(c/2 - 1) / B(1/2, c/2)", {"c": POSITIVE}, (-1.0, 1.0), symmetric=True,
    **_DISC,
)  # fmt: skip
semicircular: Final = Continuous(
    "semicircular", "2/π sqrt(1 - x²)", {}, (-1.0, 1.0), symmetric=True,
    logpdf=lambda x: 0.5 * log1p(-x * x), norming=lambda: LOG_PI - LOG_2,
    cdf=lambda x: betainc(1.5, 1.5, 0.5 * (1 + x)),
    ppf=lambda q: 2 * betaincinv(1.5, 1.5, q) - 1,
    mean=lambda: 0.0, var=lambda: 0.25, entropy=lambda: LOG_PI - 0.5,
)  # fmt: skip


def _skewed(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    return -log1p_square(x / where(x < 0, 1 - a, 1 + a))


def _skewed_cdf(x: TensorVariable, a: TensorVariable) -> TensorVariable:
    below = (1 - a) / pi * arctan2(1 - a, -where(x < 0, x, 0.0))
    above = (1 + a) / pi * arctan(where(x < 0, 0.0, x) / (1 + a))
    return where(x < 0, below, 0.5 * (1 - a) + above)


def _skewed_ppf(q: TensorVariable, a: TensorVariable) -> TensorVariable:
    low = q < 0.5 * (1 - a)
    below = -(1 - a) / tan(pi / (1 - a) * where(low, q, 0.25 * (1 - a)))
    above = (1 + a) / tan(pi / (1 + a) * where(low, 0.25 * (1 + a), 1 - q))
    return where(low, below, above)


skewcauchy: Final = Continuous(
    "skewcauchy", "1 / (π (1 + x² / (1 + a sign(x))²))",
    {"a": Constraint("above -1 and below 1", lambda v: abs(v) < 1)},
    logpdf=_skewed, norming=lambda a: LOG_PI + 0 * a,
    cdf=_skewed_cdf, sf=lambda x, a: _skewed_cdf(-x, -a),
    ppf=_skewed_ppf, isf=lambda q, a: -_skewed_ppf(q, -a),
    entropy=lambda a: LOG_PI + 2 * LOG_2 + 0 * a,
)  # fmt: skip

_PI_REST: Final = 1.2246467991473532e-16
"""What π is above the float of its name."""
_WAVE: Final = (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800)


def _wave_cdf(x: TensorVariable) -> TensorVariable:
    """By a power series next to the lower end, where u is close to sin(u)."""
    u = (x + pi) + _PI_REST
    near = u < 0.5
    v = where(near, u, 0.0)
    total: TensorLike = _WAVE[-1]
    for term in _WAVE[-2::-1]:
        total = total * (v * v) + term
    return where(near, v * v * v * total, u + sin(x)) / (2 * pi)


cosine: Final = Continuous(
    "cosine", "(1 + cos(x)) / (2π)", {}, (-pi, pi), symmetric=True,
    logpdf=lambda x: 2 * logarithm(cos(0.5 * x)) - LOG_PI, cdf=_wave_cdf,
    mean=lambda: 0.0, var=lambda: pi * pi / 3 - 2, entropy=lambda: 2 * LOG_2 + LOG_PI - 1,
)  # fmt: skip


def _wrapped(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    return -logarithm((1 - c) ** 2 + 4 * c * sin(0.5 * x) ** 2)


wrapcauchy: Final = Continuous(
    "wrapcauchy", "(1 - c²) / (2π (1 + c² - 2 c cos(x)))",
    {"c": Constraint("above 0 and below 1", lambda v: (v > 0) & (v < 1))}, (0.0, 2 * pi),
    logpdf=_wrapped, norming=lambda c: LOG_2 + LOG_PI - log1p(-c * c),
    cdf=lambda x, c: arctan2((1 + c) * sin(0.5 * x), (1 - c) * cos(0.5 * x)) / pi,
    sf=lambda x, c: arctan2((1 + c) * sin(0.5 * x), -(1 - c) * cos(0.5 * x)) / pi,
    ppf=lambda q, c: 2 * arctan2((1 - c) * sin(pi * q), (1 + c) * cos(pi * q)),
    isf=lambda q, c: 2 * arctan2((1 - c) * sin(pi * q), -(1 + c) * cos(pi * q)),
    mean=lambda c: pi + 0 * c, var=lambda c: pi * pi / 3 + 4 * spence(1 - c),
    entropy=lambda c: LOG_2 + LOG_PI + log1p(-c * c),
)  # fmt: skip


def _folded(x: TensorVariable, c: TensorVariable) -> TensorVariable:
    both = log1p_square(x - c) + log1p_square(x + c)
    return log1p_square(hypot(x, c)) - both


def _angle(x: TensorVariable, c: TensorVariable, side: float) -> TensorVariable:
    """Whose tangent is 2 x / (1 + c² - x²), or that below 0, by what does not overflow."""
    near, far = minimum(x, 1.0), maximum(x, 1.0)
    return arctan2(2 * near, side * ((1 + c * c) / far - near * x))


def _unfolded(k: TensorVariable, c: TensorVariable) -> TensorVariable:
    """The positive x for which (1 + c²)/x - x is k."""
    size = hypot(k, 2 * hypot(c, 1.0))
    high = k > 0
    return where(high, 2 * (1 + c * c) / (where(high, k, 0.0) + size), 0.5 * (size - k))


foldcauchy: Final = Continuous(
    "foldcauchy", "(1 / (1 + (x - c)²) + 1 / (1 + (x + c)²)) / π", {"c": NONNEGATIVE}, (0.0, inf),
    logpdf=_folded, norming=lambda c: LOG_PI - LOG_2 + 0 * c,
    cdf=lambda x, c: _angle(x, c, 1.0) / pi, sf=lambda x, c: _angle(x, c, -1.0) / pi,
    ppf=lambda q, c: _unfolded(-2 * cauchy.formulas["ppf"](q), c),
    isf=lambda q, c: _unfolded(2 * cauchy.formulas["ppf"](q), c),
    mean=lambda c: inf + 0 * c, var=lambda c: inf + 0 * c,
    sample=lambda draws, c: abs(tan(pi * (draws.uniform() - 0.5)) + c),
)  # fmt: skip


def _quartic(rho: TensorVariable) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """q, m and n of x⁴ - 2 rho² x² + q² = (x² + m x + q) (x² - m x + q), with n² = 4 q - m²."""
    square = rho * rho
    q = rho * hypot(rho, 1.0)
    return q, sqrt(2 * (q + square)), rho * sqrt(2 / (q + square))


def _resonant_mass(rho: TensorVariable) -> TensorVariable:
    """The integral of 1 / ((x² - rho²)² + rho²)."""
    q, _, n = _quartic(rho)
    return 0.5 * pi / (q * n)


def _resonant_rest(x: TensorVariable, rho: TensorVariable) -> TensorVariable:
    """q - x², of which less cancels."""
    return (rho - x) * (rho + x) + rho / (hypot(rho, 1.0) + rho)


def _resonant_cdf(x: TensorVariable, rho: TensorVariable) -> TensorVariable:
    q, m, n = _quartic(rho)
    inner = minimum(x, 1e18)
    whole = arctanh(m * inner / (inner * inner + q))
    whole = whole + m / n * arctan2(n * inner, _resonant_rest(inner, rho))
    return whole * n / (pi * m)


def _resonant_sf(x: TensorVariable, rho: TensorVariable) -> TensorVariable:
    """By an integral over 1/x far out, where a difference loses its digits."""
    q, m, n = _quartic(rho)
    far = x > 2 * sqrt(q)
    y, v = where(far, 1.0, x), 1 / where(far, x, 2 * sqrt(q))
    near = m / n * arctan2(n * y, -_resonant_rest(y, rho)) - arctanh(m * y / (y * y + q))
    places = along(v) * UNIT_INTERVAL[0].astype(v.dtype)
    squares = places * places
    between = along(q) * squares - along(rho * rho / q)
    parts = squares / (between * between + along((rho / q) ** 2))
    total = v * (UNIT_INTERVAL[1].astype(v.dtype) * parts).sum(axis=-1)
    return where(far, total * 2 * n * q / pi, near * n / (pi * m))


def _resonant_mean(rho: TensorVariable) -> TensorVariable:
    return 0.5 * (0.5 * pi + arctan(rho)) / (rho * _resonant_mass(rho))


def _resonance(x: TensorVariable, rho: TensorVariable) -> TensorVariable:
    """Far out by the power that is left, whose size is no number there."""
    far = x > maximum(1e9 * rho, 1e4 * sqrt(rho))
    place = where(far, rho, x)
    near = log1p_square((place - rho) * ((place + rho) / rho))
    return -where(far, 4 * logarithm(where(far, x, 1.0)) - 2 * logarithm(rho), near)


rel_breitwigner: Final = Continuous(
    "rel_breitwigner", "1 / ((x² - rho²)² + rho²), over its integral", {"rho": POSITIVE},
    (0.0, inf),
    logpdf=_resonance,
    norming=lambda rho: logarithm(_resonant_mass(rho)) + 2 * logarithm(rho),
    cdf=_resonant_cdf, sf=_resonant_sf, mean=_resonant_mean,
    var=lambda rho: _quartic(rho)[0] - _resonant_mean(rho) ** 2,
)  # fmt: skip
