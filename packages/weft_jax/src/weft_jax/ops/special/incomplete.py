"""The incomplete gamma and beta functions in JAX, with SciPy's limits, and their inverses.

Positive numbers are ordered as their bits are: halving the integers between two of them finds in 64
steps the last bit of where a function reaches a value, however small that is.

For large a, where JAX's own loses digits, the incomplete gamma function is Temme's uniform
expansion (NIST Digital Library of Mathematical Functions, 8.12.3, 8.12.4 and 8.12.10), of whose
coefficients the power series in eta are below; for small a and x, the difference of 1 and the power
series (8.7.1), in which the ones cancel exactly.

For large a or b, the incomplete beta function is the first term of Temme's expansion (8.18.9) or,
where the other is small, an incomplete gamma function: t = 1 - exp(-v) in its integral leaves
(sinh(v / 2) / (v / 2)) ** (a - 1), whose powers of v are integrated one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Final

import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import Array, lax

__all__ = ["ROWS"]

_LARGE: Final = 3000.0
"""From here on a is large."""
_SMALL: Final = 0.1
"""Up to here a is small."""
_FEW: Final = 1e-3
"""Up to here b is small."""
_NEAR: Final = 1e-5
"""Nearer than this to 1, how near says more than x."""
_MANY: Final = 1e5
"""From here on, of a or b, JAX's own loses digits; of both, or from 1e7, it is wrong."""
_STEEPEST: Final = 2.0
"""Beyond this eta, of large a, the results are 0 and 1."""
# fmt: off
_FIRST: Final = (
    -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
    0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05,
    -2.1854485106799924e-06, -1.85406221071516e-06, 8.296711340953087e-07,
    -1.7665952736826078e-07, 6.707853543401498e-09, 1.0261809784240309e-08,
    -4.382036018453353e-09, 9.14769958223679e-10, -2.551419399494625e-11,
    -5.830772132550426e-11, 2.4361948020667415e-11, -5.0276692801141755e-12,
    1.1004392031956135e-13,
)
_SECOND: Final = (
    -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454,
    -0.0009902263374485596, 0.00020576131687242798, -4.018775720164609e-07,
    -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06,
    4.647127802807434e-09, 1.378633446915721e-07, -5.752545603517705e-08,
    1.1951628599778148e-08, -1.7543241719747647e-11,
)
_THIRD: Final = (
    0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049,
    2.0093878600823047e-06, -0.00010736653226365161, 5.2923448829120125e-05,
    -1.2760635188618728e-05, 3.423578734096138e-08,
)
_GAMMALN: Final = (
    -0.5772156649015329, 0.8224670334241132, -0.40068563438653143, 0.27058080842778454,
    -0.20738555102867398, 0.1695571769974082, -0.1440498967688461, 0.12550966952474304,
    -0.11133426586956469, 0.1000994575127818, -0.09095401714582904, 0.083353840546109,
    -0.0769325164113522, 0.07143294629536133, -0.06666870588242046, 0.06250095514121304,
)
# fmt: on
"""Of the expansion's first three terms, and of log(gamma(1 + a)) from the first power on."""
_HUGE: Final = 1e30
"""From here on, steps at a are as steep as numbers can tell; JAX's loops would not end."""


def gammainc(a: Array, x: Array) -> Array:
    """From 0 to x."""
    return _gamma(_lower, a, x, 0.0, 1.0)


def gammaincc(a: Array, x: Array) -> Array:
    """From x to infinity."""
    return _gamma(_upper, a, x, 1.0, 0.0)


def _gamma(
    function: Callable[[Array, Array], Array], a: Array, x: Array, at_0: float, at_inf: float
) -> Array:
    a, x = jnp.broadcast_arrays(a, x)
    inside = (a > 0) & (x > 0) & (a < _HUGE) & (x < _HUGE)
    value = function(jnp.where(inside, a, 1), jnp.where(inside, x, 1))
    step = jnp.where(x < a, at_0, jnp.where(x > a, at_inf, 0.5))
    both = ((a == 0) & (x == 0)) | (jnp.isinf(a) & jnp.isinf(x))
    wrong = (a < 0) | (x < 0) | jnp.isnan(a) | jnp.isnan(x) | both
    return jnp.where(wrong, jnp.nan, jnp.where(inside, value, step))


def _lower(a: Array, x: Array) -> Array:
    large = a > _LARGE
    value = jsp.gammainc(jnp.where(large, 1, a), jnp.where(large, 1, x))
    return jnp.where(large, _of_large(a, x, -1), value)


def _upper(a: Array, x: Array) -> Array:
    large, small = a > _LARGE, (a < _SMALL) & (x < 1)
    value = jsp.gammaincc(jnp.where(large, 1, a), jnp.where(large, 1, x))
    value = jnp.where(small, _of_small(jnp.where(small, a, _SMALL), jnp.where(small, x, 1)), value)
    return jnp.where(large, _of_large(a, x, 1), value)


def _of_large(a: Array, x: Array, side: int) -> Array:
    """For a above `_LARGE`: from x to infinity for side 1, from 0 to x for -1."""
    share = (x - a) / a
    half = _less_log1p(share)
    eta = jnp.sign(share) * jnp.sqrt(2 * half)
    t = jnp.clip(eta, -_STEEPEST, _STEEPEST)
    series = _polynomial(_FIRST, t) + (_polynomial(_SECOND, t) + _polynomial(_THIRD, t) / a) / a
    rest = jnp.exp(-a * half) / jnp.sqrt(2 * pi * a) * series
    return 0.5 * lax.erfc(side * eta * jnp.sqrt(a / 2)) + side * rest


def _less_log1p(x: Array) -> Array:
    """x - log(1 + x)."""
    near = jnp.where(jnp.abs(x) < 0.02, x, 0)
    by_powers = near * near * _polynomial([(-1) ** k / k for k in range(2, 12)], near)
    return jnp.where(jnp.abs(x) < 0.02, by_powers, x - jnp.log1p(x))


def _of_small(a: Array, x: Array) -> Array:
    """From x to infinity, for a up to `_SMALL` and x up to 1."""
    size = a * jnp.log(x) - a * _polynomial(_GAMMALN, a)
    total, term = jnp.zeros_like(x), jnp.ones_like(x)
    for k in range(1, 20):
        term = -term * x / k
        total = total + term / (a + k)
    return -jnp.expm1(size) - jnp.exp(size) * a * total


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    total = jnp.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def betainc(a: Array, b: Array, x: Array) -> Array:
    """From 0 to x."""
    return _beta(a, b, x, 1 - x)


def betaincc(a: Array, b: Array, x: Array) -> Array:
    """From x to 1."""
    return _beta(b, a, 1 - x, x)


def _beta(a: Array, b: Array, x: Array, rest: Array) -> Array:
    a, b, x, rest = jnp.broadcast_arrays(a, b, x, rest)
    inside = (a > 0) & (b > 0) & (a < jnp.inf) & (b < jnp.inf) & (x > 0) & (rest > 0)
    s, large = jnp.minimum(a, b), jnp.maximum(a, b)
    many = inside & (large > _MANY) & (_is_little(s, large) | (jnp.maximum(99 * s, large) > 1e7))
    few = inside & ~many & (b < _FEW) & (rest * (a + b + 2) < b + 1)
    near = ~many & (b >= _FEW) & (rest < _NEAR)  # where x is 1 for all that floats can tell
    pairs = (b, a), (a, b), (rest, x)
    arguments = [jnp.where(inside & ~many, jnp.where(near, *pair), 0.5) for pair in pairs]
    usual = jsp.betainc(*arguments)
    usual = jnp.where(near, 1 - usual, usual)
    value: Array = lax.cond(  # the series costs a third
        few.any(),
        lambda: jnp.where(few, _of_few(*(jnp.where(few, v, 0.5) for v in (a, b, rest))), usual),
        lambda: usual,
    )
    value = lax.cond(
        many.any(),
        lambda: jnp.where(
            many, _of_many(*(jnp.where(many, v, 0.5) for v in (a, b, x, rest))), value
        ),
        lambda: value,
    )
    at_end = (x == 0) | ((b == 0) | jnp.isinf(a)) & (rest > 0)
    both = ((a == 0) & (b == 0)) | (jnp.isinf(a) & jnp.isinf(b))
    fine = (a >= 0) & (b >= 0) & (x >= 0) & (rest >= 0) & ~both
    return jnp.where(fine, jnp.where(inside, value, jnp.where(at_end, 0.0, 1.0)), jnp.nan)


def _of_many(a: Array, b: Array, x: Array, rest: Array) -> Array:
    """From 0 to x, for a or b, or both, above `_MANY`."""
    s, large = jnp.minimum(a, b), jnp.maximum(a, b)
    t = large + (s - 1) / 2
    side = jnp.where(a < b, x, rest)
    w = -t * jnp.where(side < 0.5, jnp.log1p(-side), jnp.log(jnp.where(a < b, rest, x)))
    share = (s - 1) / t * (s / t) * (s + 1) / 24
    density = jnp.exp(s * jnp.log(w) - w - lax.lgamma(s + 1)) * (1 + w / (s + 1))
    by_gamma = jnp.where(a < b, gammainc(s, w), gammaincc(s, w))
    by_gamma = by_gamma - jnp.where(a < b, 1, -1) * share / (1 + share) * density
    more = x * b - rest * a
    half = a * _less_log1p(more / a) + b * _less_log1p(-more / b)
    z = jnp.sign(more) * jnp.sqrt(2 * half)
    root = jnp.sqrt(s) * jnp.sqrt(large / (a + b))
    is_middle = jnp.abs(z) < 1e-4
    skew = jnp.where(is_middle, (b - a) / (a + b) / root / 3, 1 / z - root / more)
    by_normal = lax.erfc(-z * 0.5**0.5) / 2 + jnp.exp(-half) * (0.5 / pi) ** 0.5 * skew
    return jnp.where(_is_little(s, large), by_gamma, by_normal)


def _is_little(s: Array, large: Array) -> Array:
    """Whether the square of the first correction `by_gamma` is below 1e-10."""
    return s < 0.06 * large ** (2 / 3)


def _of_few(a: Array, b: Array, rest: Array) -> Array:
    """From 0 to 1 - rest, for b up to `_FEW`: 1 less a power series, whose ones cancel exactly."""
    z = 1 + a
    growth = -b * _polynomial(_GAMMALN, b) - jnp.log1p(b / a)
    for k, slope in enumerate([jsp.digamma(z), *(jsp.zeta(float(k), z) for k in (2, 3, 4))], 1):
        growth = growth + (-1.0) ** k * (1 if k > 1 else -1) * b**k / k * slope
    size = b * jnp.log(rest) + growth

    def add(n: int, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        total, term = sums
        term = term * (n - a) * rest / n
        return total + term / (b + n), term

    total, _ = lax.fori_loop(1, 56, add, (jnp.zeros_like(a), jnp.ones_like(a)))
    result: Array = -jnp.expm1(size) - jnp.exp(size) * b * total
    return result


def gammaincinv(a: Array, y: Array) -> Array:
    """The x for which `gammainc` is y."""
    return _gamma_inverse(a, y, 1 - y)


def gammainccinv(a: Array, y: Array) -> Array:
    """The x for which `gammaincc` is y."""
    return _gamma_inverse(a, 1 - y, y)


def _gamma_inverse(a: Array, y: Array, rest: Array) -> Array:
    """By the smaller of both, which has more digits."""
    a, y, rest = jnp.broadcast_arrays(a, y, rest)

    def reached(x: Array) -> Array:
        return jnp.where(y <= rest, gammainc(a, x) >= y, gammaincc(a, x) <= rest)

    top = jnp.full_like(y, jnp.inf)
    root = jnp.where((a > 0) & jnp.isfinite(a), _least(reached, top), jnp.nan)
    root = jnp.where((a >= 0) & (y == 0), 0.0, root)
    return _inverse(jnp.where((a >= 0) & (rest == 0), top, root), y, rest)


def betaincinv(a: Array, b: Array, y: Array) -> Array:
    """The x for which `betainc` is y."""
    return _beta_inverse(a, b, y, 1 - y)


def betainccinv(a: Array, b: Array, y: Array) -> Array:
    """The x for which `betaincc` is y."""
    return _beta_inverse(a, b, 1 - y, y)


def _beta_inverse(a: Array, b: Array, y: Array, rest: Array) -> Array:
    a, b, y, rest = jnp.broadcast_arrays(a, b, y, rest)

    def reached(x: Array) -> Array:
        return jnp.where(y <= rest, betainc(a, b, x) >= y, betaincc(a, b, x) <= rest)

    one = jnp.ones_like(y)
    inside = (a > 0) & (b > 0) & jnp.isfinite(a) & jnp.isfinite(b)
    root = jnp.where(inside, _least(reached, one), jnp.nan)
    at_end = jnp.where(rest == 0, one, jnp.where(y == 0, 0.0, root))
    return _inverse(jnp.where((a > 0) & (b > 0), at_end, root), y, rest)


def _least(reached: Callable[[Array], Array], top: Array) -> Array:
    """The least number from 0 to `top` that has reached it."""
    integer = jnp.int64 if top.dtype == jnp.float64 else jnp.int32
    bits = 8 * top.dtype.itemsize

    def halve(_: int, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = low + (high - low) // 2
        is_reached = reached(lax.bitcast_convert_type(middle, top.dtype))
        return jnp.where(is_reached, low, middle + 1), jnp.where(is_reached, middle, high)

    ends = jnp.zeros(top.shape, integer), lax.bitcast_convert_type(top, integer)
    _, high = lax.fori_loop(0, bits, halve, ends)
    return lax.bitcast_convert_type(high, top.dtype)


def _inverse(root: Array, y: Array, rest: Array) -> Array:
    return jnp.where((y >= 0) & (rest >= 0), root, jnp.nan)


ROWS: Final[dict[str, Callable[..., Array]]] = {
    "betainc": betainc,
    "betaincc": betaincc,
    "betainccinv": betainccinv,
    "betaincinv": betaincinv,
    "gammainc": gammainc,
    "gammaincc": gammaincc,
    "gammainccinv": gammainccinv,
    "gammaincinv": gammaincinv,
}
"""By the names of the scalar table."""
