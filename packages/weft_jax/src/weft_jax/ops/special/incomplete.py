"""The incomplete beta function in JAX, with SciPy's limits, and its inverses.

For these, the smaller of both sides is compared with what it is to be, by its logarithm, as a
function of log(x / (1 - x)); the last digits are a step of Newton's.

Of the incomplete beta function, the smaller side is its density, of which Stirling's formula leaves
no large parts that cancel, times a continued fraction: the even part of that in 8.17.22. For large
parameters, and small ones where most is on the other side, it is an integral: with
y = 1 - exp(-w), that of (1 - exp(-w))^(p - 1) exp(-q w) up to where y is, taken in v, with
w = end exp(-v), by the rule of Takahasi and Mori (Double exponential formulas for numerical
integration, Publ. RIMS 9, 1974). How far y is from the mean is computed with twice the digits.
"""

from __future__ import annotations

from math import pi
from typing import Final

import jax.numpy as jnp
import jax.scipy.special as jsp
import numpy as np
from jax import Array, lax

from weft_jax.lowering.chosen_elements import where_needed
from weft_jax.ops.implicit.search import crossing
from weft_jax.ops.special.gamma import Forms, between, rows_of
from weft_jax.ops.special.gamma_forms import expm1_less, log1p_less, stirling_rest

__all__ = ["FORMS", "ROWS"]

_State = tuple[Array, Array, Array, Array, Array]
_LARGE_OF_BETA: Final = 3e4
"""From here on, the integral needs fewer steps than the fraction."""
_STEPS: Final = 5000
_CLOSE: Final = 1e-15
"""How near to 1 the last factor is: rounding may keep others from coming nearer."""
_FEW: Final = 0.1
_FEW_BESIDE_MANY: Final = 1.0
_MANY: Final = 1000.0
"""Up to `_FEW`, or `_FEW_BESIDE_MANY` beside a parameter above `_MANY`, sides are compared."""
_STEP: Final = 0.016
_AT: Final = -3.6 + _STEP * np.arange(480)
_PLACES: Final = np.exp(_AT - np.exp(-_AT))
_WEIGHTS: Final = _PLACES * (1 + np.exp(-_AT)) * _STEP
_PART: Final = 128
"""The integral of so many elements takes far longer than XLA needs to begin a step of it."""
_FLAT: Final = 37.0
"""Where w is beyond log(p) by this, (1 - exp(-w))^(p - 1) is 1."""
_HUGE: Final = 1e30
"""Of a larger parameter beside the reciprocal of one, all is at an end."""
_SMALL: Final = 2.0**-500
_LOWEST: Final = {"float64": -744.0, "float32": -103.0}
"""The logarithm of the least number."""
_HIGHEST: Final = {"float64": 36.7, "float32": 16.6}
"""Odds beyond whose logarithm a share is 1."""


def side_of_beta(a: Array, b: Array, x: Array, is_upper: Array | bool) -> Array:
    """From 0 to x, or from x to 1 where `is_upper` says so."""
    a, b, x = jnp.broadcast_arrays(a, b, x)
    dtype = x.dtype
    a, b, x = (v.astype(float) for v in (a, b, x))
    apart = (jnp.minimum(a, b) < 1 / _HUGE) & (jnp.maximum(a, b) > _HUGE)
    inside = (a > 0) & (b > 0) & (a < jnp.inf) & (b < jnp.inf) & (x > 0) & (x < 1) & ~apart
    value = _beta_inside(*(jnp.where(inside, v, 0.5) for v in (a, b, x)), is_upper=is_upper)
    at_end = (x == 0) | ((b == 0) | jnp.isinf(a) | apart & (a > b)) & (x < 1)
    both = ((a == 0) & (b == 0)) | (jnp.isinf(a) & jnp.isinf(b))
    fine = (a >= 0) & (b >= 0) & (x >= 0) & (x <= 1) & ~both
    value = jnp.where(inside, value, jnp.where(at_end == is_upper, 1.0, 0.0))
    return jnp.where(fine, value, jnp.nan).astype(dtype)


def _beta_inside(a: Array, b: Array, x: Array, *, is_upper: Array | bool) -> Array:
    is_high = x * (a + b + 2) > a + 1  # then the fraction converges for the upper side
    p, share = jnp.where(is_high, b, a), jnp.where(is_high, 1 - x, x)
    small = jnp.where(jnp.maximum(a, b) > _MANY, _FEW_BESIDE_MANY, _FEW)
    most = -p * jnp.log(share * ((a + b + 2) / (p + 1))) < 1  # of all is on that side
    few = (p < small) & (p <= jnp.minimum(a, b)) & most
    swapped = is_high ^ few
    p, q = jnp.where(swapped, b, a), jnp.where(swapped, a, b)
    y, rest = jnp.where(swapped, 1 - x, x), jnp.where(swapped, x, 1 - x)
    more = jnp.where(swapped, -1, 1) * _beyond_mean(a, b, x)
    rare = few | (jnp.maximum(a, b) > _LARGE_OF_BETA)

    def where(mask: Array) -> list[Array]:
        pairs = (p, 1.0), (q, 1.0), (y, 0.5), (rest, 0.5), (more, 0.0)
        return [jnp.where(mask, v, usual) for v, usual in pairs]

    by_fraction = _fraction(*where(~rare))
    by_integral = where_needed(_integral, rare, where(rare), p.dtype, _PART)
    factor = jnp.where(rare, by_integral, by_fraction)
    value = _density(p, q, y, rest, more) * factor
    return jnp.where(swapped == is_upper, value, 1 - value)


def _beyond_mean(a: Array, b: Array, x: Array) -> Array:
    """x (a + b) - a, of twice the digits."""
    total = a + b
    lost = jnp.minimum(a, b) - (total - jnp.maximum(a, b))
    product = x * total
    shift = jnp.where(x < _SMALL, 1 / _SMALL, 1.0)  # half of whose digits would be too small
    (x_high, x_low), (high, low) = _halves(x * shift), _halves(total / shift)
    rest = ((x_high * high - product) + x_high * low + x_low * high) + x_low * low
    return (product - a) + (rest + x * lost)


def _halves(x: Array) -> tuple[Array, Array]:
    """The first half of the digits, and the other."""
    high = lax.reduce_precision(x, 11, 26)
    return high, x - high


def _density(p: Array, q: Array, y: Array, rest: Array, more: Array) -> Array:
    """y^p rest^q / B(p, q)."""
    n = p + q
    both = jnp.stack([p, q])
    share = jnp.stack([more, -more]) / both
    far = jnp.log(jnp.stack([y, rest]) * (n / both)) - share
    sizes = both * jnp.where(jnp.abs(share) < 0.5, log1p_less(share), far)
    lacking = stirling_rest(jnp.stack([p, q, n]))
    size = sizes[0] + sizes[1] - (lacking[0] + lacking[1] - lacking[2])
    return jnp.exp(size) * jnp.sqrt(p / n * q / (2 * pi))


def _fraction(p: Array, q: Array, y: Array, rest: Array, more: Array) -> Array:
    """By the method of Lentz, until the last digit stays."""

    def place(k: Array | float) -> Array:
        ahead = (p + k) * (1 - more + k * (1 + rest)) / (p + 2 * k + 1)
        return k + k * (q - k) * y / (p + 2 * k - 1) + ahead

    def go_on(state: _State) -> Array:
        k, *_, step = state
        return (k < _STEPS) & (jnp.abs(step - 1) > _CLOSE).any()

    def advance(state: _State) -> _State:
        k, value, up, down, _ = state
        root = y / (p + 2 * k - 1)
        top = (p + k - 1) * (p + q + k - 1) * k * (q - k) * root * root
        middle = place(k)
        up, down = middle + top / up, 1 / (middle + top * down)
        return k + 1, value * (up * down), up, down, up * down

    first = p * (1 - more) / (p + 1)
    zero = jnp.zeros_like(first)
    _, value, *_ = lax.while_loop(go_on, advance, (jnp.ones(()), first, first, zero, zero))
    return 1 / value


def _integral(p: Array, q: Array, y: Array, rest: Array, more: Array) -> Array:
    """What the density is multiplied by; for p below 1, of p + 1 and one step down (8.17.20)."""
    is_little = p < 1
    n, power = p + q, p
    p, more = jnp.where(is_little, p + 1, p), jnp.where(is_little, more - rest, more)
    end = jnp.where(y < 0.5, -jnp.log1p(-y), -jnp.log(rest))
    flat = jnp.maximum(end - jnp.log(p) - _FLAT, 0)
    end, rest = end - flat, jnp.where(flat > 0, jnp.exp(flat - end), rest)
    odds, first = rest / y, y / end
    share, slope = end * odds, end / y * more
    rate = jnp.maximum(jnp.minimum(p, p * share + 1 - share) - q * end, 0)
    rate = rate + jnp.minimum(end, jnp.log1p(p - 1))
    bend = q * end + (p - 1) * share * (end / y - 1)
    scale = 1 / (rate + jnp.minimum(bend, jnp.sqrt(bend)))
    places, weights = jnp.asarray(_PLACES), jnp.asarray(_WEIGHTS)

    def add(k: Array, total: Array) -> Array:
        v = scale * places[k]
        back = -end * jnp.expm1(-v)
        w = end - back
        ratio = jnp.where(w == 0, 1, -jnp.expm1(-w) / jnp.where(w == 0, 1, w))
        step = odds * jnp.expm1(back)
        is_far = step > 0.3
        bent = end * expm1_less(-v)
        near = log1p_less(jnp.where(is_far, 0, -step)) - odds * (expm1_less(back) - bent)
        curve = jnp.where(is_far, jnp.log(ratio / first) - v + share * v, near)
        return total + weights[k] * jnp.exp(slope * v + p * curve - q * bent) / ratio

    total = scale * lax.fori_loop(0, len(_PLACES), add, jnp.zeros_like(y))
    total = jnp.exp(q * flat) * total + jnp.expm1(q * flat) / q
    return jnp.where(is_little, (1 + y * n * total) / power, total)


def beta_inverse(a: Array, b: Array, y: Array, rest: Array) -> Array:
    """The x for which `betainc` is y and `betaincc` is `rest`."""
    a, b, y, rest = jnp.broadcast_arrays(a, b, y, rest)
    positive = (a > 0) & (b > 0)
    inside = positive & jnp.isfinite(a) & jnp.isfinite(b) & (y > 0) & (rest > 0)
    a_, b_ = jnp.where(inside, a, 1.0), jnp.where(inside, b, 1.0)
    y_, rest_ = jnp.where(inside, y, 0.5), jnp.where(inside, rest, 0.5)
    below = y_ <= rest_

    def excess(u: Array) -> Array:
        side = side_of_beta(a_, b_, lax.logistic(u), ~below)
        off = jnp.log(side) - jnp.log(jnp.where(below, y_, rest_))
        return jnp.where(below, off, -off)

    begin = jnp.full_like(y_, _LOWEST[y.dtype.name])
    u, off = crossing(excess, begin, _HIGHEST[y.dtype.name])
    x = lax.logistic(u)
    log_beta = jsp.betaln(a_, b_)
    log_density = a_ * jnp.log(x) + b_ * jnp.log1p(-x) - log_beta
    x = _polished(x, x * (1 - x), off * jnp.where(below, y_, rest_) / jnp.exp(log_density))
    first = (jnp.log(a_) + jnp.log(y_) + log_beta) / a_
    x = jnp.where(first < np.log(np.finfo(y.dtype.name).tiny) + 2, jnp.exp(first), x)
    x = jnp.where((a_ == b_) & (y_ == rest_), 0.5, x)  # at 1e-300 no place has another share
    at_end = jnp.where(rest == 0, 1.0, jnp.where(y == 0, 0.0, jnp.where(inside, x, jnp.nan)))
    return between(jnp.where(positive, at_end, jnp.nan), y, rest)


def _polished(x: Array, scale: Array, step: Array) -> Array:
    """Less a step of Newton's, where it is a small one."""
    return jnp.where(jnp.abs(step) < 1e-3, x - scale * step, x)


FORMS: Final[Forms] = {
    "betainc": (side_of_beta, lambda a, b, x: (a, b, x, False)),
    "betaincc": (side_of_beta, lambda a, b, x: (a, b, x, True)),
    "betainccinv": (beta_inverse, lambda a, b, y: (a, b, 1 - y, y)),
    "betaincinv": (beta_inverse, lambda a, b, y: (a, b, y, 1 - y)),
}
"""By the names of the scalar table, functions and what their arguments are."""
ROWS: Final = rows_of(FORMS)
"""By these names."""
