"""Factorials in steps, and Dirichlet's kernel."""

from __future__ import annotations

from math import nan, pi
from typing import Any, Final

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor, rint
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.gamma import gamma

__all__ = ["diric", "factorial2", "factorialk"]

_PI_REST: Final = 1.2246467991473532e-16
"""What pi misses in 64 bits."""


def factorialk(n: TensorLike, k: object) -> TensorVariable:
    """n (n - k) (n - 2 k) ..., as long as that is above 0; 0 for negative n, NaN between whole n.

    Elementwise; integers become float64. See `scipy.special.factorialk`, with `exact=False`.
    Raises ValueError unless k is a whole number above 0.

    >>> factorialk([5, 6, 7], 3).eval().round(6)
    array([10., 18., 28.])
    """
    if not isinstance(k, int) or k < 1:
        raise ValueError(f"factorialk takes a whole number k above 0, not {k!r}")
    number = as_floating(as_tensor(n))
    valid = (number >= 0) & eq(number, rint(number))
    inside = where(valid, number, 0.0)
    rest = inside - k * floor(inside / k)
    first: Any = 1.0
    for r in range(1, k):
        first = where(eq(rest, r), r / gamma(r / k + 1.0), first)
    value = first * pow(float(k), (inside - rest) / k) * gamma(inside / k + 1)
    return where(valid, value, where(number < 0, 0.0, nan)).astype(number.dtype)


def factorial2(n: TensorLike) -> TensorVariable:
    """n (n - 2) (n - 4) ..., as `factorialk` of 2. See `scipy.special.factorial2`.

    >>> factorial2([5, 6, 7]).eval().round(6)
    array([ 15.,  48., 105.])
    """
    return factorialk(n, 2)


def _diric(x: TensorVariable, n: TensorVariable) -> TensorVariable:
    turns = rint(x / (2 * pi))
    left = (x - 2 * turns * pi) - 2 * turns * _PI_REST
    odd = turns * (n - 1)
    sign = 1 - 2 * (odd - 2 * floor(0.5 * odd))
    value = sign * sinc(n * left / (2 * pi)) / sinc(left / (2 * pi))
    return where((n >= 1) & eq(n, rint(n)), value, nan)


diric = formula(
    "diric", "sin(n x / 2) / (n sin(x / 2)), for whole n.", (1.0, 5.0, 0.249662), _diric
)
