"""Gamma, its logarithm and derivatives, Hurwitz' zeta function, and what is made of them.

Zeta is by the summation of Euler and Maclaurin: the first ten terms are added up; the rest is its
integral, half a term and corrections with Bernoulli's numbers (NIST Digital Library of Mathematical
Functions, 25.11.28).
"""

from __future__ import annotations

from math import factorial as number_factorial
from math import inf, nan, pi
from math import log as number_log
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Binary, binary, unary
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.table import POSITIVE, Usual, floating
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.gamma_forms import (
    ZETA_CORRECTIONS,
    betaln_above,
    betaln_by,
    cotangent,
    cotangent_slope,
    digamma_above,
    digamma_by_quotients,
    gamma_by_logarithm,
    gammaln_above,
    gammaln_by_quotients,
    polynomial_at,
    sign_of_gamma,
    trigamma_above,
    trigamma_by_quotients,
    zeta_by_primes,
)
from weft_tensor.ops.special.slope_rows import slopes_by_steps

__all__ = [
    "beta",
    "betaln",
    "binom",
    "comb",
    "digamma",
    "factorial",
    "gamma",
    "gammaln",
    "gammasgn",
    "multigammaln",
    "poch",
    "polygamma",
    "psi",
    "riemann",
    "trigamma",
    "zeta",
]

_TERMS: Final = 10
_MIRRORED: Final = -0.05
_ALL_ONE: Final = 1100.0
"""From here on, all but the first term of zeta underflows."""
_TINY: Final = 1e-30


def _zeta_sum(x: TensorVariable, q: TensorVariable) -> TensorVariable:
    fine = (x > 1) & (x < inf) & (q > 0)
    total = _by_first_terms(where(fine, x, 2), where(fine, q, 1))
    total = where(eq(x, inf) & (q > 0), where(q < 1, inf, where(q > 1, 0, 1)), total)
    pole = eq(x, 1) | ((x > 1) & (q <= 0) & eq(q, rint(q)))
    inside = where(pole, inf, where((x > 1) & (q > 0), total, nan))
    return where(isnan(x) | isnan(q), nan, inside)


def _by_first_terms(s: TensorVariable, q: TensorVariable) -> TensorVariable:
    """For s above 1."""
    total = pow(q, -s)
    for k in range(1, _TERMS):
        total = total + pow(q + k, -s)
    end = q + _TERMS
    term = pow(end, -s)
    total = total + pow(end, 1 - s) / (s - 1) + 0.5 * term
    factor = s * term / end
    for k, correction in enumerate(ZETA_CORRECTIONS):
        total = total + correction * factor
        factor = factor * (s + (2 * k + 1)) * (s + (2 * k + 2)) / (end * end)
    return total


def riemann(x: TensorVariable, first: int = 1) -> TensorVariable:
    """Riemann's zeta function, or what it has from its term `first` on, 2, which is 1 less.

    Below 0, but for what is so near that 1 - x has lost its digits, it is mirrored (25.4.1).
    """
    below = (x < _MIRRORED) & (x > -inf)
    fine = below | (x >= _MIRRORED) & (x < _ALL_ONE) & neq(x, 1)
    total = zeta_by_primes(where(fine, where(below, 1 - x, x), 2), first)
    s = where(below, x, -1)
    size = exp(gammaln(1 - s) + (s - 1) * number_log(2 * pi))
    mirrored = 2 * pi * _sine_of_sum(0.5 * s, as_tensor(0.0)) * size * (total + (first - 1)) - (
        first - 1
    )
    at_end = where(eq(x, 1), inf, where(x >= _ALL_ONE, 2 - first, nan))
    return where(fine, where(below, mirrored, total), at_end)


def zeta(x: TensorLike, q: TensorLike | None = None) -> TensorVariable:
    """Hurwitz' zeta function, the sum of (k + q)**-x over k = 0, 1, 2, ...; without q, Riemann's.

    As `scipy.special.zeta`: Riemann's of all real numbers; Hurwitz' for x above 1 and positive q,
    infinite for x = 1, and for q = 0, -1, ...; for others NaN. It has derivatives in x and in q.

    >>> print(zeta(2.0).eval().round(6), zeta(-1.0).eval().round(6))
    1.644934 -0.083333
    """
    if q is not None:
        return _zeta(x, q)
    x = _as_float(x)
    return riemann(x).astype(x.dtype)


def _beta_slopes(a: TensorVariable, b: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Those of the logarithm of `beta`."""
    total = digamma(a + b)
    return digamma(a) - total, digamma(b) - total


def _beta_steps(a: TensorVariable, b: TensorVariable, r: TensorVariable) -> list[TensorVariable]:
    """At a zero, 1 / gamma(a + b) is steep: by reflection of that and of gamma(a)."""
    zero = eq(r, 0) & _pole(a + b)
    steep = beta(where(zero, 1 - a - b, 1), where(zero, b, 1)) / sin(pi * (a - 2 * rint(0.5 * a)))
    return [where(zero, pi * _cosine(a + b) * steep, r * v) for v in _beta_slopes(a, b)]


def _binom_slopes(
    n: TensorVariable, k: TensorVariable, r: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """Below 1/2, 1 / gamma(z) is gamma(1 - z) sin(πz) / π, whose slope is none of 0 and a pole."""

    def rest(z: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        below = z < 0.5
        size = beta(where(below, n + 1, 1), where(below, 1 - z, 1)) * _cosine(z)
        return digamma(where(below, 1 - z, z)), where(below, size, 0)

    (top, by_top), (low, by_low) = rest(n - k + 1), rest(k + 1)
    return r * (digamma(n + 1) - top) + by_top, r * (top - low) + by_low - by_top


def _poch_slopes(
    a: TensorVariable, m: TensorVariable, r: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """Likewise for 1 / gamma(a); of two poles, for whole m, what is left."""
    below, end = a < 0.5, a + m
    both = below & (end < 0.5) & eq(m, rint(m))
    alone = below & ~both
    last, first = where(both, 1 - end, end), where(below, 1 - a, a)
    size = gammaln(where(alone, end, 1)) + gammaln(where(alone, first, 1))
    more = where(alone, sign_of_gamma(end) * exp(size) * _cosine(a), 0)
    return r * (digamma(last) - digamma(first)) + more, r * digamma(end)


def _cosine(x: TensorVariable) -> TensorVariable:
    """cos(πx), right for large numbers too."""
    return cos(pi * (x - 2 * rint(0.5 * x)))


def _beta_by_logarithm(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    signs = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(a + b)
    return where(_pole(a + b), 0, signs * exp(betaln(a, b)))


def _pole(v: TensorVariable) -> TensorVariable:
    return (v <= 0) & eq(v, rint(v))


def _without_poles(
    a: TensorVariable, b: TensorVariable
) -> tuple[TensorVariable, TensorVariable, TensorVariable, TensorVariable]:
    """Arguments and a sign for gamma(a) gamma(b) / gamma(a + b), and whether it is infinite.

    As SciPy: of two poles for whole numbers (-1)**b times that of 1 - a - b and b is left.
    """
    is_pole = _pole(a)
    low, high = where(is_pole, a, b), where(is_pole, b, a)
    is_pole = is_pole | _pole(b)
    rest = 1 - low - high
    fits = is_pole & eq(high, rint(high)) & (rest > 0)
    finite = fits & (high > 0)
    sign = where(fits, 1 - 2 * abs(high % 2), 1)
    return where(finite, rest, a), where(finite, high, b), sign, is_pole & ~finite


def _beta(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """At the ends as SciPy, for which whole numbers from -2^31 down are poles."""
    p, q, sign, is_infinite = _without_poles(a, b)
    value = sign * where(is_infinite, inf, _beta_by_logarithm(p, q))
    low, high = minimum(a, b), maximum(a, b)
    at_end = where(low < 0, sign_of_gamma(low) * inf, where(low > 1e100, nan, 0))
    value = where(eq(high, inf) & ~_pole(low), at_end, value)
    return where((low <= -(2.0**31)) & eq(low, rint(low)), inf, value)


def _betaln(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    p, q, _, is_infinite = _without_poles(a, b)
    return where(is_infinite, inf, betaln_by(gammaln, p, q))


def _sine_of_sum(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """sin(π (x + y)) / π, right to the last digits next to whole numbers too."""
    share = (x - rint(x)) + (y - rint(y))
    whole = rint(x) + rint(y) + rint(share)
    odd = abs(whole - 2 * rint(0.5 * whole))
    return (1 - 2 * odd) * sin(pi * (share - rint(share))) / pi


def _binom(n: TensorVariable, k: TensorVariable) -> TensorVariable:
    """1 / ((n + 1) B(n - k + 1, k + 1)); for k above n, mirrored, B(n + 1, k - n) and a sine."""
    mirrored = k > n + 0.5
    p, q = where(mirrored, n + 1, n - k + 1), where(mirrored, k - n, k + 1)
    size = where(mirrored, betaln(p, q), -betaln(p, q) - log(abs(n + 1)))
    signs = sign_of_gamma(p) * sign_of_gamma(q) * sign_of_gamma(p + q) * where(n < -1, -1, 1)
    signs = where(mirrored, where(n < -1, -signs, signs) * _sine_of_sum(k, -n), signs)
    none = where(mirrored, _pole(p + q), _pole(p) | _pole(q))
    ratio = where(none, 0, signs * exp(size))
    few = (k < 20) & eq(k, rint(k))  # of infinitely many, as SciPy
    of_all = where(k <= -1, 0, where(few, inf, nan))
    ratio = where(eq(n, inf), of_all, ratio)
    ratio = where(eq(k, 0), 1, ratio)
    return where((_pole(n) & (n < 0)) | isnan(n), nan, ratio)


def _poch(a: TensorVariable, m: TensorVariable) -> TensorVariable:
    """By the beta function, whose logarithm is right where those of gamma cancel; mirrored below 0.

    At poles as SciPy: for whole numbers what is left of two of them.
    """
    end, sine = a + m, _sine_of_sum(a, m)
    last_is_pole = (end <= 0) & eq(sine, 0)
    mirrored = _pole(a) & last_is_pole
    first, last = where(mirrored, 1 - end, a), where(mirrored, 1 - a, end)
    low, step = minimum(first, last), abs(m)
    above = (low > 0) & (step > 0)
    by_beta = gammaln(where(above, step, 1)) - betaln(where(above, low, 1), where(above, step, 1))
    size = where(above, where(m < 0, -by_beta, by_beta), gammaln(last) - gammaln(first))
    signs = where(mirrored, 1 - 2 * abs(m % 2), sign_of_gamma(first) * sign_of_gamma(last))
    across = (a > 0) & (end < 0.5) & ~last_is_pole
    p, q = where(across, a, 1), where(across, 1 - end, 1)
    size = where(across, -betaln(p, q) - gammaln(1 - where(across, m, 0)), size)
    signs = where(across, 1 / where(across, sine, 1), signs)
    ratio = where((abs(a) < inf) | (abs(m) <= 1), signs * exp(size), nan)
    ratio = where(eq(m, 0), 1, ratio)
    ratio = where(last_is_pole & ~_pole(a) & ~eq(end, m), inf, ratio)
    return where(_pole(a) & ~last_is_pole & (a > -inf), 0, ratio)


# fmt: off
_zeta: Binary = binary(
    "zeta", None, "Hurwitz' zeta function.", ((1.5, 4.0), POSITIVE), (2.0, 1.0, 1.644934067),
    lambda x, q, r: (slopes_by_steps(_zeta_sum, x, q, r)[0], x * -_zeta(x + 1, q)), _zeta_sum,
    dtypes=floating,
)
trigamma = unary(
    "trigamma", None, "Derivative of `digamma`: scipy.special.polygamma(1, x).",
    POSITIVE, (1.0, pi**2 / 6), lambda x, r: (polygamma(2, x),), trigamma_by_quotients,
    dtypes=floating, usual=(Usual(0, inf, trigamma_above),),
)
digamma = unary(
    "digamma", None, "Derivative of the logarithm of the gamma function.",
    POSITIVE, (1.0, -0.5772156649015329), lambda x, r: (trigamma(x),), digamma_by_quotients,
    dtypes=floating, of_complex="complex_digamma", usual=(Usual(0, inf, digamma_above),),
)
gammaln = unary(
    "gammaln", None, "Logarithm of the gamma function's absolute value.",
    POSITIVE, (5.0, number_log(24)), lambda x, r: (digamma(x),), gammaln_by_quotients,
    dtypes=floating, usual=(Usual(0, inf, gammaln_above),),
)
gamma = unary(
    "gamma", "scipy.special.gamma", "Gamma function, of n + 1 the factorial of n.",
    POSITIVE, (5.0, 24.0), lambda x, r: (r * digamma(x),), gamma_by_logarithm, dtypes=floating,
    of_complex="complex_gamma",
)
gammasgn = unary(
    "gammasgn", "scipy.special.gammasgn", "The sign of the gamma function; NaN at its poles.",
    POSITIVE, (-0.5, -1.0), 0, sign_of_gamma, dtypes=floating,
)
beta = binary(
    "beta", "scipy.special.beta", "Beta function, gamma(a) gamma(b) / gamma(a + b).",
    (POSITIVE, POSITIVE), (2.0, 3.0, 1 / 12),
    _beta_steps, _beta,
    commutative=True, dtypes=floating,
)
betaln = binary(
    "betaln", None, "Logarithm of the beta function's absolute value.",
    (POSITIVE, POSITIVE), (2.0, 3.0, -number_log(12)), lambda a, b, r: _beta_slopes(a, b),
    _betaln, commutative=True, dtypes=floating, usual=(Usual(_TINY, 1e30, betaln_above),),
)
binom = binary(
    "binom", "scipy.special.binom", "Binomial coefficient, of real numbers too.",
    ((3.0, 5.0), (0.5, 2.5)), (5.0, 2.0, 10.0), _binom_slopes,
    _binom, dtypes=floating,
)
poch = binary(
    "poch", "scipy.special.poch", "Pochhammer's symbol, gamma(a + m) / gamma(a).",
    (POSITIVE, POSITIVE), (3.0, 2.0, 12.0), _poch_slopes, _poch, dtypes=floating,
)
# fmt: on
psi = digamma
"""SciPy's other name of `digamma`."""


def polygamma(n: Any, x: TensorLike) -> TensorVariable:
    """The n-th derivative of `digamma`; see `scipy.special.polygamma`.

    n is an integer that is known when the graph is built, or an array of such, which broadcasts
    with x. Raises TypeError for others, ValueError for negative ones.

    >>> print(polygamma(2, 1.0).eval().round(6))
    -2.404114
    """
    if isinstance(n, TensorVariable) or (orders := np.asarray(n)).dtype.kind not in "iu":
        raise TypeError(f"polygamma: the order n must be a known integer, got {n!r}")
    if (orders < 0).any():
        raise ValueError(f"polygamma: the order n must not be negative, got {n}")
    x = _as_float(x)
    if orders.ndim:
        result = x + np.zeros(orders.shape, x.dtype)
        for k in np.unique(orders).tolist():
            result = where(eq(orders, k), polygamma(k, x), result)
        return result
    n = int(n)
    if n < 2:
        return (digamma, trigamma)[n](x)
    negative = x < 0
    size = number_factorial(n) * zeta(n + 1.0, where(negative, 1 - x, x))
    above = size if n % 2 else -size
    pole = (x <= 0) & eq(x, rint(x))
    mirrored = where(negative & ~pole & (x > -inf), x, 0.25)
    slope = polynomial_at(cotangent_slope(n), cotangent(mirrored - rint(mirrored)))
    below = -size - pi ** (n + 1) * slope  # ψ(1 - x) - ψ(x) = π cot(πx), n times differentiated
    return where(pole, inf if n % 2 else -inf, where(negative, below, above)).astype(x.dtype)


def factorial(n: TensorLike) -> TensorVariable:
    """gamma(n + 1), and 0 for negative n; see `scipy.special.factorial`.

    >>> factorial(4).eval().round(6).item()
    24.0
    """
    n = _as_float(n)
    return where(n < 0, 0, gamma(n + 1)).astype(n.dtype)


def comb(
    n: TensorLike, k: TensorLike, *, exact: bool = False, repetition: bool = False
) -> TensorVariable:
    """How many ways there are to take k of n things; see `scipy.special.comb`.

    With `repetition` each may be taken again. Raises ValueError for `exact`: `math.comb` has
    numbers of any size.

    >>> comb(5, 2).eval().round(6).item()
    10.0
    """
    if exact:
        raise ValueError(f"comb gives floating numbers: write math.comb for exact ones{called()}")
    n, k = _as_float(n), _as_float(k)
    if repetition:
        return where(eq(k, 0) & (n >= 0), 1, binom(n + k - 1, k))
    ways = binom(n, k)
    return where((k <= n) & (n >= 0) & (k >= 0), ways, 0).astype(ways.dtype)


def multigammaln(a: TensorLike, d: int) -> TensorVariable:
    """Logarithm of the multivariate gamma function; see `scipy.special.multigammaln`.

    NaN where `a` is below (d - 1) / 2. Raises ValueError if the dimension d is not positive.

    >>> print(multigammaln(3.0, 2).eval().round(6))
    1.550195
    """
    if d < 1:
        raise ValueError(f"multigammaln: the dimension d must be positive, got {d}")
    a = as_tensor(a)
    first = gammaln(a) + d * (d - 1) / 4 * number_log(pi)
    total = sum((gammaln(a - 0.5 * k) for k in range(1, d)), first)
    return where(a < 0.5 * (d - 1), float("nan"), total)


def _as_float(x: TensorLike) -> TensorVariable:
    """As a tensor of real numbers: integers in 64 bits."""
    x = as_tensor(x)
    if x.is_complex:
        raise TypeError(f"not defined for {x!r}: it takes real numbers{called()}")
    return x if x.dtype in ("float32", "float64") else x.astype("float64")
