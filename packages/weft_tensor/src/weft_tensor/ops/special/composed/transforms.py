"""Powers and logarithms that do not cancel, losses, and what is made of gamma."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor, hypot, rint
from weft_tensor.ops.elementwise.comparison import eq, isinf, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.trigonometric import sin
from weft_tensor.ops.special.composed.formula import formula, of_reals
from weft_tensor.ops.special.entropies import exprel
from weft_tensor.ops.special.gamma import gamma, poch, riemann
from weft_tensor.ops.special.of_complex import loggamma

__all__ = [
    "boxcox",
    "boxcox1p",
    "cosm1",
    "exp10",
    "huber",
    "inv_boxcox",
    "inv_boxcox1p",
    "perm",
    "powm1",
    "pseudo_huber",
    "radian",
    "rgamma",
    "zetac",
]

_NEAR: Final = 0.1
_LARGE: Final = 80
"""From which exponents on 1 is nothing beside a power, of which parts are computed."""
_LOGARITHM: Final = tuple([(-1) ** k / (k + 1) for k in range(17)])
"""Of log(1 + t) / t, in powers of t."""


def _power_transform(lmbda: TensorVariable, log_x: TensorVariable, at_0: Any) -> TensorVariable:
    """(x^lmbda - 1) / lmbda, of log(x), which is infinite only where x is 0 or infinite."""
    end = isinf(log_x)
    inside = where(end, 0, log_x)
    exponent = lmbda * inside
    is_near = abs(exponent) < 1  # elsewhere the parts of its derivative would cancel
    near = inside * exprel(where(is_near, exponent, 0))
    is_large = exponent > _LARGE
    power = where(is_near, near, expm1(where(is_large, 1, exponent)) / where(is_near, 1, lmbda))
    root = exp(0.5 * where(is_large, exponent, 1))
    power = where(is_large, root / where(is_large, lmbda, 1) * root, power)
    side = where(at_0, -1.0, 1.0)
    limited = side * lmbda < 0
    limit = where(limited, -1 / where(limited, lmbda, 1), side * inf)
    limit = where(isnan(lmbda), nan, limit)
    return where(end, limit, power).astype(power.dtype)


def _boxcox(x: TensorVariable, lmbda: TensorVariable) -> TensorVariable:
    end = eq(x, 0) | eq(x, inf)
    return _power_transform(lmbda, where(end, inf, log(where(end, 1, x))), eq(x, 0))


def _boxcox1p(x: TensorVariable, lmbda: TensorVariable) -> TensorVariable:
    end = eq(x, -1) | eq(x, inf)
    return _power_transform(lmbda, where(end, inf, log1p(where(end, 0, x))), eq(x, -1))


def _log_of_inverse(y: TensorVariable, lmbda: TensorVariable) -> TensorVariable:
    """log(1 + lmbda y) / lmbda, which is y for lmbda = 0: with its slope there, by a series."""
    product = lmbda * y
    near = (abs(product) < _NEAR) | eq(lmbda, 0)
    series = y * polynomial(_LOGARITHM, where(near & ~isinf(y), product, 0))
    many = isinf(product) & ~isinf(y) & ~isinf(lmbda)
    parts = log(abs(where(many, lmbda, 1))) + log(abs(where(many, y, 1)))
    far = where(many, parts, log1p(where(near | many, 1, product)))
    value = where(near, series, far / where(near, 1, lmbda))
    return where(many & (product < 0), nan, value)


def _powm1(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    near = (abs(y * log(abs(x))) < 0.5) & ((x > 0) | eq(y, 2 * rint(0.5 * y)))
    small = expm1(where(near, y, 0) * log(where(near, abs(x), 1)))
    value = where(near, small, pow(where(near, 1, x), y) - 1)
    return where((x < 0) & (isinf(y) | ~eq(y, rint(y))), nan, value)


def _rgamma(x: TensorVariable) -> TensorVariable:
    """Below one half mirrored, where poles of gamma are zeros, with slopes."""
    if x.is_complex:
        pole = eq(x.imag, 0) & (x.real <= 0) & eq(x.real, rint(x.real))
        return where(pole, 0, exp(-loggamma(where(pole, 1, x)))).astype(x.dtype)
    low = x < 0.5
    inside = where(low & (x > -1e15), x, 0.25)
    nearest = rint(inside)
    odd = nearest - 2 * floor(0.5 * nearest)
    rest = inside - nearest
    sine = (1 - 2 * odd) * sin(pi * rest) / pi
    nothing = eq(rest, 0) & (inside < -150)  # where gamma(1 - x) may be infinite
    mirrored = where(nothing, 0, sine * gamma(1 - where(nothing, 0, inside)))
    mirrored = where(low & (x <= -1e15), 0, mirrored)
    return where(low, mirrored, 1 / gamma(where(low, 1, x)))


def _huber(delta: TensorVariable, r: TensorVariable) -> TensorVariable:
    size = abs(r)
    near = size <= delta
    inside = where(near, r, 0)
    loss = where(near, 0.5 * inside * inside, delta * (where(near, 0, size) - 0.5 * delta))
    return where(delta < 0, inf, loss)


def _pseudo_huber(delta: TensorVariable, r: TensorVariable) -> TensorVariable:
    inside = (delta > 0) & ~isinf(r)
    ratio = where(inside, r, 0) / where(inside, delta, 1)
    steep = isinf(ratio)
    loss = r * (where(inside, r, 0) / (1 + hypot(1, where(steep, 1, ratio))))
    loss = where(steep, where(steep, delta, 1) * abs(r), loss)
    loss = where(isinf(r) & (delta > 0), inf, where(eq(delta, 0), 0, loss))
    return where(delta < 0, inf, where(isnan(delta), nan, loss))


def _perm(n: TensorVariable, k: TensorVariable) -> TensorVariable:
    some = (k <= n) & (n >= 0) & (k >= 0)
    return where(some, poch(where(some, n - k, 0) + 1, where(some, k, 0)), 0)


# fmt: off
boxcox = formula(
    "boxcox", "(x^lmbda - 1) / lmbda, and log(x) for lmbda = 0.", (4.0, 0.5, 2.0), _boxcox,
)
boxcox1p = formula(
    "boxcox1p", "((1 + x)^lmbda - 1) / lmbda, and log(1 + x) for lmbda = 0.", (3.0, 0.5, 2.0),
    _boxcox1p,
)
inv_boxcox = formula(
    "inv_boxcox", "The x of which `boxcox` is y.", (2.0, 0.5, 4.0),
    of_reals(lambda y, lmbda: exp(_log_of_inverse(y, lmbda))),
)
inv_boxcox1p = formula(
    "inv_boxcox1p", "The x of which `boxcox1p` is y.", (2.0, 0.5, 3.0),
    of_reals(lambda y, lmbda: expm1(_log_of_inverse(y, lmbda))),
)
exp10 = formula("exp10", "10 to the power of x.", (2.0, 100.0), lambda x: pow(10.0, x))
cosm1 = formula(
    "cosm1", "cos(x) - 1, which does not cancel.", (0.5, -0.122417),
    lambda x: -2 * sin(0.5 * x) ** 2,
)
powm1 = formula("powm1", "x^y - 1, which does not cancel.", (3.0, 2.0, 8.0), of_reals(_powm1))
rgamma = formula("rgamma", "1 / gamma(x), which is 0 at gamma's poles.", (3.0, 0.5), _rgamma)
zetac = formula(
    "zetac", "Riemann's zeta function less 1, which does not cancel.", (2.0, 0.644934),
    of_reals(lambda x: riemann(x, 2)),
)
huber = formula(
    "huber", "Huber's loss: r²/2 up to delta, beyond it straight.", (1.0, 3.0, 2.5),
    of_reals(_huber),
)
pseudo_huber = formula(
    "pseudo_huber", "A smooth form of Huber's loss: delta² (sqrt(1 + (r / delta)²) - 1).",
    (4.0, 3.0, 4.0), _pseudo_huber,
)
perm = formula(
    "perm", "How many ways there are to put k of N things in a row.", (5.0, 2.0, 20.0),
    lambda N, k: _perm(N, k),
)
radian = formula(
    "radian", "An angle of d degrees, m minutes and s seconds, in radians.",
    (180.0, 0.0, 0.0, 3.141593),
    of_reals(lambda d, m, s: (s + 60 * (m + 60 * d)) * (pi / 648000)),
)
# fmt: on
