"""The gamma function's logarithm and its first two derivatives, by one formula on all backends.

With y = |x|, z = y or 1 + y (for y below 1), t = z - 1 and u = 1/z, the formulas are

    ln gamma(z)  (z - 1)(z - 2) p(t)/q(t)   or  (z - 1/2)(log z - 1) + c + u p(u²)/q(u²)
    digamma(z)   (z - root) p(t)/q(t)       or  log z - u/2 + u² p(u²)/q(u²)
    trigamma(z)  p(t)/q(t)                  or  u + u²/2 + u³ p(u²)/q(u²)

for z up to 4, and above. From z to y they go by recurrence, from y to -y by reflection (Abramowitz
and Stegun, 6.1.17, 6.3.7 and 6.4.7). The fractions are right to 3e-18; they are fitted by weighted
least squares, with more weight where the error is largest until it is nearly even.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nan, pi
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import copysign, floor, maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, exp2, log1p
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.rational import Coefficients, quotient
from weft_tensor.ops.elementwise.trigonometric import sin, tan

__all__ = [
    "ZETA_CORRECTIONS",
    "betaln_above",
    "betaln_by",
    "cotangent",
    "cotangent_slope",
    "digamma_above",
    "digamma_by_quotients",
    "digamma_near",
    "digamma_rest",
    "gamma_by_logarithm",
    "gammaln_above",
    "gammaln_by_quotients",
    "gammaln_near",
    "gammaln_of_next",
    "polynomial_at",
    "sign_of_gamma",
    "stirling_rest",
    "trigamma_above",
    "trigamma_by_quotients",
    "zeta_by_primes",
]

ZETA_CORRECTIONS: Final = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000),
    *(1 / 74724249600, -3617 / 10670622842880000, 43867 / 5109094217170944000),
)
"""Bernoulli's numbers of even order, over the factorial of the order."""

# fmt: off
_GAMMALN_NEAR: Final[Coefficients] = (
    (
        0.5772156649015329, 1.759900335083341, 2.090700142371493, 1.2270204991355032,
        0.37299275813426896, 0.056411960532737934, 0.003717682951895158, 7.690311993528113e-05,
        1.0391778811830061e-07,
    ),
    (
        1.0, 3.4738345224015696, 4.828747237175238, 3.4414710340230523, 1.3413123212429898,
        0.28300823243575446, 0.0300985808029857, 0.0013719224368561138, 1.8076084350540114e-05,
    ),
)
_GAMMALN_FAR: Final[Coefficients] = (
    (
        0.08333333333333333, 0.7908097621708742, 1.8387170179656647, 1.048174213044269,
        0.07487777948270789,
    ),
    (
        1.0, 9.523050479383755, 22.372515422066012, 13.24028820552094, 1.184725778915032,
    ),
)
_DIGAMMA_NEAR: Final[Coefficients] = (
    (
        1.2503801375034054, 1.9902343806111387, 1.148316153332905, 0.3036020266508866,
        0.03779289564483135, 0.002007717932880794, 3.3314826521844855e-05, 3.217516122330455e-08,
    ),
    (
        1.0, 2.2752502666055645, 1.8718221022700032, 0.7245180862225933, 0.14071111932051494,
        0.013291287817074067, 0.0005326330531400293, 6.212410715276543e-06,
    ),
)
_DIGAMMA_FAR: Final[Coefficients] = (
    (
        -0.08333333333333312, -0.9088448361749595, -2.5046506879314805, -1.7617782627099694,
        -0.15746037733216162,
    ),
    (
        1.0, 11.006138034097535, 31.108803011483026, 23.7781175760343, 3.2453675343180466,
    ),
)
_TRIGAMMA_NEAR: Final[Coefficients] = (
    (
        1.6449340668482264, 4.5579304482583005, 5.372819574447552, 3.4271038467580173,
        1.2467137938995327, 0.24582214693080842, 0.02062098718214468, -2.1191731902612428e-11,
    ),
    (
        1.0, 4.232415386664771, 7.4781466238595575, 7.179987408827164, 4.070087617652249,
        1.3713431682595185, 0.25613265140968133, 0.02062098648767951,
    ),
)
_TRIGAMMA_FAR: Final[Coefficients] = (
    (
        0.16666666666666383, 2.085096115278189, 6.736642495411939, 5.692855232616991,
        0.6088484630631175,
    ),
    (
        1.0, 12.710576691656087, 42.819113171402115, 41.10515690375421, 7.844711076284519,
    ),
)
# fmt: on
_CONSTANT: Final = log(2 * pi) / 2 - 0.5
_ROOT: Final = {
    "float32": (1.4616321325302124, 1.2438149874e-08),
    "float64": (1.4616321449683622, 9.549995429965697e-17),
}
"""Of digamma, as the sum of two numbers of a dtype."""


def gammaln_by_quotients(x: TensorVariable) -> TensorVariable:
    """`gammaln` as an expression, of all cases."""
    y = abs(x)
    above, part = gammaln_above(y), _fraction(y)
    mirrored = -logarithm(abs(sin(pi * part)) / pi) - logarithm(y) - above
    below = where(eq(part, 0), inf, mirrored)
    return where(eq(x, -inf), x, where(x < 0, below, above))


def gammaln_above(y: TensorVariable) -> TensorVariable:
    """`gammaln` of numbers that are not negative."""
    small, z, t, _ = _shifted(y)
    size = logarithm(y)
    near = t * where(small, y - 1, z - 2) * quotient(_GAMMALN_NEAR, t)
    far = (y - 0.5) * (size - 1) + _CONSTANT + stirling_rest(z)
    return where(z > 4, far, near + where(small, -size, 0))  # 0.0 at 1


def gammaln_near(t: TensorVariable) -> TensorVariable:
    """`gammaln` of 1 + t, for t from 0 to 3."""
    return t * (t - 1) * quotient(_GAMMALN_NEAR, t)


def gammaln_of_next(x: TensorVariable) -> TensorVariable:
    """`gammaln` of x + 1, for x that is not negative, also tiny."""
    small = x < 3
    z = where(small, 5, x + 1)
    far = (z - 0.5) * (logarithm(z) - 1) + _CONSTANT + stirling_rest(z)
    return where(small, gammaln_near(where(small, x, 0)), far)


def betaln_above(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """`betaln` of positive numbers."""
    return betaln_by(gammaln_above, a, b)


def betaln_by(
    gammaln: Callable[[TensorVariable], TensorVariable], a: TensorVariable, b: TensorVariable
) -> TensorVariable:
    """`betaln` as an expression: by Stirling's formula where large logarithms would cancel."""
    low, high = minimum(a, b), maximum(a, b)
    total = low + high
    of_low = gammaln(low)
    small = of_low - low * (logarithm(total) - 1)
    large = stirling_rest(low) + _CONSTANT + 0.5 - low * log1p(high / low) - 0.5 * logarithm(low)
    rest = stirling_rest(high) - stirling_rest(total) - (high - 0.5) * log1p(low / high)
    plain = of_low + gammaln(high) - gammaln(total)
    logarithm_of_beta = where((high > 4) & (total > 4), where(low > 4, large, small) + rest, plain)
    at_end = where(low > 0, -inf, inf)
    return where(eq(high, inf) & (abs(low) > 0) & (low > -inf), at_end, logarithm_of_beta)


def stirling_rest(x: TensorVariable) -> TensorVariable:
    """What Stirling's formula lacks, for x above 4."""
    u = 1 / x
    return u * quotient(_GAMMALN_FAR, u * u)


def gamma_by_logarithm(x: TensorVariable) -> TensorVariable:
    """`gamma` as an expression of its logarithm, right to 2e-13."""
    size = exp(gammaln_by_quotients(x))
    return where(eq(x, 0), 1 / x, sign_of_gamma(x) * size)


def sign_of_gamma(x: TensorVariable) -> TensorVariable:
    """1 or -1; NaN where it has none, and for negative zero -1."""
    below = floor(where(abs(x) < inf, x, 1))
    is_odd = eq(below - 2 * floor(0.5 * below), 1)
    pole = (x < 0) & eq(below, x)
    sign = where(eq(x, 0), copysign(1.0, x), where((x < 0) & is_odd, -1.0, 1.0))
    return where(pole | isnan(x) | eq(x, -inf), nan, sign)


def digamma_by_quotients(x: TensorVariable) -> TensorVariable:
    """`digamma` as an expression, of all cases."""
    y = abs(x)
    above, part = digamma_above(y), _fraction(y)
    small, z, t, _ = _shifted(y)
    rest = where(small, digamma_near(z, t), above + 1 / y)
    below = where(eq(part, 0), nan, rest + pi / tan(pi * part))
    return where(eq(x, 0), -1 / x, where(x < 0, below, above))


def digamma_above(y: TensorVariable) -> TensorVariable:
    """`digamma` of positive numbers."""
    small, z, t, u = _shifted(y)
    far = logarithm(z) - 0.5 * u + u * u * quotient(_DIGAMMA_FAR, u * u)
    return where(z > 4, far, digamma_near(z, t)) - where(small, 1 / y, 0)


def digamma_rest(x: TensorVariable) -> TensorVariable:
    """digamma(x) - log(x) + 1 / (2 x), for x above 4."""
    u = 1 / x
    return u * u * quotient(_DIGAMMA_FAR, u * u)


def digamma_near(z: TensorVariable, t: TensorVariable) -> TensorVariable:
    """`digamma` of z from 1 to 4, for t = z - 1."""
    high, low = _ROOT[z.dtype]
    factor = quotient(_DIGAMMA_NEAR, t)
    return (z - high) * factor - low * factor  # XLA adds the constants of z - a - b


def trigamma_by_quotients(x: TensorVariable) -> TensorVariable:
    """`trigamma` as an expression, of all cases."""
    y = abs(x)
    small, _, t, _ = _shifted(y)
    above, mirrored = trigamma_above(y), (pi / sin(pi * _fraction(y))) ** 2
    below = mirrored + where(small, -quotient(_TRIGAMMA_NEAR, t), 1 / (y * y) - above)
    return where(x < 0, below, above)


def trigamma_above(y: TensorVariable) -> TensorVariable:
    """`trigamma` of numbers that are not negative."""
    small, z, t, u = _shifted(y)
    far = u + u * u * (0.5 + u * quotient(_TRIGAMMA_FAR, u * u))
    above = where(z > 4, far, quotient(_TRIGAMMA_NEAR, t))
    return above + where(small, 1 / (y * y), 0)


def _shifted(
    y: TensorVariable,
) -> tuple[TensorVariable, TensorVariable, TensorVariable, TensorVariable]:
    """Whether y is below 1, and z, t and u."""
    small = y < 1
    z = where(small, 1 + y, y)
    return small, z, where(small, y, y - 1), 1 / z


def _fraction(y: TensorVariable) -> TensorVariable:
    """How far y is from the nearest integer, with a sign: exactly."""
    return where(eq(y, inf), 0, y - rint(y))


def cotangent(share: TensorVariable) -> TensorVariable:
    """cot(πs) of s from -1/2 to 1/2, exact at the ends."""
    size = abs(share)
    steep = size > 0.25
    tangent = tan(pi * where(steep, 0.5 - size, size))
    return where(share < 0, -1.0, 1.0) * where(steep, tangent, 1 / where(steep, 1, tangent))


def cotangent_slope(n: int) -> list[int]:
    """The n-th derivative of cot as a polynomial in it, lowest powers first."""
    terms = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(terms)][1:]
        terms = [-a - b for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    return terms


def polynomial_at(terms: list[int], t: TensorVariable) -> TensorVariable:
    """That of coefficients, lowest powers first."""
    total: Any = float(terms[-1])
    for term in terms[-2::-1]:
        total = total * t + float(term)
    return total


def zeta_by_primes(s: TensorVariable, first: int) -> TensorVariable:
    """The sum of k**-s from k = `first` on, 1 or 2, for s from a little below 0 to 1100, but 1.

    By Euler and Maclaurin, from 11 on; powers of what is no prime are products.
    """
    two = exp2(-s)
    three, five, seven, eleven = (exp(-log(prime) * s) for prime in (3, 5, 7, 11))
    four = two * two
    powers = [two, three, four, five, two * three, seven, two * four, three * three, two * five]
    total: Any = float(2 - first)
    for power in powers:
        total = total + power
    rest: Any = ZETA_CORRECTIONS[-1]
    for k, correction in reversed([*enumerate(ZETA_CORRECTIONS[:-1])]):
        rest = correction + (s * (s + (4 * k + 3)) + (2 * k + 1) * (2 * k + 2)) * rest * (1 / 121)
    return total + eleven * (11 / (s - 1) + 0.5 + s * rest * (1 / 11))
