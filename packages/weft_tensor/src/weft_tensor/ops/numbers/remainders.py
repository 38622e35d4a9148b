"""What is left of functions without the first terms of their series, which would cancel."""

from __future__ import annotations

from math import factorial
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.op import Unary, binary, unary
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import ANY, floating
from weft_tensor.ops.special.entropies import exprel

__all__ = ["expm1mx", "exprel2", "langevin", "log1pmx", "log_sinhc", "pow1pm1"]

_MOST: Final = 1000.0
"""Exponentials of more are infinite."""
_HUGE: Final = 1e30
"""Nothing is left of its logarithm beside it."""
_ARCTANH: Final = tuple([1 / (2 * k + 3) for k in range(17)])
"""Of 2 arctanh(r) - 2 r, over 2 r³, by powers of r²."""
_EXPREL2: Final = tuple([1 / factorial(k + 2) for k in range(18)])
_EXPREL2_SLOPE: Final = tuple([(k + 1) / factorial(k + 3) for k in range(18)])


def _langevin_terms(count: int) -> tuple[float, ...]:
    """Of L(x) / x by powers of x², by L' = 1 - L² - 2 L / x."""
    terms = [1 / 3]
    for k in range(1, count):
        terms.append(-sum(a * b for a, b in zip(terms, terms[::-1], strict=True)) / (2 * k + 3))
    return tuple(terms)


_LANGEVIN: Final = _langevin_terms(18)
_LANGEVIN_SLOPE: Final = tuple([(2 * k + 1) * c for k, c in enumerate(_LANGEVIN)])
_LOG_SINHC: Final = tuple([c / (2 * k + 2) for k, c in enumerate(_LANGEVIN)])


def _log1pmx(x: TensorVariable) -> TensorVariable:
    """By r = x / (2 + x), of which log(1 + x) is 2 arctanh(r), and x is 2 r / (1 - r)."""
    is_near = (x > -0.5) & (x < 1)
    near = where(is_near, x, 0)
    r = near / (2 + near)
    squared = r * r
    far = where(is_near, 1, x)
    series: Any = polynomial(_ARCTANH, squared)
    return where(is_near, r * (2 * squared * series - near), log1p(minimum(far, _HUGE)) - far)


def _expm1mx(x: TensorVariable) -> TensorVariable:
    is_near = abs(x) < 1
    near = where(is_near, x, 0)
    series: Any = polynomial(_EXPREL2, near)
    return where(is_near, near * near * series, expm1(x) - minimum(x, _MOST))


def _exprel2(x: TensorVariable) -> TensorVariable:
    """Of large numbers as a square, which does not overflow before."""

    def far(x: TensorVariable) -> TensorVariable:
        root = exp(0.5 * x) / minimum(x, _HUGE)
        return where(x > 50, root * root, (exprel(x) - 1) / x)

    return _near_or_far(x, x, _EXPREL2, far)


def _exprel2_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    return _near_or_far(x, x, _EXPREL2_SLOPE, lambda far: (exprel(far) - 2 * r) / far)


def _near_or_far(x: TensorVariable, t: Any, terms: tuple[float, ...], far: Any) -> Any:
    """A polynomial in t where x is less than 1, else what `far` makes of x."""
    is_near = abs(x) < 1
    return where(is_near, polynomial(terms, where(is_near, t, 0)), far(where(is_near, 1, x)))


def _size(x: TensorVariable) -> TensorVariable:
    return where(x < 0, -x, x)


def _langevin(x: TensorVariable) -> TensorVariable:
    def far(x: TensorVariable) -> TensorVariable:
        size = _size(x)
        whole = (1 + exp(-2 * size)) / -expm1(-2 * size) - 1 / size
        return where(x < 0, -whole, whole)

    is_near = abs(x) < 1
    return where(is_near, x, 1) * _near_or_far(x, x * x, _LANGEVIN, far)


def _langevin_slope(x: TensorVariable) -> TensorVariable:
    def far(x: TensorVariable) -> TensorVariable:
        size = _size(x)
        cosech = 2 * exp(-size) / -expm1(-2 * size)
        return (1 / size) * (1 / size) - cosech * cosech

    return _near_or_far(x, x * x, _LANGEVIN_SLOPE, far)


def _log_sinhc(x: TensorVariable) -> TensorVariable:
    def far(x: TensorVariable) -> TensorVariable:
        size = _size(x)
        return size - log(2 * minimum(size, _HUGE)) + log1p(-exp(-2 * size))

    is_near = abs(x) < 1
    return where(is_near, x * x, 1) * _near_or_far(x, x * x, _LOG_SINHC, far)


def _pow1pm1(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    is_near = x > -1
    near = expm1(y * log1p(where(is_near, x, 0)))
    return where(is_near, near, pow(where(is_near, 1, 1 + x), y) - 1)


def _pow1p_slope(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """By y, which is 0 where the power is 0."""
    logarithm = log1p(x)
    return exp(y * logarithm) * where(eq(x, -1) & (y > 0), 0, logarithm)


# fmt: off
log1pmx: Unary = unary(
    "log1pmx", None, "log(1 + x) - x, accurate near 0.", (-0.9, 5.0), (0.0, 0.0),
    lambda x, r: (-(x / (1 + x)),), _log1pmx, dtypes=floating, facts="nonpositive",
)
expm1mx: Unary = unary(
    "expm1mx", None, "exp(x) - 1 - x, accurate near 0.", ANY, (0.0, 0.0),
    lambda x, r: (expm1(x),), _expm1mx, dtypes=floating, facts="nonnegative; keeps not_nan",
)
exprel2: Unary = unary(
    "exprel2", None, "(exp(x) - 1 - x) / x², and 1/2 for x = 0.", ANY, (0.0, 0.5),
    lambda x, r: (_exprel2_slope(x, r),), _exprel2, dtypes=floating,
    facts="nonnegative; keeps not_nan",
)
langevin: Unary = unary(
    "langevin", None, "Langevin function, coth(x) - 1 / x, and 0 for x = 0.", ANY, (0.0, 0.0),
    lambda x, r: (_langevin_slope(x),), _langevin, dtypes=floating,
    facts="keeps nonnegative nonpositive not_nan; finite if not_nan",
)
log_sinhc: Unary = unary(
    "log_sinhc", None, "log(sinh(x) / x), without overflow, and 0 for x = 0.", ANY, (0.0, 0.0),
    lambda x, r: (langevin(x),), _log_sinhc, dtypes=floating,
    facts="nonnegative; keeps not_nan",
)
pow1pm1 = binary(
    "pow1pm1", None, "(1 + x)^y - 1, accurate near 0.", ((-0.9, 5.0), ANY), (0.5, 2.0, 1.25),
    lambda x, y, r: (y * pow(1 + x, y - 1), _pow1p_slope(x, y)), _pow1pm1, dtypes=floating,
)
# fmt: on
