"""The incomplete gamma function in JAX, with SciPy's limits, and its inverses.

Of both sides, the smaller one is the density times a series up to the mean, and from there times a
fraction (NIST Digital Library of Mathematical Functions, 8.7.1 and 8.9.2); the density is by
Stirling's formula, of which no large parts cancel. For large a there is Temme's uniform expansion
(8.12.3, 8.12.4 and 8.12.10), of whose coefficients the power series in eta are below; for small a
and x, the difference of 1 and a power series, in which the ones cancel exactly.

The inverses are found by Newton's steps: the logarithm of each side is a concave function of
log(x), for which they converge from everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import pi
from typing import Any, Final

import jax.numpy as jnp
import jax.scipy.special as jsp
from jax import Array, lax

from weft_jax.lowering.chosen_elements import where_needed
from weft_jax.ops.special.gamma_forms import log1p_less, polynomial, stirling_rest

__all__ = ["FORMS", "ROWS", "Form", "Forms", "between", "rows_of"]

Compute = Callable[..., Array]
Form = tuple[Compute, Callable[..., tuple[Any, ...]]]
Forms = Mapping[str, Form]

_LARGE: Final = 3000.0
"""From here on a is large."""
_SMALL: Final = 0.1
"""Up to here a is small."""
_STEEPEST: Final = 2.0
"""Beyond this eta, of large a, the results are 0 and 1."""
_STIRLING: Final = 10.0
"""From here on, the density is by Stirling's formula."""
_MOST: Final = 5000
_CLOSE: Final = 1e-15
"""How near to 1 the last factor of a fraction is: rounding may keep others from coming nearer."""
_MOST_STEPS: Final = 60
_HUGE: Final = 1e30
"""From here on, steps at a are as steep as numbers can tell; JAX's loops would not end."""
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


def side_of_gamma(a: Array, x: Array, is_upper: Array | bool) -> Array:
    """From 0 to x, or from x to infinity where `is_upper` says so."""
    dtype = x.dtype
    a, x = (v.astype(float) for v in jnp.broadcast_arrays(a, x))
    inside = (a > 0) & (x > 0) & (a < _HUGE) & (x < _HUGE)
    value, _ = _side(jnp.where(inside, a, 1), jnp.where(inside, x, 1), is_upper)
    step = jnp.where(x == a, 0.5, jnp.where((x < a) == is_upper, 1.0, 0.0))
    both = ((a == 0) & (x == 0)) | (jnp.isinf(a) & jnp.isinf(x))
    wrong = (a < 0) | (x < 0) | jnp.isnan(a) | jnp.isnan(x) | both
    return jnp.where(wrong, jnp.nan, jnp.where(inside, value, step)).astype(dtype)


def _side(a: Array, x: Array, is_upper: Array | bool) -> tuple[Array, Array]:
    """A side, and x**a exp(-x) / gamma(a)."""
    large, low = a > _LARGE, x <= jnp.maximum(a, 1)
    usual = [jnp.where(large, 1, v) for v in (a, x)]
    density = _density(a, x)
    ways = (low, _by_powers), (~low, _by_fraction)
    series, fraction = (
        where_needed(way, mask & ~large, [jnp.where(mask, v, 2) for v in usual], x.dtype)
        for mask, way in ways
    )
    side = density * jnp.where(low, series, a * fraction)
    side = jnp.where(low == is_upper, 1 - side, side)
    few = (a < _SMALL) & (x <= 1) & is_upper
    small = [jnp.where(few, a, _SMALL), jnp.where(few, x, 1)]
    side = jnp.where(few, where_needed(_of_small, few, small, x.dtype), side)
    sign = jnp.where(is_upper, 1.0, -1.0) + 0 * a
    return jnp.where(
        large, where_needed(_of_large, large, [sign, a, x], x.dtype), side
    ), density * a


def _density(a: Array, x: Array) -> Array:
    """x**a exp(-x) / gamma(a + 1)."""
    far = jnp.maximum(a, _STIRLING)
    share = (x - far) / far
    # Of the fourth roots, the first is 0 where the second has no end, and so is the bell there.
    root = jnp.power(x / far, 0.25 * far) * jnp.exp(jnp.minimum(0.25 * (far - x), 700))
    bell = jnp.where(share < -0.5, root**4, jnp.exp(far * log1p_less(share)))
    size = bell * jnp.exp(-stirling_rest(far)) / jnp.sqrt(2 * pi * far)
    near = jnp.minimum(a, _STIRLING)
    half = jnp.exp(-0.5 * x)
    by_gamma = half * (jnp.power(x, near) / jnp.exp(lax.lgamma(near + 1))) * half
    return jnp.where(a < _STIRLING, by_gamma, size)


def _by_powers(a: Array, x: Array) -> Array:
    """The sum of x**n / ((a + 1) ... (a + n))."""

    def add(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        n, term, total = state
        term = term * x / (a + n)
        return n + 1, term, total + term

    def goes_on(state: tuple[Array, Array, Array]) -> Array:
        n, term, total = state
        return (n < _MOST) & (term > 1e-17 * total).any()

    one = jnp.ones_like(x)
    return lax.while_loop(goes_on, add, (jnp.ones((), x.dtype), one, one))[2]


def _by_fraction(a: Array, x: Array) -> Array:
    """What `_density` over a is multiplied by for the upper side, by the method of Lentz."""

    def advance(state: tuple[Array, ...]) -> tuple[Array, ...]:
        n, value, up, down, _ = state
        top, middle = -n * (n - a), x - a + 2 * n + 1
        up, down = middle + top / up, 1 / (middle + top * down)
        return n + 1, value * (up * down), up, down, up * down

    def goes_on(state: tuple[Array, ...]) -> Array:
        return (state[0] < _MOST) & (jnp.abs(state[-1] - 1) > _CLOSE).any()

    first = x - a + 1
    one = jnp.ones((), x.dtype)
    start: tuple[Array, ...] = (one, 1 / first, jnp.full_like(x, jnp.inf), 1 / first, 0 * x)
    return lax.while_loop(goes_on, advance, start)[1]


def _of_large(side: Array, a: Array, x: Array) -> Array:
    """For a above `_LARGE`: from x to infinity where `side` is 1, from 0 to x where it is -1."""
    share = (x - a) / a
    half = -log1p_less(share)
    eta = jnp.sign(share) * jnp.sqrt(2 * half)
    t = jnp.clip(eta, -_STEEPEST, _STEEPEST)
    series = polynomial(_FIRST, t) + (polynomial(_SECOND, t) + polynomial(_THIRD, t) / a) / a
    rest = jnp.exp(-a * half) / jnp.sqrt(2 * pi * a) * series
    return 0.5 * lax.erfc(side * eta * jnp.sqrt(a / 2)) + side * rest


def _of_small(a: Array, x: Array) -> Array:
    """From x to infinity, for a up to `_SMALL` and x up to 1."""
    size = a * jnp.log(x) - a * polynomial(_GAMMALN, a)
    total = jnp.zeros_like(x)
    for k in range(19, 0, -1):  # each term once: else XLA makes a kernel of each
        total = x / -k * (1 / (a + k) + total)
    return -jnp.expm1(size) - jnp.exp(size) * a * total


def gamma_inverse(a: Array, y: Array, rest: Array) -> Array:
    """The x for which `gammainc` is y and `gammaincc` is `rest`."""
    dtype = y.dtype
    a, y, rest = (v.astype(float) for v in jnp.broadcast_arrays(a, y, rest))
    inside = (a > 0) & (a < _HUGE) & (y > 0) & (rest > 0)
    a_, y_, rest_ = (jnp.where(inside, v, k) for v, k in ((a, 1.0), (y, 0.5), (rest, 0.5)))
    below = y_ <= rest_
    wanted = jnp.log(jnp.where(below, y_, rest_))

    def improve(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        k, x, _ = state
        side, slope = _side(a_, x, ~below)
        step = (jnp.log(side) - wanted) * side / slope
        back = -1 / (k + 3.0)  # from where a side underflows, each time less: no circle is closed
        step = jnp.where(side > 0, jnp.clip(step, -3, 3), back)
        return k + 1, x * jnp.exp(jnp.where(below, -step, step)), jnp.abs(step)

    def goes_on(state: tuple[Array, Array, Array]) -> Array:
        return (state[0] < _MOST_STEPS) & (state[-1] > 1e-9).any()

    start = jnp.zeros((), int), _guess(a_, y_, rest_, below), jnp.ones_like(y_)
    x = lax.while_loop(goes_on, improve, start)[1]
    root = jnp.where(inside, x, jnp.where((a >= _HUGE) & (a < jnp.inf), a, jnp.nan))
    root = jnp.where((a >= 0) & (y == 0), 0.0, root)
    return between(jnp.where((a >= 0) & (rest == 0), jnp.inf, root), y, rest).astype(dtype)


def _guess(a: Array, y: Array, rest: Array, below: Array) -> Array:
    """By Wilson and Hilferty's cube, by the first power of x, or by the exponential tail."""
    z = jsp.ndtri(jnp.where(below, y, rest))
    root = 1 - 1 / (9 * a) + jnp.where(below, z, -z) / (3 * jnp.sqrt(a))
    first = jnp.exp((jnp.log(y) + lax.lgamma(a + 1)) / a)
    size = -jnp.log(rest) - lax.lgamma(a)
    steep = jnp.maximum(first, size + (a - 1) * jnp.log(jnp.maximum(size, 1)))
    first = jnp.where(below | (size < 1), first, steep)
    return jnp.maximum(jnp.where((a > 1) & (root > 0.3), a * root**3, first), 1e-300)


def between(root: Array, y: Array, rest: Array) -> Array:
    """`root`, or NaN where there is none."""
    return jnp.where((y >= 0) & (rest >= 0), root, jnp.nan)


FORMS: Final[Forms] = {
    "gammainc": (side_of_gamma, lambda a, x: (a, x, False)),
    "gammaincc": (side_of_gamma, lambda a, x: (a, x, True)),
    "gammainccinv": (gamma_inverse, lambda a, y: (a, 1 - y, y)),
    "gammaincinv": (gamma_inverse, lambda a, y: (a, y, 1 - y)),
}
"""By the names of the scalar table, functions and what their arguments are."""


def rows_of(forms: Forms) -> dict[str, Compute]:
    """The functions of arrays of the table."""
    return {name: partial(_of_arguments, *form) for name, form in forms.items()}


def _of_arguments(function: Compute, arguments: Callable[..., Any], *arrays: Array) -> Array:
    result: Array = function(*arguments(*arrays))
    return result


ROWS: Final = rows_of(FORMS)
"""By these names."""
